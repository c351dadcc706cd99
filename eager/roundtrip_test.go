package eager

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/ckks"
	"fhelium/core/parallel"
	"fhelium/core/sample"
)

// tolerance is six deviations of the largest of N/2 slots of a fresh
// encryption, plus the rounding of its encoding.
func (b *bench) tolerance() float64 {
	return 6 * b.freshNoise() * math.Sqrt(float64(b.config.N())) / b.config.DefaultScale()
}

// Every way into and out of a ciphertext gives the message back: real and
// complex, all slots and few, batched, both bases, domains and keys. Mutant:
// leave out the addition of m in the coefficient domain.
func TestRoundTrips(t *testing.T) {
	b := newBench(t, testConfig(t, 10))
	slots := b.config.Slots()
	for _, c := range []struct {
		name  string
		n     int
		batch []int
	}{{"all", slots, nil}, {"one", 1, nil}, {"padded", 100, nil}, {"batch", slots, []int{2, 3}}} {
		for way := range 8 {
			basis, domain, out := ckks.Basis(way&1), ckks.Domain(way>>1&1), int64(way>>2)
			t.Run(fmt.Sprint(c.name, basis, domain, out), func(t *testing.T) {
				members := ckks.State{Batch: c.batch}.BatchSize()
				z := randomSlots(c.n*members, 7)
				pt := b.encoded(message(z, c.n, c.batch...), basis, domain)
				want := make([]complex128, slots*members)
				for m := range members {
					copy(want[m*slots:], z[m*c.n:(m+1)*c.n])
				}
				ct := b.do(ckks.Encrypt, []int64{out}, nil, pt, b.public)
				require.Equal(t, ckks.Domain(out), ct.Domain)
				near(t, want, b.decoded(ct, 0), b.tolerance())
				seeded := b.do(ckks.EncryptSecret, nil, nil, pt, b.secret)
				near(t, want, b.decoded(b.do(ckks.Expand, nil, nil, seeded), 0), b.tolerance())
			})
		}
	}
}

// A sparse packing repeats the message, and decodes to as many slots.
func TestSparseRoundTrip(t *testing.T) {
	b := newBench(t, testConfig(t, 10))
	for _, n := range []int{1, 2, 64, 256, 512} {
		z := randomSlots(n, 3)
		pt := b.do(ckks.EncodeRows, []int64{0, int64(n), 0, 1}, []float64{0x1p30}, message(z, n))
		ct := b.do(ckks.Encrypt, []int64{1}, nil, pt, b.public)
		near(t, z, b.decoded(ct, n), b.tolerance())
		for i, x := range b.decoded(ct, 0) {
			near(t, z[i%n:i%n+1], []complex128{x}, b.tolerance())
		}
	}
}

// A decryption at the last depth, of three components, and in either domain.
func TestDecryptForms(t *testing.T) {
	b := newBench(t, testConfig(t, 10))
	x, y := randomSlots(512, 1), randomSlots(512, 2)
	cx := b.do(ckks.Encrypt, []int64{1}, nil, b.encoded(message(x, 512), ckks.Q, ckks.NTT), b.public)
	cy := b.do(ckks.Encrypt, []int64{1}, nil, b.encoded(message(y, 512), ckks.Q, ckks.NTT), b.public)
	product := b.do(ckks.Multiply, nil, nil, cx, cy)
	want := make([]complex128, 512)
	for i := range want {
		want[i] = x[i] * y[i]
	}
	near(t, want, b.decoded(product, 0), 4*b.tolerance())
	near(t, want, b.decoded(b.do(ckks.ToCoefficient, nil, nil, product), 0), 4*b.tolerance())
	last := b.do(ckks.ModSwitch, []int64{2}, nil, cx)
	near(t, x, b.decoded(last, 0), b.tolerance())
}

// EncryptZero keeps the state of its pattern and decrypts to noise.
func TestEncryptZero(t *testing.T) {
	b := newBench(t, testConfig(t, 10))
	for _, domain := range []int64{0, 1} {
		ct := b.do(ckks.Encrypt, []int64{domain}, nil, b.encoded(message(randomSlots(1024, 5), 512, 2), ckks.Q, ckks.NTT), b.public)
		zero := b.do(ckks.EncryptZero, nil, nil, ct, b.public)
		require.Equal(t, ct.State, zero.State)
		require.NotEqual(t, ct.Words, zero.Words)
		near(t, make([]complex128, 1024), b.decoded(zero, 0), b.tolerance())
	}
}

// A batch encodes and decodes to what its members do one by one, to the bit,
// whatever the number of workers. So do keys and encryptions from equal seeds.
// Mutant: derive a mask from the seed alone.
func TestBatchesEqualLoops(t *testing.T) {
	c := testConfig(t, 10)
	serial, wide := newBench(t, c), newBench(t, c)
	wide.group = parallel.New(4)
	wide.Engine = NewInsecure(c, serial.tables.level, serial.seed)
	wide.secret = wide.newSecret(1)
	wide.public = wide.do(ckks.CreatePublic, []int64{1}, nil, wide.secret)
	require.Equal(t, serial.public, wide.public)
	z := randomSlots(5*512, 9)
	pt := serial.encoded(message(z, 512, 5), ckks.Q, ckks.NTT)
	require.Equal(t, pt, wide.encoded(message(z, 512, 5), ckks.Q, ckks.NTT))
	for m := range 5 {
		one := serial.encoded(message(z[m*512:(m+1)*512], 512), ckks.Q, ckks.NTT)
		require.Equal(t, one.Poly(0, 0), pt.Poly(0, m))
	}
	ct, same := serial.do(ckks.Encrypt, []int64{1}, nil, pt, serial.public), wide.do(ckks.Encrypt, []int64{1}, nil, pt, wide.public)
	require.Equal(t, ct, same)
	require.NotEqual(t, ct.Poly(1, 0), ct.Poly(1, 1), "members share their randomness")
	require.Equal(t, serial.decoded(ct, 0), wide.decoded(ct, 0))
	seeded := serial.do(ckks.EncryptSecret, nil, nil, pt, serial.secret)
	require.Equal(t, seeded, wide.do(ckks.EncryptSecret, nil, nil, pt, wide.secret))
	full := serial.do(ckks.Expand, nil, nil, seeded)
	require.Equal(t, full, wide.do(ckks.Expand, nil, nil, seeded))
	require.NotEqual(t, full.Poly(1, 0), full.Poly(1, 1), "members share their seed")
	require.Equal(t, serial.do(ckks.CreateConjugation, nil, nil, serial.secret), wide.do(ckks.CreateConjugation, nil, nil, wide.secret))
}

// Dropping rows of a seeded ciphertext drops those of its expansion. Mutant:
// derive rows from their place in place of their prime's id.
func TestSeededDropsRows(t *testing.T) {
	b := newBench(t, testConfig(t, 10))
	seeded := b.do(ckks.EncryptSecret, nil, nil, b.encoded(message(randomSlots(512, 1), 512), ckks.Q, ckks.NTT), b.secret)
	first := b.do(ckks.ModSwitch, []int64{1}, nil, b.do(ckks.Expand, nil, nil, seeded))
	copied := *seeded
	copied.Depth, copied.First, copied.Rows = 1, 1, 3
	copied.Words = seeded.Words[seeded.N:]
	require.Equal(t, first, b.do(ckks.Expand, nil, nil, &copied))
	q, one, two := b.config.Modulus(0), make([]uint64, 8), make([]uint64, 8)
	grow(one, sample.Seed{}, 0, 0, q)
	grow(two, sample.Seed{}, 0, 2, q)
	require.NotEqual(t, one, two)
}

// Engines of one seed agree, and engines of system entropy do not.
func TestSeeds(t *testing.T) {
	c := testConfig(t, 10)
	require.Equal(t, newBench(t, c).secret, newBench(t, c).secret)
	var secrets []*ckks.Value
	for range 2 {
		e, err := New(c, testLevel(t))
		require.NoError(t, err)
		b := &bench{Engine: e, t: t}
		secrets = append(secrets, b.newSecret(1))
	}
	require.NotEqual(t, secrets[0].Words, secrets[1].Words)
	b := newBench(t, c)
	require.NotEqual(t, b.newSecret(1).Words, b.newSecret(1).Words)
}

// A stopped group gives an error and no result.
func TestCancelled(t *testing.T) {
	b := newBench(t, testConfig(t, 10))
	pt := b.encoded(message(randomSlots(512, 1), 512), ckks.Q, ckks.NTT)
	ct := b.do(ckks.Encrypt, []int64{1}, nil, pt, b.public)
	b.group = parallel.New(2)
	b.group.Cancel()
	for _, call := range []struct {
		op     *ckks.Op
		ints   []int64
		floats []float64
		in     []*ckks.Value
	}{
		{ckks.Encrypt, []int64{1}, nil, []*ckks.Value{pt, b.public}},
		{ckks.EncryptSecret, nil, nil, []*ckks.Value{pt, b.secret}},
		{ckks.Decrypt, nil, []float64{0}, []*ckks.Value{ct, b.secret}},
		{ckks.Decrypt, nil, []float64{2}, []*ckks.Value{ct, b.secret}},
		{ckks.CreateSecret, []int64{1, 1, 1}, nil, nil},
		{ckks.CreateConjugation, nil, nil, []*ckks.Value{b.secret}},
	} {
		_, err := b.try(call.op, call.ints, call.floats, call.in...)
		requireCode(t, err, parallel.Cancelled)
	}
}

// 1,000 encryptions come from one engine, at the smallest degree. 100,000 take a
// quarter of a minute, and several under the race detector, and meet nothing
// else, because each draws streams of its own. Mutant: one source for all
// encryptions, of bounded length.
func TestManyEncryptions(t *testing.T) {
	b := newBench(t, testConfig(t, 10, []int{40}))
	pt := b.encoded(realMessage(0.5, -0.25, 1), ckks.Q, ckks.NTT)
	var ct *ckks.Value
	for range 1_000 {
		ct = b.do(ckks.Encrypt, []int64{1}, nil, pt, b.public)
	}
	near(t, []complex128{0.5, -0.25, 1, 0}, b.decoded(ct, 0)[:4], b.tolerance())
}

// Memory given back holds no secret. Mutant: put it back as it is.
func TestPoolForgets(t *testing.T) {
	var p pool[int64]
	s := p.take(8)
	copy(s, []int64{1, -1, 1, 1, -1, 1, -1, 1})
	p.give(s)
	require.Equal(t, make([]int64, 8), s)
}
