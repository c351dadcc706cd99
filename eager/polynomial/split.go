package polynomial

import "math/bits"

// split writes p = q·b_g + r with b_g the power of two g of the basis, so that
// deg q ≤ deg p − g and deg r < g. It needs g ≤ deg p < 2g.
//
// In the power basis the coefficients are cut in two. In the Chebyshev basis
// T_(g+i) = 2·T_g·T_i − T_(g−i) for i ≥ 1, so q has twice the upper
// coefficients, and r has them taken away in mirror order.
func split(p []float64, g int, basis Basis) (q, r []float64) {
	r = append(r, p[:g]...)
	q = append(q, p[g:]...)
	if basis == Power {
		return trim(q), trim(r)
	}
	for i := 1; i < len(q); i++ {
		r[g-i] -= q[i]
		q[i] *= 2
	}
	return trim(q), trim(r)
}

// trim drops leading coefficients that are exactly zero, leaving at least one.
func trim(p []float64) []float64 {
	for len(p) > 1 && p[len(p)-1] == 0 {
		p = p[:len(p)-1]
	}
	return p
}

// log2Ceil is the depth at which basis element k can be had.
func log2Ceil(k int) int { return bits.Len(uint(k - 1)) }

// topPower is the largest power of two that is at most k.
func topPower(k int) int { return 1 << (bits.Len(uint(k)) - 1) }

// Depth is the number of levels that a polynomial of the given degree ≥ 1 takes.
func Depth(degree int) int { return log2Ceil(degree + 1) }
