package sample

import (
	"encoding/binary"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"fhelium/core/kernel"
)

// ideal gives Pr[|X| = k] of the discrete Gaussian for k < 100, to 200 bits.
// exp(-k²/(2σ²)) is a power of one base, whose series is summed.
func ideal() []*big.Float {
	number := func() *big.Float { return new(big.Float).SetPrec(200) }
	exponent, _ := number().SetString("3.19")
	exponent.Mul(exponent, exponent)
	exponent.Quo(number().SetFloat64(-0.5), exponent)
	base, term := number().SetInt64(1), number().SetInt64(1)
	for i := int64(1); i < 80; i++ {
		term.Mul(term, exponent)
		term.Quo(term, number().SetInt64(i))
		base.Add(base, term)
	}
	mass, sum := make([]*big.Float, 100), number()
	for k := range mass {
		mass[k] = number().SetInt64(2)
		for range k * k {
			mass[k].Mul(mass[k], base)
		}
		if k == 0 {
			mass[k].SetInt64(1)
		}
		sum.Add(sum, mass[k])
	}
	for _, m := range mass {
		m.Quo(m, sum)
	}
	return mass
}

// TestGaussianTable recomputes every entry and measures the stated tail and
// statistical distance.
func TestGaussianTable(t *testing.T) {
	mass := ideal()
	cumulative, scaled, half := new(big.Float).SetPrec(200), new(big.Float).SetPrec(200), big.NewFloat(0.5)
	for k, entry := range gaussianTable {
		cumulative.Add(cumulative, mass[k])
		scaled.SetMantExp(cumulative, 63)
		want, _ := scaled.Add(scaled, half).Uint64()
		require.Equal(t, want, entry, "entry %d", k)
	}
	distance, previous := 0.0, uint64(0)
	for k := range mass {
		share := uint64(0)
		if k < len(gaussianTable) {
			share, previous = gaussianTable[k]-previous, gaussianTable[k]
		} else if k == len(gaussianTable) {
			share = 1<<63 - previous
		}
		drawn := new(big.Float).SetPrec(200).SetUint64(share)
		d, _ := drawn.Sub(drawn.SetMantExp(drawn, -63), mass[k]).Float64()
		distance += math.Abs(d) / 2
	}
	require.Less(t, distance, 0x1p-60)
	tail := 0.0
	for _, m := range mass[TailBound+1:] {
		p, _ := m.Float64()
		tail += p
	}
	require.Less(t, tail, 0x1p-65)
}

// TestGaussianOfEdges walks the last word of each value and the first of the
// next one, both signs.
func TestGaussianOfEdges(t *testing.T) {
	for k, entry := range gaussianTable {
		require.Equal(t, int64(k), gaussianOf(entry-1))
		require.Equal(t, int64(k+1), gaussianOf(entry))
		require.Equal(t, -int64(k), gaussianOf(1<<63|(entry-1)))
		require.Equal(t, -int64(k+1), gaussianOf(1<<63|entry))
	}
	require.Equal(t, int64(0), gaussianOf(0))
	require.Equal(t, int64(0), gaussianOf(1<<63))
	require.Equal(t, int64(TailBound), gaussianOf(1<<63-1))
	require.Equal(t, -int64(TailBound), gaussianOf(math.MaxUint64))
}

func TestGaussianChiSquare(t *testing.T) {
	mass := ideal()
	const edge, draws = 12, 1 << 17 // ±edge take the tails
	p := make([]float64, 2*edge+1)
	for k, m := range mass {
		v, _ := m.Float64()
		if k == 0 {
			p[edge] = v
			continue
		}
		p[edge+min(k, edge)] += v / 2
		p[edge-min(k, edge)] += v / 2
	}
	for name, s := range sources(t) {
		counts, values := make([]int, len(p)), make([]int64, draws)
		s.Gaussian(values)
		var sum, squares float64
		require.LessOrEqual(t, slices.Max(values), int64(TailBound))
		require.GreaterOrEqual(t, slices.Min(values), -int64(TailBound))
		for _, v := range values {
			counts[edge+max(-edge, min(edge, v))]++
			sum += float64(v)
			squares += float64(v * v)
		}
		t.Run(name, func(t *testing.T) {
			requireFits(t, counts, p)
			requireMoments(t, sum, squares, draws, Sigma)
		})
	}
}

// requireMoments checks mean and variance at the false-alarm rate; a normal
// variable's sample variance has relative deviation √(2/n).
func requireMoments(t *testing.T, sum, squares float64, n int, sigma float64) {
	t.Helper()
	bound := distuv.UnitNormal.Quantile(1 - falseAlarm/2)
	require.InDelta(t, 0, sum/float64(n), bound*sigma/math.Sqrt(float64(n)))
	require.InEpsilon(t, sigma*sigma, squares/float64(n), bound*math.Sqrt(2/float64(n)))
}

// Kernels draw what gaussianOf does, at every step of the table and beside it, of
// both signs. Mutant: the table itself for the table less 1.
func TestGaussianKernel(t *testing.T) {
	if !fast {
		t.Skip("this machine, build or environment has portable code alone")
	}
	var words []uint64
	for _, edge := range append(gaussianTable[:], 1, 1<<63-2) {
		for _, word := range []uint64{edge - 1, edge, edge + 1} {
			words = append(words, word, word|1<<63)
		}
	}
	for len(words)%kernel.Step != 0 {
		words = append(words, 0)
	}
	bytes := make([]byte, 8*len(words))
	for i, word := range words {
		binary.LittleEndian.PutUint64(bytes[8*i:], word)
	}
	dst := make([]int64, len(words))
	require.Equal(t, len(words), kernel.Draws(dst, bytes, gaussianVectors[:]))
	for i, word := range words {
		require.Equal(t, gaussianOf(word), dst[i], "%#x", word)
	}
}
