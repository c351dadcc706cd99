package embed

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"fhelium/core/refusal"

	"github.com/stretchr/testify/require"
)

var generators = []uint64{3, 5}

// mustNew makes an encoder that the test knows to exist.
func mustNew(t testing.TB, logN int, generator uint64) *Encoder {
	t.Helper()
	e, err := New(logN, generator, level)
	require.NoError(t, err)
	return e
}

// encode is Encode of as many slots as there are.
func encode(e *Encoder, coef []float64, slots []complex128, scale float64) error {
	_, err := e.Encode(coef, Message{N: len(slots), Complex: slots}, scale)
	return err
}

// decode is Decode that leaves the coefficients as they are.
func decode(e *Encoder, slots []complex128, coef []float64, scale float64) {
	e.Decode(slots, slices.Clone(coef), scale)
}

// naive evaluates the polynomial at ζ^(g^j), term by term.
func naive(coef []float64, generator uint64, scale float64) []complex128 {
	n := uint64(len(coef))
	slots, exponent := make([]complex128, n/2), uint64(1)
	for j := range slots {
		for k, c := range coef {
			sin, cos := math.Sincos(math.Pi * float64(exponent*uint64(k)%(2*n)) / float64(n))
			slots[j] += complex(c/scale*cos, c/scale*sin)
		}
		exponent = exponent * generator % (2 * n)
	}
	return slots
}

func randomSlots(seed uint64, n int) []complex128 {
	r := rand.New(rand.NewPCG(seed, 1))
	slots := make([]complex128, n)
	for j := range slots {
		slots[j] = complex(2*r.Float64()-1, 2*r.Float64()-1)
	}
	return slots
}

// distance is the largest |a-b|; NaN counts as infinite.
func distance(a, b []complex128) float64 {
	worst := 0.0
	for j := range a {
		if d := cmplx.Abs(a[j] - b[j]); !(d <= worst) {
			worst = d
			if math.IsNaN(d) {
				return math.Inf(1)
			}
		}
	}
	return worst
}

func TestDecodeIsTheEmbedding(t *testing.T) {
	for _, g := range generators {
		for _, logN := range []int{4, 5, 8} {
			e := mustNew(t, logN, g)
			r := rand.New(rand.NewPCG(g, uint64(logN)))
			coef := make([]float64, 1<<logN)
			for k := range coef {
				coef[k] = float64(r.IntN(2001) - 1000)
			}
			slots := make([]complex128, len(coef)/2)
			decode(e, slots, coef, 3)
			require.Less(t, distance(slots, naive(coef, g, 3)), 1e-9)
		}
	}
}

// TestEncodeEveryPacking encodes 1 … N/2 slots: the embedding of the result is
// the message repeated, and the gaps are zero.
func TestEncodeEveryPacking(t *testing.T) {
	const scale = 0x1p45
	for _, g := range generators {
		for _, logN := range []int{4, 7} {
			e, N := mustNew(t, logN, g), 1<<logN
			for n := 1; n <= N/2; n *= 2 {
				slots, coef := randomSlots(uint64(n), n), make([]float64, N)
				for k := range coef {
					coef[k] = 7 // what was there does not remain
				}
				require.NoError(t, encode(e, coef, slots, scale))
				gap := N / (2 * n)
				if n == 1 && g == 3 {
					gap = N / 4
				}
				for k, c := range coef {
					require.Equal(t, math.Trunc(c), c)
					if k%gap != 0 {
						require.Zero(t, c)
					}
				}
				full, sparse := make([]complex128, N/2), make([]complex128, n)
				decode(e, full, coef, scale)
				decode(e, sparse, coef, scale)
				require.Less(t, distance(full, naive(coef, g, scale)), 1e-11)
				for j := range full {
					require.Less(t, cmplx.Abs(full[j]-slots[j%n]), 1e-11)
				}
				require.Less(t, distance(sparse, slots), 1e-11)
			}
		}
	}
}

// TestSparseDecodeAverages reads only its own coefficients: the mean over the
// repetitions.
func TestSparseDecodeAverages(t *testing.T) {
	for _, g := range generators {
		for n := 1; n <= 32; n *= 2 {
			e, full, sparse := mustNew(t, 6, g), randomSlots(4, 32), make([]complex128, n)
			coef := make([]float64, 64)
			require.NoError(t, encode(e, coef, full, 0x1p50))
			decode(e, sparse, coef, 0x1p50)
			for j := range sparse {
				var sum complex128
				for k := j; k < 32; k += n {
					sum += full[k]
				}
				require.Less(t, cmplx.Abs(sparse[j]-sum/complex(32/float64(n), 0)), 1e-12)
			}
		}
	}
}

func TestEncodeRoundsHalfToEven(t *testing.T) {
	e, coef := mustNew(t, 4, 5), make([]float64, 16)
	for _, c := range []struct{ in, out float64 }{
		{0.5, 0}, {1.5, 2}, {2.5, 2}, {-0.5, 0}, {-1.5, -2}, {-3.5, -4}, {0.49999, 0}, {-0.3, 0}, {math.Copysign(0, -1), 0},
		{0x1p52 + 1, 0x1p52 + 1}, {-0x1.fffffffffffffp99, -0x1.fffffffffffffp99},
	} {
		require.NoError(t, encode(e, coef, []complex128{complex(c.in, -c.in)}, 1))
		require.Equal(t, math.Float64bits(c.out), math.Float64bits(coef[0]), "%g", c.in)
		require.Equal(t, math.Float64bits(0-c.out), math.Float64bits(coef[8]), "%g", -c.in)
	}
}

func TestEncodeConstants(t *testing.T) {
	for _, g := range generators {
		e, coef, slots := mustNew(t, 6, g), make([]float64, 64), make([]complex128, 32)
		for j := range slots {
			slots[j] = 3.25
		}
		require.NoError(t, encode(e, coef, slots, 8))
		want := make([]float64, 64)
		want[0] = 26
		require.Equal(t, want, coef)
		clear(slots)
		slots[3] = complex(math.Copysign(0, -1), math.Copysign(0, -1))
		require.NoError(t, encode(e, coef, slots, 8))
		for _, c := range coef {
			require.Zero(t, math.Float64bits(c), "+0 everywhere")
		}
	}
}

// TestEncodeExtremes holds values whose sums or scales leave float64 on a
// careless way.
func TestEncodeExtremes(t *testing.T) {
	const N = 1 << 6
	e := mustNew(t, 6, 5)
	for _, c := range []struct{ value, scale float64 }{
		{1e300, 1}, {-1e300, 1}, {1e300, 1e-280}, {1.7e308, 0x1p-1000}, {1e-300, 0x1p1000}, {5e-324, 0x1p1023}, {0x1p-1040, 0x1p1020},
		{0x1p-420, 0x1p450}, {0x1p420, 0x1p-380},
	} {
		coef, slots, back := make([]float64, N), make([]complex128, N/2), make([]complex128, N/2)
		for j := range slots {
			slots[j] = complex(c.value, 0)
		}
		slots[5] = 0
		require.NoError(t, encode(e, coef, slots, c.scale))
		want := c.value * c.scale * (N/2 - 1) / (N / 2)
		require.InDelta(t, want, coef[0], math.Max(0.5, math.Abs(want)*1e-14), "%g at %g", c.value, c.scale)
		if math.Abs(want) < 1e30 || c.scale != 1 {
			continue
		}
		decode(e, back, coef, c.scale)
		require.Less(t, distance(back, slots)/math.Abs(c.value), 1e-14)
	}
}

// TestEncodeRefuses checks codes, named indices, and that nothing changes before the transform.
func TestEncodeRefuses(t *testing.T) {
	const half = 32
	e := mustNew(t, 6, 3)
	nan, inf := math.NaN(), math.Inf(1)
	with := func(index int, v complex128) []complex128 {
		s := randomSlots(1, half)
		s[index] = v
		return s
	}
	two := with(9, complex(0, nan))
	two[4] = complex(inf, 0)
	equal := with(20, 1e306)
	equal[21] = -1e306
	for _, c := range []struct {
		name  string
		slots []complex128
		scale float64
		code  refusal.Code
		part  string
	}{
		{"NaN", with(7, complex(nan, 0)), 1, EncodeNotFinite, "slot 7 "},
		{"+inf", with(0, complex(inf, 0)), 1, EncodeNotFinite, "slot 0 "},
		{"-inf", with(31, complex(0, -inf)), 1, EncodeNotFinite, "slot 31 "},
		{"first of two", two, 1, EncodeNotFinite, "slot 4 "},
		{"1e306", with(11, 1e306), 0x1p40, EncodeOverflow, "slot 11 "},
		{"1e306 imaginary", with(12, -1e306i), 0x1p40, EncodeOverflow, "slot 12 "},
		{"first of two equal", equal, 0x1p40, EncodeOverflow, "slot 20 "},
		{"1e300 at 2^40", with(2, 1e300), 0x1p40, EncodeOverflow, "slot 2 "},
		{"no slots", nil, 1, EncodeSlots, "0 slots"},
		{"three slots", randomSlots(1, 3), 1, EncodeSlots, "3 slots"},
		{"too many slots", randomSlots(1, 2*half), 1, EncodeSlots, "64 slots"},
		{"scale 0", with(0, 1), 0, EncodeScale, "scale is 0"},
		{"scale -1", with(0, 1), -1, EncodeScale, "scale is -1"},
		{"scale NaN", with(0, 1), nan, EncodeScale, "scale is NaN"},
		{"scale inf", with(0, 1), inf, EncodeScale, "scale is +Inf"},
	} {
		coef := make([]float64, 2*half)
		coef[1] = 42
		err := encode(e, coef, c.slots, c.scale)
		require.Equal(t, c.code, refusal.CodeOf(err), c.name)
		require.ErrorContains(t, err, c.part, c.name)
		if c.code != EncodeOverflow {
			require.Equal(t, 42.0, coef[1], c.name)
		}
	}
	require.Panics(t, func() { _ = encode(e, make([]float64, 32), randomSlots(1, 4), 1) })
	require.Panics(t, func() { decode(e, make([]complex128, 3), make([]float64, 64), 1) })
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		logN      int
		generator uint64
	}{{MinLogN - 1, 5}, {MaxLogN + 1, 5}, {-1, 5}, {10, 7}, {10, 0}} {
		_, err := New(c.logN, c.generator, level)
		require.Equal(t, RingUnsupported, refusal.CodeOf(err))
	}
	require.Equal(t, 20*(1<<9), mustNew(t, 10, 3).Bytes())
}

// TestEncodeKnownAnswer pins every bit of an encoding and a decoding, which no
// machine may change.
func TestEncodeKnownAnswer(t *testing.T) {
	for g, want := range map[uint64]string{3: "b9caa09160c336c6104eb0c7853e55c4", 5: "91e1d4a71613f16484fda6fdf2c4efad"} {
		e, coef := mustNew(t, 10, g), make([]float64, 1024)
		slots := randomSlots(77, 512)
		require.NoError(t, encode(e, coef, slots, 0x1p80))
		decode(e, slots, coef, 3)
		h := sha256.New()
		require.NoError(t, binary.Write(h, binary.LittleEndian, coef))
		require.NoError(t, binary.Write(h, binary.LittleEndian, slots))
		require.Equal(t, want, hex.EncodeToString(h.Sum(nil)[:16]))
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, logN := range []int{14, 16} {
		e, coef, slots := mustNew(b, logN, 5), make([]float64, 1<<logN), randomSlots(1, 1<<(logN-1))
		b.Run(fmt.Sprintf("logN=%d", logN), func(b *testing.B) {
			for b.Loop() {
				_ = encode(e, coef, slots, 0x1p40)
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	e, coef, slots := mustNew(b, 16, 5), make([]float64, 1<<16), randomSlots(1, 1<<15)
	_ = encode(e, coef, slots, 0x1p40)
	work := make([]float64, 1<<16)
	for b.Loop() {
		copy(work, coef)
		e.Decode(slots, work, 0x1p40)
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		mustNew(b, 16, 5)
	}
}
