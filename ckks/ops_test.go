package ckks

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/core/refusal"
)

func testConfig(t testing.TB) *Config {
	c, err := PresetByName("slots4096-scale40-depth2-int64")
	require.NoError(t, err)
	return c
}

// fresh is a ciphertext as encryption gives it, in the NTT domain.
func fresh(c *Config) State {
	return State{Kind: Ciphertext, Scale: 0x1p40, Domain: NTT, Rows: c.NumQ(), Components: 2, N: c.N(), Params: c.Fingerprint(), Key: ID{1}}
}

func with(s State, change func(*State)) State {
	s = s.clone()
	change(&s)
	return s
}

func plain(c *Config) State {
	return with(fresh(c), func(s *State) { s.Kind, s.Components, s.Key = Plaintext, 1, ID{} })
}

func relinKey(c *Config) State {
	return State{Kind: Relinearization, Domain: NTT, Basis: QP, Rows: c.NumQ() + c.NumP(), Components: len(c.Digits()), N: c.N(),
		Params: c.Fingerprint(), Key: ID{1}, Source: ID{1}}
}

// mistakes 3–6 and 8: each operand position of each kind of operation refuses
// what does not match, by its code. Dropping any check of check.go fails one.
func TestRefusals(t *testing.T) {
	c := testConfig(t)
	x, key := fresh(c), relinKey(c)
	three := with(x, func(s *State) { s.Components = 3 })
	secret := State{Kind: SecretKey, Domain: NTT, Basis: QP, Rows: c.NumQ() + c.NumP(), Components: 1, N: c.N(), Params: c.Fingerprint(), Key: ID{1}}
	deep := with(x, func(s *State) { s.Depth, s.First, s.Rows = 2, c.GroupStart(2), c.ActiveRows(2, Q) })
	cases := []struct {
		name string
		code refusal.Code
		call Call
		in   []State
	}{
		{"scale 2^80 against 2^40", ScaleMismatch, Add.With().At(0), []State{with(x, func(s *State) { s.Scale = 0x1p80 }), x}},
		{"scale by one part in 2^20", ScaleMismatch, Add.With().At(0), []State{x, with(x, func(s *State) { s.Scale *= 1 + 0x1p-20 })}},
		{"depth", DepthMismatch, Subtract.With().At(0), []State{x, deep}},
		{"domain", DomainMismatch, Add.With().At(0), []State{x, with(x, func(s *State) { s.Domain = Coefficient })}},
		{"basis", BasisMismatch, Add.With().At(0), []State{x, with(x, func(s *State) { s.Basis, s.Rows = QP, s.Rows+c.NumP() })}},
		{"rows", RowsMismatch, Add.With().At(0), []State{x, with(x, func(s *State) { s.Rows-- })}},
		{"key", KeyMismatch, Add.With().At(0), []State{x, with(x, func(s *State) { s.Key = ID{2} })}},
		{"no key", KeyMismatch, Add.With().At(0), []State{with(x, func(s *State) { s.Key = ID{} }), with(x, func(s *State) { s.Key = ID{} })}},
		{"parameters, left", ParametersMismatch, Add.With().At(0), []State{with(x, func(s *State) { s.Params = ID{7} }), x}},
		{"parameters, right", ParametersMismatch, Add.With().At(0), []State{x, with(x, func(s *State) { s.Params = ID{7} })}},
		{"no parameters", ParametersMismatch, Negate.With(), []State{with(x, func(s *State) { s.Params = ID{} })}},
		{"plaintext of other parameters", ParametersMismatch, MultiplyPlaintext.With(), []State{x, with(plain(c), func(s *State) { s.Params = ID{7} })}},
		{"components", ComponentsMismatch, Add.With().At(0), []State{x, three}},
		{"batch", BatchMismatch, Add.With().At(0), []State{x, with(x, func(s *State) { s.Batch = []int{2} })}},
		{"empty batch", BatchMismatch, Negate.With(), []State{with(x, func(s *State) { s.Batch = []int{2, 0} })}},
		{"plaintext batch", BatchMismatch, MultiplyPlaintext.With(), []State{x, with(plain(c), func(s *State) { s.Batch = []int{2} })}},
		{"plaintext scale", ScaleMismatch, AddPlaintext.With().At(0), []State{x, with(plain(c), func(s *State) { s.Scale = 2 })}},
		{"kind", KindMismatch, Add.With().At(0), []State{x, plain(c)}},
		{"third member of a sum", KeyMismatch, Sum.With().At(0), []State{x, x, with(x, func(s *State) { s.Key = ID{3} })}},
		{"the one member of a sum", ParametersMismatch, Sum.With().At(0), []State{with(x, func(s *State) { s.Params = ID{3} })}},
		{"product in coefficients", DomainMismatch, Multiply.With(), []State{with(x, func(s *State) { s.Domain = Coefficient }), x}},
		{"product of a product", ComponentsMismatch, Multiply.With(), []State{three, x}},
		{"product at the last depth", LevelsExhausted, Multiply.With(), []State{deep, deep}},
		{"products until the modulus is full", LevelsExhausted, Multiply.With(), []State{with(x, func(s *State) { s.Scale = 0x1p80 }), with(x, func(s *State) { s.Scale = 0x1p80 })}},
		{"rescale at the last depth", LevelsExhausted, Rescale.With(0), []State{deep}},
		{"rescale a shard", NeedsAllRows, Rescale.With(0), []State{with(x, func(s *State) { s.Rows-- })}},
		{"relinearize two components", ComponentsMismatch, Relinearize.With(0), []State{x, key}},
		{"relinearize with another key", KeyMismatch, Relinearize.With(0), []State{three, with(key, func(s *State) { s.Source = ID{9} })}},
		{"rotate with a relinearization key", KindMismatch, Rotate.With(0), []State{x, key}},
		{"rotate a shard", NeedsAllRows, Rotate.With(0), []State{with(x, func(s *State) { s.First++; s.Rows-- }), with(key, func(s *State) { s.Kind = Rotation })}},
		{"decrypt with another key", KeyMismatch, Decrypt.With().At(0), []State{x, with(secret, func(s *State) { s.Key = ID{5} })}},
		{"decrypt a shard", NeedsAllRows, Decrypt.With().At(0), []State{with(x, func(s *State) { s.Rows-- }), secret}},
		{"up the chain", DepthInvalid, ModSwitch.With(0), []State{deep}},
		{"beyond the chain", LevelsExhausted, ModSwitch.With(3), []State{x}},
		{"transform twice", DomainMismatch, ToNTT.With(), []State{x}},
		{"scalar NaN", ArgumentInvalid, MultiplyScalar.With().At(math.NaN(), 1), []State{x}},
		{"scalar too large", EncodeOverflow, MultiplyScalar.With().At(1e40, 0x1p40), []State{x}},
		{"scalar scale", ScaleInvalid, MultiplyScalar.With().At(1, -1), []State{x}},
		{"scalar in the ntt domain", DomainMismatch, AddScalar.With().At(1, 0x1p40), []State{x}},
		{"reinterpretation", ScaleReinterpretation, Reinterpret.With().At(0x1p41, 0.5), []State{x}},
		{"scale of a value", ScaleInvalid, Negate.With(), []State{with(x, func(s *State) { s.Scale = math.Inf(1) })}},
		{"depth of a value", DepthInvalid, Negate.With(), []State{with(x, func(s *State) { s.Depth = 3 })}},
		{"primes of a value", RowsMismatch, Negate.With(), []State{with(x, func(s *State) { s.First = 1 })}},
		{"drop rows below the scale", LevelsExhausted, ModSwitch.With(2), []State{with(x, func(s *State) { s.Scale = 0x1p80 })}},
		{"key in coefficients", DomainMismatch, Relinearize.With(0), []State{three, with(key, func(s *State) { s.Domain = Coefficient })}},
		{"secret in coefficients", DomainMismatch, Decrypt.With().At(0), []State{x, with(secret, func(s *State) { s.Domain = Coefficient })}},
		{"seeded in coefficients", DomainMismatch, Expand.With(), []State{with(x, func(s *State) { s.Kind, s.Components, s.Domain = Seeded, 1, Coefficient })}},
		{"rotated products in basis QP", BasisMismatch, SumRotatedProducts.With(1, 1, 0), []State{
			with(x, func(s *State) { s.Domain, s.Basis, s.Rows = Coefficient, QP, s.Rows+c.NumP() }),
			with(plain(c), func(s *State) { s.Basis, s.Rows = QP, s.Rows+c.NumP() })}},
		{"rotated products of a shard", NeedsAllRows, SumRotatedProducts.With(1, 1, 0), []State{
			with(x, func(s *State) { s.Domain, s.Rows = Coefficient, s.Rows-1 }), with(plain(c), func(s *State) { s.Rows-- })}},
		{"groups whose terms wrap", ArgumentInvalid, SumPlaintextProducts.With(0x5555555555555555, 3), []State{x, plain(c)}},
		{"rotated groups whose terms wrap", ArgumentInvalid, SumRotatedProducts.With(0x5555555555555555, 3, -1), []State{x, plain(c)}},
		{"scale that vanishes", ScaleInvalid, MultiplyScalar.With().At(1, 0x1p-1074), []State{with(x, func(s *State) { s.Scale = 0x1p-10 })}},
		{"operands", ArgumentInvalid, Add.With().At(0), []State{x}},
		{"arguments", FrameInvalid, Add.With(), []State{x, x}},
	}
	for _, k := range cases {
		out, err := k.call.Plan(c, k.in)
		require.Equal(t, k.code, refusal.CodeOf(err), "%s: %v", k.name, err)
		require.Nil(t, out, k.name)
		require.ErrorContains(t, err, k.call.Name)
	}
}

// rows 002-48: shards and tolerances that do fit are accepted.
func TestAcceptances(t *testing.T) {
	c := testConfig(t)
	x := fresh(c)
	shard := with(x, func(s *State) { s.First, s.Rows = 1, 2 })
	off := with(x, func(s *State) { s.Scale *= 1 + 0x1p-20 })
	adopted := with(plain(c), func(s *State) { s.Params = ID{} })
	one := with(plain(c), func(s *State) { s.Batch = []int{1} })
	batch := with(x, func(s *State) { s.Batch = []int{3, 2} })
	for _, k := range []struct {
		call Call
		in   []State
	}{
		{Add.With().At(0), []State{shard, shard}},
		{Add.With().At(0x1p-19), []State{x, off}},
		{MultiplyPlaintext.With(), []State{x, adopted}},
		{MultiplyPlaintext.With(), []State{batch, one}},
		{ToCoefficient.With(), []State{shard}},
	} {
		out, err := k.call.Plan(c, k.in)
		require.NoError(t, err)
		require.Equal(t, ID(c.Fingerprint()), out[0].Params)
	}
}

// The states that products and rescales lead to, as the reference rules say.
func TestProductStates(t *testing.T) {
	c := testConfig(t)
	x := with(fresh(c), func(s *State) { s.Scale = 0x1.8p40 })
	out, err := Multiply.With().Plan(c, []State{x, x})
	require.NoError(t, err)
	require.Equal(t, 3, out[0].Components)
	require.Equal(t, x.Scale*x.Scale, out[0].Scale)
	out, err = Relinearize.With(int64(NTT)).Plan(c, []State{out[0], relinKey(c)})
	require.NoError(t, err)
	out, err = Rescale.With(0).Plan(c, out)
	require.NoError(t, err)
	divisor, err := c.RescaleDivisor(0)
	require.NoError(t, err)
	require.Equal(t, x.Scale*x.Scale/divisor, out[0].Scale)
	require.Equal(t, 1, out[0].Depth)
	require.Equal(t, c.GroupStart(1), out[0].First)
	require.Equal(t, c.NumQ(), out[0].First+out[0].Rows)
}

func TestNormalStep(t *testing.T) {
	const n = 4096
	for step, want := range map[int64]int{0: 0, 1: 1, -1: -1, 2047: 2047, 2048: -2048, -2048: -2048, n - 1: -1, n: 0, n + 1: 1, -n - 1: -1,
		math.MaxInt64: -1, math.MinInt64: 0} {
		require.Equal(t, want, NormalStep(step, n), "step %d", step)
	}
}

// A state survives its record; no record makes StateOf panic or gives a tensor
// whose size overflows.
func FuzzRecord(f *testing.F) {
	c := testConfig(f)
	for _, s := range []State{fresh(c), relinKey(c), with(plain(c), func(s *State) { s.Batch = []int{2, 3}; s.Dtype = Int64 })} {
		w := make([]int64, RecordWords)
		s.Record(w)
		back, err := StateOf(w)
		require.NoError(f, err)
		require.Equal(f, s, back)
		f.Add(0, w[0], 8, w[8], 24, w[24])
	}
	f.Add(8, int64(1)<<40, 9, int64(1)<<40, 7, int64(1)<<40)
	// 2·2 components, 4 rows, 2^20 words and 2^40 members are 0 in 64 bits.
	f.Add(13, int64(1), 24, int64(1)<<40, 9, int64(1)<<20)
	f.Add(13, int64(1), 24, int64(-1), 9, int64(1)<<16)
	f.Fuzz(func(t *testing.T, i int, a int64, j int, b int64, k int, d int64) {
		w := make([]int64, RecordWords)
		fresh(c).Record(w)
		for _, p := range [][2]int64{{int64(i), a}, {int64(j), b}, {int64(k), d}} {
			w[uint64(p[0])%RecordWords] = p[1]
		}
		s, err := StateOf(w)
		if err != nil {
			return
		}
		require.GreaterOrEqual(t, s.Elements(), 0)
		require.LessOrEqual(t, s.Elements(), maxElements)
		_ = c.Admit(s)
		_ = s.String()
	})
}
