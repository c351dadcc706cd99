//go:build amd64 && !purego

package kernel

import (
	"math"
	"math/bits"
)

// MinRoots is the least number of complex numbers that Roots transforms.
const MinRoots = 16

// Roots holds what the transforms of the canonical embedding multiply with: the
// real and imaginary part of the root of each node of a binary heap, whose top is
// node 1. Node k serves X^(2t) - w² = (X^t - w)(X^t + w).
type Roots struct{ re, im []float64 }

// NewRoots gives nil for the portable level, which has no kernels. It keeps the
// slices.
func NewRoots(re, im []float64, level Level) *Roots {
	if level == Portable {
		return nil
	}
	return &Roots{re, im[:len(re)]}
}

// mustServe demands a number of elements that there are roots for, and tells
// whether it is an odd power of two.
func (r *Roots) mustServe(re, im []float64) (odd bool) {
	n := len(re)
	if n < MinRoots || n&(n-1) != 0 || n > len(r.re) || len(im) != n {
		panic("kernel: a number of values that the roots do not serve")
	}
	return bits.TrailingZeros(uint(n))&1 == 1
}

// Evaluate turns n complex coefficients of a polynomial modulo X^n - i into its
// values at the n roots, in the order of the leaves; n is a power of two, MinRoots
// or more.
func (r *Roots) Evaluate(re, im []float64) {
	n := len(re)
	if !r.mustServe(re, im) {
		r.evaluate(re, im, 1)
		return
	}
	evaluateTwo(&re[0], &im[0], 1, n/2, &r.re[0], &r.im[0], 1)
	r.evaluate(re[:n/2], im[:n/2], 2)
	r.evaluate(re[n/2:], im[n/2:], 3)
}

// evaluate does the stages of one block of 4^k ≥ 16 numbers: depth first down to
// blocks that stay in the nearest cache.
func (r *Roots) evaluate(re, im []float64, node int) {
	n, blocks := len(re), 1
	if n > leaf {
		evaluateFour(&re[0], &im[0], 1, n/4, &r.re[0], &r.im[0], node)
		for k := range 4 {
			r.evaluate(re[k*n/4:(k+1)*n/4], im[k*n/4:(k+1)*n/4], 4*node+k)
		}
		return
	}
	for ; n > 4; n, blocks, node = n/4, 4*blocks, 4*node {
		evaluateFour(&re[0], &im[0], blocks, n/4, &r.re[0], &r.im[0], node)
	}
	evaluateQuads(&re[0], &im[0], blocks/4, &r.re[0], &r.im[0], node)
}

// Interpolate turns n values into n times the coefficients: it undoes Evaluate but
// for that factor.
func (r *Roots) Interpolate(re, im []float64) {
	n := len(re)
	if !r.mustServe(re, im) {
		r.interpolate(re, im, 1)
		return
	}
	r.interpolate(re[:n/2], im[:n/2], 2)
	r.interpolate(re[n/2:], im[n/2:], 3)
	interpolateTwo(&re[0], &im[0], 1, n/2, &r.re[0], &r.im[0], 1)
}

// interpolate undoes evaluate.
func (r *Roots) interpolate(re, im []float64, node int) {
	n := len(re)
	if n > leaf {
		for k := range 4 {
			r.interpolate(re[k*n/4:(k+1)*n/4], im[k*n/4:(k+1)*n/4], 4*node+k)
		}
		interpolateFour(&re[0], &im[0], 1, n/4, &r.re[0], &r.im[0], node)
		return
	}
	interpolateQuads(&re[0], &im[0], n/16, &r.re[0], &r.im[0], node*n/4)
	for part := 4; part < n; part *= 4 {
		blocks := n / (4 * part)
		interpolateFour(&re[0], &im[0], blocks, part, &r.re[0], &r.im[0], node*blocks)
	}
}

// RoundProduct sets x, of a multiple of Step numbers, to x·by rounded half to
// even, without -0. It gives the largest size of the results, or NaN if one is not
// finite.
func RoundProduct(x []float64, by float64) (peak float64) {
	mustFill(len(x))
	var state struct {
		largest  [4]float64
		infinite [4]uint64
	}
	roundProduct(&x[0], len(x), by, &state.largest[0])
	if state.infinite != [4]uint64{} {
		return math.NaN()
	}
	for _, size := range state.largest {
		peak = max(peak, size)
	}
	return peak
}
