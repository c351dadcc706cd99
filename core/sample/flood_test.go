package sample

import (
	"math"
	"math/big"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"
)

func TestWideGaussianShape(t *testing.T) {
	const draws, bins = 1 << 15, 40
	for name, s := range sources(t) {
		for _, sigma := range []float64{1000, 0x1p20, 0x1p40, 0x1p53, 0x1p70} {
			counts, values := make([]int, bins), make([]float64, draws)
			s.WideGaussian(values, sigma)
			var sum, squares float64
			for _, v := range values {
				if v != math.Trunc(v) || math.Abs(v) > 9.5*sigma || v == 0 && math.Signbit(v) {
					t.Fatalf("%g is no integer, too large or -0", v)
				}
				share := distuv.UnitNormal.CDF(v / sigma)
				counts[min(bins-1, int(share*bins))]++
				sum += v
				squares += v * v
			}
			t.Run(name, func(t *testing.T) {
				requireMoments(t, sum, squares, draws, sigma)
				if sigma > 1000 { // below, whole integers fall on the bins' borders
					requireFits(t, counts, equalShares(bins))
				}
			})
		}
	}
}

// TestWideGaussianNarrow compares small deviations with the exact
// probabilities of rounding.
func TestWideGaussianNarrow(t *testing.T) {
	const sigma, edge = 2.5, 8
	p := make([]float64, 2*edge+1)
	for i := range p {
		lower, upper := float64(i-edge)-0.5, float64(i-edge)+0.5
		p[i] = distuv.UnitNormal.CDF(upper/sigma) - distuv.UnitNormal.CDF(lower/sigma)
	}
	p[0] = distuv.UnitNormal.CDF((0.5 - edge) / sigma)
	p[2*edge] = p[0]
	counts, values := make([]int, len(p)), make([]float64, 1<<15)
	NewSource(fixedSeed()).WideGaussian(values, sigma)
	for _, v := range values {
		counts[edge+int(math.Max(-edge, math.Min(edge, v)))]++
	}
	requireFits(t, counts, p)
}

func TestWideGaussianEdges(t *testing.T) {
	s, values := NewSource(fixedSeed()), []float64{1, 1, 1}
	s.WideGaussian(values, 0)
	require.Equal(t, []float64{0, 0, 0}, values)
	for _, sigma := range []float64{-1, math.NaN(), math.Inf(1), 0x1.1p70} {
		require.Panics(t, func() { s.WideGaussian(values, sigma) })
		require.Panics(t, func() { s.WideGaussianPair(values, values, sigma) })
	}
	require.Panics(t, func() { s.WideGaussianPair(values, values[:2], 1) })
	for _, w := range []uint64{0, 1, 1 << 63, math.MaxUint64} {
		z := normal(w, 0)
		require.False(t, math.IsNaN(z) || math.Abs(z) > 9.5, "radius word %#x gives %g", w, z)
	}
}

// lowBits gives high + low modulo 2^6.
func lowBits(high, low float64) int {
	a, _ := big.NewFloat(high).Int(nil)
	b, _ := big.NewFloat(low).Int(nil)
	a.Add(a, b)
	return int(a.And(a, big.NewInt(63)).Int64())
}

// TestWideGaussianPairFillsLowBits shows why the pair exists: at 2^70 one
// float64 has no low bits, the sum has uniform ones.
func TestWideGaussianPairFillsLowBits(t *testing.T) {
	const draws = 1 << 14
	for name, s := range sources(t) {
		for _, sigma := range []float64{0x1p45, 0x1p48, 0x1.8p48, 0x1p56, 0x1p70} {
			high, low := make([]float64, draws), make([]float64, draws)
			s.WideGaussianPair(high, low, sigma)
			counts, alone := make([]int, 64), make([]int, 64)
			var sum, squares float64
			for i := range high {
				counts[lowBits(high[i], low[i])]++
				alone[lowBits(high[i], 0)]++
				sum += high[i]
				squares += high[i] * high[i]
			}
			t.Run(name, func(t *testing.T) {
				requireFits(t, counts, equalShares(64))
				requireMoments(t, sum, squares, draws, sigma)
				require.Equal(t, sigma <= wideExact, allZero(low))
				if bits.Len64(uint64(sigma/0x1p53)) > 16 {
					require.Greater(t, alone[0], draws*9/10)
				}
			})
		}
	}
}

func allZero(v []float64) bool {
	for _, x := range v {
		if x != 0 {
			return false
		}
	}
	return true
}
