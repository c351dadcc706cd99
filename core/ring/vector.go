package ring

// The vector operations below work on len(dst) words, in [0, q) in and out.
// dst may be any of the operands; it may not overlap one by a shift.

// Add sets dst = a + b.
func (m *Modulus) Add(dst, a, b []uint64) {
	a, b = a[:len(dst)], b[:len(dst)]
	if m.fast != nil {
		done := m.fast.Add(dst, a, b)
		dst, a, b = dst[done:], a[done:], b[done:]
	}
	q := m.Q
	for i := range dst {
		dst[i] = once(a[i]+b[i], q)
	}
}

// Sub sets dst = a - b.
func (m *Modulus) Sub(dst, a, b []uint64) {
	a, b = a[:len(dst)], b[:len(dst)]
	if m.fast != nil {
		done := m.fast.Sub(dst, a, b)
		dst, a, b = dst[done:], a[done:], b[done:]
	}
	q := m.Q
	for i := range dst {
		dst[i] = once(a[i]+q-b[i], q)
	}
}

// AddStreaming is Add of rows that are not read soon, as those of a result that no
// cache holds: kernels write them past the caches.
func (m *Modulus) AddStreaming(dst, a, b []uint64) {
	done := 0
	if m.fast != nil {
		done = m.fast.AddStreaming(dst, a, b)
	}
	m.Add(dst[done:], a[done:], b[done:])
}

// SubStreaming is Sub in the same way.
func (m *Modulus) SubStreaming(dst, a, b []uint64) {
	done := 0
	if m.fast != nil {
		done = m.fast.SubStreaming(dst, a, b)
	}
	m.Sub(dst[done:], a[done:], b[done:])
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
	if m.fast != nil {
		done := m.fast.Mul(dst, a, b)
		dst, a, b = dst[done:], a[done:], b[done:]
	}
	q, shift, mu := m.Q, m.shift, m.mu
	for i := range dst {
		dst[i] = product(a[i], b[i], q, shift, mu)
	}
}

// MulScalar sets dst = a·s for any word s.
func (m *Modulus) MulScalar(dst, a []uint64, s uint64) {
	a = a[:len(dst)]
	s %= m.Q
	if m.fast != nil {
		done := m.fast.MulScalar(dst, a, s)
		dst, a = dst[done:], a[done:]
	}
	q, w := m.Q, m.twiddle(s)
	for i := range dst {
		dst[i] = once(mulLazy(a[i], w, q), q)
	}
}

// MulScalarAdd sets dst = dst + a·s for any word s.
func (m *Modulus) MulScalarAdd(dst, a []uint64, s uint64) {
	a = a[:len(dst)]
	s %= m.Q
	if m.fast != nil {
		done := m.fast.MulScalarAdd(dst, a, s)
		dst, a = dst[done:], a[done:]
	}
	q, w := m.Q, m.twiddle(s)
	for i := range dst {
		dst[i] = once(dst[i]+once(mulLazy(a[i], w, q), q), q)
	}
}

// SubMulScalar sets dst = (a - b)·s for any word s.
func (m *Modulus) SubMulScalar(dst, a, b []uint64, s uint64) {
	a, b = a[:len(dst)], b[:len(dst)]
	s %= m.Q
	if m.fast != nil {
		done := m.fast.SubMulScalar(dst, a, b, s)
		dst, a, b = dst[done:], a[done:], b[done:]
	}
	q, w := m.Q, m.twiddle(s)
	for i := range dst {
		dst[i] = once(mulLazy(a[i]+q-b[i], w, q), q)
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
	if m.fast != nil {
		done := m.fast.FromInt64(dst, src)
		dst, src = dst[done:], src[done:]
	}
	q, word := m.Q, m.word
	back := q - (1<<63)%q
	for i := range dst {
		dst[i] = once(reduceWord(uint64(src[i])^1<<63, q, word)+back, q)
	}
}
