package ring

import (
	"fmt"
	"math"
)

// floatTile is how many numbers are looked at before they are reduced: one that is
// too large for the kernels keeps them from those beside it alone.
const floatTile = 1024

// FromFloats sets dst = src modulo q, exactly, for integers held in float64, of any
// size. Anything else is a bug of the caller's: NaN and infinities panic, and what
// comes of a fraction is of no use. It branches on which numbers are 2^51 or more
// in size.
func (m *Modulus) FromFloats(dst []uint64, src []float64) {
	src = src[:len(dst)]
	for from := 0; from < len(dst); from += floatTile {
		to := min(from+floatTile, len(dst))
		d, s := dst[from:to], src[from:to]
		if m.fast != nil {
			done := m.fast.FromFloats(d, s)
			d, s = d[done:], s[done:]
		}
		if len(d) > 0 {
			m.fromFloats(d, s)
		}
	}
}

// fromFloats reduces the mantissa of a number from 2^63 on, then that times the
// power of two that is left.
func (m *Modulus) fromFloats(dst []uint64, src []float64) {
	q, word := m.Q, m.word
	back := q - (1<<63)%q
	powers := append(make([]twiddle, 0, 64), m.twiddle(1))
	for i, x := range src {
		if math.Abs(x) < 1<<63 {
			dst[i] = once(reduceWord(uint64(int64(x))^1<<63, q, word)+back, q)
			continue
		}
		bits := math.Float64bits(x)
		shift := int(bits>>52&0x7ff) - 1075
		if shift > 971 {
			panic(fmt.Sprintf("ring: %g is no integer", x))
		}
		for len(powers) <= shift {
			powers = append(powers, m.twiddle(once(2*powers[len(powers)-1].w, q)))
		}
		r := once(mulLazy(bits&(1<<52-1)|1<<52, powers[shift], q), q)
		if x < 0 {
			r = once(q-r, q)
		}
		dst[i] = r
	}
}
