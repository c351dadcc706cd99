package eager

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/ckks"
)

// errorsOf gives the coefficients of the decryption of encryptions of zero.
func (b *bench) zeroNoise(encrypt func(pt *ckks.Value) *ckks.Value, batch int, share float64) []float64 {
	pt := b.encoded(message(make([]complex128, batch), 1, batch), ckks.Q, ckks.NTT)
	return b.do(ckks.Decrypt, nil, []float64{share}, encrypt(pt), b.secret).Floats
}

// deviation is the root mean square, and its relative standard error where the
// samples are independent and normal is 1/√(2n).
func deviation(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return math.Sqrt(sum / float64(len(x)))
}

// The noise of a fresh encryption is the estimate's under a key without the special
// primes, and that of rounding under a key with them. Per ciphertext v·e and e1·s
// share e and s, whose sizes vary the noise of all members together by about
// 1/√(2N)·√5 = 3.5 % at most; 15 % is more than 4 of that, so that a false alarm
// has probability below 2^-14, and the seed is fixed. Mutants: leave out e1; round
// down.
func TestFreshNoise(t *testing.T) {
	b := newBench(t, testConfig(t, 11))
	for basis, want := range map[ckks.Basis]float64{ckks.Q: b.freshNoise(), ckks.QP: math.Sqrt((1 + 2.0/3*2048) / 12)} {
		key := b.do(ckks.CreatePublic, []int64{int64(basis)}, nil, b.secret)
		public := b.zeroNoise(func(pt *ckks.Value) *ckks.Value {
			return b.do(ckks.Encrypt, []int64{1}, nil, pt, key)
		}, 16, 0)
		require.InEpsilon(t, want, deviation(public), 0.15, "basis %v", basis)
	}
	secret := b.zeroNoise(func(pt *ckks.Value) *ckks.Value {
		return b.do(ckks.Expand, nil, nil, b.do(ckks.EncryptSecret, nil, nil, pt, b.secret))
	}, 16, 0)
	require.InEpsilon(t, b.config.Sigma(), deviation(secret), 0.03) // 32768 samples: 7 standard errors
	require.NotEqual(t, secret[:2048], secret[2048:4096], "members share their error")
}

// Any other sigma than the standard one is used as it is. Mutant: always 3.19.
func TestOtherSigma(t *testing.T) {
	l := testConfig(t, 10).Literal()
	l.Sigma = 40
	c, err := ckks.New(l)
	require.NoError(t, err)
	b := newBench(t, c)
	secret := b.zeroNoise(func(pt *ckks.Value) *ckks.Value {
		return b.do(ckks.Expand, nil, nil, b.do(ckks.EncryptSecret, nil, nil, pt, b.secret))
	}, 8, 0)
	require.InEpsilon(t, 40, deviation(secret), 0.06) // 8192 samples: 7 standard errors
}

// At N = 2^13 and scale 2^40, results shared at 20 bits are within 2^-20 of the
// message, differ between two encryptions and between two decryptions, and
// carry noise of the documented size: over 8192 coefficients its relative
// standard error is 0.8 %, and 5 % is 6 of that, so that a false alarm has
// probability below 2^-28. Mutants: a tail of 3; flood after rounding to
// float64; no noise at all.
func TestSharingAt20Bits(t *testing.T) {
	b := newBench(t, testConfig(t, 13, []int{40}, []int{40}, []int{30, 30}))
	x := make([]float64, 1024)
	for i := range x {
		x[i] = float64(i-512) / 1024
	}
	pt := b.do(ckks.EncodeRows, []int64{0, 0, 0, 1}, []float64{0x1p40}, realMessage(x...))
	share := func(ct *ckks.Value) (coefficients []float64, slots []complex128) {
		shared := b.do(ckks.Decrypt, nil, []float64{20}, ct, b.secret)
		return shared.Floats, b.do(ckks.Decode, []int64{0}, nil, shared).Slots
	}
	one, two := b.do(ckks.Encrypt, []int64{1}, nil, pt, b.public), b.do(ckks.Encrypt, []int64{0}, nil, pt, b.public)
	for _, ct := range []*ckks.Value{one, two} {
		_, slots := share(ct)
		for i, z := range slots {
			want := 0.0
			if i < len(x) {
				want = x[i]
			}
			require.LessOrEqual(t, math.Hypot(real(z)-want, imag(z)), 0x1p-20)
		}
	}
	private := b.do(ckks.Decrypt, nil, []float64{0}, one, b.secret).Floats
	first, _ := share(one)
	second, _ := share(one)
	require.NotEqual(t, first, second)
	for i := range first {
		first[i] -= private[i]
	}
	sigma := 0x1p40 * 0x1p-20 / (6.5 * math.Sqrt(8192))
	require.InEpsilon(t, sigma, deviation(first), 0.05)
	text := requireCode(t, errorOf(b.try(ckks.Decrypt, nil, []float64{30}, one, b.secret)), ckks.ArgumentInvalid)
	require.Contains(t, text, "at most 21.4 bits")
}

func errorOf(_ *ckks.Value, err error) error { return err }

// Noise that is wider than 2^53 reaches the low bits in the ring, so that they
// show nothing where message and noise cancel. Mutant: the high part alone.
func TestWideFloodHasLowBits(t *testing.T) {
	b := newBench(t, testConfig(t, 10, []int{49}, []int{49, 48}))
	ct := ckks.NewValue(ckks.State{Kind: ckks.Ciphertext, Scale: 0x1p80, Rows: 3, N: 1024, Components: 2})
	f, err := (&Job{Engine: b.Engine, In: []*ckks.Value{ct}, Call: ckks.Call{Floats: []float64{3}}}).newFlood(ct, 3)
	require.NoError(t, err)
	rows, dst := ct.Poly(0, 0), make([]float64, 1024)
	require.NoError(t, f.share(nil, 0, rows, b.tables.rebuilder(span{0, 3}), dst))
	for r, p := range b.tables.primes(span{0, 3}) {
		p.Forward(rows[r])
	}
	odd := 0
	for k, x := range b.integersOf(rows, 0) {
		nearest, _ := x.Float64()
		require.Equal(t, nearest, dst[k])
		odd += int(x.Bit(0))
	}
	require.InDelta(t, 512, odd, 6*16) // 6 standard deviations: below 2^-28
}

// Noise that would pass half the modulus together with the message, or what can
// be drawn, is refused. Mutant: leave out either check.
func TestFloodLimits(t *testing.T) {
	b := newBench(t, testConfig(t, 10, []int{49}, []int{49, 48}))
	encrypt := func(x, scale float64) *ckks.Value {
		pt := b.do(ckks.EncodeRows, []int64{0, 0, 0, 1}, []float64{scale}, constant(b.config, x))
		return b.do(ckks.Encrypt, []int64{1}, nil, pt, b.public)
	}
	near(t, []complex128{1}, b.do(ckks.Decode, []int64{1}, nil, b.do(ckks.Decrypt, nil, []float64{10}, encrypt(1, 0x1p80), b.secret)).Slots, 0x1p-10)
	_, err := b.try(ckks.Decrypt, nil, []float64{1}, encrypt(1, 0x1p80), b.secret)
	require.Contains(t, requireCode(t, err, ckks.ArgumentInvalid), "at least 2.3 bits")
	full := encrypt(0x1p65, 0x1p79) // 2^144 of the 2^145 below half the modulus
	b.do(ckks.Decrypt, nil, []float64{2}, full, b.secret)

	small := newBench(t, testConfig(t, 10, []int{40}))
	pt := small.do(ckks.EncodeRows, []int64{0, 0, 0, 1}, []float64{0x1p36}, constant(small.config, 7.99999))
	near8 := small.do(ckks.Encrypt, []int64{1}, nil, pt, small.public)
	small.do(ckks.Decrypt, nil, []float64{0}, near8, small.secret)
	_, err = small.try(ckks.Decrypt, nil, []float64{2}, near8, small.secret)
	requireCode(t, err, ckks.DecryptOverflow)
}

// A result that carries no secret is refused unless allowed. Mutant: compare
// component 0.
func TestTransparentExpansion(t *testing.T) {
	b := newBench(t, testConfig(t, 10))
	ct := b.do(ckks.Encrypt, []int64{1}, nil, b.encoded(message(randomSlots(1024, 1), 512, 2), ckks.Q, ckks.NTT), b.public)
	for _, row := range ct.Poly(1, 1) {
		clear(row)
	}
	call := ckks.Call{Op: ckks.ToCoefficient}
	_, err := b.Do(nil, call, ct)
	require.Contains(t, requireCode(t, err, ckks.Transparent), "batch member 1")
	call.AllowTransparent = true
	_, err = b.Do(nil, call, ct)
	require.NoError(t, err)
}
