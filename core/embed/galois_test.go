package embed

import (
	"math/cmplx"
	"testing"

	"github.com/stretchr/testify/require"
)

// automorphism is X -> X^a on the coefficients, X^N = -1.
func automorphism(coef []float64, a uint64) []float64 {
	n := uint64(len(coef))
	out := make([]float64, n)
	for k, c := range coef {
		e := uint64(k) * a % (2 * n)
		if e >= n {
			out[e-n] = -c
		} else {
			out[e] = c
		}
	}
	return out
}

// TestRotationGaloisRolls applies the automorphism and decodes: out[j] =
// m[j-step], for steps on both sides of every edge.
func TestRotationGaloisRolls(t *testing.T) {
	const logN, half, scale = 6, 32, 0x1p50
	for _, g := range generators {
		e, coef, slots := mustNew(t, logN, g), make([]float64, 2*half), randomSlots(g, half)
		require.NoError(t, encode(e, coef, slots, scale))
		for _, step := range []int{0, 1, -1, 3, -3, 15, 16, 17, half - 1, half, half + 1, -half - 1, 1 << 40, -1<<40 - 5} {
			a := RotationGalois(logN, g, step)
			require.Less(t, a, uint64(4*half))
			rolled := make([]complex128, half)
			decode(e, rolled, automorphism(coef, a), scale)
			for j := range rolled {
				from := ((j-step)%half + half) % half
				require.Less(t, cmplx.Abs(rolled[j]-slots[from]), 1e-12, "generator %d step %d slot %d", g, step, j)
			}
			require.Equal(t, a, RotationGalois(logN, g, step+half), "steps are modulo N/2")
		}
		require.Equal(t, uint64(1), RotationGalois(logN, g, 0))
	}
}

// TestRotationGaloisRollsSparse rolls a sparse message by the same element.
func TestRotationGaloisRollsSparse(t *testing.T) {
	const logN, n, scale = 7, 8, 0x1p50
	for _, g := range generators {
		e, coef, slots, rolled := mustNew(t, logN, g), make([]float64, 1<<logN), randomSlots(g, n), make([]complex128, n)
		require.NoError(t, encode(e, coef, slots, scale))
		decode(e, rolled, automorphism(coef, RotationGalois(logN, g, 3)), scale)
		for j := range rolled {
			require.Less(t, cmplx.Abs(rolled[j]-slots[(j-3+n)%n]), 1e-12)
		}
	}
}

func TestConjugationGalois(t *testing.T) {
	const logN, scale = 6, 0x1p50
	require.Equal(t, uint64(127), ConjugationGalois(logN))
	for _, g := range generators {
		e, coef, slots, out := mustNew(t, logN, g), make([]float64, 64), randomSlots(g, 32), make([]complex128, 32)
		require.NoError(t, encode(e, coef, slots, scale))
		decode(e, out, automorphism(coef, ConjugationGalois(logN)), scale)
		for j := range out {
			require.Less(t, cmplx.Abs(out[j]-cmplx.Conj(slots[j])), 1e-12)
		}
	}
}
