package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// floatIntegers writes what carries integers held in float64 to residues and back.
func floatIntegers() {
	fromFloats()
	unequal()
	join()
}

// fromFloats compares sizes as the words that hold them: their order is that of
// the numbers, with infinities and NaN above all.
func fromFloats() {
	f := begin("fromFloats", "func(dst, a *uint64, n int, c *float64) (large bool)",
		"fromFloats sets words dst = integers a modulo p, and says whether one was above 2^51 in size, or none.", lanes == 8)
	f.keepWords(false, true)
	limit, large := load(f.at(offSigned)), vector()
	VSUBPD(f.at(offShift), limit, limit)
	zero(large)
	l := beginLoop(f, 2, "dst", "a")
	l.each(func(v int) []step {
		x, size := vector(), vector()
		steps := []step{
			func() { VMOVUPD(l.row("a", v), x) },
			func() { VPSLLQ(Imm(1), x, size) },
			func() { VPSRLQ(Imm(1), size, size) },
			func() { VPSUBQ(size, limit, size) },
			func() { VORPD(size, large, large) },
		}
		steps = append(steps, f.reduce(x)...)
		return append(steps, f.storeWords(x, l.row("dst", v))...)
	})
	l.next()
	VPSRLQ(Imm(63), large, large)
	answer(large)
}

// unequal compares words with floats.
func unequal() {
	f := begin("unequal", "func(x, a *uint64, n int, c *float64) (unequal bool)",
		"unequal says whether a word of x is not the float of a, |a| < p.", false)
	f.keepWords(false, true)
	different := vector()
	zero(different)
	l := beginLoop(f, 2, "x", "a")
	l.each(func(v int) []step {
		a, word := vector(), vector()
		steps := append([]step{func() { VMOVUPD(l.row("a", v), a) }}, f.toWords(a, word)...)
		return append(steps,
			func() { VXORPD(l.row("x", v), word, word) },
			func() { VORPD(word, different, different) },
		)
	})
	l.next()
	answer(different)
}

// join rounds once: for integers |high|, |low| below 2^50 the product is a sum of
// two float64, the lesser of which is an integer below 2^46, so that its sum with
// low is exact.
func join() {
	f := begin("join", "func(dst, low, high *float64, n int, c *float64)", "join sets dst = low + high·p, rounded to the nearest, for integers below 2^50 in size.", false)
	l := beginLoop(f, 2, "dst", "low", "high")
	l.each(func(v int) []step {
		high, product, rest := vector(), vector(), vector()
		return []step{
			func() { VMOVUPD(l.row("high", v), high) },
			func() { VMULPD(f.p, high, product) },
			func() { VMOVAPD(product, rest) },
			func() { VFMSUB231PD(f.p, high, rest) },
			func() { VADDPD(l.row("low", v), rest, rest) },
			func() { VADDPD(rest, product, product) },
			func() { store(product, l.row("dst", v)) },
		}
	})
	l.end()
}

// answer returns whether a bit is set.
func answer(v vec) {
	out := GP8()
	testBits(v)
	SETNE(out)
	Store(out, ReturnIndex(0))
	end()
}
