package keyswitch

import (
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
	Values ring.Rows   // the polynomial itself, in the NTT domain
	digits []ring.Rows // by digit, then row
	block  *scratch.Block
}

// Decompose cuts x, a polynomial modulo Q in the NTT or the coefficient domain,
// into its digits. The result may refer to x until it is freed.
func (s *Switcher) Decompose(g *parallel.Group, x ring.Rows, ntt bool) *Decomposition {
	d := &Decomposition{Switcher: s}
	d.block = scratch.NewBlock(len(s.digits)*len(s.tables), s.n())
	other, rest := d.block.Rows[:s.active], d.block.Rows[s.active:]
	g.Each(s.active, func(r int) {
		copy(other[r], x[r])
		if ntt {
			s.tables[r].Inverse(other[r])
		} else {
			s.tables[r].Forward(other[r])
		}
	})
	values, coefficients := other, x
	if ntt {
		values, coefficients = x, other
	}
	d.Values = values
	for _, part := range s.digits {
		others := len(s.tables) - (part.end - part.start)
		part.up.Apply(g, rest[:others], coefficients[part.start:part.end])
		rows := append(make(ring.Rows, 0, len(s.tables)), rest[:part.start]...)
		rows = append(rows, values[part.start:part.end]...)
		d.digits = append(d.digits, append(rows, rest[part.start:others]...))
		rest = rest[others:]
	}
	s.forwardOthers(g, d.digits)
	return d
}

// forwardOthers transforms the converted rows of every digit.
func (s *Switcher) forwardOthers(g *parallel.Group, digits []ring.Rows) {
	g.Each(len(digits)*len(s.tables), func(i int) {
		part, r := s.digits[i/len(s.tables)], i%len(s.tables)
		if r < part.start || r >= part.end {
			s.tables[r].Forward(digits[i/len(s.tables)][r])
		}
	})
}

// Free gives the digits' memory back.
func (d *Decomposition) Free() { d.block.Free() }

// InnerProduct is the sum over all digits of digit times key, an inner product
// for each half of the key. Products are summed in 128 bits and reduced once.
type InnerProduct struct {
	Half  [2]ring.Rows // all active rows of Q and P, NTT domain
	block *scratch.Block
}

// InnerProduct multiplies the digits by a key.
func (d *Decomposition) InnerProduct(g *parallel.Group, key Key) *InnerProduct {
	rows := len(d.tables)
	p := &InnerProduct{block: scratch.NewBlock(2*rows, d.n())}
	p.Half = [2]ring.Rows{p.block.Rows[:rows], p.block.Rows[rows:]}
	g.Each(2*rows, func(i int) {
		half, r := i&1, i>>1
		a, b := make(ring.Rows, len(d.digits)), make(ring.Rows, len(d.digits))
		for k, rows := range d.digits {
			a[k], b[k] = rows[r], key[k][half][r]
		}
		d.tables[r].Dot(p.Half[half][r], a, b)
	})
	return p
}

// Free gives the memory of both sums back.
func (p *InnerProduct) Free() { p.block.Free() }
