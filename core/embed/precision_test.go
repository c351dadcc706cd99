package embed

import (
	"fmt"
	"testing"

	"fhelium/core/parallel"

	"github.com/stretchr/testify/require"
)

// through encodes, reduces modulo the chain, reconstructs and decodes.
func through(t *testing.T, e *Encoder, slots []complex128, scale float64, q []uint64) []complex128 {
	t.Helper()
	g, coef := parallel.New(2), make([]float64, 2*len(e.place))
	require.NoError(t, encode(e, coef, slots, scale))
	rows := makeRows(len(q), len(coef))
	toRows(t, rows, q, coef)
	r, err := NewReconstructor(q, level)
	require.NoError(t, err)
	clear(coef)
	r.Apply(g, coef, rows)
	back := make([]complex128, len(slots))
	decode(e, back, coef, scale)
	return back
}

func ramp(n int) []complex128 {
	slots := make([]complex128, n)
	for j := range slots {
		slots[j] = complex(2*float64(j)/float64(n-1)-1, 0)
	}
	return slots
}

// case A04 (1): TestWordEdgeScales decodes ones at scales around the machine word.
func TestWordEdgeScales(t *testing.T) {
	q := primes(40, 4)
	for _, g := range generators {
		e := mustNew(t, 8, g)
		for _, scale := range []float64{0x1p53, 0x1p62, 0x1p63, 0x1p64 - 0x1p11, 0x1p64, 0x1p65, 0x1p80} {
			for _, n := range []int{1, 2, 128} {
				for _, value := range []complex128{1, -1, 1i, 1 - 1i} {
					slots := make([]complex128, n)
					for j := range slots {
						slots[j] = value
					}
					require.Less(t, distance(through(t, e, slots, scale, q), slots), 1e-14, "scale %g", scale)
				}
			}
		}
	}
}

// case A04 (2): TestLongChains decodes a ramp at every level of chains of 40-bit primes.
func TestLongChains(t *testing.T) {
	e, slots := mustNew(t, 6, 5), ramp(32)
	for _, length := range []int{16, 26, 33, 36, 110} {
		q := primes(40, length)
		for level := 2; level <= length; level++ {
			require.Less(t, distance(through(t, e, slots, 0x1p40, q[:level]), slots), 1e-10, "%d of %d primes", level, length)
		}
		// One prime is just below 2^40, so the scale is lowered for the last level.
		require.Less(t, distance(through(t, e, slots, 0x1p38, q[:1]), slots), 1e-10)
	}
}

// TestPrecision holds the stated errors: at scale 2^40 the rounding to
// integers, √(N/12) for one slot and some five times that for the worst; at
// 2^70 what the transform itself loses.
func TestPrecision(t *testing.T) {
	for _, c := range []struct {
		logN         int
		at40, beyond float64
	}{{13, 2e-10, 1e-14}, {16, 5e-10, 1e-14}} {
		for _, g := range generators {
			e := mustNew(t, c.logN, g)
			for name, slots := range map[string][]complex128{"ramp": ramp(1 << (c.logN - 1)), "random": randomSlots(3, 1<<(c.logN-1))} {
				t.Run(fmt.Sprintf("%s of 2^%d", name, c.logN), func(t *testing.T) {
					require.Less(t, distance(through(t, e, slots, 0x1p40, primes(40, 3)), slots), c.at40)
					require.Less(t, distance(through(t, e, slots, 0x1p70, primes(40, 3)), slots), c.beyond)
				})
			}
		}
	}
}

// TestOneSpike: a slot of 10^12 beside zeros keeps a relative error of 1e-9.
func TestOneSpike(t *testing.T) {
	e, slots := mustNew(t, 12, 5), make([]complex128, 2048)
	slots[17] = 1e12
	require.Less(t, distance(through(t, e, slots, 0x1p40, primes(40, 3)), slots), 1e-3)
}
