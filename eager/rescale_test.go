package eager

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/ckks"
)

// quotient divides x by d, a tie impossible because d is odd, rounding to the
// nearest (rounding 0) or down (1), for the representative in [0, Q).
func quotient(x, d *big.Int, rounding int64) *big.Int {
	if rounding == 0 {
		x = new(big.Int).Add(x, new(big.Int).Rsh(d, 1))
	}
	return new(big.Int).Div(x, d)
}

// Rescaling divides the integer that the rows stand for, exactly, by all primes
// of the group in one rounding: at every depth, to the nearest and down, in both
// domains and bases, for both components. The two domains agree to the bit.
// Mutants: nearest for floor; P's rows dropped with the group.
func TestRescale(t *testing.T) {
	for name, c := range arithmeticChains(t) {
		b := newBench(t, c)
		for depth := range c.MaxDepth() {
			for way := range int64(4) {
				rounding, basis := way&1, ckks.Basis(way>>1)
				for _, pattern := range []string{"largest", "half", "random"} {
					t.Log(name, depth, rounding, basis, pattern)
					x := b.filled(b.whole(depth, basis, ckks.Coefficient, 2, 2), pattern, 1)
					b.checkRescale(x, rounding)
				}
			}
		}
	}
}

func (b *bench) checkRescale(x *ckks.Value, rounding int64) {
	b.t.Helper()
	call := ckks.Rescale.With(rounding)
	x.Scale = 0x1p100 // above every group's rounding error
	out := b.compute(call, x)[0]
	leading := out.First - x.First
	divisor := b.crt(x.First, leading).product
	float, _ := new(big.Float).SetInt(divisor).Float64()
	require.Equal(b.t, x.Scale/float, out.Scale)
	from, to := b.crt(x.First, x.Rows), b.crt(out.First, out.Rows)
	for _, i := range []int{0, 1, 2, 511, x.N - 1} {
		want := quotient(from.at(x.Poly(1, 1), i), divisor, rounding)
		require.Zero(b.t, want.Mod(want, to.product).Cmp(to.at(out.Poly(1, 1), i)), "place %d", i)
	}
	ntt := b.compute(call, b.compute(ckks.ToNTT.With(), x)[0])[0]
	require.True(b.t, slices.Equal(out.Words, b.compute(ckks.ToCoefficient.With(), ntt)[0].Words), "domains differ")
	for m := range x.BatchSize() {
		require.True(b.t, slices.Equal(alone(out, m).Words, b.compute(call, alone(x, m))[0].Words), "member %d", m)
	}
}

// Rescaling a message down the whole chain keeps it, and so does squaring. The
// last depth is refused.
func TestRescaleChain(t *testing.T) {
	b := newBench(t, testConfig(t, 10, []int{30}, []int{15, 15}, []int{30}, []int{40}))
	z := randomSlots(b.config.Slots(), 5)
	key := b.do(ckks.CreateRelinearization, nil, nil, b.secret)
	ct := b.do(ckks.Encrypt, []int64{1}, nil, b.encoded(message(z, len(z)), ckks.Q, ckks.NTT), b.public)
	for depth := range b.config.MaxDepth() {
		ct = b.do(ckks.Relinearize, []int64{1}, nil, b.do(ckks.Multiply, nil, nil, ct, ct), key)
		ct = b.do(ckks.Rescale, []int64{0}, nil, ct)
		require.Equal(t, depth+1, ct.Depth)
		for i := range z {
			z[i] *= z[i]
		}
		near(t, z, b.decoded(ct, 0), 8*b.tolerance()*float64(depth+1))
	}
	_, err := b.try(ckks.Rescale, []int64{0}, nil, ct)
	requireCode(t, err, ckks.LevelsExhausted)
}

// Switching to a depth keeps the rows of that depth, for every kind that has
// them. Mutant: skip = 0 for the implicit words.
func TestModSwitch(t *testing.T) {
	for _, c := range arithmeticChains(t) {
		b := newBench(t, c)
		for target := range c.MaxDepth() + 1 {
			s := b.whole(0, ckks.QP, ckks.NTT, 3, 2)
			in := append(b.compressed(plain(s, 2)), b.filled(s, "random", 1), b.filled(plain(s, 2), "random", 2))
			for _, x := range in {
				out := b.compute(ckks.ModSwitch.With(int64(target)), x)[0]
				require.Equal(t, target, out.Depth)
				skip := c.GroupStart(target)
				want := shard(x, skip, x.Rows-skip)
				require.True(t, slices.Equal(want.Words, out.Words), fmt.Sprint(x.State))
				require.Equal(t, want.Implicit, out.Implicit)
			}
			seeded := plain(s, 2)
			seeded.Kind, seeded.Key = ckks.Seeded, b.secret.Key
			x := b.filled(seeded, "random", 3)
			out := b.compute(ckks.ModSwitch.With(int64(target)), x)[0]
			require.Equal(t, x.Implicit, out.Implicit)
			require.True(t, slices.Equal(row(x, 0, 1, x.Rows-1), row(out, 0, 1, out.Rows-1)))
		}
	}
}
