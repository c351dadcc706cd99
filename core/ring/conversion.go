package ring

import (
	"math"
	"math/big"
	"math/bits"

	"fhelium/core/parallel"
	"fhelium/core/refusal"
)

// Conversion rewrites residues modulo the primes q_i of one basis as residues
// modulo other primes, exactly, for the representative modulo F = Π q_i that is
// nearest to 0, or the one in [0, F). It works on coefficients and is immutable.
//
// With y_i = x_i·(F/q_i)^-1 modulo q_i, the sum S = Σ y_i·(F/q_i) is congruent
// to x, and x = S - v·F for v = floor(S/F + 1/2) or floor(S/F), an integer in
// 0 … k for k primes. S/F = Σ y_i/q_i is summed in float64 (S. Halevi, Y.
// Polyakov and V. Shoup, CT-RSA 2019). Where the sum lies so near to the step of
// v that rounding errors could decide, within (k+2)^2·2^-52 in units of F, S is
// compared in full precision, the one branch on data. So the result is exact for
// every input and equal on every machine.
type Conversion struct {
	from, to []*Modulus

	scale  []twiddle  // (F/q_i)^-1 modulo q_i
	float  []float64  // 1/q_i
	factor [][]uint64 // of target j: F/q_i for each i, then -F, modulo its prime

	doubt    float64    // bound of the float64 sum's error
	whole    []uint64   // F, in little-endian words, as many as (k+1)·F needs
	half     []uint64   // (F-1)/2
	cofactor [][]uint64 // F/q_i

	fast *fastConversion // nil where a modulus has no kernels
}

// NewConversion takes distinct primes to convert from, and any to convert to.
func NewConversion(from, to []*Modulus) (*Conversion, error) {
	whole, err := basisProduct(from)
	if err != nil {
		return nil, err
	}
	k := len(from)
	c := &Conversion{from: from, to: to, doubt: float64((k+2)*(k+2)) * 0x1p-52}
	words := (whole.BitLen()+bits.Len(uint(k+1)))/64 + 1
	c.whole = wordsOf(whole, words)
	c.half = wordsOf(new(big.Int).Rsh(whole, 1), words)
	cofactors := make([]*big.Int, k)
	for i, m := range from {
		cofactors[i] = new(big.Int).Div(whole, new(big.Int).SetUint64(m.Q))
		c.cofactor = append(c.cofactor, wordsOf(cofactors[i], words))
		c.scale = append(c.scale, m.twiddle(m.inverseOf(cofactors[i])))
		c.float = append(c.float, 1/float64(m.Q))
	}
	for _, m := range to {
		row := make([]uint64, k+1)
		for i := range from {
			row[i] = m.residue(cofactors[i])
		}
		row[k] = m.residue(new(big.Int).Neg(whole))
		c.factor = append(c.factor, row)
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

// wordsOf gives x in n little-endian words.
func wordsOf(x *big.Int, n int) []uint64 {
	bytes := x.FillBytes(make([]byte, 8*n))
	out := make([]uint64, n)
	for i, b := range bytes {
		out[n-1-i/8] = out[n-1-i/8]<<8 | uint64(b)
	}
	return out
}

// Bytes is the memory of the constants, without the moduli, which belong to the
// caller.
func (c *Conversion) Bytes() int {
	numbers := len(c.float) + len(c.whole) + len(c.half)
	for _, rows := range [][][]uint64{c.factor, c.cofactor} {
		for _, row := range rows {
			numbers += len(row)
		}
	}
	return 8*numbers + 16*len(c.scale) + c.fast.bytes()
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

// words gives some elements of row i as words, in the buffer where they are not.
func (s Source) words(m *Modulus, i, from int, buffer []uint64) []uint64 {
	if s.Work == nil {
		return s.Words[i][from:][:len(buffer)]
	}
	m.Write(buffer, s.Work[i].tile(from, from+len(buffer)))
	return buffer
}

// Apply sets dst to the centred representative in [-(F-1)/2, (F-1)/2], or to that
// in [0, F). src has a row for each prime converted from, dst one for each
// converted to. A row of dst may be a row of src.
func (c *Conversion) Apply(g *parallel.Group, dst []Work, src Source, floor bool) {
	dst = dst[:len(c.to)]
	tiles(g, src.n(), func(from, to int) {
		digits := borrow((to - from) * c.Stride())
		c.digits(*digits, src, from, floor)
		for j := range c.to {
			c.combine(dst[j].tile(from, to), *digits, j)
		}
		release(digits)
	})
}

// Digits are what a polynomial's residues in other primes follow from: y_0, …,
// y_(k-1) and v of every coefficient.
type Digits struct {
	of     *Conversion
	memory []uint64
	n      int
}

// Stride is the words that Cut needs for a coefficient.
func (c *Conversion) Stride() int { return len(c.from) + 1 }

// Cut finds the digits of src, in memory of Stride words a coefficient.
func (c *Conversion) Cut(g *parallel.Group, memory []uint64, src Source, floor bool) Digits {
	d := Digits{c, memory, src.n()}
	tiles(g, d.n, func(from, to int) { c.digits(d.tile(from, to), src, from, floor) })
	return d
}

func (d Digits) tile(from, to int) []uint64 { return d.memory[from*d.of.Stride() : to*d.of.Stride()] }

// Row sets dst to the residues modulo target prime j.
func (d Digits) Row(dst Work, j int) {
	tiles(nil, d.n, func(from, to int) { d.of.combine(dst.tile(from, to), d.tile(from, to), j) })
}

// tiles runs f on tileSize coefficients at a time.
func tiles(g *parallel.Group, n int, f func(from, to int)) {
	g.Each((n+tileSize-1)/tileSize, func(i int) { f(i*tileSize, min(n, (i+1)*tileSize)) })
}

// digits sets out to rows of y_0, …, y_(k-1) and v, for the coefficients from
// the given one on, at most tileSize of them, as out has room for. They are words,
// and with kernels float64.
func (c *Conversion) digits(out []uint64, src Source, from int, floor bool) {
	if c.fast != nil && c.fast.digits(out, src, from, floor) {
		return
	}
	c.portableDigits(out, src, from, floor)
	if c.fast != nil {
		for i, x := range out {
			asFloats(out)[i] = float64(int64(x))
		}
	}
}

func (c *Conversion) portableDigits(out []uint64, src Source, from int, floor bool) {
	count := len(out) / c.Stride()
	var quotients [tileSize]float64
	var buffer [tileSize]uint64
	sum := quotients[:count]
	offset, half := 0.5, c.half
	if floor {
		offset, half = 0, nil
	}
	for j := range sum {
		sum[j] = offset
	}
	for i, m := range c.from {
		q, w, inverse := m.Q, c.scale[i], c.float[i]
		x, y := src.words(m, i, from, buffer[:count]), out[i*count:][:len(sum)]
		for j := range sum {
			y[j] = once(mulLazy(x[j], w, q), q)
			sum[j] += float64(int64(y[j])) * inverse
		}
	}
	last := out[len(c.from)*count:]
	for j, s := range sum {
		v := math.Floor(s)
		if s-v < c.doubt || s-v > 1-c.doubt {
			v = c.exactQuotient(out[j:], count, math.Round(s), half)
		}
		last[j] = uint64(int64(v))
	}
}

// exactQuotient is floor((Σ y_i·(F/q_i) + half) / F), known to be near or
// near - 1; y_i stands at y[i·stride].
func (c *Conversion) exactQuotient(y []uint64, stride int, near float64, half []uint64) float64 {
	sum, multiple := make([]uint64, len(c.whole)), make([]uint64, len(c.whole))
	copy(sum, half)
	for i, cofactor := range c.cofactor {
		addProduct(sum, cofactor, y[i*stride])
	}
	addProduct(multiple, c.whole, uint64(near))
	borrow := uint64(0)
	for i := range sum {
		_, borrow = bits.Sub64(sum[i], multiple[i], borrow)
	}
	return near - float64(borrow)
}

// addProduct sets sum = sum + a·s, all within len(sum) words.
func addProduct(sum, a []uint64, s uint64) {
	a = a[:len(sum)]
	carry := uint64(0)
	for i := range sum {
		hi, lo := bits.Mul64(a[i], s)
		lo, c0 := bits.Add64(lo, carry, 0)
		lo, c1 := bits.Add64(lo, sum[i], 0)
		sum[i], carry = lo, hi+c0+c1
	}
}

// combine sets dst to the residues modulo target prime j of the coefficients
// that digits holds for as many: Σ y_i·(F/q_i) - v·F, k+1 terms below 2^100
// summed in 128 bits.
func (c *Conversion) combine(dst Work, digits []uint64, j int) {
	if c.fast != nil {
		c.to[j].fast.Combine(dst.floats(), asFloats(digits), c.fast.factor[j])
		return
	}
	factor, n := c.factor[j], len(dst.memory)
	var s sums
	i := 0
	for ; i+1 < len(factor); i += 2 {
		s.addScaledTwo(digits[i*n:][:n], digits[(i+1)*n:][:n], factor[i], factor[i+1])
	}
	if i < len(factor) {
		s.addScaled(digits[i*n:][:n], factor[i])
	}
	s.reduce(dst.memory, c.to[j])
}
