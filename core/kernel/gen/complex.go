package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// complexes writes the passes of the canonical embedding, on real and imaginary
// parts in rows of their own. Each product is rounded before it meets a sum, as
// in the portable code, so that no fused operation is used.
func complexes() {
	complexPass("evaluateTwo", "evaluateTwo does one stage of blocks of 2 parts.", 2, true)
	complexPass("evaluateFour", "evaluateFour does two stages of blocks of 4 parts.", 4, true)
	complexQuads("evaluateQuads", "evaluateQuads does the last two stages of count sixteens.", true)
	complexPass("interpolateTwo", "interpolateTwo undoes one stage of blocks of 2 parts, but for a factor of 2.", 2, false)
	complexPass("interpolateFour", "interpolateFour undoes two stages of blocks of 4 parts, but for a factor of 4.", 4, false)
	complexQuads("interpolateQuads", "interpolateQuads undoes the last two stages of count sixteens, but for a factor of 4.", false)
	roundProduct()
}

// number is a vector of complex numbers.
type number struct{ re, im vec }

// forward is (a, b) <- (a + wb, a - wb).
func (a number) forward(b, w number) []step {
	p, q := vector(), vector()
	return []step{
		func() { VMULPD(w.re, b.re, p) },
		func() { VMULPD(w.re, b.im, q) },
		func() { VMULPD(w.im, b.im, b.im) },
		func() { VMULPD(w.im, b.re, b.re) },
		func() { VSUBPD(b.im, p, p) },
		func() { VADDPD(b.re, q, q) },
		func() { VSUBPD(p, a.re, b.re) },
		func() { VSUBPD(q, a.im, b.im) },
		func() { VADDPD(p, a.re, a.re) },
		func() { VADDPD(q, a.im, a.im) },
	}
}

// back is (a, b) <- (a + b, (a - b)/w), |w| = 1.
func (a number) back(b, w number) []step {
	p, q := vector(), vector()
	return []step{
		func() { VSUBPD(b.re, a.re, p) },
		func() { VSUBPD(b.im, a.im, q) },
		func() { VADDPD(b.re, a.re, a.re) },
		func() { VADDPD(b.im, a.im, a.im) },
		func() { VMULPD(w.re, p, b.re) },
		func() { VMULPD(w.re, q, b.im) },
		func() { VMULPD(w.im, q, q) },
		func() { VMULPD(w.im, p, p) },
		func() { VADDPD(q, b.re, b.re) },
		func() { VSUBPD(p, b.im, b.im) },
	}
}

func loadNumber(re, im Mem) number { return number{load(re), load(im)} }

func broadcastNumber(re, im reg.Register, i int) number {
	return number{broadcast(Mem{Base: re, Disp: 8 * i}), broadcast(Mem{Base: im, Disp: 8 * i})}
}

func storeNumber(x number, re, im Mem) {
	store(x.re, re)
	store(x.im, im)
}

// complexPass walks over blocks of 2 or 4 equal parts, one vector of each part
// at a time. The roots of the blocks are those of nodes from `node` on, and those
// of their halves start at the double of that.
func complexPass(name, doc string, radix int, forward bool) {
	butterfly := number.back
	if forward {
		butterfly = number.forward
	}
	TEXT(name, NOSPLIT, "func(re, im *float64, blocks, part int, wr, wi *float64, node int)")
	Pragma("noescape")
	Doc(doc)
	re, im := Load(Param("re"), GP64()), Load(Param("im"), GP64())
	blocks, t := Load(Param("blocks"), GP64()), Load(Param("part"), GP64())
	wr, wi, node := Load(Param("wr"), GP64()), Load(Param("wi"), GP64()), Load(Param("node"), GP64())
	leftR, leftI, t3, count := GP64(), GP64(), GP64(), GP64()
	SHLQ(Imm(3), node)
	SHLQ(Imm(3), t)
	LEAQ(Mem{Base: wr, Index: node, Scale: 2}, leftR)
	LEAQ(Mem{Base: wi, Index: node, Scale: 2}, leftI)
	ADDQ(node, wr)
	ADDQ(node, wi)
	LEAQ(Mem{Base: t, Index: t, Scale: 2}, t3)
	place := func(base reg.Register, i int) Mem {
		switch i {
		case 0:
			return Mem{Base: base}
		case 3:
			return Mem{Base: base, Index: t3, Scale: 1}
		}
		return Mem{Base: base, Index: t, Scale: uint8(i)}
	}
	Label(name + "Block")
	MOVQ(t, count)
	Label(name + "Column")
	x := make([]number, radix)
	for i := range x {
		x[i] = loadNumber(place(re, i), place(im, i))
	}
	outer := func() {
		w := broadcastNumber(wr, wi, 0)
		if radix == 2 {
			interleave(butterfly(x[0], x[1], w))
			return
		}
		interleave(butterfly(x[0], x[2], w), butterfly(x[1], x[3], w))
	}
	inner := func() {
		for i := 0; i < radix && radix == 4; i += 2 {
			interleave(butterfly(x[i], x[i+1], broadcastNumber(leftR, leftI, i/2)))
		}
	}
	if forward {
		outer()
		inner()
	} else {
		inner()
		outer()
	}
	for i := range x {
		storeNumber(x[i], place(re, i), place(im, i))
	}
	ADDQ(Imm(uint64(width)), re)
	ADDQ(Imm(uint64(width)), im)
	SUBQ(Imm(uint64(width)), count)
	JNE(LabelRef(name + "Column"))
	rest := t
	if radix == 4 {
		rest = t3
	}
	ADDQ(rest, re)
	ADDQ(rest, im)
	ADDQ(Imm(8), wr)
	ADDQ(Imm(8), wi)
	ADDQ(Imm(16), leftR)
	ADDQ(Imm(16), leftI)
	DECQ(blocks)
	JNE(LabelRef(name + "Block"))
	end()
}

// complexQuads does or undoes the last two stages, of four blocks of four numbers
// at a time, one in each lane after a transposition.
func complexQuads(name, doc string, forward bool) {
	TEXT(name, NOSPLIT, "func(re, im *float64, count int, wr, wi *float64, node int)")
	Pragma("noescape")
	Doc(doc)
	butterfly := number.back
	if forward {
		butterfly = number.forward
	}
	re, im, count := Load(Param("re"), GP64()), Load(Param("im"), GP64()), Load(Param("count"), GP64())
	wr, wi, node := Load(Param("wr"), GP64()), Load(Param("wi"), GP64()), Load(Param("node"), GP64())
	leftR, leftI := GP64(), GP64()
	SHLQ(Imm(3), node)
	LEAQ(Mem{Base: wr, Index: node, Scale: 2}, leftR)
	LEAQ(Mem{Base: wi, Index: node, Scale: 2}, leftI)
	ADDQ(node, wr)
	ADDQ(node, wi)
	Label(name + "Loop")
	x := transposeNumbers(re, im)
	outer := func() {
		w := loadNumber(at(wr, 0), at(wi, 0))
		interleave(butterfly(x[0], x[2], w), butterfly(x[1], x[3], w))
	}
	inner := func() {
		for h, unpack := range []func(a, b vec) vec{unpackLow, unpackHigh} {
			w := number{everySecond(leftR, unpack), everySecond(leftI, unpack)}
			interleave(butterfly(x[2*h], x[2*h+1], w))
		}
	}
	if forward {
		outer()
		inner()
	} else {
		inner()
		outer()
	}
	rows := transpose([4]vec{x[0].re, x[1].re, x[2].re, x[3].re})
	for i := range rows {
		store(rows[i], at(re, i))
	}
	rows = transpose([4]vec{x[0].im, x[1].im, x[2].im, x[3].im})
	for i := range rows {
		store(rows[i], at(im, i))
	}
	for _, r := range []reg.Register{re, im} {
		ADDQ(U32(4*uint32(width)), r)
	}
	for _, r := range []reg.Register{wr, wi} {
		ADDQ(Imm(uint64(width)), r)
	}
	for _, r := range []reg.Register{leftR, leftI} {
		ADDQ(Imm(2*uint64(width)), r)
	}
	DECQ(count)
	JNE(LabelRef(name + "Loop"))
	end()
}

// transposeNumbers reads four rows of four numbers as four columns.
func transposeNumbers(re, im reg.Register) [4]number {
	read := func(base reg.Register) [4]vec {
		return transpose([4]vec{load(at(base, 0)), load(at(base, 1)), load(at(base, 2)), load(at(base, 3))})
	}
	a, b := read(re), read(im)
	var x [4]number
	for i := range x {
		x[i] = number{a[i], b[i]}
	}
	return x
}

// everySecond gives the first or the second of four pairs.
func everySecond(base reg.Register, unpack func(a, b vec) vec) vec {
	v := unpack(load(at(base, 0)), load(at(base, 1)))
	VPERMPD(U8(0xd8), v, v)
	return v
}

// roundProduct also tells what is not finite: the difference of such a number and
// itself is NaN, and 0 otherwise.
func roundProduct() {
	const name = "roundProduct"
	TEXT(name, NOSPLIT, "func(x *float64, n int, by float64, state *float64)")
	Pragma("noescape")
	Doc("roundProduct sets x = x·by, rounded half to even and without -0, and raises the four numbers of state to the sizes of the results; in each of the next four it sets bits if one was not finite.")
	by := vector()
	factor, err := Param("by").Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSD(factor.Addr, by)
	state := Load(Param("state"), GP64()).(reg.Register)
	f := &function{name: name}
	largest, infinite, sign, nothing := load(at(state, 0)), load(at(state, 1)), vector(), vector()
	VPCMPEQQ(sign, sign, sign)
	VPSLLQ(Imm(63), sign, sign)
	zero(nothing)
	l := beginLoop(f, 4, "x")
	l.each(func(v int) []step {
		x, spread := vector(), vector()
		return []step{
			func() { VMULPD(l.row("x", v), by, x) },
			func() { round(x) },
			func() { VADDPD(nothing, x, x) },
			func() { VSUBPD(x, x, spread) },
			func() { store(x, l.row("x", v)) },
			func() { VORPD(spread, infinite, infinite) },
			func() { VANDNPD(x, sign, x) },
			func() { VMAXPD(x, largest, largest) },
		}
	})
	l.next()
	store(largest, at(state, 0))
	store(infinite, at(state, 1))
	end()
}
