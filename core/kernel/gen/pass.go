package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pass walks over blocks of 4 or 8 equal parts, one vector of each part at a
// time.
type pass struct {
	*function
	x, blocks, t, t3, upper, count, w1, w2, w4 reg.Register
	radix                                      int
	away                                       reg.Register // from where a part is read to where it is written; nil in place
}

// beginPass reads the arguments: the first block, how many there are, the words
// of a part, and the twiddles of 1, 2 (and 4) nodes a block. A pass from words
// reads one block at src.
func beginPass(name, doc string, radix int, fromWords, toWords bool) *pass {
	roots, rows := "w1, w2", "x *uint64"
	if radix == 8 {
		roots = "w1, w2, w4"
	}
	if fromWords {
		rows = "x, src *uint64"
	}
	p := &pass{function: begin(name, "func("+rows+", blocks, part int, "+roots+" *float64, c *float64)", doc, lanes == 8), radix: radix}
	p.keepWords(fromWords, toWords)
	p.x, p.blocks, p.t = Load(Param("x"), GP64()), Load(Param("blocks"), GP64()), Load(Param("part"), GP64())
	p.w1, p.w2 = Load(Param("w1"), GP64()), Load(Param("w2"), GP64())
	if fromWords {
		p.away, p.x = p.x, Load(Param("src"), GP64())
		SUBQ(p.x, p.away)
	}
	SHLQ(Imm(3), p.t)
	p.t3, p.count = GP64(), GP64()
	LEAQ(Mem{Base: p.t, Index: p.t, Scale: 2}, p.t3)
	if radix == 8 {
		p.w4 = Load(Param("w4"), GP64())
		p.upper = GP64()
	}
	Label(p.name + "Block")
	return p
}

// beginColumns starts the loop inside a block.
func (p *pass) beginColumns() {
	MOVQ(p.t, p.count)
	if p.radix == 8 {
		LEAQ(Mem{Base: p.x, Index: p.t, Scale: 4}, p.upper)
	}
	Label(p.name + "Column")
}

// result is the place that a part's vector is written to. For a pass away from
// its source the address is made for each.
func (p *pass) result(i int) Mem {
	m := p.part(i)
	if p.away == nil {
		return m
	}
	place := GP64()
	LEAQ(m, place)
	return Mem{Base: place, Index: p.away, Scale: 1}
}

// part is the place that a part's vector is read from.
func (p *pass) part(i int) Mem {
	base := p.x
	if i >= 4 {
		base = p.upper
	}
	switch i % 4 {
	case 0:
		return Mem{Base: base}
	case 1:
		return Mem{Base: base, Index: p.t, Scale: 1}
	case 2:
		return Mem{Base: base, Index: p.t, Scale: 2}
	}
	return Mem{Base: base, Index: p.t3, Scale: 1}
}

func (p *pass) end() {
	ADDQ(Imm(uint64(width)), p.x)
	if p.radix == 8 {
		ADDQ(Imm(uint64(width)), p.upper)
	}
	SUBQ(Imm(uint64(width)), p.count)
	JNE(LabelRef(p.name + "Column"))
	ADDQ(p.t3, p.x)
	if p.radix == 8 {
		LEAQ(Mem{Base: p.x, Index: p.t, Scale: 4}, p.x)
		ADDQ(Imm(64), p.w4)
	}
	ADDQ(Imm(16), p.w1)
	ADDQ(Imm(32), p.w2)
	DECQ(p.blocks)
	JNE(LabelRef(p.name + "Block"))
	end()
}

// twiddle is a factor and its quotient by p, in every lane.
type twiddle struct{ w, quotient vec }

func broadcastTwiddle(base reg.Register, i int) twiddle {
	return twiddle{broadcast(Mem{Base: base, Disp: 16 * i}), broadcast(Mem{Base: base, Disp: 16*i + 8})}
}

func (f *function) with(y vec, t twiddle) []step { return f.times(y, t.w, t.quotient) }
