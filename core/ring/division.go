package ring

import (
	"math/big"

	"fhelium/core/parallel"
	"fhelium/core/refusal"
)

// Division divides a polynomial by the product D of some of its moduli, which
// drop out: rescaling drops the leading group of a chain, ModDown the special
// primes. The quotient is (x - r)/D for the remainder r = x modulo D nearest to
// 0, which rounds x/D to nearest, or r in [0, D), which rounds down. Both are
// exact. It is immutable.
type Division struct {
	remainder *Conversion
	kept      []*Modulus
	inverse   []uint64 // 1/D modulo each kept prime
}

// DivTables holds the transforms of a division's primes, in their order.
type DivTables struct{ Dropped, Kept []*Table }

// NewDivision takes the primes that drop out and those that stay.
func NewDivision(dropped, kept []*Modulus) (*Division, error) {
	remainder, err := NewConversion(dropped, kept)
	if err != nil {
		return nil, err
	}
	product := big.NewInt(1)
	for _, m := range dropped {
		product.Mul(product, new(big.Int).SetUint64(m.Q))
	}
	d := &Division{remainder: remainder, kept: kept}
	for _, m := range kept {
		inverse := m.inverseOf(product)
		if inverse == 0 {
			return nil, refusal.New(BasisInvalid, "kept modulus %d shares a factor with a dropped one; keep other primes", m.Q)
		}
		d.inverse = append(d.inverse, inverse)
	}
	return d, nil
}

// Bytes is the memory of the constants, without the moduli, which belong to the
// caller.
func (d *Division) Bytes() int { return d.remainder.Bytes() + 8*len(d.inverse) }

// Apply divides coefficients. The rows of dst may be those of kept; they may
// not overlap those of dropped.
func (d *Division) Apply(g *parallel.Group, dst, dropped, kept Rows, floor bool) {
	dst, kept = dst[:len(d.kept)], kept[:len(d.kept)]
	c := d.remainder
	tiles(g, len(dropped[0]), func(from, to int) {
		memory := borrow((to - from) * (c.stride() + 1))
		r, digits := (*memory)[:to-from], (*memory)[to-from:]
		c.digits(digits, dropped, from, floor)
		for j := range d.kept {
			c.combine(r, digits, j)
			d.quotient(dst[j][from:to], kept[j][from:to], r, j)
		}
		release(memory)
	})
}

// ApplyNTT is Apply where all rows are in the NTT domain. Only the dropped rows
// are transformed back; their remainders are transformed forward, for each kept
// prime.
func (d *Division) ApplyNTT(g *parallel.Group, tables DivTables, dst, dropped, kept Rows, floor bool) {
	dst, kept, dropped = dst[:len(d.kept)], kept[:len(d.kept)], dropped[:len(tables.Dropped)]
	c, n := d.remainder, len(dropped[0])
	memory := borrow(n * (c.stride() + len(dropped)))
	defer release(memory)
	digits := (*memory)[:n*c.stride()]
	coefficients := make(Rows, len(dropped))
	for i := range coefficients {
		coefficients[i] = (*memory)[n*(c.stride()+i):][:n]
	}
	g.Each(len(dropped), func(i int) {
		copy(coefficients[i], dropped[i])
		tables.Dropped[i].Inverse(coefficients[i])
	})
	tiles(g, n, func(from, to int) {
		c.digits(digits[from*c.stride():to*c.stride()], coefficients, from, floor)
	})
	g.Each(len(d.kept), func(j int) {
		r := borrow(n)
		tiles(nil, n, func(from, to int) {
			c.combine((*r)[from:to], digits[from*c.stride():to*c.stride()], j)
		})
		tables.Kept[j].Forward(*r)
		d.quotient(dst[j], kept[j], *r, j)
		release(r)
	})
}

// quotient sets dst = (x - r)/D modulo kept prime j; r is overwritten.
func (d *Division) quotient(dst, x, r []uint64, j int) {
	m := d.kept[j]
	m.Sub(r, x, r)
	m.MulScalar(dst, r, d.inverse[j])
}
