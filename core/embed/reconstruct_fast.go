package embed

import (
	"sync"
	"unsafe"

	"fhelium/core/kernel"
)

// twoDigits reconstructs integers below half the product of the first two moduli
// with kernels, from centred digits: x = d0 + d1·q0 with |d0| < q0/2 and
// |d1| < q1/2, which is centred itself. The other moduli are asked whether they
// agree, and their number says nothing about the time it takes to see that they
// do not. A chain of one modulus has the first digit alone.
type twoDigits struct {
	moduli  []*kernel.Constants
	bounds  [2]kernel.Bounds // of the digits
	inverse kernel.Factor    // of q0 modulo q1
	first   []kernel.Factor  // 1 and q0 for each modulus from the third on
	scratch sync.Pool        // *[3 * fastTile]float64
}

func (r *Reconstructor) newTwoDigits(level kernel.Level) *twoDigits {
	t := &twoDigits{}
	for j := range r.moduli {
		c := kernel.New(r.moduli[j].q, level)
		t.moduli = append(t.moduli, c)
		if j < len(t.bounds) {
			t.bounds[j] = c.Range(-int64(r.moduli[j].center))
		}
		switch {
		case j == 1:
			t.inverse = c.Factor(r.inverse[1].w)
		case j > 1:
			t.first = append(t.first, c.Factor(1), c.Factor(r.radix[j][1]))
		}
	}
	t.scratch.New = func() any { return new([3 * fastTile]float64) }
	return t
}

// apply does a tile, unless it is no multiple of what kernels take or a
// coefficient needs more digits.
func (t *twoDigits) apply(coef []float64, rows [][]uint64, start int) bool {
	n := len(coef)
	if n%kernel.Step != 0 {
		return false
	}
	row := func(j int) []uint64 { return rows[j][start : start+n] }
	if len(t.moduli) == 1 {
		t.moduli[0].CanonicalWords(coef, row(0), t.bounds[0])
		return true
	}
	s := t.scratch.Get().(*[3 * fastTile]float64)
	defer func() {
		clear(s[:])
		t.scratch.Put(s)
	}()
	low, high, sum := s[:n], s[n:2*n], s[2*n:3*n]
	t.moduli[0].CanonicalWords(low, row(0), t.bounds[0])
	t.moduli[1].RadixStepWords(high, row(1), low, t.inverse)
	t.moduli[1].Canonical(high, high, t.bounds[1])
	for j := 2; j < len(t.moduli); j++ {
		t.moduli[j].Combine(sum, s[:2*n], t.first[2*(j-2):2*(j-1)])
		if !t.moduli[j].Equals(row(j), sum) {
			return false
		}
	}
	t.moduli[0].Join(coef, low, high)
	return true
}

// bytes is the memory of the constants.
func (t *twoDigits) bytes() int {
	return int(unsafe.Sizeof(*t)) + len(t.moduli)*int(unsafe.Sizeof(kernel.Constants{})) +
		len(t.first)*int(unsafe.Sizeof(kernel.Factor{}))
}
