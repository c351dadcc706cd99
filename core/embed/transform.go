package embed

import "fhelium/core/kernel"

// The transform maps the n complex coefficients of p, a polynomial modulo
// X^n - i, to its values at the n roots, in the order of the leaves of the
// heap of butterflyRoots. Real and imaginary parts lie in separate slices of a
// power of two elements.
//
// Every product that meets a sum is rounded first (the conversion forbids
// fusing), so that results are equal to the bit on every machine. Errors grow
// as log2 n units in the last place of the largest value.

// evaluate goes from coefficients to values, in place.
func (e *Encoder) evaluate(re, im []float64) {
	n := len(re)
	if e.fast != nil && n >= kernel.MinRoots {
		e.fast.Evaluate(re, im)
		return
	}
	for m, t := 1, n/2; m < n; m, t = 2*m, t/2 {
		wr, wi := e.rootRe[m:2*m], e.rootIm[m:2*m]
		for i, c := range wr {
			low, mid, high := 2*i*t, 2*i*t+t, 2*i*t+2*t
			evaluateBlock(re[low:mid], im[low:mid], re[mid:high], im[mid:high], c, wi[i])
		}
	}
}

// evaluateBlock is (a, b) <- (a + wb, a - wb).
func evaluateBlock(ar, ai, br, bi []float64, c, s float64) {
	ai, br, bi = ai[:len(ar)], br[:len(ar)], bi[:len(ar)]
	for j, x := range ar {
		y, u, v := ai[j], br[j], bi[j]
		p := float64(c*u) - float64(s*v)
		q := float64(c*v) + float64(s*u)
		ar[j], ai[j] = x+p, y+q
		br[j], bi[j] = x-p, y-q
	}
}

// interpolate goes from values to n times the coefficients, in place.
func (e *Encoder) interpolate(re, im []float64) {
	n := len(re)
	if e.fast != nil && n >= kernel.MinRoots {
		e.fast.Interpolate(re, im)
		return
	}
	for m, t := n/2, 1; m >= 1; m, t = m/2, 2*t {
		wr, wi := e.rootRe[m:2*m], e.rootIm[m:2*m]
		for i, c := range wr {
			low, mid, high := 2*i*t, 2*i*t+t, 2*i*t+2*t
			interpolateBlock(re[low:mid], im[low:mid], re[mid:high], im[mid:high], c, wi[i])
		}
	}
}

// interpolateBlock is (a, b) <- (a + b, (a - b)/w), |w| = 1.
func interpolateBlock(ar, ai, br, bi []float64, c, s float64) {
	ai, br, bi = ai[:len(ar)], br[:len(ar)], bi[:len(ar)]
	for j, x := range ar {
		y, u, v := ai[j], br[j], bi[j]
		p, q := x-u, y-v
		ar[j], ai[j] = x+u, y+v
		br[j] = float64(c*p) + float64(s*q)
		bi[j] = float64(c*q) - float64(s*p)
	}
}
