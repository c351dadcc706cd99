package ring

import "math/bits"

// The vector operations below work on len(dst) words, in [0, q) in and out.
// dst may be any of the operands; it may not overlap one by a shift.

// Add sets dst = a + b.
func (m *Modulus) Add(dst, a, b []uint64) {
	a, b = a[:len(dst)], b[:len(dst)]
	q := m.Q
	for i := range dst {
		dst[i] = once(a[i]+b[i], q)
	}
}

// Sub sets dst = a - b.
func (m *Modulus) Sub(dst, a, b []uint64) {
	a, b = a[:len(dst)], b[:len(dst)]
	q := m.Q
	for i := range dst {
		dst[i] = once(a[i]+q-b[i], q)
	}
}

// Neg sets dst = -a.
func (m *Modulus) Neg(dst, a []uint64) {
	a = a[:len(dst)]
	q := m.Q
	for i := range dst {
		dst[i] = once(q-a[i], q)
	}
}

// Mul sets dst = a·b elementwise.
func (m *Modulus) Mul(dst, a, b []uint64) {
	a, b = a[:len(dst)], b[:len(dst)]
	q, shift, mu := m.Q, m.shift, m.mu
	for i := range dst {
		dst[i] = product(a[i], b[i], q, shift, mu)
	}
}

// MulAdd sets dst = dst + a·b elementwise.
func (m *Modulus) MulAdd(dst, a, b []uint64) {
	a, b = a[:len(dst)], b[:len(dst)]
	q, shift, mu := m.Q, m.shift, m.mu
	for i := range dst {
		dst[i] = once(dst[i]+product(a[i], b[i], q, shift, mu), q)
	}
}

// MulScalar sets dst = a·s for any word s.
func (m *Modulus) MulScalar(dst, a []uint64, s uint64) {
	a = a[:len(dst)]
	q, w := m.Q, m.twiddle(s%m.Q)
	for i := range dst {
		dst[i] = once(mulLazy(a[i], w, q), q)
	}
}

// MulScalarAdd sets dst = dst + a·s for any word s.
func (m *Modulus) MulScalarAdd(dst, a []uint64, s uint64) {
	a = a[:len(dst)]
	q, w := m.Q, m.twiddle(s%m.Q)
	for i := range dst {
		dst[i] = once(dst[i]+once(mulLazy(a[i], w, q), q), q)
	}
}

// AddScalar sets dst = a + s for any word s, added to every element.
func (m *Modulus) AddScalar(dst, a []uint64, s uint64) {
	a = a[:len(dst)]
	q := m.Q
	s %= q
	for i := range dst {
		dst[i] = once(a[i]+s, q)
	}
}

// Reduce sets dst = src modulo q, for any words.
func (m *Modulus) Reduce(dst, src []uint64) {
	src = src[:len(dst)]
	q, word := m.Q, m.word
	for i := range dst {
		dst[i] = reduceWord(src[i], q, word)
	}
}

// FromInt64 sets dst = src modulo q, for any integers: x + 2^63 is reduced as a
// word and 2^63 taken off again.
func (m *Modulus) FromInt64(dst []uint64, src []int64) {
	src = src[:len(dst)]
	q, word := m.Q, m.word
	back := q - (1<<63)%q
	for i := range dst {
		dst[i] = once(reduceWord(uint64(src[i])^1<<63, q, word)+back, q)
	}
}

// dotBlock is how many sums Dot keeps at once: 4 KiB on the stack.
const dotBlock = 256

// sums are 128-bit integers, their low and high words apart.
type sums struct{ lo, hi [dotBlock]uint64 }

// Dot sets dst = Σ a[k]·b[k] elementwise over the len(a) rows, and 0 where
// there is none. Products are below 2^100 and are summed in 128 bits, which holds
// 2^28 of them, with one reduction at the end; so many rows do not fit a memory.
// dst may be one of the rows.
func (m *Modulus) Dot(dst []uint64, a, b [][]uint64) {
	b = b[:len(a)]
	q, word, carry := m.Q, m.word, m.carry
	for from := 0; from < len(dst); from += dotBlock {
		to := min(from+dotBlock, len(dst))
		var s sums
		k := 0
		for ; k+1 < len(a); k += 2 {
			s.addTwo(a[k][from:to], b[k][from:to], a[k+1][from:to], b[k+1][from:to])
		}
		if k < len(a) {
			s.add(a[k][from:to], b[k][from:to])
		}
		out := dst[from:to]
		for i := range out {
			out[i] = reduceDouble(s.hi[i&(dotBlock-1)], s.lo[i&(dotBlock-1)], q, word, carry)
		}
	}
}

// add accumulates a·b of at most dotBlock elements.
func (s *sums) add(a, b []uint64) {
	b = b[:len(a)]
	lows, highs := s.lo[:len(a)], s.hi[:len(a)]
	for i := range a {
		hi, lo := bits.Mul64(a[i], b[i])
		lo, carry := bits.Add64(lo, lows[i], 0)
		lows[i], highs[i] = lo, highs[i]+hi+carry
	}
}

// addTwo accumulates a·b + c·d, which halves the traffic of the sums.
func (s *sums) addTwo(a, b, c, d []uint64) {
	b, c, d = b[:len(a)], c[:len(a)], d[:len(a)]
	lows, highs := s.lo[:len(a)], s.hi[:len(a)]
	for i := range a {
		h0, l0 := bits.Mul64(a[i], b[i])
		h1, l1 := bits.Mul64(c[i], d[i])
		l0, carry0 := bits.Add64(l0, l1, 0)
		l0, carry1 := bits.Add64(l0, lows[i], 0)
		lows[i], highs[i] = l0, highs[i]+h0+h1+carry0+carry1
	}
}
