package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// moves are where fours of words go, and how each is turned on the way.
type moves struct{ to, turns reg.Register }

func loadMoves() moves {
	return moves{Load(Param("to"), GP64()), Load(Param("turns"), GP64())}
}

// put writes vector v of a source, one four or two, to its place in dst.
func (m moves) put(x vec, dst reg.Register, v int) []step {
	if lanes == 4 {
		return m.putFour(x, dst, v)
	}
	upper := YMM()
	steps := []step{func() { VEXTRACTF64X4(U8(1), x, upper) }} // before the lower half is turned, which clears it
	steps = append(steps, m.putFour(x.AsY(), dst, 2*v)...)
	return append(steps, m.putFour(upper, dst, 2*v+1)...)
}

// putFour writes a four. An entry of `to` is four times the number of the four it
// goes to, plus the number of its turn.
func (m moves) putFour(x Op, dst reg.Register, four int) []step {
	place, turn, order := GP64(), GP64(), YMM()
	return []step{
		func() { MOVL(Mem{Base: m.to, Disp: 4 * four}, place.As32()) },
		func() { MOVQ(place, turn) },
		func() { ANDQ(Imm(3), turn) },
		func() { SHLQ(Imm(5), turn) },
		func() { VMOVUPD(Mem{Base: m.turns, Index: turn, Scale: 1}, order) },
		func() { ANDQ(I32(-4), place) },
		func() { VPERMD(x, order, x) },
		func() { VMOVUPD(x, Mem{Base: dst, Index: place, Scale: 8}) },
	}
}

// next goes on by two vectors.
func (m moves) next() { ADDQ(Imm(uint64(2*lanes)), m.to) }

// permute moves fours of words.
func permute() {
	const name = "permute"
	TEXT(name, NOSPLIT, "func(dst, a *uint64, to, turns *uint32, n int)")
	Pragma("noescape")
	Doc("permute moves the fours of a to dst, each turned: an entry of to is four times the four it goes to, plus its turn, one of four orders of eight halves of words.")
	f := &function{name: name}
	m, dst := loadMoves(), Load(Param("dst"), GP64())
	l := beginLoop(f, 2, "a")
	l.each(func(v int) []step {
		x := YMM()
		return append([]step{func() { VMOVDQU(l.row("a", v), x) }}, m.put(x, dst.(reg.Register), v)...)
	})
	m.next()
	l.end()
}

// permutedQuotient is quotient of floats, whose fours are moved.
func permutedQuotient(name, doc string, add bool) {
	rows := []string{"a", "b"}
	signature := "func(dst, a, b *uint64, to, turns *uint32, n int, factor *float64, c *float64)"
	if add {
		rows = append(rows, "add")
		signature = "func(dst, a, b, add *uint64, to, turns *uint32, n int, factor *float64, c *float64)"
	}
	f := begin(name, signature, doc, add && lanes == 8)
	f.keepWords(add, true)
	w := broadcastTwiddle(Load(Param("factor"), GP64()).(reg.Register), 0)
	m, dst := loadMoves(), Load(Param("dst"), GP64())
	l := beginLoop(f, 2, rows...)
	l.each(func(v int) []step {
		var x, z vec
		out := vector()
		steps := append(l.take("a", v, false, &x), func() { VSUBPD(l.row("b", v), x, x) })
		steps = append(steps, f.with(x, w)...)
		if add {
			steps = append(steps, l.take("add", v, true, &z)...)
			steps = append(steps, func() { VADDPD(z, x, x) })
			steps = append(steps, f.reduce(x)...)
		}
		steps = append(steps, f.toWords(x, out)...)
		return append(steps, m.put(out, dst.(reg.Register), v)...)
	})
	m.next()
	l.end()
}

func permutedQuotients() {
	permutedQuotient("permutedQuotient", "permutedQuotient is quotientFloats, whose fours are moved as by permute.", false)
	permutedQuotient("permutedQuotientAdd", "permutedQuotientAdd is quotientFloatsAdd, whose fours are moved as by permute.", true)
}
