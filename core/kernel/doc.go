// Package kernel holds the vector kernels of package ring: transforms, products
// and conversions modulo one prime p < 2^50, on processors that have them. Each
// gives the same words as the portable code of ring, which is their definition.
//
// # Numbers
//
// Inside a kernel a residue is an exact integer in a float64, of either sign and
// not always reduced. Words in [0, p) become float64 when they are read and
// words again when they are written. A product a·w is taken exactly as a sum of
// two float64 by fused multiply-add, and a multiple of p is taken off, the one
// nearest to a float64 quotient (the bound is that of W. Hart and others, FLINT's
// small-prime transforms). Rounding is to nearest, as Go sets it.
//
// # Bounds
//
// With |a| ≤ A ≤ 2^53, |w| ≤ p/2 and fl(w/p) at hand, the error of the quotient
// is below A·2^-53, so
//
//	|a·w - q·p| ≤ p(1/2 + A·2^-53) ≤ p(1/2 + A/8p),
//
// since 8p < 2^53. Without fl(w/p), from fl(fl(a·w)·fl(1/p)), it is three times
// as large: |a·b - q·p| ≤ p(1/2 + 3|a·b|/p·2^-53). The result, q·p's distance from
// the leading part, and the sum are integers below 2^53, so all steps are exact.
//
// Forward. A pass of two stages with part 0 reduced to p/2 takes |x| ≤ B to at
// most 1.5625p + 0.266B, whose fixpoint is 2.13p; the first pass reads words below
// p unreduced and leaves 2.33p after two stages, 3.12p after three. The last two
// stages take 2.4p to 4.5p, and factors are at most 3.4p.
//
// Inverse. A pass with only the sum of all parts reduced takes |x| ≤ 2p to 2p:
// differences reach 8p < 2^53, the products of such at most 1.5p. The first two
// stages read words below p and leave at most 1.4p. In the last pass of three
// stages the sums are reduced before the third.
//
// -0 never arises: every stored value is a sum of terms that are not both -0.
// So the sign bit says whether p is to be added when a word is written.
package kernel

//go:generate go run -C gen . -out ../kernels_amd64.s -stubs ../stubs_amd64.go -pkg kernel
