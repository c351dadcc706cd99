package main

import (
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func conversion() {
	canonical("canonicalWords", "words x in [0, p)", true)
	canonical("canonical", "floats |x| < p", false)
	radixStep("radixStepWords", "words x", true)
	radixStep("radixStep", "floats x", false)
	for rows := 1; rows <= unrolled; rows++ {
		combineFew(rows)
	}
	combineMore()
}

// canonical moves residues into the range of p integers that is named.
func canonical(name, what string, words bool) {
	f := begin(name, "func(dst *float64, x *uint64, n int, bounds *float64, c *float64)",
		name+" sets dst to the representatives of "+what+" that lie between the two bounds, which are p-1 apart.", false)
	f.keepWords(words, false)
	bounds := Load(Param("bounds"), GP64()).(reg.Register)
	least, most := broadcast(Mem{Base: bounds}), broadcast(Mem{Base: bounds, Disp: 8})
	l := beginLoop(f, 2, "dst", "x")
	l.each(func(v int) []step {
		var x vec
		steps := l.take("x", v, words, &x)
		steps = append(steps, f.within(x, least, most)...)
		return append(steps, func() { store(x, l.row("dst", v)) })
	})
	l.end()
}

// within adds p to x below the least bound, and takes it off x above the other.
func (f *function) within(x, least, most vec) []step {
	const lessThan, greaterThan = 0x11, 0x1e
	if lanes == 8 {
		below, above := K(), K()
		return []step{
			func() { VCMPPD(U8(lessThan), least, x, below) },
			func() { VCMPPD(U8(greaterThan), most, x, above) },
			func() { VADDPD(f.p, x, below, x) },
			func() { VSUBPD(f.p, x, above, x) },
		}
	}
	below, above := vector(), vector()
	return []step{
		func() { VCMPPD(U8(lessThan), least, x, below) },
		func() { VCMPPD(U8(greaterThan), most, x, above) },
		func() { VANDPD(f.p, below, below) },
		func() { VANDPD(f.p, above, above) },
		func() { VADDPD(below, x, x) },
		func() { VSUBPD(above, x, x) },
	}
}

// radixStep takes one digit off and divides by its prime.
func radixStep(name, what string, words bool) {
	f := begin(name, "func(dst *float64, x *uint64, d *float64, n int, factor *float64, c *float64)",
		name+" sets floats dst = (x - d)·w for "+what+", integers |d| ≤ 2^50 and the factor of w, |dst| ≤ 0.75p.", false)
	f.keepWords(words, false)
	w := broadcastTwiddle(Load(Param("factor"), GP64()).(reg.Register), 0)
	l := beginLoop(f, 2, "dst", "x", "d")
	l.each(func(v int) []step {
		var x vec
		steps := append(l.take("x", v, words, &x), func() { VSUBPD(l.row("d", v), x, x) })
		steps = append(steps, f.with(x, w)...)
		return append(steps, func() { VMOVUPD(x, l.row("dst", v)) })
	})
	l.end()
}

// unrolled is the largest number of rows whose factors all stay in registers.
const unrolled = 4

// combineFew sums a row and products of others, each within 0.63p of 0.
func combineFew(rows int) {
	name := "combine" + strconv.Itoa(rows)
	f := begin(name, "func(dst *uint64, y *float64, stride int, w *float64, n int, c *float64)",
		name+" sets floats dst = y[0] + Σ y[k]·w[k] over "+strconv.Itoa(rows)+" rows of integers up to 2^50, the first without a factor.", rows == 1 || lanes == 8)
	y, stride := Load(Param("y"), GP64()), Load(Param("stride"), GP64())
	w := Load(Param("w"), GP64()).(reg.Register)
	SHLQ(Imm(3), stride)
	var factors []twiddle
	for k := 1; k < rows; k++ {
		factors = append(factors, broadcastTwiddle(w, k))
	}
	l := beginLoop(f, 2, "dst")
	at := GP64()
	LEAQ(Mem{Base: y, Index: l.i, Scale: 1}, at)
	sums := [2]vec{load(Mem{Base: at}), load(Mem{Base: at, Disp: width})}
	for _, t := range factors {
		ADDQ(stride, at)
		chains := make([][]step, 2)
		for v := range chains {
			x, sum := load(Mem{Base: at, Disp: width * v}), sums[v]
			chains[v] = append(f.with(x, t), func() { VADDPD(x, sum, sum) })
		}
		interleave(chains...)
	}
	l.each(func(v int) []step {
		x := sums[v]
		return append(f.reduce(x), func() { VMOVUPD(x, l.row("dst", v)) })
	})
	l.end()
}

// combineMore adds at most 11 products, each within 0.63p of 0, to a reduced sum.
func combineMore() {
	f := begin("combineMore", "func(dst *uint64, y *float64, stride int, w *float64, rows, n int, c *float64)",
		"combineMore sets floats dst = dst + Σ y[k]·w[k] over 1 … 11 rows.", true)
	y, stride := Load(Param("y"), GP64()), Load(Param("stride"), GP64())
	w, rows := Load(Param("w"), GP64()), Load(Param("rows"), GP64())
	SHLQ(Imm(3), stride)
	vectors := 16 / lanes
	l := beginLoop(f, vectors, "dst")
	at, factor, k := GP64(), GP64(), GP64()
	LEAQ(Mem{Base: y, Index: l.i, Scale: 1}, at)
	MOVQ(w, factor)
	MOVQ(rows, k)
	sums := make([]vec, vectors)
	for v := range sums {
		sums[v] = load(l.row("dst", v))
	}
	Label(f.name + "Rows")
	t := broadcastTwiddle(factor, 0)
	for v := 0; v < vectors; v += 2 {
		a, b := load(Mem{Base: at, Disp: width * v}), load(Mem{Base: at, Disp: width * (v + 1)})
		interleave(f.with(a, t), f.with(b, t))
		VADDPD(a, sums[v], sums[v])
		VADDPD(b, sums[v+1], sums[v+1])
	}
	ADDQ(stride, at)
	ADDQ(Imm(16), factor)
	DECQ(k)
	JNE(LabelRef(f.name + "Rows"))
	for v := 0; v < vectors; v += 2 {
		interleave(f.reduce(sums[v]), f.reduce(sums[v+1]))
		store(sums[v], l.row("dst", v))
		store(sums[v+1], l.row("dst", v+1))
	}
	l.end()
}
