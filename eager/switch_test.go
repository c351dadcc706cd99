package eager

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/ckks"
	"fhelium/core/embed"
	"fhelium/core/ring"
	"fhelium/core/sample"
)

// phase is c0 + c1·s + c2·s² of an unbatched ciphertext in either domain, as
// rows of coefficients.
func (b *bench) phase(ct, secret *ckks.Value) ring.Rows {
	b.t.Helper()
	if ct.Domain == ckks.Coefficient {
		ct = b.do(ckks.ToNTT, nil, nil, ct)
	}
	sum := make(ring.Rows, ct.Rows)
	for r, m := range b.tables.primes(spanOf(ct.State)) {
		s := row(secret, 0, 0, ct.First+r)
		sum[r] = make([]uint64, ct.N)
		for p := ct.Components - 1; p >= 0; p-- {
			m.Mul(sum[r], sum[r], s)
			m.Add(sum[r], sum[r], row(ct, p, 0, r))
		}
		m.Inverse(sum[r])
	}
	return sum
}

// switchBounds are two bounds of the error of one key switch at a depth. With
// errors |e| ≤ E of deviation σ, digits Q_d/P relative to P, and a ternary
// secret t (package keyswitch derives the sum),
//
//	worst = Σ N·(Q_d/2P)·E + (1 + N)/2
//
// always holds. For uniform digits and rounding errors the coefficients have
// variance
//
//	v = Σ N·σ²·(Q_d/P)²/12 + (1 + 2N/3)/12,
//
// and eight deviations are passed by one coefficient in 10^15.
func (b *bench) switchBounds(depth int) (worst, likely float64) {
	c, n := b.config, float64(b.config.N())
	logP := 0.0
	for id := c.NumQ(); id < c.NumQ()+c.NumP(); id++ {
		logP += math.Log2(float64(c.Modulus(id)))
	}
	worst, variance := (1+n)/2, (1+2*n/3)/12
	for _, d := range c.Digits() {
		ratio := -logP
		for id := max(d[0], c.GroupStart(depth)); id < d[1]; id++ {
			ratio += math.Log2(float64(c.Modulus(id)))
		}
		if d[1] > c.GroupStart(depth) {
			worst += n * math.Exp2(ratio) / 2 * float64(sample.TailBound)
			variance += n * sample.Sigma * sample.Sigma * math.Exp2(2*ratio) / 12
		}
	}
	return worst, 8 * math.Sqrt(variance)
}

// checkSwitch demands that a result decrypts to what the operand did, mapped by
// the automorphism, within the bounds, and that batches and the two domains of
// the result agree to the bit. It gives the result in the NTT domain.
func (b *bench) checkSwitch(op *ckks.Op, ct, key *ckks.Value, galois uint64, from, to *ckks.Value, pattern string) *ckks.Value {
	b.t.Helper()
	out := b.compute(op.With(1), ct, key)[0]
	coefficient := b.compute(op.With(0), ct, key)[0]
	require.True(b.t, slices.Equal(out.Words, b.do(ckks.ToNTT, nil, nil, coefficient).Words), "%s: domains differ", op.Name)
	require.Equal(b.t, to.Key, out.Key)
	worst, likely := b.switchBounds(ct.Depth)
	bound := worst
	if pattern == "random" {
		bound = likely
	}
	modulus := b.crt(ct.First, ct.Rows)
	for m := range ct.BatchSize() {
		one := alone(out, m)
		if ct.BatchSize() > 1 {
			require.True(b.t, slices.Equal(one.Words, b.compute(op.With(1), alone(ct, m), key)[0].Words), "%s: member %d", op.Name, m)
		}
		before, after := b.phase(alone(ct, m), from), b.phase(one, to)
		for i := 0; i < ct.N; i += 17 {
			at := int(uint64(i) * galois % uint64(2*ct.N)) // coefficient i goes to place at, negated from N on
			want, got := modulus.at(before, i), modulus.at(after, at%ct.N)
			if at >= ct.N {
				want.Neg(want)
			}
			gap, _ := modulus.centred(got.Sub(got, want)).Float64()
			require.LessOrEqual(b.t, math.Abs(gap), bound, "%s at depth %d, %s, coefficient %d", op.Name, ct.Depth, pattern, i)
		}
	}
	return out
}

// Key switches keep the message, with one to four digits, whole and broken, at
// every depth and at the edges of the residues. Mutants: base nil in
// relinearize; max(0, …) left out; keys of the first digits at all depths.
func TestSwitches(t *testing.T) {
	for name, c := range arithmeticChains(t) {
		b := newBench(t, c)
		other := b.newSecret(2)
		g := embed.RotationGalois(c.LogN(), c.GaloisGenerator(), -3)
		relinearization := b.do(ckks.CreateRelinearization, nil, nil, b.secret)
		rotation := b.do(ckks.CreateRotation, []int64{-3}, nil, b.secret)
		conjugation := b.do(ckks.CreateConjugation, nil, nil, b.secret)
		key := b.do(ckks.CreateSwitch, nil, nil, b.secret, other)
		for depth := range c.MaxDepth() + 1 {
			for _, pattern := range []string{"alternating", "largest", "random"} {
				t.Log(name, depth, pattern)
				x := b.filled(b.whole(depth, ckks.Q, ckks.NTT, 3, 2), pattern, 1)
				b.checkSwitch(ckks.Relinearize, x, relinearization, 1, b.secret, b.secret, pattern)
				x = b.filled(b.whole(depth, ckks.Q, ckks.Coefficient, 2), pattern, 2)
				y := b.do(ckks.ToNTT, nil, nil, x)
				for _, s := range []struct {
					op     *ckks.Op
					key    *ckks.Value
					galois uint64
					to     *ckks.Value
				}{
					{ckks.Switch, key, 1, other},
					{ckks.Rotate, rotation, g, b.secret},
					{ckks.Conjugate, conjugation, embed.ConjugationGalois(c.LogN()), b.secret},
				} {
					first := b.checkSwitch(s.op, x, s.key, s.galois, b.secret, s.to, pattern)
					second := b.compute(s.op.With(1), y, s.key)[0]
					third := b.do(ckks.ToNTT, nil, nil, b.do(s.op, []int64{0}, nil, y, s.key))
					require.True(t, slices.Equal(first.Words, second.Words), "%s: the operand's domain changes the result", s.op.Name)
					require.True(t, slices.Equal(first.Words, third.Words), "%s: the domains change the result", s.op.Name)
				}
			}
		}
	}
}

// A rotation by r is torch.roll: slot j of the result is slot j-r. Conjugation
// conjugates. Both generators. Mutant: -key.Step in rotation.
func TestRotationsRoll(t *testing.T) {
	for _, generator := range []uint64{3, 5} {
		l := testConfig(t, 10).Literal()
		l.GaloisGenerator = generator
		c, err := ckks.New(l)
		require.NoError(t, err)
		b := newBench(t, c)
		n := c.Slots()
		z := randomSlots(n, 9)
		ct := b.do(ckks.Encrypt, []int64{0}, nil, b.encoded(message(z, n), ckks.Q, ckks.NTT), b.public)
		_, likely := b.switchBounds(0)
		tolerance := b.tolerance() + likely*math.Sqrt(float64(c.N()))/c.DefaultScale()
		for _, r := range []int{0, 1, -1, -3, n - 1, n / 2, -n / 2} {
			key := b.do(ckks.CreateRotation, []int64{int64(r)}, nil, b.secret)
			want := make([]complex128, n)
			for j := range want {
				want[j] = z[((j-r)%n+n)%n]
			}
			near(t, want, b.decoded(b.do(ckks.Rotate, []int64{1}, nil, ct, key), 0), tolerance)
		}
		want := make([]complex128, n)
		for j, x := range z {
			want[j] = complex(real(x), -imag(x))
		}
		key := b.do(ckks.CreateConjugation, nil, nil, b.secret)
		near(t, want, b.decoded(b.do(ckks.Conjugate, []int64{0}, nil, ct, key), 0), tolerance)
	}
}

// Rotations that share a decomposition are to the bit the single ones. Mutant:
// the first key for all results.
func TestRotateMany(t *testing.T) {
	b := newBench(t, testConfig(t, 10))
	var keys []*ckks.Value
	for _, step := range []int64{1, -7, 0, 1} {
		keys = append(keys, b.do(ckks.CreateRotation, []int64{step}, nil, b.secret))
	}
	for way := range 4 {
		domain, to := ckks.Domain(way&1), int64(way>>1)
		for depth := range b.config.MaxDepth() + 1 {
			ct := b.filled(b.whole(depth, ckks.Q, domain, 2, 2), "random", 4)
			many := b.compute(ckks.RotateMany.With(to), append([]*ckks.Value{ct}, keys...)...)
			require.Len(t, many, len(keys))
			for i, key := range keys {
				require.True(t, slices.Equal(b.do(ckks.Rotate, []int64{to}, nil, ct, key).Words, many[i].Words), fmt.Sprint(way, depth, i))
			}
		}
	}
}
