package embed

import (
	"fmt"
	"math"

	"fhelium/core/parallel"
)

// ToRows writes rows[i][k] = coef[k] modulo q[i], in [0, q[i]), exactly. Each
// coefficient is an integer held in a float64, of any magnitude; anything else
// is a bug of the caller's: fractions are cut off, NaN and infinities panic.
// The moduli are 1 <= q < 2^50.
func ToRows(g *parallel.Group, rows [][]uint64, q []uint64, coef []float64) {
	mustMatch(rows, q, len(coef))
	top := largestShift(coef)
	g.Each(len(rows), func(i int) {
		m, row := newModulus(q[i]), rows[i][:len(coef)]
		powers := powersOfTwo(&m, top)
		for k, c := range coef {
			if math.Abs(c) < 1<<63 {
				row[k] = m.signed(int64(c))
				continue
			}
			mantissa, shift := split(c)
			r := m.once(m.lazy(mantissa, powers[shift]))
			if c < 0 && r != 0 {
				r = m.q - r
			}
			row[k] = r
		}
	})
}

// split gives |c| = mantissa·2^shift for |c| >= 2^63, the mantissa of 53 bits.
func split(c float64) (mantissa uint64, shift int) {
	word := math.Float64bits(c)
	return word&(1<<52-1) | 1<<52, int(word>>52&0x7ff) - 1075
}

// largestShift is the largest shift of the coefficients from 2^63 on, or -1.
func largestShift(coef []float64) int {
	top := -1
	for k, c := range coef {
		if math.Abs(c) < 1<<63 {
			continue
		}
		if !(math.Abs(c) <= math.MaxFloat64) {
			panic(fmt.Sprintf("embed: coefficient %d is %g", k, c))
		}
		_, shift := split(c)
		top = max(top, shift)
	}
	return top
}

// powersOfTwo gives 2^0 … 2^top modulo q.
func powersOfTwo(m *modulus, top int) []factorOf {
	powers := make([]factorOf, top+1)
	w := 1 % m.q
	for i := range powers {
		powers[i] = m.factor(w)
		w = m.once(2 * w)
	}
	return powers
}

func mustMatch(rows [][]uint64, q []uint64, n int) {
	if len(rows) != len(q) {
		panic(fmt.Sprintf("embed: %d rows for %d moduli", len(rows), len(q)))
	}
	for i, row := range rows {
		if len(row) != n || q[i] == 0 || q[i] >= 1<<50 {
			panic(fmt.Sprintf("embed: row %d of %d words modulo %d, for %d coefficients", i, len(row), q[i], n))
		}
	}
}
