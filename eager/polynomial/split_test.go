package polynomial

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// value is p(x) by Horner or Clenshaw, the reference.
func value(p []float64, x float64, basis Basis) float64 {
	if basis == Power {
		v := 0.0
		for k := len(p) - 1; k >= 0; k-- {
			v = v*x + p[k]
		}
		return v
	}
	v := 0.0
	for k, c := range p {
		v += c * math.Cos(float64(k)*math.Acos(x))
	}
	return v
}

// p = q·b_g + r for every degree; a missing mirror term breaks Chebyshev.
func TestSplitIsDivision(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, basis := range []Basis{Power, Chebyshev} {
		for degree := 1; degree < 70; degree++ {
			p := make([]float64, degree+1)
			for k := range p {
				p[k] = r.Float64()*2 - 1
			}
			g := topPower(degree)
			before := append([]float64{}, p...)
			quotient, rest := split(p, g, basis)
			require.Equal(t, before, p, "split must not change its input")
			require.LessOrEqual(t, len(rest), g)
			for _, x := range []float64{-1, -0.3, 0, 0.7, 1} {
				giant := value(append(make([]float64, g), 1), x, basis)
				require.InDelta(t, value(p, x, basis), value(quotient, x, basis)*giant+value(rest, x, basis), 1e-11)
			}
		}
	}
}

func TestDepth(t *testing.T) {
	for degree, want := range map[int]int{1: 1, 2: 2, 3: 2, 4: 3, 7: 3, 8: 4, 15: 4, 16: 5, 31: 5} {
		require.Equal(t, want, Depth(degree), "degree %d", degree)
	}
}
