package embed

import (
	"math"
	"testing"

	"fhelium/core/kernel"
	"fhelium/core/refusal"

	"github.com/stretchr/testify/require"
)

// Real values are complex ones without an imaginary part, and what is not given is
// zero: equal to the bit, for every packing. Mutant: leave what coef held.
func TestMessagesOfBothKinds(t *testing.T) {
	for _, g := range generators {
		e := mustNew(t, 8, g)
		for n := 1; n <= 128; n *= 2 {
			for _, given := range []int{0, 1, n/2 + 1, n} {
				real, all := make([]float64, given), make([]complex128, n)
				for j := range given {
					real[j] = math.Sin(float64(3*j + 1))
					all[j] = complex(real[j], 0)
				}
				want, coef := make([]float64, 256), make([]float64, 256)
				for k := range coef {
					coef[k] = math.NaN()
				}
				require.NoError(t, encode(e, want, all, 0x1p40))
				peak, err := e.Encode(coef, Message{N: n, Real: real}, 0x1p40)
				require.NoError(t, err)
				require.Equal(t, want, coef)
				largest := 0.0
				for _, c := range want {
					largest = max(largest, math.Abs(c))
				}
				require.Equal(t, largest, peak)
				_, err = e.Encode(coef, Message{N: n, Complex: all[:given]}, 0x1p40)
				require.NoError(t, err)
				require.Equal(t, want, coef)
			}
			_, err := e.Encode(make([]float64, 256), Message{N: n, Real: make([]float64, n+1)}, 1)
			require.Equal(t, EncodeSlots, refusal.CodeOf(err))
			require.ErrorContains(t, err, "slots for")
		}
		_, err := e.Encode(make([]float64, 256), Message{N: 128, Real: []float64{1, math.Inf(-1), math.NaN()}}, 1)
		require.Equal(t, EncodeNotFinite, refusal.CodeOf(err))
		require.ErrorContains(t, err, "slot 1 ")
	}
}

// Every level encodes and decodes to the same bits, at every degree and packing.
// Mutant: a fused multiply-add in a kernel.
func TestLevelsEncodeEqually(t *testing.T) {
	for logN := MinLogN; logN <= 15; logN++ {
		for _, g := range generators {
			e := mustNew(t, logN, g)
			portable, err := New(logN, g, kernel.Portable)
			require.NoError(t, err)
			for n := 1; n <= 1<<(logN-1); n *= 2 {
				slots, N := randomSlots(uint64(n), n), 1<<logN
				want, coef := make([]float64, N), make([]float64, N)
				for _, scale := range []float64{3, 0x1p40, 0x1.8p90} {
					require.NoError(t, encode(portable, want, slots, scale))
					require.NoError(t, encode(e, coef, slots, scale))
					require.Equal(t, want, coef)
					back, same := make([]complex128, n), make([]complex128, n)
					decode(portable, back, coef, scale)
					decode(e, same, coef, scale)
					require.Equal(t, back, same)
				}
			}
		}
	}
}
