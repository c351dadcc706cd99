package embed

import "math/bits"

// modulus reduces words modulo q < 2^50 by multiplication with precomputed
// quotients (Shoup).
type modulus struct {
	q      uint64
	unit   factorOf // 1
	word   factorOf // 2^64 mod q
	center uint64   // (q-1)/2
}

// factorOf is a constant w < q with ⌊w·2^64/q⌋.
type factorOf struct{ w, quotient uint64 }

func newModulus(q uint64) modulus {
	m := modulus{q: q, center: (q - 1) / 2}
	m.unit = m.factor(1 % q)
	_, rest := bits.Div64(1%q, 0, q)
	m.word = m.factor(rest)
	return m
}

// factor prepares w < q.
func (m *modulus) factor(w uint64) factorOf {
	quotient, _ := bits.Div64(w, 0, m.q)
	return factorOf{w, quotient}
}

// lazy gives x·w modulo q in [0, 2q), for every word x.
func (m *modulus) lazy(x uint64, f factorOf) uint64 {
	hi, _ := bits.Mul64(x, f.quotient)
	return x*f.w - hi*m.q
}

// wide gives hi·2^64 + lo modulo q in [0, q).
func (m *modulus) wide(hi, lo uint64) uint64 {
	s := m.lazy(hi, m.word) + m.lazy(lo, m.unit) // below 4q
	return m.once(m.once2(s))
}

// once brings x < 2q below q, and once2 brings x < 4q below 2q.
func (m *modulus) once(x uint64) uint64 {
	r, borrow := bits.Sub64(x, m.q, 0)
	return r + m.q&-borrow
}

func (m *modulus) once2(x uint64) uint64 {
	r, borrow := bits.Sub64(x, 2*m.q, 0)
	return r + 2*m.q&-borrow
}

// inverse gives x^-1 modulo q, or false where x and q have a common divisor.
func inverse(x, q uint64) (uint64, bool) {
	r0, r1 := q, x%q
	t0, t1 := int64(0), int64(1)
	for r1 != 0 {
		k := r0 / r1
		r0, r1 = r1, r0-k*r1
		t0, t1 = t1, t0-int64(k)*t1
	}
	if t0 < 0 {
		t0 += int64(q)
	}
	return uint64(t0), r0 == 1
}
