package ring

import "math/bits"

// tileSize is how many coefficients are worked on together, so that their sums
// (2 KiB, on the stack) and the digits of a conversion stay in the fastest cache.
const tileSize = 128

// sums are 128-bit integers, their low and high words apart. Products are below
// 2^100, so a sum holds 2^28 of them; so many rows do not fit a memory.
type sums struct{ lo, hi [tileSize]uint64 }

// Dot sets dst = Σ a[k]·b[k] elementwise over the len(a) rows, and 0 where
// there is none. Products are summed in 128 bits, with one reduction at the end.
// dst may be none of the rows.
func (m *Modulus) Dot(dst []uint64, a, b [][]uint64) { m.dot(dst, a, b, false) }

// DotAdd sets dst = dst + Σ a[k]·b[k]. dst may be none of the rows.
func (m *Modulus) DotAdd(dst []uint64, a, b [][]uint64) { m.dot(dst, a, b, true) }

func (m *Modulus) dot(dst []uint64, a, b [][]uint64, add bool) {
	b = b[:len(a)]
	done := 0
	if m.fast != nil && len(a) > 0 {
		done = m.fast.Dot(dst, a, b, add)
	}
	for from := done; from < len(dst); from += tileSize {
		to := min(from+tileSize, len(dst))
		var s sums
		if add {
			copy(s.lo[:], dst[from:to])
		}
		k := 0
		for ; k+1 < len(a); k += 2 {
			s.addTwo(a[k][from:to], b[k][from:to], a[k+1][from:to], b[k+1][from:to])
		}
		if k < len(a) {
			s.add(a[k][from:to], b[k][from:to])
		}
		s.reduce(dst[from:to], m)
	}
}

// add accumulates a·b, of at most tileSize elements.
func (s *sums) add(a, b []uint64) {
	b = b[:len(a)]
	lows, highs := s.lo[:len(a)], s.hi[:len(a)]
	for i := range a {
		hi, lo := bits.Mul64(a[i], b[i])
		lo, carry := bits.Add64(lo, lows[i], 0)
		hi, _ = bits.Add64(hi, highs[i], carry)
		lows[i], highs[i] = lo, hi
	}
}

// addTwo accumulates a·b + c·d, which halves the traffic of the sums.
func (s *sums) addTwo(a, b, c, d []uint64) {
	b, c, d = b[:len(a)], c[:len(a)], d[:len(a)]
	lows, highs := s.lo[:len(a)], s.hi[:len(a)]
	for i := range a {
		h0, l0 := bits.Mul64(a[i], b[i])
		h1, l1 := bits.Mul64(c[i], d[i])
		l0, carry := bits.Add64(l0, l1, 0)
		h0, _ = bits.Add64(h0, h1, carry)
		l0, carry = bits.Add64(l0, lows[i], 0)
		h0, _ = bits.Add64(h0, highs[i], carry)
		lows[i], highs[i] = l0, h0
	}
}

// addScaled accumulates a·x for a word x below 2^50.
func (s *sums) addScaled(a []uint64, x uint64) {
	lows, highs := s.lo[:len(a)], s.hi[:len(a)]
	for i := range a {
		hi, lo := bits.Mul64(a[i], x)
		lo, carry := bits.Add64(lo, lows[i], 0)
		hi, _ = bits.Add64(hi, highs[i], carry)
		lows[i], highs[i] = lo, hi
	}
}

// addScaledTwo accumulates a·x + b·y.
func (s *sums) addScaledTwo(a, b []uint64, x, y uint64) {
	b = b[:len(a)]
	lows, highs := s.lo[:len(a)], s.hi[:len(a)]
	for i := range a {
		h0, l0 := bits.Mul64(a[i], x)
		h1, l1 := bits.Mul64(b[i], y)
		l0, carry := bits.Add64(l0, l1, 0)
		h0, _ = bits.Add64(h0, h1, carry)
		l0, carry = bits.Add64(l0, lows[i], 0)
		h0, _ = bits.Add64(h0, highs[i], carry)
		lows[i], highs[i] = l0, h0
	}
}

// reduce sets dst to the sums modulo m, in [0, q).
func (s *sums) reduce(dst []uint64, m *Modulus) {
	q, word, carry := m.Q, m.word, m.carry
	lows, highs := s.lo[:len(dst)], s.hi[:len(dst)]
	for i := range dst {
		dst[i] = reduceDouble(highs[i], lows[i], q, word, carry)
	}
}
