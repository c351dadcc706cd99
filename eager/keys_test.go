package eager

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/ckks"
	"fhelium/core/embed"
	"fhelium/core/ring"
	"fhelium/core/sample"
)

// A secret is the same ternary polynomial modulo every prime, with about N/3 of
// each value: a deviation of more than 6 standard ones, 0.47·√N, has
// probability below 2^-27 for each of three counts. Mutant: sample again for
// each prime.
func TestSecretIsTernary(t *testing.T) {
	b := newBench(t, testConfig(t, 12))
	counts := map[int64]int{}
	for _, x := range b.integersOf(b.secret.Poly(0, 0), 0) {
		require.True(t, x.IsInt64())
		counts[x.Int64()]++
	}
	require.Len(t, counts, 3)
	for x := int64(-1); x <= 1; x++ {
		require.InDelta(t, 4096.0/3, counts[x], 6*0.4714*64)
	}
	q := b.do(ckks.CreateSecret, []int64{int64(ckks.Q), 5, 6}, nil)
	require.Equal(t, 4, q.Rows)
	small(t, b.integersOf(q.Poly(0, 0), 0), 1)
}

// k0 + k1·s is an error below the sampler's tail, and k1 is not small. Mutants:
// the sign of k1·s; one stream for all primes.
func TestPublicKeyRelation(t *testing.T) {
	b := newBench(t, testConfig(t, 10))
	for basis, secret := range map[ckks.Basis]*ckks.Value{
		ckks.Q: b.do(ckks.CreateSecret, []int64{int64(ckks.Q), 2, 2}, nil), ckks.QP: b.secret,
	} {
		key := b.do(ckks.CreatePublic, []int64{int64(basis)}, nil, secret)
		require.Equal(t, b.config.ActiveRows(0, basis), key.Rows)
		k0, k1, s := key.Poly(0, 0), key.Poly(1, 0), secret.Poly(0, 0)
		for r, p := range b.tables.primes(spanOf(key.State)) {
			p.DotAdd(k0[r], ring.Rows{k1[r]}, ring.Rows{s[r]})
		}
		e := b.integersOf(k0, 0)
		small(t, e, int64(sample.TailBound))
		require.NotZero(t, nonzero(e))
		require.Greater(t, b.integersOf(k1, 0)[0].BitLen(), 60)
		// Both primes are just below 2^40, so that one stream would give equal words.
		require.NotEqual(t, k1[0][:8], k1[1][:8], "primes share a stream")
	}
}

func nonzero(x []*big.Int) (n int) {
	for _, v := range x {
		n += v.CmpAbs(big.NewInt(0))
	}
	return n
}

// switchKeyErrors gives k0 + k1·to - P·g_d·from of every digit, with P·g_d made
// from its definition by the Chinese remainder theorem over big integers.
func (b *bench) switchKeyErrors(key *ckks.Value, from, to ring.Rows) [][]*big.Int {
	c := b.config
	primes := b.tables.primes(span{0, c.NumQ() + c.NumP()})
	var out [][]*big.Int
	for d, digit := range c.Digits() {
		gadget := b.gadget(digit)
		rows := key.Poly(2*d, 0)
		for r, p := range primes {
			p.DotAdd(rows[r], ring.Rows{key.Poly(2*d+1, 0)[r]}, ring.Rows{to[r]})
			minus := new(big.Int).Neg(gadget)
			p.MulScalarAdd(rows[r], from[r], minus.Mod(minus, new(big.Int).SetUint64(p.Q)).Uint64())
		}
		out = append(out, b.integersOf(rows, 0))
	}
	return out
}

// gadget is P·(Q/D)·((Q/D)^-1 modulo D), D the product of the digit's primes.
func (b *bench) gadget(digit [2]int) *big.Int {
	c := b.config
	product := func(first, end int) *big.Int {
		x := big.NewInt(1)
		for id := first; id < end; id++ {
			x.Mul(x, new(big.Int).SetUint64(c.Modulus(id)))
		}
		return x
	}
	d := product(digit[0], digit[1])
	rest := new(big.Int).Quo(product(0, c.NumQ()), d)
	g := new(big.Int).ModInverse(rest, d)
	return g.Mul(g.Mul(g, rest), product(c.NumQ(), c.NumQ()+c.NumP()))
}

// Every digit of every kind of key holds the secret that it must, up to a
// sampled error of its own. Mutants: g_d for the wrong digit; σ for σ⁻¹; one
// error, or one uniform half, for all digits.
func TestSwitchKeyRelation(t *testing.T) {
	c := testConfig(t, 10)
	b := newBench(t, c)
	require.Greater(t, len(c.Digits()), 1)
	other, s := b.newSecret(2), b.secret.Poly(0, 0)
	image := func(f func(m *ring.Modulus, dst, src []uint64)) ring.Rows {
		out, _ := takeRows(len(s), c.N())
		for r, p := range b.tables.primes(span{0, len(s)}) {
			f(p.Modulus, out[r], s[r])
		}
		return out
	}
	// σ⁻¹ is σ to the power of its order less one; the order divides N/2.
	inverse := func(g uint64) ring.Rows {
		power := uint64(1)
		for range c.N()/2 - 1 {
			power = power * g % uint64(2*c.N())
		}
		a, err := ring.NewAutomorphism(c.LogN(), power)
		require.NoError(t, err)
		return image(a.NTT)
	}
	square := image(func(m *ring.Modulus, dst, src []uint64) { m.Mul(dst, src, src) })
	step := embed.RotationGalois(c.LogN(), c.GaloisGenerator(), 3)
	for name, x := range map[string]struct {
		key      *ckks.Value
		from, to ring.Rows
	}{
		"switch":          {b.do(ckks.CreateSwitch, nil, nil, b.secret, other), s, other.Poly(0, 0)},
		"relinearization": {b.do(ckks.CreateRelinearization, nil, nil, b.secret), square, s},
		"rotation":        {b.do(ckks.CreateRotation, []int64{3}, nil, b.secret), s, inverse(step)},
		"conjugation":     {b.do(ckks.CreateConjugation, nil, nil, b.secret), s, inverse(uint64(2*c.N() - 1))},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, b.secret.Key, x.key.Source)
			require.NotEqual(t, x.key.Poly(1, 0)[0], x.key.Poly(3, 0)[0], "digits share a stream")
			require.NotEqual(t, x.key.Poly(1, 0)[0][:8], x.key.Poly(1, 0)[1][:8], "primes share a stream")
			seen := map[string]bool{}
			for _, e := range b.switchKeyErrors(x.key, x.from, x.to) {
				small(t, e, int64(sample.TailBound))
				require.NotZero(t, nonzero(e))
				text := ""
				for _, v := range e[:64] {
					text += v.String() + " "
				}
				require.False(t, seen[text], "digits share an error")
				seen[text] = true
			}
		})
	}
}

// The three polynomials of a mask are independent, as are those of two members.
// Mutant: one stream for both errors.
func TestMasksDiffer(t *testing.T) {
	b := newBench(t, testConfig(t, 10))
	one, two := b.newJobMask(0), b.newJobMask(1)
	require.NotEqual(t, one.e0, one.e1)
	require.NotEqual(t, one.v, two.v)
	require.NotEqual(t, one.e0, two.e0)
	require.NotEqual(t, one.e1, two.e1)
	for i, v := range one.v {
		require.LessOrEqual(t, v*v, int64(1), "index %d", i)
	}
}

func (b *bench) newJobMask(member int) mask {
	return (&Job{Engine: b.Engine}).newMask(sample.Seed{3}, member, nil)
}

// g·(1/g) is 1 for every odd g at the largest ring. Mutant: 2 steps.
func TestInverseGalois(t *testing.T) {
	for g := uint64(1); g < 1<<18; g += 2 {
		if g*inverseGalois(g, 17)&(1<<18-1) != 1 {
			require.Failf(t, "no inverse", "of %d", g)
		}
	}
}

// Keys that do not hold all the rows that an operation needs are refused.
// Mutant: leave out the check in allRows.
func TestPartialSecret(t *testing.T) {
	b := newBench(t, testConfig(t, 10))
	part := *b.secret
	part.First, part.Rows, part.Words = 1, b.secret.Rows-1, b.secret.Words[1024:]
	for op, ints := range map[*ckks.Op][]int64{ckks.CreateRelinearization: nil, ckks.CreateConjugation: nil, ckks.CreateRotation: {1}} {
		_, err := b.try(op, ints, nil, &part)
		requireCode(t, err, ckks.NeedsAllRows)
	}
	_, err := b.try(ckks.CreateSwitch, nil, nil, b.secret, &part)
	requireCode(t, err, ckks.NeedsAllRows)
}

// A key over Q serves plaintexts over Q at every depth, and none over QP. Mutant:
// name a row of component 1 by its place when encrypting, by its id when growing.
func TestKeysCoverDepths(t *testing.T) {
	b := newBench(t, testConfig(t, 10))
	secret := b.do(ckks.CreateSecret, []int64{int64(ckks.Q), 8, 8}, nil)
	public := b.do(ckks.CreatePublic, []int64{int64(ckks.Q)}, nil, secret)
	z := randomSlots(512, 6)
	for depth := range int64(3) {
		pt := b.do(ckks.EncodeRows, []int64{depth, 0, 0, 1}, []float64{0x1p30}, message(z, 512))
		ct := b.do(ckks.Encrypt, []int64{1}, nil, pt, public)
		got := b.do(ckks.Decode, []int64{0}, nil, b.do(ckks.Decrypt, nil, []float64{0}, ct, secret))
		near(t, z, got.Slots, b.tolerance())
		ct = b.do(ckks.Expand, nil, nil, b.do(ckks.EncryptSecret, nil, nil, pt, secret))
		got = b.do(ckks.Decode, []int64{0}, nil, b.do(ckks.Decrypt, nil, []float64{0}, ct, secret))
		near(t, z, got.Slots, b.tolerance())
	}
	pt := b.encoded(message(z, 512), ckks.QP, ckks.NTT)
	_, err := b.try(ckks.Encrypt, []int64{1}, nil, pt, public)
	requireCode(t, err, ckks.BasisMismatch)
}
