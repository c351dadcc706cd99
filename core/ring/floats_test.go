package ring

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// integerOf is the integer that a number holds.
func integerOf(x float64) *big.Int {
	out, _ := big.NewFloat(x).Int(nil)
	return out
}

func requireFromFloats(t *testing.T, m *Modulus, src []float64) {
	t.Helper()
	dst := slices.Repeat([]uint64{7}, len(src)+1)
	m.FromFloats(dst[:len(src)], src)
	require.Equal(t, uint64(7), dst[len(src)])
	for i, x := range src {
		if want := modulo(integerOf(x), m.Q); want != dst[i] {
			require.Equal(t, want, dst[i], "%v mod %d at %d of %d", x, m.Q, i, len(src))
		}
	}
}

// floatEdges are integers where a modulus, the limit of the kernels, what an int64
// holds or what float64 holds ends, with the numbers next to them.
func floatEdges(q uint64) []float64 {
	var out []float64
	add := func(x float64) {
		for _, y := range []float64{math.Nextafter(x, 0), x, math.Nextafter(x, math.Inf(1))} {
			if y == math.Trunc(y) && !math.IsInf(y, 0) {
				out = append(out, y, -y)
			}
		}
	}
	for _, x := range []uint64{0, 1, 2, q / 2, q/2 + 1, q - 1, q, q + 1, 2 * q, 1<<51 - 1, 1<<51 + 1, 1<<52 - 1, 1<<52 + 1} {
		add(float64(x))
	}
	for _, size := range []int{50, 51, 52, 53, 54, 61, 62, 63, 64, 65, 100, 127, 500, 970, 971, 1022, 1023} {
		add(math.Ldexp(1, size))
		add(math.Ldexp(float64(q), size-50))
	}
	add(math.MaxFloat64)
	return out
}

// Integers of every size are reduced exactly, alone and among others. Mutants: the
// remainder of 2^63 left in; one power of two less; the residue of the size for that
// of a negative number.
func TestFromFloats(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 21))
	for _, m := range testModuli(t) {
		edges := floatEdges(m.Q)
		requireFromFloats(t, m, edges)
		for _, x := range edges {
			requireFromFloats(t, m, []float64{x})
			requireFromFloats(t, m, slices.Repeat([]float64{x}, 16))
		}
		random := make([]float64, 2000)
		for i := range random {
			random[i] = math.Trunc(math.Ldexp(2*r.Float64()-1, r.IntN(1025)))
		}
		requireFromFloats(t, m, random)
	}
}

// Rows of any length, whose numbers the kernels take but one: it may be in any tile,
// and in the rest of the last. Mutants: what a tile leaves to the portable code is
// left out; the numbers of the first tile for every one.
func TestFromFloatsOfAnyLength(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 23))
	for _, m := range testModuli(t) {
		for _, n := range []int{0, 1, 15, 16, 17, floatTile - 1, floatTile, floatTile + 1, 4 * floatTile} {
			src := make([]float64, n)
			for i := range src {
				src[i] = float64(r.Int64N(1<<52+1) - 1<<51)
			}
			requireFromFloats(t, m, src)
			for _, place := range []int{0, n / 2, n - 1} {
				if place < 0 || place >= n {
					continue
				}
				for _, large := range []float64{1<<51 + 1, -1 << 63, 1e300} {
					before := src[place]
					src[place] = large
					requireFromFloats(t, m, src)
					src[place] = before
				}
			}
		}
	}
}

// What is no number panics, at any place. Mutant: a limit of 972 for the power of
// two.
func TestFromFloatsOfNoNumber(t *testing.T) {
	for _, m := range testModuli(t) {
		for _, n := range []int{1, 15, 16, 17, floatTile + 17} {
			for _, place := range []int{0, n / 2, n - 1} {
				for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -math.NaN(), math.Float64frombits(0x7ff0<<48 | 1)} {
					src := make([]float64, n)
					src[place] = x
					require.Panics(t, func() { m.FromFloats(make([]uint64, n), src) }, "%v at %d of %d", x, place, n)
				}
			}
		}
		require.Panics(t, func() { m.FromFloats(make([]uint64, 3), make([]float64, 2)) })
	}
}

// One size in a row, or that and another. Mutant: one power of two less.
func FuzzFromFloats(f *testing.F) {
	f.Add(uint64(1<<50-27), uint8(17), math.Ldexp(1, 51), math.Ldexp(-1, 100))
	f.Add(uint64(3), uint8(16), -3.0, -math.MaxFloat64)
	f.Fuzz(func(t *testing.T, q uint64, n uint8, x, y float64) {
		m, err := NewModulus(q%(1<<MaxBits)|1, level)
		if x, y = math.Trunc(x), math.Trunc(y); err != nil || x-x != 0 || y-y != 0 {
			t.Skip()
		}
		src := slices.Repeat([]float64{x}, int(n))
		requireFromFloats(t, m, src)
		requireFromFloats(t, m, append(src, y))
	})
}

func BenchmarkFromFloats(b *testing.B) {
	m, _ := benchmarkTable(b, 14)
	r := rand.New(rand.NewPCG(24, 25))
	for _, size := range []int{40, 51, 60, 100} {
		src, dst := make([]float64, m.N()), make([]uint64, m.N())
		for i := range src {
			src[i] = math.Trunc(math.Ldexp(2*r.Float64()-1, size))
		}
		b.Run(fmt.Sprintf("bits=%d", size), func(b *testing.B) {
			for b.Loop() {
				m.FromFloats(dst, src)
			}
		})
	}
}
