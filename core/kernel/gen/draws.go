package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// draws is sampling by a table of a distribution: of each word the low 63 bits are
// compared with every entry, and the top bit is the sign. There is no branch.
func draws() {
	const name = "draws"
	TEXT(name, NOSPLIT, "func(dst *int64, words *byte, n int, table *int64, entries int)")
	Pragma("noescape")
	Doc("draws sets dst to the number of entries of the table that the low 63 bits of each word exceed, with the sign of its top bit. An entry is four equal words.")
	f := &function{name: name}
	table, entries := Load(Param("table"), GP64()), Load(Param("entries"), GP64())
	l := beginLoop(f, 4, "dst", "words")
	at, k := GP64(), GP64()
	MOVQ(table, at)
	MOVQ(entries, k)
	var low, count, sign [4]vec
	l.each(func(v int) []step {
		low[v], count[v], sign[v] = YMM(), YMM(), YMM()
		return []step{
			func() { VPXOR(count[v], count[v], count[v]) },
			func() { VMOVDQU(l.row("words", v), low[v]) },
			func() { VPCMPGTQ(low[v], count[v], sign[v]) }, // 0 above the word
			func() { VPSLLQ(Imm(1), low[v], low[v]) },
			func() { VPSRLQ(Imm(1), low[v], low[v]) },
		}
	})
	Label(name + "Entries")
	l.each(func(v int) []step {
		above := YMM()
		return []step{
			func() { VPCMPGTQ(Mem{Base: at}, low[v], above) },
			func() { VPSUBQ(above, count[v], count[v]) },
		}
	})
	ADDQ(Imm(uint64(width)), at)
	DECQ(k)
	JNE(LabelRef(name + "Entries"))
	l.each(func(v int) []step {
		return []step{
			func() { VPXOR(sign[v], count[v], count[v]) },
			func() { VPSUBQ(sign[v], count[v], count[v]) },
			func() { VMOVDQU(count[v], l.row("dst", v)) },
		}
	})
	l.end()
}
