package main

import (
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func conversion() {
	digit("digitWords", "words x", true)
	digit("digit", "floats |x| ≤ (p+1)/2", false)
	rounding()
	for rows := 1; rows <= unrolled; rows++ {
		combineFew(rows)
	}
	combine("combine", "combine sets floats dst = Σ y[k]·w[k] + y[rows]·v over 1 … 7 rows, for factors w and v, |y[rows]| ≤ rows.", false)
	combine("combineMany", "combineMany sets floats dst = dst + Σ y[k]·w[k] over 1 … 11 rows.", true)
}

// digit is y = x·w as float64, |y| ≤ 0.63p, and sum = sum + y/p.
func digit(name, what string, words bool) {
	f := begin(name, "func(y *float64, sum *float64, x *uint64, n int, factor *float64, c *float64)",
		name+" sets y = x·w for "+what+" and the factor of w, |y| ≤ 0.63p, and adds y/p to sum.", true)
	w := broadcastTwiddle(Load(Param("factor"), GP64()).(reg.Register), 0)
	l := beginLoop(f, 2, "y", "sum", "x")
	l.each(func(v int) []step {
		var x vec
		sum := YMM()
		steps := append(l.take("x", v, words, &x), f.with(x, w)...)
		return append(steps,
			func() { VMOVUPD(x, l.row("y", v)) },
			func() { VMOVUPD(l.row("sum", v), sum) },
			func() { VFMADD231PD(x, f.inv, sum) },
			func() { VMOVUPD(sum, l.row("sum", v)) },
		)
	})
	l.end()
}

// rounding is sum = rint(sum), and says whether any was near a half.
func rounding() {
	const name = "rounding"
	TEXT(name, NOSPLIT, "func(sum *float64, n int, near *float64) (doubt bool)")
	Pragma("noescape")
	Doc("rounding rounds sums to the nearest integers, and says whether one was further than near from its integer.")
	f := &function{name: name}
	near := broadcast(Mem{Base: Load(Param("near"), GP64()).(reg.Register)})
	doubt, ones := YMM(), YMM()
	VXORPD(doubt, doubt, doubt)
	VPCMPEQQ(ones, ones, ones)
	VPSRLQ(Imm(1), ones, ones) // all bits but the sign
	l := beginLoop(f, 2, "sum")
	l.each(func(v int) []step {
		sum, whole := YMM(), YMM()
		return []step{
			func() { VMOVUPD(l.row("sum", v), sum) },
			func() { VROUNDPD(U8(8), sum, whole) },
			func() { VMOVUPD(whole, l.row("sum", v)) },
			func() { VSUBPD(whole, sum, sum) },
			func() { VANDPD(ones, sum, sum) },
			func() { VCMPPD(U8(0x1e), near, sum, sum) }, // greater than
			func() { VORPD(sum, doubt, doubt) },
		}
	})
	l.next()
	bits := GP32()
	VMOVMSKPD(doubt, bits)
	TESTL(bits, bits)
	out := GP8()
	SETNE(out)
	Store(out, ReturnIndex(0))
	end()
}

// combine sums at most 7 products of factors, each within 0.63p of 0, and a
// multiple of a residue within 3.5p; or 11 products and a reduced sum. It leaves
// the sum reduced.
func combine(name, doc string, accumulate bool) {
	f := begin(name, "func(dst *uint64, y *float64, stride int, w *float64, rows, n int, c *float64)", doc, true)
	y, stride := Load(Param("y"), GP64()), Load(Param("stride"), GP64())
	w, rows := Load(Param("w"), GP64()), Load(Param("rows"), GP64())
	SHLQ(Imm(3), stride)
	const vectors = 4
	l := beginLoop(f, vectors, "dst")
	at, factor, k := GP64(), GP64(), GP64()
	LEAQ(Mem{Base: y, Index: l.i, Scale: 1}, at)
	MOVQ(w, factor)
	MOVQ(rows, k)
	sums := make([]vec, vectors)
	for v := range sums {
		if accumulate {
			sums[v] = load(l.row("dst", v))
			continue
		}
		sums[v] = YMM()
		VXORPD(sums[v], sums[v], sums[v])
	}
	Label(name + "Rows")
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
	JNE(LabelRef(name + "Rows"))
	if !accumulate {
		v := broadcast(Mem{Base: factor})
		for i := range sums {
			VFMADD231PD(Mem{Base: at, Disp: width * i}, v, sums[i])
		}
	}
	for v := 0; v < vectors; v += 2 {
		interleave(f.reduce(sums[v]), f.reduce(sums[v+1]))
		store(sums[v], l.row("dst", v))
		store(sums[v+1], l.row("dst", v+1))
	}
	l.end()
}

// unrolled is the largest number of rows whose factors all stay in registers.
const unrolled = 3

// combineFew is combine for a known number of rows.
func combineFew(rows int) {
	name := "combine" + strconv.Itoa(rows)
	f := begin(name, "func(dst *uint64, y *float64, stride int, w *float64, n int, c *float64)",
		name+" is combine for "+strconv.Itoa(rows)+" rows.", false)
	y, stride := Load(Param("y"), GP64()), Load(Param("stride"), GP64())
	w := Load(Param("w"), GP64()).(reg.Register)
	SHLQ(Imm(3), stride)
	var factors []twiddle
	for k := range rows {
		factors = append(factors, broadcastTwiddle(w, k))
	}
	whole := broadcast(Mem{Base: w, Disp: 16 * rows})
	l := beginLoop(f, 2, "dst")
	at := GP64()
	LEAQ(Mem{Base: y, Index: l.i, Scale: 1}, at)
	var sums [2]vec
	for k, t := range factors {
		chains := make([][]step, 2)
		for v := range chains {
			x := load(Mem{Base: at, Disp: width * v})
			chains[v] = f.with(x, t)
			if sum := sums[v]; k > 0 {
				chains[v] = append(chains[v], func() { VADDPD(x, sum, sum) })
			} else {
				sums[v] = x
			}
		}
		interleave(chains...)
		ADDQ(stride, at)
	}
	l.each(func(v int) []step {
		x := sums[v]
		steps := append([]step{func() { VFMADD231PD(Mem{Base: at, Disp: width * v}, whole, x) }}, f.reduce(x)...)
		return append(steps, func() { VMOVUPD(x, l.row("dst", v)) })
	})
	l.end()
}
