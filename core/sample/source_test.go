package sample

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"
)

// falseAlarm is the chance that one statistical check of a true sampler fails.
const falseAlarm = 1e-9

// sources are the fixed stream, which never flickers, and a fresh one.
func sources(t *testing.T) map[string]*Source {
	fresh, err := NewSeed()
	require.NoError(t, err)
	return map[string]*Source{"fixed": NewSource(fixedSeed()), "fresh": NewSource(fresh)}
}

// requireFits is Pearson's chi-square test of counts against probabilities,
// every expected count at least 5.
func requireFits(t *testing.T, counts []int, probabilities []float64) {
	t.Helper()
	total, statistic := 0, 0.0
	for _, c := range counts {
		total += c
	}
	for i, p := range probabilities {
		expected := p * float64(total)
		require.GreaterOrEqual(t, expected, 5.0, "bin %d is too thin", i)
		d := float64(counts[i]) - expected
		statistic += d * d / expected
	}
	limit := distuv.ChiSquared{K: float64(len(counts) - 1)}.Quantile(1 - falseAlarm)
	require.Less(t, statistic, limit)
}

func equalShares(n int) []float64 {
	p := make([]float64, n)
	for i := range p {
		p[i] = 1 / float64(n)
	}
	return p
}

func TestUniformChiSquare(t *testing.T) {
	for name, s := range sources(t) {
		for _, q := range []uint64{2, 3, 17, 257, 65537, 1<<50 - 27, 1<<49 + 1, 1 << 50} {
			bins := min(q, 64)
			counts, draws := make([]int, bins), make([]uint64, 1<<14)
			s.Uniform(draws, q)
			p := make([]float64, bins)
			for i := range bins { // bin i holds the v with ⌊v·bins/q⌋ = i
				first := func(i uint64) float64 { return math.Ceil(float64(i) * float64(q) / float64(bins)) }
				p[i] = (first(i+1) - first(i)) / float64(q)
			}
			require.Less(t, slices.Max(draws), q)
			for _, v := range draws {
				counts[v*bins/q]++
			}
			t.Run(name, func(t *testing.T) { requireFits(t, counts, p) })
		}
	}
}

// TestUniformLowBits looks at the end of the word that the first test's bins
// do not resolve.
func TestUniformLowBits(t *testing.T) {
	for _, s := range sources(t) {
		counts, draws := make([]int, 64), make([]uint64, 1<<14)
		s.Uniform(draws, 1<<50-27)
		for _, v := range draws {
			counts[v%64]++
		}
		requireFits(t, counts, equalShares(64))
	}
}

func TestUniformEdges(t *testing.T) {
	s := NewSource(fixedSeed())
	draws := []uint64{5, 5, 5}
	s.Uniform(draws, 1)
	require.Equal(t, []uint64{0, 0, 0}, draws)
	s.Uniform(nil, 7)
	require.Panics(t, func() { s.Uniform(draws, 0) })
	large := make([]uint64, 2000)
	s.Uniform(large, math.MaxUint64)
	var top uint64
	for _, v := range large {
		top |= v
	}
	require.Equal(t, uint64(math.MaxUint64), top, "all 64 bits are drawn")
}

// Kernels keep the words that the definition keeps, for every length and modulus,
// and touch nothing behind dst. Mutant: count the lanes that are not below q.
func TestUniformKernels(t *testing.T) {
	if !fast {
		t.Skip("this processor or build has no kernels")
	}
	for _, q := range []uint64{2, 3, 5, 1<<13 + 1, 1<<40 - 87, 1 << 50, 1<<62 + 1, 1<<63 - 1, 1 << 63, 1<<63 + 1} {
		for _, n := range []int{1, 15, 16, 17, 64, 511, 512, 513, 1500} {
			draw := func() []uint64 {
				s, memory := NewSource(fixedSeed()), slices.Repeat([]uint64{7}, n+8)
				s.Uniform(memory[:n:n], q)
				s.Uniform(memory[n:n+4:n+4], q)
				require.Equal(t, []uint64{7, 7, 7, 7}, memory[n+4:])
				return memory
			}
			got := draw()
			fast = false
			want := draw()
			fast = true
			require.Equal(t, want, got, "q %d, %d draws", q, n)
		}
	}
}

func TestTernaryChiSquare(t *testing.T) {
	for name, s := range sources(t) {
		counts, draws := make([]int, 9), make([]int64, 1<<15)
		s.Ternary(draws)
		require.Equal(t, int64(-1), slices.Min(draws))
		require.Equal(t, int64(1), slices.Max(draws))
		for i := 0; i < len(draws); i += 2 { // pairs, so that neighbours are independent too
			counts[3*(draws[i]+1)+draws[i+1]+1]++
		}
		t.Run(name, func(t *testing.T) { requireFits(t, counts, equalShares(9)) })
	}
}

// TestStreamKnownAnswer pins the key stream (AES-256-CTR from counter zero,
// as any other implementation of AES gives it) and one digest of each
// reproducible draw.
func TestStreamKnownAnswer(t *testing.T) {
	first := make([]byte, 16)
	n, err := NewSource(fixedSeed()).Read(first)
	require.NoError(t, err)
	require.Equal(t, 16, n)
	require.Equal(t, "f29000b62a499fd0a9f39a6add2e7780", hex.EncodeToString(first))

	s := NewSource(fixedSeed())
	uniform, small := make([]uint64, 5000), make([]int64, 5000)
	digest := func(data any) string {
		h := sha256.New()
		require.NoError(t, binary.Write(h, binary.LittleEndian, data))
		return hex.EncodeToString(h.Sum(nil)[:16])
	}
	s.Uniform(uniform, 1<<49+1)
	require.Equal(t, "c3a46aebdf6af26ef169756ce4a855ca", digest(uniform))
	s.Ternary(small)
	require.Equal(t, "8729933f711d8924a5553eedb9ec14bf", digest(small))
	s.Gaussian(small)
	require.Equal(t, "ccafbe19a25291c337bed8d8e220140b", digest(small))
}

// TestPiecesEqualWhole draws the same stream in one call and in many.
func TestPiecesEqualWhole(t *testing.T) {
	const total = 3001
	lengths := []int{1, 0, 7, 511, 512, 513, 2, 1455}
	pieces(t, lengths, make([]byte, total), func(s *Source, d []byte) { _, _ = s.Read(d) })
	pieces(t, lengths, make([]uint64, total), func(s *Source, d []uint64) { s.Uniform(d, 1<<49+1) })
	pieces(t, lengths, make([]int64, total), func(s *Source, d []int64) { s.Ternary(d) })
	pieces(t, lengths, make([]int64, total), func(s *Source, d []int64) { s.Gaussian(d) })
	pieces(t, lengths, make([]float64, total), func(s *Source, d []float64) { s.WideGaussian(d, 1e9) })
}

func pieces[T comparable](t *testing.T, lengths []int, whole []T, draw func(*Source, []T)) {
	t.Helper()
	draw(NewSource(fixedSeed()), whole)
	s, parts := NewSource(fixedSeed()), make([]T, len(whole))
	rest := parts
	for _, n := range lengths {
		draw(s, rest[:n])
		rest = rest[n:]
	}
	require.Empty(t, rest)
	require.Equal(t, whole, parts)
}

// TestStreamOutlastsManyEncryptions draws as 10^5 encryptions at N = 16 do; the
// stream must neither end nor return to its start.
func TestStreamOutlastsManyEncryptions(t *testing.T) {
	s := NewSource(fixedSeed())
	first, mask, e := make([]int64, 32), make([]int64, 16), make([]int64, 32)
	s.Gaussian(first)
	for range 100000 {
		s.Ternary(mask)
		s.Gaussian(e)
		if slices.Equal(first, e) {
			t.Fatal("the stream repeats")
		}
	}
}

func BenchmarkUniform(b *testing.B) {
	s, d := NewSource(fixedSeed()), make([]uint64, 1<<16)
	b.SetBytes(int64(8 * len(d)))
	for b.Loop() {
		s.Uniform(d, 1<<50-27)
	}
}

func BenchmarkTernary(b *testing.B) {
	s, d := NewSource(fixedSeed()), make([]int64, 1<<16)
	for b.Loop() {
		s.Ternary(d)
	}
}

func BenchmarkGaussian(b *testing.B) {
	s, d := NewSource(fixedSeed()), make([]int64, 1<<16)
	for b.Loop() {
		s.Gaussian(d)
	}
}

func BenchmarkWideGaussian(b *testing.B) {
	s, d := NewSource(fixedSeed()), make([]float64, 1<<16)
	for b.Loop() {
		s.WideGaussian(d, 0x1p40)
	}
}
