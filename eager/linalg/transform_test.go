package linalg

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/ckks"
	"fhelium/core/kernel"
	"fhelium/core/parallel"
	"fhelium/core/refusal"
	"fhelium/eager"
)

// bench is an engine with a secret key and the rotation keys of some steps.
type bench struct {
	*testing.T
	*eager.Engine
	group  *parallel.Group
	secret *ckks.Value
	public *ckks.Value
	keys   []*ckks.Value
}

func newBench(t *testing.T, steps ...int) *bench {
	c, err := ckks.PresetByName("slots1024-scale40-depth3-int64-insecure")
	require.NoError(t, err)
	level, err := kernel.Named("auto")
	require.NoError(t, err)
	e, err := eager.New(c, level)
	require.NoError(t, err)
	b := &bench{T: t, Engine: e, group: parallel.New(2)}
	b.secret = b.one(ckks.CreateSecret.With(int64(ckks.QP), 1, 2))
	b.public = b.one(ckks.CreatePublic.With(int64(ckks.Q)), b.secret)
	for _, step := range steps {
		if ckks.NormalStep(int64(step), c.Slots()) != 0 {
			b.keys = append(b.keys, b.one(ckks.CreateRotation.With(int64(step)), b.secret))
		}
	}
	return b
}

func (b *bench) one(a ckks.Call, in ...*ckks.Value) *ckks.Value {
	out, err := b.Do(b.group, a, in...)
	require.NoError(b, err)
	return out[0]
}

func message(x ...[]float64) *ckks.Value {
	s := ckks.State{Kind: ckks.Message, Dtype: ckks.Float64, N: len(x[0]), Components: 1}
	if len(x) > 1 {
		s.Batch = []int{len(x)}
	}
	v := ckks.NewValue(s)
	for i, row := range x {
		copy(v.Floats[i*len(row):], row)
	}
	return v
}

func (b *bench) encrypt(x []float64) *ckks.Value {
	scale := b.Config().DefaultScale()
	pt := b.one(ckks.EncodeRows.With(0, 0, int64(ckks.Q), int64(ckks.NTT)).At(scale), message(x))
	return b.one(ckks.Encrypt.With(int64(ckks.Coefficient)), pt, b.public)
}

func (b *bench) decrypt(ct *ckks.Value) []complex128 {
	return b.one(ckks.Decode.With(0), b.one(ckks.Decrypt.With().At(0), ct, b.secret)).Slots
}

func roll(x []float64, by int) []float64 {
	out := make([]float64, len(x))
	for j := range x {
		out[((j+by)%len(x)+len(x))%len(x)] = x[j]
	}
	return out
}

func ramp(n int, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	x := make([]float64, n)
	for i := range x {
		x[i] = 2*r.Float64() - 1
	}
	return x
}

// case A07: sparse and dense sets of diagonals, with and without a rescale.
// Rolling a diagonal by +g instead of −g fails for every plan with giants.
func TestTransformIsMatrixProduct(t *testing.T) {
	const n = 1024
	for _, diagonals := range [][]int{{0}, {1}, {-1}, {0, 64}, span(-7, 7), {0, 128, 256, 384, 512, 640, 768, 896}} {
		p, err := NewPlan(diagonals, n)
		require.NoError(t, err)
		b := newBench(t, append(p.Babies, p.Giants...)...)
		x, want := ramp(n, 5), make([]float64, n)
		rolled := make([][]float64, len(diagonals))
		for i, r := range diagonals {
			d := ramp(n, uint64(i))
			for j, v := range roll(x, r) {
				want[j] += d[j] * v
			}
			rolled[i] = roll(d, -p.Giants[p.Terms[i][0]])
		}
		if len(rolled) == 1 {
			rolled = append(rolled, rolled[0])
		}
		divisor, err := b.Config().RescaleDivisor(0)
		require.NoError(t, err)
		pt := b.one(ckks.EncodeRows.With(0, 0, int64(ckks.Q), int64(ckks.NTT)).At(divisor), message(rolled...))
		if len(diagonals) == 1 {
			pt = member(pt, 0)
			pt.Batch = []int{1}
		}
		for _, rescale := range []int64{0, 1} {
			out := b.one(Transform.With(ints(p, int64(ckks.Coefficient), rescale)...), append([]*ckks.Value{b.encrypt(x), pt}, b.keys...)...)
			require.Equal(t, int(rescale), out.Depth)
			for j, v := range b.decrypt(out) {
				require.InDelta(t, want[j], real(v), 1e-5, "diagonals %v slot %d", diagonals, j)
			}
		}
	}
}

func ints(p *Plan, domain, rescale int64) []int64 {
	out := []int64{domain, rescale, int64(len(p.Babies)), int64(len(p.Giants)), int64(len(p.Terms))}
	for _, s := range append(append([]int{}, p.Babies...), p.Giants...) {
		out = append(out, int64(s))
	}
	for _, t := range p.Terms {
		out = append(out, int64(t[0]), int64(t[1]))
	}
	return out
}

// case R9: sums keep scale and depth, for every count up to all slots.
func TestInnerSum(t *testing.T) {
	const n = 1024
	x := ramp(n, 9)
	for _, c := range [][2]int64{{1, 1}, {2, 1}, {3, 1}, {6, 5}, {7, -2}, {1024, 1}, {8, 128}} {
		steps, err := InnerSumSteps(c[0], c[1], n)
		require.NoError(t, err)
		b := newBench(t, steps...)
		ct := b.encrypt(x)
		out := b.one(InnerSum.With(c[0], c[1]), append([]*ckks.Value{ct}, b.keys...)...)
		require.Equal(t, ct.State, out.State)
		got := b.decrypt(out)
		for j := range 50 {
			want := 0.0
			for k := range c[0] {
				want += x[((int64(j)+k*c[1])%n+n)%n]
			}
			require.InDelta(t, want, real(got[j]), 1e-5, "%v slot %d", c, j)
		}
	}
}

func TestMissingKeyIsNamed(t *testing.T) {
	b := newBench(t)
	_, err := b.Do(nil, InnerSum.With(2, 3), b.encrypt(ramp(8, 1)))
	require.Equal(t, KeyAbsent, refusal.CodeOf(err))
	require.ErrorContains(t, err, "step -3")
}

// A malformed plan is refused before anything is computed.
func TestPlanFromIntegersRefusals(t *testing.T) {
	for _, bad := range [][]int64{nil, {0, 0, 1, 1, 1}, {0, 0, 1, 1, 1, 0, 0, 1, 0}, {0, 0, math.MaxInt64, 1, 1, 0, 0, 0, 0}, {0, 0, 1, 1, 1, 0, 0, 0, -1},
		{2, 0, 1, 1, 1, 0, 0, 0, 0}, {0, -1, 1, 1, 1, 0, 0, 0, 0}} {
		_, err := readPlan(bad)
		require.Equal(t, ckks.FrameInvalid, refusal.CodeOf(err), "%v", bad)
	}
}
