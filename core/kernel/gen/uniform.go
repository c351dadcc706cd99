package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// uniform is rejection sampling: of each word the top bits are kept where they are
// below q, one after another. The order and number of the words that are kept do
// not depend on the width of a vector.
func uniform() {
	const name = "uniform"
	TEXT(name, NOSPLIT, "func(dst *uint64, words *byte, n int, shift int, q *uint64, orders *uint32) (kept int)")
	Pragma("noescape")
	Doc("uniform writes those words of n, a multiple of 8, that are below q once shifted to the right, and says how many. It writes up to three words of any content behind them. orders has for each set of lanes, as a mask, the order that brings them to the front.")
	f := &function{name: name}
	limit := broadcast(Mem{Base: Load(Param("q"), GP64()).(reg.Register)})
	shift := XMM()
	MOVQ(Load(Param("shift"), GP64()), shift)
	orders, at := Load(Param("orders"), GP64()).(reg.Register), Load(Param("dst"), GP64()).(reg.Register)
	begun := GP64()
	MOVQ(at, begun)
	l := beginLoop(f, 2, "words")
	l.each(func(v int) []step {
		x, below, order := YMM(), YMM(), YMM()
		lanes, place := GP64(), GP64()
		return []step{
			func() { VMOVDQU(l.row("words", v), x) },
			func() { VPSRLQ(shift, x, x) },
			func() { VPCMPGTQ(x, limit, below) },
			func() { VMOVMSKPD(below, lanes.As32()) },
			func() { MOVQ(lanes, place); SHLQ(Imm(5), place) },
			func() { VMOVDQU(Mem{Base: orders, Index: place, Scale: 1}, order) },
			func() { VPERMD(x, order, x) },
			func() { POPCNTQ(lanes, lanes) },
			func() { VMOVDQU(x, Mem{Base: at}); LEAQ(Mem{Base: at, Index: lanes, Scale: 8}, at) },
		}
	})
	l.next()
	VZEROUPPER()
	SUBQ(begun, at)
	SHRQ(Imm(3), at)
	Store(at, ReturnIndex(0))
	RET()
}
