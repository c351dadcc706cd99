package sample

import (
	"encoding/binary"
	"fmt"
	"math"
)

// WideLimit is the largest standard deviation of the wide Gaussians.
const WideLimit = 1 << 70

// wideExact is the largest standard deviation at which one float64 reaches
// every integer of the range, and wideLow the deviation of the second part
// that WideGaussianPair adds above it.
const (
	wideExact = 1 << 48
	wideLow   = 1 << 40
)

// WideGaussian fills dst with Gaussian draws of standard deviation sigma,
// 0 <= sigma <= 2^70, rounded to integers and held exactly. It is the noise of
// flooding; |x| <= 9.5 sigma.
//
// Up to sigma = 2^48 every integer of the range can be drawn. Above, a draw is
// a float64 and so, at |x| >= 2^53, a multiple of a power of two (at most
// 2^22): alone it does not hide the low bits of what it is added to.
// WideGaussianPair does.
//
// Box–Muller on a 64-bit radius and a 53-bit angle, 16 bytes of the stream a
// draw. Not constant-time, and the last bits may differ between machines with
// other implementations of the logarithm and the cosine.
func (s *Source) WideGaussian(dst []float64, sigma float64) {
	checkWide(sigma)
	for len(dst) > 0 {
		b := s.next(16 * len(dst))
		for i := range len(b) / 16 {
			radius := binary.LittleEndian.Uint64(b[16*i:])
			angle := binary.LittleEndian.Uint64(b[16*i+8:])
			dst[i] = math.RoundToEven(sigma*normal(radius, angle)) + 0 // no -0
		}
		dst = dst[len(b)/16:]
	}
}

// WideGaussianPair draws flooding noise high + low of standard deviation
// sigma, 0 <= sigma <= 2^70, whose sum reaches every integer of its range. The
// parts are independent rounded Gaussians: up to sigma = 2^48, low is zero;
// above, low has deviation 2^40, far more than the grid of high (at most
// 2^22), so that the low bits of the sum are uniform. Both parts are integers
// held exactly; the sum is not a float64 and is made on residues. The lengths
// are equal. Timing and portability are those of WideGaussian.
func (s *Source) WideGaussianPair(high, low []float64, sigma float64) {
	checkWide(sigma)
	if len(high) != len(low) {
		panic(fmt.Sprintf("sample: parts of lengths %d and %d", len(high), len(low)))
	}
	if sigma <= wideExact {
		s.WideGaussian(high, sigma)
		clear(low)
		return
	}
	s.WideGaussian(high, math.Sqrt(sigma*sigma-wideLow*wideLow))
	s.WideGaussian(low, wideLow)
}

func checkWide(sigma float64) {
	if !(sigma >= 0 && sigma <= WideLimit) {
		panic(fmt.Sprintf("sample: deviation %g is not in [0, 2^70]", sigma))
	}
}

// normal maps two uniform words to one standard normal value of at most
// √(130 ln 2) < 9.5 (Box and Muller, 1958).
func normal(radius, angle uint64) float64 {
	u := (float64(radius) + 0.5) * 0x1p-64
	v := float64(angle>>11) * 0x1p-53
	return math.Sqrt(-2*math.Log(u)) * math.Cos(2*math.Pi*v)
}
