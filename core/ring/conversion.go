package ring

import (
	"math/big"

	"fhelium/core/parallel"
	"fhelium/core/refusal"
)

// Conversion rewrites residues modulo the primes p_0, …, p_(k-1) of one basis as
// residues modulo other primes, exactly, for the representative modulo F = Π p_i
// that is nearest to 0, or the one in [0, F). It works on coefficients, without a
// branch on them, and is immutable.
//
// It goes through the digits of the mixed radix (H. L. Garner, IRE Transactions on
// Electronic Computers, 1959): x = d_0 + d_1·p_0 + d_2·p_0·p_1 + …, where d_i is
// found modulo p_i from the residue x_i and the digits before it. Digits in
// [0, p_i) make x the representative in [0, F), digits nearest to 0 the one
// nearest to 0, because the largest number that they make is (F-1)/2.
type Conversion struct {
	from, to []*Modulus

	inverse [][]twiddle // of p_l modulo p_i, for l < i
	lift    [][]uint64  // a multiple of p_i that is p_l or more
	factor  [][]uint64  // of target j: the product of the first i primes, modulo its prime
	half    []uint64    // (F-1)/2 modulo each p_i
	halfTo  []uint64    // (F-1)/2 modulo each target

	fast *fastConversion // nil where a modulus has no kernels
}

// NewConversion takes distinct odd primes to convert from, and any to convert to.
func NewConversion(from, to []*Modulus) (*Conversion, error) {
	whole, err := basisProduct(from)
	if err != nil {
		return nil, err
	}
	c := &Conversion{from: from, to: to}
	half := new(big.Int).Rsh(whole, 1)
	for i, m := range from {
		var inverse []twiddle
		var lift []uint64
		for _, l := range from[:i] {
			inverse = append(inverse, m.twiddle(m.inverseOf(new(big.Int).SetUint64(l.Q))))
			lift = append(lift, (l.Q+m.Q-1)/m.Q*m.Q)
		}
		c.inverse, c.lift = append(c.inverse, inverse), append(c.lift, lift)
		c.half = append(c.half, m.residue(half))
	}
	for _, m := range to {
		row, product := make([]uint64, len(from)), big.NewInt(1)
		for i, l := range from {
			row[i] = m.residue(product)
			product.Mul(product, new(big.Int).SetUint64(l.Q))
		}
		c.factor, c.halfTo = append(c.factor, row), append(c.halfTo, m.residue(half))
	}
	c.fast = newFastConversion(c)
	return c, nil
}

// basisProduct is the product of pairwise coprime moduli.
func basisProduct(basis []*Modulus) (*big.Int, error) {
	if len(basis) == 0 {
		return nil, refusal.New(BasisInvalid, "there is no prime to convert from; give at least one")
	}
	product := big.NewInt(1)
	for _, m := range basis {
		if m.inverseOf(product) == 0 {
			return nil, refusal.New(BasisInvalid, "modulus %d shares a factor with another of its basis; give distinct primes", m.Q)
		}
		product.Mul(product, new(big.Int).SetUint64(m.Q))
	}
	return product, nil
}

// residue is x modulo q, in [0, q).
func (m *Modulus) residue(x *big.Int) uint64 {
	return new(big.Int).Mod(x, new(big.Int).SetUint64(m.Q)).Uint64()
}

// inverseOf is the inverse of x modulo q, or 0 where it has none.
func (m *Modulus) inverseOf(x *big.Int) uint64 {
	y := new(big.Int).ModInverse(x, new(big.Int).SetUint64(m.Q))
	if y == nil {
		return 0
	}
	return y.Uint64()
}

// Bytes is the memory of the constants, without the moduli, which belong to the
// caller.
func (c *Conversion) Bytes() int {
	numbers := len(c.half) + len(c.halfTo)
	for _, rows := range [][][]uint64{c.factor, c.lift} {
		for _, row := range rows {
			numbers += len(row)
		}
	}
	for _, row := range c.inverse {
		numbers += 2 * len(row)
	}
	return 8*numbers + c.fast.bytes()
}

// Source is the rows that are converted from: words in [0, q), or Work.
type Source struct {
	Words Rows
	Work  []Work
}

// Rows is a range of the rows.
func (s Source) Rows(start, end int) Source {
	if s.Work != nil {
		return Source{Work: s.Work[start:end]}
	}
	return Source{Words: s.Words[start:end]}
}

func (s Source) n() int {
	if s.Work != nil {
		return len(s.Work[0].memory)
	}
	return len(s.Words[0])
}

// words gives some elements of row i as words of the portable level.
func (s Source) words(i, from, count int) []uint64 {
	if s.Work != nil {
		return s.Work[i].memory[from:][:count]
	}
	return s.Words[i][from:][:count]
}

// Apply sets dst to the centred representative in [-(F-1)/2, (F-1)/2], or to that
// in [0, F). src has a row for each prime converted from, dst one for each
// converted to. A row of dst may be a row of src.
func (c *Conversion) Apply(g *parallel.Group, dst []Work, src Source, floor bool) {
	dst = dst[:len(c.to)]
	tiles(g, src.n(), func(from, to int) {
		memory := borrow((to - from) * c.Stride())
		d := Digits{c, *memory, to - from, floor}
		d.cut(src, from)
		for j := range c.to {
			d.combine(dst[j].tile(from, to), j)
		}
		release(memory)
	})
}

// tiles runs f on tileSize coefficients at a time.
func tiles(g *parallel.Group, n int, f func(from, to int)) {
	g.Each((n+tileSize-1)/tileSize, func(i int) { f(i*tileSize, min(n, (i+1)*tileSize)) })
}
