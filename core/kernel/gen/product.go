package main

import (
	. "github.com/mmcloughlin/avo/build"
)

// Products modulo p in float64, by error-free products with fused
// multiply-add. With h = fl(a·w) and l = fma(a, w, -h), a·w is h + l exactly; q
// is the integer nearest to a float64 quotient, and (h - q·p) + l is a·w - q·p
// exactly, because every term is an integer below 2^53. Bounds are in the
// documentation of package kernel.

// times is x = x·w for a factor with its quotient w/p:
// |x| ≤ p(1/2 + |x|·2^-53) after, for |x| ≤ 2^53 before.
func (f *function) times(x, w, quotient vec) []step {
	t, h := vector(), vector()
	return []step{
		func() { VMULPD(quotient, x, t) },
		func() { VMULPD(w, x, h) },
		func() { round(t) },
		func() { VFMSUB213PD(h, w, x) },
		func() { VFNMADD213PD(h, f.p, t) },
		func() { VADDPD(t, x, x) },
	}
}

// timesAny is x = x·w for any factor: |x| ≤ p(1/2 + 3|x·w|/p·2^-53) after.
func (f *function) timesAny(x, w vec) []step {
	t, h := vector(), vector()
	return []step{
		func() { VMULPD(w, x, h) },
		func() { VMULPD(f.inverse(), h, t) },
		func() { VFMSUB213PD(h, w, x) },
		func() { round(t) },
		func() { VFNMADD213PD(h, f.p, t) },
		func() { VADDPD(t, x, x) },
	}
}

// butterfly is (x, y) = (x + y·w, x - y·w), of Cooley and Tukey.
func (f *function) butterfly(x, y *vec, product []step) []step {
	a, m, difference := *x, *y, vector()
	*y = difference
	return append(product,
		func() { VSUBPD(m, a, difference) },
		func() { VADDPD(m, a, a) },
	)
}

// inverseButterfly is (x, y) = (x + y, (x - y)·w), of Gentleman and Sande; the
// product is made of the difference.
func (f *function) inverseButterfly(x, y *vec, product func(difference vec) []step) []step {
	a, b, sum := *x, *y, vector()
	*x = sum
	return append([]step{
		func() { VADDPD(b, a, sum) },
		func() { VSUBPD(b, a, b) },
	}, product(b)...)
}
