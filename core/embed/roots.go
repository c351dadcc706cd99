package embed

import (
	"math/big"
	"math/bits"
)

// rootPrecision is the working precision of the table of roots in bits. The
// powers of one root lose at most logN + 2 bits of it, so that every entry is
// correctly rounded unless it lies within 2^-100 of the middle of two floats.
const rootPrecision = 192

// butterflyRoots gives the roots of the transform over a ring of degree 2^logN
// as real and imaginary parts, indexed as a binary heap from 1 to N/2 - 1. Node
// k holds w where the polynomial of the node is X^(2t) - w² = (X^t - w)(X^t + w);
// the top is X^(N/2) - i. Node m+i of the row of m nodes has the angle
// 2π (1/(8m) + bitreverse(i)/(2m)). The heap for a smaller ring is a prefix of
// it. Every entry is correctly rounded, on every machine.
func butterflyRoots(logN int) (re, im []float64) {
	half := 1 << (logN - 1)
	cos, sin := octant(logN)
	re, im = make([]float64, half), make([]float64, half)
	for log := range logN - 1 {
		m := 1 << log
		unit := (half * 4) / (8 * m) // 1/(8m) of a turn, in steps of 2π/2N
		for i := range m {
			r := int(bits.Reverse64(uint64(i)<<1) >> (63 - log))
			re[m+i], im[m+i] = unitRoot(unit*(1+4*r), cos, sin)
		}
	}
	return re, im
}

// unitRoot gives the root at k steps of half a turn of N steps, 0 <= k < N, by
// reflection into the first octant.
func unitRoot(k int, cos, sin []float64) (re, im float64) {
	eighth := len(cos) - 1
	switch {
	case k <= eighth:
		return cos[k], sin[k]
	case k <= 2*eighth:
		return sin[2*eighth-k], cos[2*eighth-k]
	case k <= 3*eighth:
		return -sin[k-2*eighth], cos[k-2*eighth]
	default:
		return -cos[4*eighth-k], sin[4*eighth-k]
	}
}

// octant gives the cosines and sines of 2πk/2N for k = 0 … N/4, by repeated
// multiplication at rootPrecision bits.
func octant(logN int) (cos, sin []float64) {
	count := 1<<(logN-2) + 1
	cos, sin = make([]float64, count), make([]float64, count)
	number := func() *big.Float { return new(big.Float).SetPrec(rootPrecision) }
	stepCos, stepSin := rootStep(logN)
	c, s := number().SetInt64(1), number()
	nextC, nextS, product := number(), number(), number()
	for k := range count {
		cos[k], _ = c.Float64()
		sin[k], _ = s.Float64()
		nextC.Mul(c, stepCos)
		nextC.Sub(nextC, product.Mul(s, stepSin))
		nextS.Mul(s, stepCos)
		nextS.Add(nextS, product.Mul(c, stepSin))
		c, nextC = nextC, c
		s, nextS = nextS, s
	}
	return cos, sin
}

// rootStep gives cos and sin of π/N by halving the right angle.
func rootStep(logN int) (cos, sin *big.Float) {
	number := func() *big.Float { return new(big.Float).SetPrec(rootPrecision) }
	one, two := number().SetInt64(1), number().SetInt64(2)
	cos, sin = number(), number().SetInt64(1)
	for range logN - 1 {
		cos.Add(cos, one)
		cos.Quo(cos, two)
		cos.Sqrt(number().Set(cos))
		sin.Quo(sin, number().Mul(two, cos))
	}
	return cos, sin
}
