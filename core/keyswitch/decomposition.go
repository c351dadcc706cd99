package keyswitch

import (
	"slices"

	"fhelium/core/parallel"
	"fhelium/core/ring"
	"fhelium/core/scratch"
)

// Key is a key-switching key cut to the active primes: for each digit the two
// halves, each with all active rows of Q and P, in the NTT domain.
type Key [][2]ring.Rows

// Decomposition holds the digits of one polynomial over all active rows of Q and
// P, in the NTT domain. Any number of keys can be applied to it, which shares
// the work of decomposing ("hoisting": S. Halevi and V. Shoup, CRYPTO 2018).
type Decomposition struct {
	*Switcher
	values []ring.Work   // the polynomial itself
	digits [][]ring.Work // by digit, then row
	block  *scratch.Block
}

// Decompose cuts x, a polynomial modulo Q in the NTT or the coefficient domain,
// into its digits.
func (s *Switcher) Decompose(g *parallel.Group, x ring.Rows, ntt bool) *Decomposition {
	d := &Decomposition{Switcher: s}
	d.block = scratch.NewBlock(len(s.digits)*len(s.tables)+s.active, s.n())
	rest := ring.NewWorks(d.block.Rows)
	values, rest := rest[:s.active], rest[s.active:]
	d.values = values
	coefficients := ring.Source{Words: x}
	if ntt {
		coefficients, rest = ring.Source{Work: rest[:s.active]}, rest[s.active:]
	}
	g.Each(s.active, func(r int) {
		if ntt {
			s.tables[r].InverseFrom(coefficients.Work[r], x[r])
			s.tables[r].Read(values[r], x[r])
		} else {
			s.tables[r].ForwardFrom(values[r], x[r])
		}
	})
	for _, part := range s.digits {
		others := len(s.tables) - (part.end - part.start)
		part.up.Apply(g, rest[:others], coefficients.Rows(part.start, part.end), false)
		rows := slices.Concat(rest[:part.start], values[part.start:part.end], rest[part.start:others])
		d.digits = append(d.digits, rows)
		rest = rest[others:]
	}
	s.forwardOthers(g, d.digits)
	return d
}

// Values sets dst to the polynomial itself, modulo Q in the NTT domain.
func (d *Decomposition) Values(g *parallel.Group, dst ring.Rows) {
	g.Each(d.active, func(r int) { d.tables[r].Write(dst[r], d.values[r]) })
}

// forwardOthers transforms the converted rows of every digit.
func (s *Switcher) forwardOthers(g *parallel.Group, digits [][]ring.Work) {
	g.Each(len(digits)*len(s.tables), func(i int) {
		part, r := s.digits[i/len(s.tables)], i%len(s.tables)
		if r < part.start || r >= part.end {
			s.tables[r].ForwardWork(digits[i/len(s.tables)][r])
		}
	})
}

// Free gives the digits' memory back.
func (d *Decomposition) Free() { d.block.Free() }

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
		digits := make([]ring.Work, len(d.digits))
		left, right := make(ring.Rows, len(d.digits)), make(ring.Rows, len(d.digits))
		for k, rows := range d.digits {
			digits[k], left[k], right[k] = rows[r], key[k][0][r], key[k][1][r]
		}
		d.tables[r].DotPair(p.Half[0][r], p.Half[1][r], digits, left, right)
	})
	return p
}

// Memory is that of the active rows of Q of one sum, for words that take its place.
func (p *InnerProduct) Memory(half int) ring.Rows {
	rows := len(p.block.Rows) / 2
	return p.block.Rows[half*rows:][:rows]
}

// Free gives the memory of both sums back.
func (p *InnerProduct) Free() { p.block.Free() }
