package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/core/kernel"
)

// stages are the transforms of the canonical embedding one stage after the other,
// the definition: every product is rounded before it meets a sum.
type stages struct{ re, im []float64 }

func (s stages) evaluate(re, im []float64) {
	n := len(re)
	for m, t := 1, n/2; m < n; m, t = 2*m, t/2 {
		for i := range m {
			c, s := s.re[m+i], s.im[m+i]
			for j := 2 * i * t; j < 2*i*t+t; j++ {
				x, y, u, v := re[j], im[j], re[j+t], im[j+t]
				p := float64(c*u) - float64(s*v)
				q := float64(c*v) + float64(s*u)
				re[j], im[j] = x+p, y+q
				re[j+t], im[j+t] = x-p, y-q
			}
		}
	}
}

func (s stages) interpolate(re, im []float64) {
	n := len(re)
	for m, t := n/2, 1; m >= 1; m, t = m/2, 2*t {
		for i := range m {
			c, s := s.re[m+i], s.im[m+i]
			for j := 2 * i * t; j < 2*i*t+t; j++ {
				x, y, u, v := re[j], im[j], re[j+t], im[j+t]
				p, q := x-u, y-v
				re[j], im[j] = x+u, y+v
				re[j+t] = float64(c*p) + float64(s*q)
				im[j+t] = float64(c*q) - float64(s*p)
			}
		}
	}
}

// heapOf is a heap of unit roots whose angles follow no rule, with nothing at 0.
func heapOf(n int, r *rand.Rand) stages {
	re, im := make([]float64, n), make([]float64, n)
	re[0], im[0] = math.NaN(), math.NaN()
	for k := 1; k < n; k++ {
		im[k], re[k] = math.Sincos(2 * math.Pi * r.Float64())
	}
	return stages{re, im}
}

// mixtures are numbers of one size, of every size, and few among zeros.
func mixtures(n int, r *rand.Rand) map[string][]float64 {
	sizes := []float64{0, 1, 5e-324, 1e-310, 1e-300, 1 << 52, 1e300}
	out := map[string][]float64{}
	for name, f := range map[string]func(i int) float64{
		"ordinary": func(int) float64 { return r.NormFloat64() },
		"mixed":    func(int) float64 { return r.NormFloat64() * sizes[r.IntN(len(sizes))] },
		"edges":    func(int) float64 { return float64(1-2*r.IntN(2)) * sizes[r.IntN(len(sizes))] },
		"first": func(i int) float64 {
			if i == 0 {
				return 1
			}
			return 0
		},
		"sparse": func(i int) float64 {
			if r.IntN(n/4) == 0 {
				return r.NormFloat64()
			}
			return math.Copysign(0, r.Float64()-0.5)
		},
	} {
		out[name] = make([]float64, n)
		for i := range out[name] {
			out[name][i] = f(i)
		}
	}
	return out
}

// requireBits demands the same numbers to the bit, but that any NaN is another.
func requireBits(t *testing.T, want, got []float64, label string) {
	t.Helper()
	require.Len(t, got, len(want))
	for i, x := range want {
		if math.Float64bits(x) != math.Float64bits(got[i]) && (x == x || got[i] == got[i]) {
			require.Fail(t, "not the same number", "%s: %v at %d of %d, want %v", label, got[i], i, len(want), x)
		}
	}
}

// within runs on a copy of a row, and demands that nothing beside it is touched.
func within(t *testing.T, re, im []float64, f func(re, im []float64)) (x, y []float64) {
	t.Helper()
	const beside = 8
	rows := [2][]float64{}
	for i, row := range [][]float64{re, im} {
		rows[i] = slices.Repeat([]float64{7}, len(row)+2*beside)
		copy(rows[i][beside:], row)
	}
	n := len(re)
	x, y = rows[0][beside:beside+n], rows[1][beside:beside+n]
	f(x, y)
	for _, row := range rows {
		require.Equal(t, slices.Repeat([]float64{7}, beside), row[:beside])
		require.Equal(t, slices.Repeat([]float64{7}, beside), row[beside+n:])
	}
	return x, y
}

// Both transforms of every number of values, with a heap of as many roots and with
// a longer one, give the definition's numbers to the bit. Mutants: one product of
// two fused with the sum that it meets; the second four of roots of two stages one
// node late; the halves of an odd power one node late.
func TestRoots(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, level := range fuzzed(t) {
		longest := heapOf(1<<16, r)
		for n := kernel.MinRoots; n <= 1<<16; n *= 2 {
			for heap, s := range map[string]stages{"equal": heapOf(n, r), "longer": longest} {
				roots := kernel.NewRoots(s.re, s.im, level)
				re, im := mixtures(n, r), mixtures(n, r)
				for name := range re {
					label := fmt.Sprint(level, " ", n, " ", heap, " ", name)
					x, y := slices.Clone(re[name]), slices.Clone(im[name])
					gotX, gotY := within(t, x, y, roots.Evaluate)
					s.evaluate(x, y)
					requireBits(t, x, gotX, label+" evaluate re")
					requireBits(t, y, gotY, label+" evaluate im")
					x, y = slices.Clone(re[name]), slices.Clone(im[name])
					gotX, gotY = within(t, x, y, roots.Interpolate)
					s.interpolate(x, y)
					requireBits(t, x, gotX, label+" interpolate re")
					requireBits(t, y, gotY, label+" interpolate im")
				}
			}
		}
	}
}

// There are no roots without kernels, and they serve the powers of two from
// MinRoots to the length of their heap, of two rows that are as long. Mutant: serve
// any number from MinRoots on.
func TestRootsServe(t *testing.T) {
	require.Nil(t, kernel.NewRoots(nil, nil, kernel.Portable))
	s := heapOf(64, rand.New(rand.NewPCG(13, 14)))
	for _, level := range fuzzed(t) {
		roots := kernel.NewRoots(s.re, s.im, level)
		for _, n := range [][2]int{{0, 0}, {1, 1}, {2, 2}, {4, 4}, {8, 8}, {15, 15}, {17, 17}, {24, 24}, {48, 48}, {63, 63}, {65, 65}, {96, 96}, {128, 128}, {64, 32}, {32, 64}, {16, 0}} {
			re, im := make([]float64, n[0]), make([]float64, n[1])
			require.Panics(t, func() { roots.Evaluate(re, im) }, n)
			require.Panics(t, func() { roots.Interpolate(re, im) }, n)
		}
	}
}

// rounded is the definition of RoundProduct: halves to even, and the sum with 0
// makes 0 of -0.
func rounded(x []float64, by float64) (out []float64, peak float64) {
	finite := true
	for _, v := range x {
		c := math.RoundToEven(float64(v*by)) + 0
		out, peak, finite = append(out, c), math.Max(peak, math.Abs(c)), finite && c-c == 0
	}
	if !finite {
		peak = math.NaN()
	}
	return out, peak
}

func requireRounded(t *testing.T, x []float64, by float64) {
	t.Helper()
	want, wantPeak := rounded(x, by)
	got := append(slices.Clone(x), 7)
	peak := kernel.RoundProduct(got[:len(x)], by)
	requireBits(t, want, got[:len(x)], fmt.Sprint("by ", by))
	require.Equal(t, 7.0, got[len(x)])
	requireBits(t, []float64{wantPeak}, []float64{peak}, fmt.Sprint("peak of ", len(x), " by ", by))
	for _, c := range got {
		require.False(t, c == 0 && math.Signbit(c), "-0 by %v", by)
	}
}

// halfway are numbers of which the products with powers of two lie between
// integers, and some that only just do not.
func halfway() (out []float64) {
	for _, x := range []float64{5e-324, 1e-310, 0x1p-1022, 0, 0.5, 1.5, 2.5, 3.5, 4.5, 1<<51 + 0.5, 1<<51 + 1.5, 1<<52 - 0.5, 1<<52 + 1, 1<<53 - 1, 1 << 53, 1e15, 1e300, 1, 0.25, 0.75} {
		for _, y := range []float64{math.Nextafter(x, math.Inf(-1)), x, math.Nextafter(x, math.Inf(1))} {
			out = append(out, y, -y)
		}
	}
	return out[:len(out)/kernel.Step*kernel.Step]
}

// Products round half to even and never to -0. Mutants: round down; leave out the
// sum with 0.
func TestRoundProduct(t *testing.T) {
	fuzzed(t)
	x := halfway()
	r := rand.New(rand.NewPCG(15, 16))
	for _, by := range []float64{1, -1, 0.5, 2, 1.0 / 3, 1e-5, 0, math.Copysign(0, -1), 5e-324, 0x1p-1022, 0x1p1000, 0x1p-1074 * 3, 0x1p40, 1 << 45 / 65536.0} {
		for range 4 {
			requireRounded(t, x, by)
			r.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
		}
	}
	for n := kernel.Step; n <= 4096; n += 17 * kernel.Step {
		y := make([]float64, n)
		for i := range y {
			y[i] = r.NormFloat64() * 3
		}
		requireRounded(t, y, 0.75)
	}
}

// The largest size is found at every place, of either sign, and what is not finite
// too, among others and after them. Mutants: sizes with their signs; look at the
// last vector alone for what is not finite; at the first two of four.
func TestRoundProductPeak(t *testing.T) {
	fuzzed(t)
	for _, n := range []int{16, 32, 48, 64, 128} {
		for i := range n {
			for _, x := range []float64{7.5, -7.5, -math.MaxFloat64 / 4} {
				y := make([]float64, n)
				y[i] = x
				requireRounded(t, y, 1)
				require.Equal(t, math.Abs(math.RoundToEven(x)), kernel.RoundProduct(y, 1))
			}
			for _, x := range []float64{math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, -math.MaxFloat64} {
				y := slices.Repeat([]float64{1, -2, 0.25, math.MaxFloat64 / 4}, n/4)
				y[i] = x
				requireRounded(t, y, 2)
				y[i] = x
				require.True(t, math.IsNaN(kernel.RoundProduct(y, 2)), "%v at %d of %d", x, i, n)
			}
		}
	}
	require.True(t, math.IsNaN(kernel.RoundProduct(make([]float64, 16), math.Inf(1)))) // 0·∞
	require.Zero(t, kernel.RoundProduct(make([]float64, 16), 3))
}

// Mutant: refuse 0 alone.
func TestRoundProductLength(t *testing.T) {
	fuzzed(t)
	for _, n := range []int{0, 1, 8, 15, 17, 24, 31, 33} {
		require.Panics(t, func() { kernel.RoundProduct(make([]float64, n), 1) }, n)
	}
}

// Transforms of numbers that a fuzzer makes, and of any it names by their bits.
// Mutant: one product fused with the sum it meets.
func FuzzRoots(f *testing.F) {
	seeds(f, func(data []byte) {
		for _, size := range []uint8{0, 1, 5} {
			f.Add(size, uint64(size), data)
		}
	})
	f.Add(uint8(7), uint64(3), []byte("numbers that are of every size and of either sign, and longer than the others"))
	f.Fuzz(func(t *testing.T, size uint8, angles uint64, data []byte) {
		n := kernel.MinRoots << (size % 9)
		s := heapOf(n, rand.New(rand.NewPCG(angles, 17)))
		re, im := floats(data, 0, n), floats(data, 1, n)
		for _, level := range fuzzed(t) {
			roots := kernel.NewRoots(s.re, s.im, level)
			for _, way := range [][2]func(re, im []float64){{s.evaluate, roots.Evaluate}, {s.interpolate, roots.Interpolate}} {
				x, y := slices.Clone(re), slices.Clone(im)
				way[0](x, y)
				gotX, gotY := within(t, re, im, way[1])
				requireBits(t, x, gotX, level.String())
				requireBits(t, y, gotY, level.String())
			}
		}
	})
}

// floats are words as the bits of numbers, or as integers where those are of no
// ordinary size.
func floats(data []byte, place, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		w := word(data, place+i)
		if out[i] = math.Float64frombits(w); !(math.Abs(out[i]) < 1e300) || w>>56&0x7f < 0x20 {
			out[i] = float64(int64(w)) / (1 << 40)
		}
	}
	return out
}

// Products of any numbers. Mutant: round down.
func FuzzRoundProduct(f *testing.F) {
	seeds(f, func(data []byte) {
		f.Add(uint8(0), 0.5, data)
		f.Add(uint8(5), math.Ldexp(1, -30), data)
	})
	f.Add(uint8(1), 1e10, []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x7f})
	f.Fuzz(func(t *testing.T, length uint8, by float64, data []byte) {
		fuzzed(t)
		x := make([]float64, steps(length))
		for i := range x {
			x[i] = math.Float64frombits(word(data, i))
			if i&1 == 1 {
				x[i] = float64(int64(word(data, i)) >> 20)
			}
		}
		requireRounded(t, x, by)
	})
}
