package eager

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/ckks"
	"fhelium/core/embed"
	"fhelium/core/parallel"
)

// constant fills all slots with one real number, whose only coefficient is then
// x·scale.
func constant(c *ckks.Config, x float64) *ckks.Value {
	m := make([]float64, c.Slots())
	for i := range m {
		m[i] = x
	}
	return realMessage(m...)
}

// At the last depth, of 60 bits, ±4e5 at scale 2^40 makes a coefficient of
// 2^58.6 and survives encryption; ±7e5 makes 2^59.4 and is refused. Mutant:
// compare with Q in place of Q/2, or the signed coefficient.
func TestOverflowAtLastDepth(t *testing.T) {
	b := newBench(t, testConfig(t, 10))
	last := int64(b.config.MaxDepth())
	for _, sign := range []float64{1, -1} {
		pt := b.do(ckks.EncodeRows, []int64{last, 0, 0, 1}, []float64{0x1p40}, constant(b.config, sign*4e5))
		got := b.decoded(b.do(ckks.Encrypt, []int64{1}, nil, pt, b.public), 0)
		for _, z := range got {
			require.InEpsilon(t, sign*4e5, real(z), 1e-6)
		}
		_, err := b.try(ckks.EncodeRows, []int64{last, 0, 0, 1}, []float64{0x1p40}, constant(b.config, sign*7e5))
		text := requireCode(t, err, ckks.EncodeOverflow)
		for _, part := range []string{"2^59.4", "2^40.000", "depth 2", "2^59.000", "smaller depth"} {
			require.Contains(t, text, part)
		}
		b.do(ckks.EncodeRows, []int64{0, 0, 0, 1}, []float64{0x1p40}, constant(b.config, sign*7e5))
	}
}

// A coefficient of (Q-1)/2 passes and one more is refused, for both dtypes,
// both signs, and where Q is below and above 2^64. Mutant: < for <= in wordFits.
func TestOverflowAtTheEdge(t *testing.T) {
	b := newBench(t, testConfig(t, 10, []int{40}, []int{30}))
	half := int64(b.config.Modulus(1) / 2)
	for _, x := range []int64{half, -half} {
		coefficients := ckks.State{Kind: ckks.Integers, Dtype: ckks.Int64, Depth: 1, Scale: 1, N: 1024, Components: 1}
		for _, dtype := range []ckks.Dtype{ckks.Int64, ckks.Float64} {
			coefficients.Dtype = dtype
			v := ckks.NewValue(coefficients)
			set := func(x int64) {
				if dtype == ckks.Int64 {
					v.Words[9] = uint64(x)
				} else {
					v.Floats[9] = float64(x)
				}
			}
			set(x)
			pt := b.do(ckks.IntegersToRows, []int64{0, 0}, nil, v)
			require.Equal(t, big.NewInt(x).Mod(big.NewInt(x), big.NewInt(2*half+1)).Uint64(), pt.Words[9])
			set(x + x/half)
			_, err := b.try(ckks.IntegersToRows, []int64{0, 0}, nil, v)
			requireCode(t, err, ckks.EncodeOverflow)
		}
	}
	v := ckks.NewValue(ckks.State{Kind: ckks.Integers, Dtype: ckks.Int64, Scale: 1, N: 1024, Components: 1})
	v.Words[0] = 1 << 63
	b.do(ckks.IntegersToRows, []int64{0, 0}, nil, v) // Q is 2^70 at depth 0
	require.True(t, wordFits(1<<63-1, []uint64{1<<33 - 1, 1<<31 + 1}))
	require.False(t, wordFits(1<<63, []uint64{1<<33 - 1, 1<<31 - 1}))
}

// Numbers that are not finite are refused with the first bad index and the
// batch member. Mutant: leave out the member.
func TestNotFinite(t *testing.T) {
	b := newBench(t, testConfig(t, 10))
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		m := message(randomSlots(30, 1), 10, 3)
		m.Slots[14], m.Slots[16], m.Slots[25] = complex(0, bad), complex(bad, 0), complex(bad, 0)
		for _, g := range []*parallel.Group{nil, parallel.New(2), parallel.New(8)} {
			b.group = g
			_, err := b.try(ckks.Encode, []int64{0, 0}, []float64{0x1p30}, m)
			require.Contains(t, requireCode(t, err, embed.EncodeNotFinite), "batch member 1: slot 4 ")
		}
		one := realMessage(1, 2, bad)
		_, err := b.try(ckks.EncodeRows, []int64{0, 0, 0, 0}, []float64{0x1p30}, one)
		require.Contains(t, requireCode(t, err, embed.EncodeNotFinite), "slot 2 ")
		coefficients := b.do(ckks.Encode, []int64{0, 0}, []float64{0x1p30}, realMessage(1))
		coefficients.Floats[5] = bad
		_, err = b.try(ckks.Decode, []int64{0}, nil, coefficients)
		require.Contains(t, requireCode(t, err, embed.EncodeNotFinite), "coefficient 5 ")
		coefficients.Floats[5] = 0.5
		_, err = b.try(ckks.IntegersToRows, []int64{0, 0}, nil, coefficients)
		require.Contains(t, requireCode(t, err, ckks.MessageInvalid), "coefficient 5 ")
		_, err = b.try(ckks.Decode, []int64{0}, nil, coefficients)
		requireCode(t, err, ckks.MessageInvalid)
		coefficients.Kind = ckks.Approximate
		b.do(ckks.Decode, []int64{0}, nil, coefficients)
	}
	_, err := b.try(ckks.Encode, []int64{0, 0}, []float64{0x1p40}, realMessage(0, 0, 1e306))
	require.Contains(t, requireCode(t, err, ckks.EncodeOverflow), "slot 2")
}

// Encode, then reduction, then decoding of both integer dtypes is EncodeRows
// and Decode. Mutant: scale by the default in place of the argument.
func TestIntegerCoefficients(t *testing.T) {
	b := newBench(t, testConfig(t, 10))
	z := randomSlots(1024, 4)
	floats := b.do(ckks.Encode, []int64{1, 0}, []float64{0x1p37}, message(z, 512, 2))
	words := ckks.NewValue(floats.State)
	words.Dtype, words.Floats, words.Words = ckks.Int64, nil, make([]uint64, len(floats.Floats))
	for i, x := range floats.Floats {
		words.Words[i] = uint64(int64(x))
	}
	for basis := range int64(2) {
		for domain := range int64(2) {
			want := b.do(ckks.EncodeRows, []int64{1, 0, basis, domain}, []float64{0x1p37}, message(z, 512, 2))
			require.Equal(t, want, b.do(ckks.IntegersToRows, []int64{basis, domain}, nil, floats))
			require.Equal(t, want, b.do(ckks.IntegersToRows, []int64{basis, domain}, nil, words))
		}
	}
	near(t, z, b.do(ckks.Decode, []int64{0}, nil, floats).Slots, 0x1p-30)
	require.Equal(t, b.do(ckks.Decode, []int64{0}, nil, floats), b.do(ckks.Decode, []int64{0}, nil, words))
}

// expandLayout writes out the N words of a compressed row.
func expandLayout(v *ckks.Value, b, r int) []uint64 {
	out, row := make([]uint64, v.N), v.Poly(0, b)[r]
	for j := range out {
		switch gap := v.N / v.Unique; {
		case v.Layout == ckks.Contiguous:
			out[j] = row[j/gap]
		case j%gap == 0:
			out[j] = row[j/gap]
		default:
			out[j] = v.Implicit[b*v.Rows+r]
		}
	}
	return out
}

// A compressed plaintext is the dense one to the bit, in both domains and
// bases, for every period. One slot takes four words under the generator 3.
// Mutants: transform with the ring's own table; two words for one slot.
func TestCompressedIsDense(t *testing.T) {
	for _, generator := range []uint64{3, 5} {
		l := testConfig(t, 10).Literal()
		l.GaloisGenerator = generator
		c, err := ckks.New(l)
		require.NoError(t, err)
		b := newBench(t, c)
		for n := 1; n < 512; n *= 2 {
			unique := 2 * n
			if generator == 3 {
				unique = max(4, unique)
			}
			b.compressedIsDense(n, unique)
		}
	}
}

func (b *bench) compressedIsDense(n, unique int) {
	t, m := b.t, message(randomSlots(2*n, uint64(n)), n, 2)
	for basis := range int64(2) {
		for domain := range int64(2) {
			dense := b.do(ckks.EncodeRows, []int64{1, int64(n), basis, domain}, []float64{0x1p30}, m)
			packed := b.do(ckks.EncodeCompressed, []int64{1, basis, domain}, []float64{0x1p30}, m)
			require.Equal(t, unique, packed.Unique)
			for member := range 2 {
				for r := range dense.Rows {
					require.Equal(t, dense.Poly(0, member)[r], expandLayout(packed, member, r))
				}
			}
		}
	}
}

// The largest scales and many primes keep every bit that float64 has.
func TestLargeScales(t *testing.T) {
	b := newBench(t, testConfig(t, 10, []int{49}, []int{49, 48}))
	for _, scale := range []float64{0x1p53, 0x1p62, 0x1p63, 0x1p64 - 0x1p11, 0x1p64, 0x1p65, 0x1p80} {
		pt := b.do(ckks.EncodeRows, []int64{0, 0, 0, 0}, []float64{scale}, constant(b.config, -1))
		coefficients := ckks.NewValue(ckks.State{Kind: ckks.Approximate, Dtype: ckks.Float64, Scale: scale, N: 1024, Components: 1})
		b.tables.rebuilder(spanOf(pt.State)).Apply(nil, coefficients.Floats, pt.Poly(0, 0))
		for _, z := range b.do(ckks.Decode, []int64{0}, nil, coefficients).Slots {
			require.InDelta(t, -1, real(z), 1e-12)
		}
	}
}

// The longest chain that parameters may have is encoded, encrypted over all of Q
// and P and decrypted. Mutant: embed.MaxModuli below what a Config accepts.
func TestLongestChain(t *testing.T) {
	groups := make([][]int, embed.MaxModuli-2)
	for i := range groups {
		groups[i] = []int{30}
	}
	b := newBench(t, testConfig(t, 10, groups...))
	require.Len(t, b.config.Moduli(), embed.MaxModuli)
	z := randomSlots(512, 5)
	pt := b.encoded(message(z, 512), ckks.QP, ckks.NTT)
	near(t, z, b.decoded(b.do(ckks.Encrypt, []int64{1}, nil, pt, b.public), 0), 0x1p-8)
}
