package sample

import (
	"encoding/binary"

	"fhelium/core/kernel"
)

// Sigma is the standard deviation of Gaussian, in the convention of the
// Homomorphic Encryption Standard (Albrecht et al., 2018): 8/√(2π), rounded.
const Sigma = 3.19

// TailBound is the largest absolute value that Gaussian draws, 9.09 Sigma.
// The ideal distribution passes it with probability below 2^-65.
const TailBound = len(gaussianTable)

// gaussianTable holds round(2^63 · Pr[|X| <= k]) for k = 0, 1, …, where
// Pr[X = x] is proportional to exp(-x²/(2 Sigma²)) over the integers. The
// entries stop before the first that rounds to 2^63. A draw's statistical
// distance from the ideal is below 2^-60.
var gaussianTable = [29]uint64{
	0x1001f9a1b2ca9468, 0x2e7cf3ef07836cb6, 0x48ca7e85d834a57a,
	0x5d5d51778f760881, 0x6bf35598550421b0, 0x7552dc90807bbed6,
	0x7ac8820561a4c975, 0x7daa6596524b7ffd, 0x7f0b8114bba4ecb9,
	0x7fa4a9fc5ea574e9, 0x7fe0e1077aef391a, 0x7ff6563f810f15d0,
	0x7ffd4490999bc595, 0x7fff4c0804cd386e, 0x7fffd5e18e7fda18,
	0x7ffff709c679c2ee, 0x7ffffe445c790f6c, 0x7fffffb20f7aa54a,
	0x7ffffff3903d235d, 0x7ffffffe32b06d1d, 0x7fffffffc35125cc,
	0x7ffffffff8c11765, 0x7fffffffff36fe33, 0x7fffffffffec3bf8,
	0x7ffffffffffe3c8b, 0x7fffffffffffdb75, 0x7ffffffffffffd51,
	0x7fffffffffffffd2, 0x7ffffffffffffffd,
}

// Gaussian fills dst with independent draws of the discrete Gaussian of
// standard deviation Sigma, |x| <= TailBound. Constant-time: one 8-byte word a
// draw, of which 63 bits are compared with every entry of the table, without a
// branch, and one bit is the sign.
func (s *Source) Gaussian(dst []int64) {
	for len(dst) > 0 {
		b := s.next(8 * len(dst))
		n, done := len(b)/8, 0
		if fast {
			done = kernel.Draws(dst[:n], b, gaussianVectors[:])
		}
		for i := done; i < n; i++ {
			dst[i] = gaussianOf(binary.LittleEndian.Uint64(b[8*i:]))
		}
		dst = dst[n:]
	}
}

// fast says whether the machine's own kernels draw; they draw the same.
var fast = func() bool {
	level, err := kernel.Named("auto")
	return err == nil && level != kernel.Portable
}()

// gaussianVectors is gaussianTable less 1, as kernels compare with it.
var gaussianVectors = func() (out [len(gaussianTable)][4]int64) {
	for k, t := range gaussianTable {
		for lane := range out[k] {
			out[k][lane] = int64(t - 1)
		}
	}
	return out
}()

// gaussianOf counts the table's entries that the low 63 bits reach, and gives
// the count the sign of the top bit.
func gaussianOf(word uint64) int64 {
	r := word & (1<<63 - 1)
	var magnitude uint64
	for _, t := range &gaussianTable {
		magnitude += (t - 1 - r) >> 63
	}
	sign := -(word >> 63)
	return int64((magnitude ^ sign) - sign)
}
