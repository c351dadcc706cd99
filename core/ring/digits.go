package ring

import "fhelium/core/parallel"

// Digits are the digits of a polynomial's coefficients, of which its residues
// modulo other primes follow: tiles of tileSize coefficients, k rows each. With
// kernels they are float64. At the portable level they are words in [0, p_i), of
// x + (F-1)/2 for the representative nearest to 0.
type Digits struct {
	of     *Conversion
	memory []uint64
	n      int
	floor  bool
}

// Stride is the words that Cut needs for a coefficient.
func (c *Conversion) Stride() int { return len(c.from) }

// Cut finds the digits of src, in memory of Stride words a coefficient.
func (c *Conversion) Cut(g *parallel.Group, memory []uint64, src Source, floor bool) Digits {
	d := Digits{c, memory, src.n(), floor}
	tiles(g, d.n, func(from, to int) { d.tile(from, to).cut(src, from) })
	return d
}

// tile is the digits of at most tileSize coefficients.
func (d Digits) tile(from, to int) Digits {
	k := d.of.Stride()
	return Digits{d.of, d.memory[from*k : to*k], to - from, d.floor}
}

// Row sets dst to the residues modulo target prime j.
func (d Digits) Row(dst Work, j int) {
	tiles(nil, d.n, func(from, to int) { d.tile(from, to).combine(dst.tile(from, to), j) })
}

// cut finds the digits of one tile of src, from the given coefficient on.
func (d Digits) cut(src Source, from int) {
	c := d.of
	if c.fast != nil {
		c.fast.cut(d, src, from)
		return
	}
	for i, m := range c.from {
		q, half := m.Q, c.half[i]
		if d.floor {
			half = 0
		}
		x, digit := src.words(i, from, d.n), d.memory[i*d.n:][:d.n]
		for j := range digit {
			digit[j] = once(x[j]+half, q)
		}
		for l, inverse := range c.inverse[i] {
			before, lift := d.memory[l*d.n:][:d.n], c.lift[i][l]
			for j := range digit {
				digit[j] = mulLazy(digit[j]+lift-before[j], inverse, q)
			}
		}
		for j := range digit {
			digit[j] = once(digit[j], q)
		}
	}
}

// combine sets dst to the residues of one tile modulo target prime j: a sum of k
// products below 2^100, in 128 bits.
func (d Digits) combine(dst Work, j int) {
	c, n := d.of, d.n
	if c.fast != nil {
		c.to[j].fast.Combine(dst.floats(), asFloats(d.memory), c.fast.factor[j])
		return
	}
	factor := c.factor[j]
	var s sums
	if !d.floor {
		minus := c.to[j].Q - c.halfTo[j]
		for i := range s.lo {
			s.lo[i] = minus
		}
	}
	i := 0
	for ; i+1 < len(factor); i += 2 {
		s.addScaledTwo(d.memory[i*n:][:n], d.memory[(i+1)*n:][:n], factor[i], factor[i+1])
	}
	if i < len(factor) {
		s.addScaled(d.memory[i*n:][:n], factor[i])
	}
	s.reduce(dst.memory, c.to[j])
}
