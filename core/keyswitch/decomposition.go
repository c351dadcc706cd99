package keyswitch

import (
	"fhelium/core/parallel"
	"fhelium/core/ring"
	"fhelium/core/scratch"
)

// Key is a key-switching key cut to the active primes: for each digit the two
// halves, each with all active rows of Q and P, in the NTT domain.
type Key [][2]ring.Rows

// Decomposition is one polynomial cut into digits, of which every row, modulo a
// prime of Q or P and in the NTT domain, follows. Any number of keys can be
// applied to it, which shares the work of decomposing ("hoisting": S. Halevi and
// V. Shoup, CRYPTO 2018). For more than one key the rows are made once and kept;
// for one, each is made when it is needed, in the memory of the one before.
type Decomposition struct {
	*Switcher
	values []ring.Work   // the polynomial itself
	cuts   []ring.Digits // by digit
	rows   [][]ring.Work // by row, then digit; nil where they are not kept
	blocks []*scratch.Block
}

// Decompose cuts x, a polynomial modulo Q in the NTT or the coefficient domain,
// into its digits, for one key or for many.
func (s *Switcher) Decompose(g *parallel.Group, x ring.Rows, ntt, many bool) *Decomposition {
	d := &Decomposition{Switcher: s}
	d.values = d.borrow(s.active, s.n())
	source := ring.Source{Words: x}
	if ntt {
		source = ring.Source{Work: d.borrow(s.active, s.n())}
	}
	g.Each(s.active, func(r int) {
		if ntt {
			s.tables[r].InverseFrom(source.Work[r], x[r])
			s.tables[r].Read(d.values[r], x[r])
		} else {
			s.tables[r].ForwardFrom(d.values[r], x[r])
		}
	})
	for _, part := range s.digits {
		memory := d.borrow(1, s.n()*part.up.Stride())[0].Memory()
		d.cuts = append(d.cuts, part.up.Cut(g, memory, source.Rows(part.start, part.end), false))
	}
	if many {
		kept := d.borrow(len(s.tables)*len(s.digits), s.n())
		rows := make([][]ring.Work, len(s.tables))
		g.Each(len(rows), func(r int) { rows[r] = d.row(r, kept[r*len(s.digits):(r+1)*len(s.digits)]) })
		d.rows = rows
	}
	return d
}

// borrow gives rows that Free gives back.
func (d *Decomposition) borrow(count, width int) []ring.Work {
	block := scratch.NewBlock(count, width)
	d.blocks = append(d.blocks, block)
	return ring.NewWorks(block.Rows)
}

// row gives row r of all digits: kept, or made in the memory given. The rows of a
// digit's own primes are those of the polynomial.
func (d *Decomposition) row(r int, memory []ring.Work) []ring.Work {
	if d.rows != nil {
		return d.rows[r]
	}
	out := make([]ring.Work, len(d.cuts))
	for k, part := range d.digits {
		target := r
		switch {
		case r >= part.end:
			target -= part.end - part.start
		case r >= part.start:
			out[k] = d.values[r]
			continue
		}
		d.cuts[k].Row(memory[k], target)
		d.tables[r].ForwardWork(memory[k])
		out[k] = memory[k]
	}
	return out
}

// Values sets dst to the polynomial itself, modulo Q in the NTT domain.
func (d *Decomposition) Values(g *parallel.Group, dst ring.Rows) {
	g.Each(d.active, func(r int) { d.tables[r].Write(dst[r], d.values[r]) })
}

// Free gives the digits' memory back.
func (d *Decomposition) Free() {
	for _, block := range d.blocks {
		block.Free()
	}
}

// InnerProduct is the sum over all digits of digit times key, an inner product
// for each half of the key. Products are reduced once.
type InnerProduct struct {
	Half  [2][]ring.Work // all active rows of Q and P, NTT domain
	block *scratch.Block
}

// InnerProduct multiplies the digits by a key.
func (d *Decomposition) InnerProduct(g *parallel.Group, key Key) *InnerProduct {
	rows := len(d.tables)
	p := &InnerProduct{block: scratch.NewBlock(2*rows, d.n())}
	work := ring.NewWorks(p.block.Rows)
	p.Half = [2][]ring.Work{work[:rows], work[rows:]}
	g.Each(rows, func(r int) {
		var block *scratch.Block
		var memory []ring.Work
		if d.rows == nil {
			block = scratch.NewBlock(len(d.cuts), d.n())
			memory = ring.NewWorks(block.Rows)
		}
		digits := d.row(r, memory)
		left, right := make(ring.Rows, len(digits)), make(ring.Rows, len(digits))
		for k := range digits {
			left[k], right[k] = key[k][0][r], key[k][1][r]
		}
		d.tables[r].DotPair(p.Half[0][r], p.Half[1][r], digits, left, right)
		block.Free()
	})
	return p
}

// Free gives the memory of both sums back.
func (p *InnerProduct) Free() { p.block.Free() }
