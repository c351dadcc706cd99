package embed

import (
	"math"
	"math/big"
	"testing"

	"fhelium/core/parallel"

	"github.com/stretchr/testify/require"
)

// edgeModuli spans the range of moduli, even ones and powers of two too.
var edgeModuli = []uint64{1, 2, 3, 4, 65537, 1<<20 - 3, 1<<40 + 15, 1<<49 + 1, 1<<50 - 27, 1<<50 - 1, 1 << 49}

// residue is the exact remainder in [0, q).
func residue(x *big.Int, q uint64) uint64 {
	return new(big.Int).Mod(x, new(big.Int).SetUint64(q)).Uint64()
}

func makeRows(limbs, n int) [][]uint64 {
	rows := make([][]uint64, limbs)
	for i := range rows {
		rows[i] = make([]uint64, n)
	}
	return rows
}

func TestToRowsEdges(t *testing.T) {
	magnitudes := []float64{0, 1, 2, 3, 0x1p50, 0x1p53 - 1, 0x1p53, 0x1p62, 0x1p63 - 1024, 0x1p63, 0x1p63 + 2048,
		0x1.fffffffffffffp63, 0x1p64 - 2048, 0x1p64, 0x1p65, 0x1.8p80, 0x1.fffffffffffffp500, 0x1p1000, 0x1.123456789abcdp1000, math.MaxFloat64}
	for _, q := range edgeModuli {
		magnitudes = append(magnitudes, float64(q), float64(q-1), float64(q+1), math.Ldexp(float64(q), 100), float64(q/2))
	}
	var coef []float64
	for _, m := range magnitudes {
		coef = append(coef, m, -m)
	}
	rows := makeRows(len(edgeModuli), len(coef))
	ToRows(parallel.New(2), rows, edgeModuli, coef)
	for i, q := range edgeModuli {
		for k, c := range coef {
			exact, _ := big.NewFloat(c).Int(nil)
			require.Equal(t, residue(exact, q), rows[i][k], "%g modulo %d", c, q)
		}
	}
}

func TestRowsPanicOnBugs(t *testing.T) {
	for _, c := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		require.Panics(t, func() { ToRows(nil, makeRows(1, 2), []uint64{17}, []float64{0, c}) })
	}
	require.Panics(t, func() { ToRows(nil, makeRows(1, 2), []uint64{17, 19}, []float64{0, 1}) })
	require.Panics(t, func() { ToRows(nil, makeRows(1, 3), []uint64{17}, []float64{0, 1}) })
	require.Panics(t, func() { ToRows(nil, makeRows(1, 2), []uint64{1 << 50}, []float64{0, 1}) })
	require.Panics(t, func() { ToRows(nil, makeRows(1, 2), []uint64{0}, []float64{0, 1}) })
}

func BenchmarkToRows(b *testing.B) {
	q := primes(40, 35)
	rows, coef := makeRows(len(q), 1<<16), make([]float64, 1<<16)
	for scale, name := range map[float64]string{0x1p40: "2^40", 0x1p80: "2^80"} {
		for k := range coef {
			coef[k] = math.Trunc(scale * math.Sin(float64(k)))
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				ToRows(nil, rows, q, coef)
			}
		})
	}
}
