package polynomial

import (
	"fmt"
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

type bench struct {
	*testing.T
	*eager.Engine
	group               *parallel.Group
	secret, public, key *ckks.Value
}

// newBench makes an engine over a chain of eight 40-bit primes at N = 2^10.
func newBench(t *testing.T) *bench {
	source, err := ckks.PresetByName("slots8192-scale40-depth7-int64")
	require.NoError(t, err)
	l := source.Literal()
	l.LogN, l.EnforceSecurityBudget, l.Preset = 10, false, ""
	c, err := ckks.New(l)
	require.NoError(t, err)
	level, err := kernel.Named("auto")
	require.NoError(t, err)
	e, err := eager.New(c, level)
	require.NoError(t, err)
	b := &bench{T: t, Engine: e, group: parallel.New(2)}
	b.secret = b.one(ckks.CreateSecret.With(int64(ckks.QP), 1, 2))
	b.public = b.one(ckks.CreatePublic.With(int64(ckks.Q)), b.secret)
	b.key = b.one(ckks.CreateRelinearization.With(), b.secret)
	return b
}

func (b *bench) one(a ckks.Call, in ...*ckks.Value) *ckks.Value {
	out, err := b.Do(b.group, a, in...)
	require.NoError(b, err)
	return out[0]
}

func (b *bench) encrypt(x []float64) *ckks.Value {
	m := ckks.NewValue(ckks.State{Kind: ckks.Message, Dtype: ckks.Float64, N: len(x), Components: 1})
	copy(m.Floats, x)
	pt := b.one(ckks.EncodeRows.With(0, 0, int64(ckks.Q), int64(ckks.NTT)).At(b.Config().DefaultScale()), m)
	return b.one(ckks.Encrypt.With(int64(ckks.Coefficient)), pt, b.public)
}

func (b *bench) decrypt(ct *ckks.Value) []complex128 {
	return b.one(ckks.Decode.With(0), b.one(ckks.Decrypt.With().At(0), ct, b.secret)).Slots
}

var points = []float64{-1, -0.5, 0, 0.5, 1, 0.3, -0.77}

func (b *bench) check(p []float64, basis Basis, low, high float64) *ckks.Value {
	b.Helper()
	x := make([]float64, len(points))
	for i, u := range points {
		x[i] = (u*(high-low) + high + low) / 2
	}
	ct := b.encrypt(x)
	out := b.one(Evaluate.With(int64(basis), int64(ckks.Coefficient)).At(append([]float64{0, low, high}, p...)...), ct, b.key)
	require.Equal(b, ct.Scale, out.Scale, "the scale is kept to the bit")
	got := b.decrypt(out)
	for i, u := range points {
		require.InDelta(b, value(p, u, basis), real(got[i]), 1e-4, "basis %d, %v at %v", basis, p, x[i])
	}
	return out
}

// case A09: exact zeros, tiny coefficients, tiny degrees. Shifting an index
// past a skipped zero fails the first.
func TestZerosAndTinyDegrees(t *testing.T) {
	b := newBench(t)
	for _, p := range [][]float64{
		{0, 1.25, 0, -0.35, 0, 0.1}, {1e-17, 1.25, 1e-17, -0.35, 1e-17, 0.1}, {0.75}, {0, 1}, {0, 0, 0}, {0, 0, 1}, {0.5, 0, 0, 0, 1},
	} {
		for _, basis := range []Basis{Power, Chebyshev} {
			b.check(p, basis, -1, 1)
		}
	}
}

// Every degree up to 31 in both bases, at the depth promised.
func TestEveryDegree(t *testing.T) {
	b := newBench(t)
	r := rand.New(rand.NewPCG(3, 4))
	for _, degree := range []int{1, 2, 3, 4, 5, 6, 7, 8, 11, 15, 16, 23, 31} {
		p := make([]float64, degree+1)
		for k := range p {
			p[k] = (2*r.Float64() - 1) / 2
		}
		for _, basis := range []Basis{Power, Chebyshev} {
			require.Equal(t, Depth(degree), b.check(p, basis, -1, 1).Depth, "degree %d", degree)
		}
	}
}

func TestIntervals(t *testing.T) {
	b := newBench(t)
	p := []float64{0.1, 0.5, -0.25, 0.125}
	require.Equal(t, 2, b.check(p, Chebyshev, 2, 4).Depth)
	require.Equal(t, 3, b.check(p, Chebyshev, -8, 8).Depth)
	require.Equal(t, 3, b.check(p, Chebyshev, 0, 1).Depth)
}

// A constant polynomial's result still carries a secret.
func TestConstantIsNotTransparent(t *testing.T) {
	b := newBench(t)
	out := b.check([]float64{0.75}, Power, -1, 1)
	rows := out.Poly(1, 0)
	require.NotZero(t, rows[0][0]|rows[0][1]|rows[0][2])
}

func TestRefusals(t *testing.T) {
	b := newBench(t)
	x := b.encrypt([]float64{0.5})
	for code, floats := range map[refusal.Code][]float64{
		ckks.LevelsExhausted: append([]float64{0, -1, 1}, make129()...),
		ckks.ArgumentInvalid: {0, -1, 1},
	} {
		_, err := b.Do(nil, Evaluate.With(0, 0).At(floats...), x, b.key)
		require.Equal(t, code, refusal.CodeOf(err), "%v", err)
	}
	for _, floats := range [][]float64{{0, -1, 1, math.NaN()}, {0, -1, 1, 0, math.Inf(1)}, {0, 1, 1, 0, 1}, {0, math.NaN(), 1, 0, 1}, {0, 2, -2, 0, 1}} {
		_, err := b.Do(nil, Evaluate.With(int64(Chebyshev), 0).At(floats...), x, b.key)
		require.Equal(t, ckks.ArgumentInvalid, refusal.CodeOf(err), fmt.Sprint(floats))
	}
	for _, ints := range [][2]int64{{2, 0}, {0, 2}, {-1, 0}} {
		_, err := b.Do(nil, Evaluate.With(ints[0], ints[1]).At(0, -1, 1, 0, 1), x, b.key)
		require.Equal(t, ckks.ArgumentInvalid, refusal.CodeOf(err), fmt.Sprint(ints))
	}
	_, err := b.Do(nil, Evaluate.With(0, 0).At(0, -1, 1, 0, 0, 1), x)
	require.ErrorContains(t, err, "relinearization key")
}

func make129() []float64 {
	p := make([]float64, 129)
	p[128] = 1
	return p
}

// An operand whose powers outgrow the result's scale leaves coefficients no
// room: refused, but for whole numbers, which lose nothing.
func TestCoefficientsAreNotLost(t *testing.T) {
	b := newBench(t)
	x := b.encrypt(points)
	wide := b.one(ckks.MultiplyScalar.With().At(1, 0x1p40), x)
	call := func(p ...float64) ckks.Call {
		return Evaluate.With(int64(Power), int64(ckks.Coefficient)).At(append([]float64{0, -1, 1}, p...)...)
	}
	_, err := b.Do(b.group, call(0, 0, 0.3), wide, b.key)
	require.Equal(t, ckks.ScaleInvalid, refusal.CodeOf(err), err)
	require.ErrorContains(t, err, "rescale the operand")
	_, err = b.Do(b.group, call(0, 0, 0.3), x, b.key)
	require.NoError(t, err)
}
