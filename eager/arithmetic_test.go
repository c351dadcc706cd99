package eager

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/ckks"
	"fhelium/core/parallel"
)

// Every row-local operation is its formula, at every depth, in both bases, at
// the edges of the residues, batched and in shards, and with streaming. Mutants: Sub for Add in
// pairwise, or for its streaming one; b0, b1 in place of b1, b0 in multiply; dst for in[0] in sum.
func TestRowArithmetic(t *testing.T) {
	for name, c := range arithmeticChains(t) {
		b := newBench(t, c)
		for depth := range c.MaxDepth() + 1 {
			t.Log(name, depth)
			s := b.whole(depth, ckks.Basis(depth&1), ckks.NTT, 2, 2)
			b.checkRowArithmetic(b.filled(s, "largest", 1), b.filled(s, "largest", 2))
			b.checkRowArithmetic(b.filled(s, "alternating", 1), b.filled(s, "random", 2))
			before := streamed
			streamed = 0
			b.checkRowArithmetic(b.filled(s, "random", 1), b.filled(s, "largest", 2))
			streamed = before
		}
	}
}

func (b *bench) checkRowArithmetic(x, y *ckks.Value) {
	b.t.Helper()
	equalRows(b.t, b.rowLocal(ckks.Add.With().At(0), x, y), b, func(q uint64, p, m, r, i int) uint64 {
		return (row(x, p, m, r)[i] + row(y, p, m, r)[i]) % q
	})
	equalRows(b.t, b.rowLocal(ckks.Subtract.With().At(0), x, y), b, func(q uint64, p, m, r, i int) uint64 {
		return (row(x, p, m, r)[i] + q - row(y, p, m, r)[i]) % q
	})
	equalRows(b.t, b.rowLocal(ckks.Negate.With(), x), b, func(q uint64, p, m, r, i int) uint64 {
		return (q - row(x, p, m, r)[i]) % q
	})
	equalRows(b.t, b.rowLocal(ckks.Sum.With().At(0), x, y, x), b, func(q uint64, p, m, r, i int) uint64 {
		return (2*row(x, p, m, r)[i] + row(y, p, m, r)[i]) % q
	})
	equalRows(b.t, b.rowLocal(ckks.Multiply.With(), x, y), b, func(q uint64, p, m, r, i int) uint64 {
		sum := uint64(0)
		for left := max(0, p-1); left <= min(1, p); left++ {
			sum += times(row(x, left, m, r)[i], row(y, p-left, m, r)[i], q)
		}
		return sum % q
	})
}

// A sum of one ciphertext is the ciphertext, and three components stay three.
func TestSumOfOne(t *testing.T) {
	b := newBench(t, testConfig(t, 10))
	x := b.filled(b.whole(1, ckks.Q, ckks.Coefficient, 3), "random", 1)
	require.Equal(t, x.Words, b.rowLocal(ckks.Sum.With().At(0), x).Words)
	equalRows(t, b.rowLocal(ckks.Negate.With(), x), b, func(q uint64, p, m, r, i int) uint64 {
		return (q - row(x, p, m, r)[i]) % q
	})
}

// SumBatch adds along each axis. Mutant: inner = 1.
func TestSumBatch(t *testing.T) {
	b := newBench(t, testConfig(t, 10))
	x := b.filled(b.whole(1, ckks.Q, ckks.NTT, 2, 2, 3, 4), "random", 1)
	place := func(i, j, k int) int { return (i*3+j)*4 + k }
	for axis, members := range []func(m, k int) int{
		func(m, k int) int { return place(k, m/4, m%4) },
		func(m, k int) int { return place(m/4, k, m%4) },
		func(m, k int) int { return place(m/3, m%3, k) },
	} {
		out := b.compute(ckks.SumBatch.With(int64(axis)), x)[0]
		require.Len(t, out.Batch, 2)
		equalRows(t, out, b, func(q uint64, p, m, r, i int) uint64 {
			sum := uint64(0)
			for k := range x.Batch[axis] {
				sum += row(x, p, members(m, k), r)[i]
			}
			return sum % q
		})
	}
}

// The domains' transforms undo each other, and turn the product of polynomials
// into that of values. Mutant: Forward for Inverse.
func TestTransforms(t *testing.T) {
	for name, c := range arithmeticChains(t) {
		b := newBench(t, c)
		for depth := range c.MaxDepth() + 1 {
			for _, pattern := range []string{"largest", "random"} {
				x := b.filled(b.whole(depth, ckks.QP, ckks.Coefficient, 2, 2), pattern, 1)
				y := b.rowLocal(ckks.ToNTT.With(), x)
				require.Equal(t, ckks.NTT, y.Domain)
				require.Equal(t, x.Words, b.rowLocal(ckks.ToCoefficient.With(), y).Words, name)
				pt := b.filled(plain(x.State), pattern, 2)
				require.Equal(t, pt.Words, b.compute(ckks.ToCoefficient.With(), b.compute(ckks.ToNTT.With(), pt)[0])[0].Words)
			}
		}
	}
	b := newBench(t, testConfig(t, 10))
	x := b.filled(b.whole(0, ckks.QP, ckks.Coefficient, 2), "zero", 1)
	for r := range x.Rows { // X^(N-1) times X^2 is -X
		row(x, 0, 0, r)[x.N-1], row(x, 1, 0, r)[2] = 1, 1
	}
	y := b.compute(ckks.ToNTT.With(), x)[0]
	product := b.compute(ckks.Multiply.With(), y, y)[0]
	product.Components, product.Words = 2, product.Words[len(product.Words)/3:]
	equalRows(t, b.compute(ckks.ToCoefficient.With(), product)[0], b, func(q uint64, p, _, _, i int) uint64 {
		switch {
		case p == 0 && i == 1:
			return q - 2
		case p == 1 && i == 4:
			return 1
		}
		return 0
	})
}

// A result without a secret is refused, in any batch member, unless asked for.
func TestTransparentResults(t *testing.T) {
	b := newBench(t, testConfig(t, 10))
	x := b.filled(b.whole(0, ckks.Q, ckks.NTT, 2, 2), "random", 1)
	y := b.filled(b.whole(0, ckks.Q, ckks.NTT, 2, 2), "random", 2)
	copy(row(y, 1, 1, 0), row(x, 1, 1, 0))
	_, err := b.try(ckks.Subtract, nil, []float64{0}, x, y)
	require.NoError(t, err)
	for r := range x.Rows {
		copy(row(y, 1, 1, r), row(x, 1, 1, r))
	}
	_, err = b.try(ckks.Subtract, nil, []float64{0}, x, y)
	require.Contains(t, requireCode(t, err, ckks.Transparent), "batch member 1")
	_, err = b.try(ckks.MultiplyInteger, []int64{0}, nil, x)
	requireCode(t, err, ckks.Transparent)
	_, err = b.try(ckks.MultiplyScalar, nil, []float64{0x1p-22, 0x1p20}, x)
	requireCode(t, err, ckks.Transparent)
	_, err = b.Do(nil, ckks.Call{Op: ckks.MultiplyInteger, Ints: []int64{0}, AllowTransparent: true}, x)
	require.NoError(t, err)
}

// A cancelled call of any operation gives no result.
func TestCancelledArithmetic(t *testing.T) {
	b := newBench(t, testConfig(t, 10))
	g := parallel.New(2)
	g.Cancel()
	x := b.filled(b.whole(0, ckks.Q, ckks.NTT, 2, 2), "random", 1)
	three := b.filled(b.whole(0, ckks.Q, ckks.NTT, 3, 2), "random", 1)
	coefficient := b.filled(b.whole(0, ckks.Q, ckks.Coefficient, 2, 2), "random", 1)
	product := b.filled(x.State, "random", 1)
	product.Scale = 0x1p100
	pt := b.filled(plain(x.State), "random", 2)
	key := b.do(ckks.CreateRelinearization, nil, nil, b.secret)
	rotation := b.do(ckks.CreateRotation, []int64{1}, nil, b.secret)
	for _, c := range []struct {
		call ckks.Call
		in   []*ckks.Value
	}{
		{ckks.Add.With().At(0), []*ckks.Value{x, x}},
		{ckks.Sum.With().At(0), []*ckks.Value{x, x}},
		{ckks.SumBatch.With(0), []*ckks.Value{x}},
		{ckks.MultiplyPlaintext.With(), []*ckks.Value{x, pt}},
		{ckks.Multiply.With(), []*ckks.Value{x, x}},
		{ckks.MultiplyScalar.With().At(1, 0x1p20), []*ckks.Value{x}},
		{ckks.ToCoefficient.With(), []*ckks.Value{x}},
		{ckks.Rescale.With(0), []*ckks.Value{product}},
		{ckks.ModSwitch.With(1), []*ckks.Value{x}},
		{ckks.Relinearize.With(1), []*ckks.Value{three, key}},
		{ckks.RotateMany.With(1), []*ckks.Value{x, rotation, rotation}},
		{ckks.SumPlaintextProducts.With(0, 1), []*ckks.Value{x, pt}},
		{ckks.SumRotatedProducts.With(1, 1, -1), []*ckks.Value{coefficient, rotation, pt}},
	} {
		out, err := b.Do(g, c.call, c.in...)
		requireCode(t, err, parallel.Cancelled)
		require.Nil(t, out)
	}
}
