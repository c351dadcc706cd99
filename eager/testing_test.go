package eager

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/ckks"
	"fhelium/core/kernel"
	"fhelium/core/parallel"
	"fhelium/core/refusal"
	"fhelium/core/ring"
	"fhelium/core/sample"
)

// testConfig is a small insecure chain: three depths of 40, 40 and 2·30 bits,
// and special primes of 2·45, so that digits hold one and two primes.
func testConfig(t testing.TB, logN int, groups ...[]int) *ckks.Config {
	if groups == nil {
		groups = [][]int{{40}, {40}, {30, 30}}
	}
	below := map[int]uint64{}
	prime := func(size int) uint64 {
		q, seen := below[size]
		if !seen {
			q = 1 << size
		}
		p, ok := ring.NextPrime(q, 2<<logN, -1)
		require.True(t, ok)
		below[size] = p
		return p
	}
	l := ckks.DefaultLiteral()
	l.LogN, l.EnforceSecurityBudget = logN, false
	for _, group := range groups {
		var primes []uint64
		bits := 0
		for _, size := range group {
			primes, bits = append(primes, prime(size)), bits+size
		}
		l.DefaultScale = math.Exp2(float64(min(30, bits-8)))
		l.QDepthGroups = append(l.QDepthGroups, primes)
	}
	l.PModuli = []uint64{prime(45), prime(45)}
	c, err := ckks.New(l)
	require.NoError(t, err)
	return c
}

// bench is an engine with a secret and a public key over QP.
type bench struct {
	*Engine
	t              testing.TB
	group          *parallel.Group
	secret, public *ckks.Value
}

// testLevel is the level of the kernels under test.
func testLevel(t testing.TB) kernel.Level {
	level, err := kernel.Named("auto")
	require.NoError(t, err)
	return level
}

func newBench(t testing.TB, c *ckks.Config) *bench {
	return newBenchAt(t, c, testLevel(t))
}

func newBenchAt(t testing.TB, c *ckks.Config, level kernel.Level) *bench {
	b := &bench{Engine: NewInsecure(c, level, sample.Seed{1}), t: t}
	b.secret = b.newSecret(1)
	b.public = b.do(ckks.CreatePublic, []int64{int64(ckks.QP)}, nil, b.secret)
	return b
}

func (b *bench) newSecret(id int64) *ckks.Value {
	return b.do(ckks.CreateSecret, []int64{int64(ckks.QP), id, id}, nil)
}

func (b *bench) do(op *ckks.Op, ints []int64, floats []float64, in ...*ckks.Value) *ckks.Value {
	b.t.Helper()
	out, err := b.try(op, ints, floats, in...)
	require.NoError(b.t, err)
	return out
}

// try computes into memory that is full of other numbers, as a caller's may be.
func (b *bench) try(op *ckks.Op, ints []int64, floats []float64, in ...*ckks.Value) (*ckks.Value, error) {
	call, states := ckks.Call{Op: op, Ints: ints, Floats: floats}, make([]ckks.State, len(in))
	for i, v := range in {
		states[i] = v.State
	}
	planned, err := call.Plan(b.config, states)
	if err != nil {
		return nil, err
	}
	out := make([]*ckks.Value, len(planned))
	for i, s := range planned {
		out[i] = ckks.NewValue(s)
		spoil(out[i])
	}
	if err := b.Run(b.group, call, out, in); err != nil || len(out) == 0 {
		return nil, err
	}
	return out[0], nil
}

// spoil fills a value's memory with what no result may keep.
func spoil(v *ckks.Value) {
	for _, words := range [][]uint64{v.Words, v.Implicit} {
		for i := range words {
			words[i] = math.MaxUint64
		}
	}
	for i := range v.Floats {
		v.Floats[i] = math.NaN()
	}
	for i := range v.Slots {
		v.Slots[i] = complex(math.NaN(), math.NaN())
	}
}

// message makes a complex message; its last axis has n values.
func message(slots []complex128, n int, batch ...int) *ckks.Value {
	v := ckks.NewValue(ckks.State{Kind: ckks.Message, Dtype: ckks.Complex128, N: n, Components: 1, Batch: batch})
	copy(v.Slots, slots)
	return v
}

// realMessage makes a message of one real vector.
func realMessage(x ...float64) *ckks.Value {
	v := ckks.NewValue(ckks.State{Kind: ckks.Message, Dtype: ckks.Float64, N: len(x), Components: 1})
	copy(v.Floats, x)
	return v
}

func randomSlots(n int, seed uint64) []complex128 {
	r := rand.New(rand.NewPCG(seed, 0))
	z := make([]complex128, n)
	for i := range z {
		z[i] = complex(2*r.Float64()-1, 2*r.Float64()-1)
	}
	return z
}

// encoded gives the plaintext of a message at the default scale and depth 0.
func (b *bench) encoded(m *ckks.Value, basis ckks.Basis, domain ckks.Domain) *ckks.Value {
	return b.do(ckks.EncodeRows, []int64{0, 0, int64(basis), int64(domain)}, []float64{b.config.DefaultScale()}, m)
}

// decoded decrypts and decodes to n slots, 0 for all.
func (b *bench) decoded(ct *ckks.Value, n int) []complex128 {
	b.t.Helper()
	return b.do(ckks.Decode, []int64{int64(n)}, nil, b.do(ckks.Decrypt, nil, []float64{0}, ct, b.secret)).Slots
}

// near demands that two messages agree in every slot.
func near(t testing.TB, want, got []complex128, tolerance float64) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		d := got[i] - want[i]
		if !(math.Hypot(real(d), imag(d)) <= tolerance) {
			require.Failf(t, "slots differ", "slot %d: want %v, got %v, tolerance %g", i, want[i], got[i], tolerance)
		}
	}
}

// integersOf rebuilds the centred integer coefficients of NTT rows by the
// Chinese remainder theorem over big integers.
func (b *bench) integersOf(rows ring.Rows, first int) []*big.Int {
	primes := b.tables.primes(span{first, first + len(rows)})
	product := big.NewInt(1)
	for _, p := range primes {
		product.Mul(product, new(big.Int).SetUint64(p.Q))
	}
	out := make([]*big.Int, b.config.N())
	for k := range out {
		out[k] = new(big.Int)
	}
	for r, p := range primes {
		row := append([]uint64(nil), rows[r]...)
		p.Inverse(row)
		q := new(big.Int).SetUint64(p.Q)
		rest := new(big.Int).Quo(product, q)
		unit := new(big.Int).Mul(rest, new(big.Int).ModInverse(rest, q))
		for k, x := range row {
			out[k].Add(out[k], new(big.Int).Mul(unit, new(big.Int).SetUint64(x)))
		}
	}
	half := new(big.Int).Rsh(product, 1)
	for _, x := range out {
		if x.Mod(x, product).Cmp(half) > 0 {
			x.Sub(x, product)
		}
	}
	return out
}

// small demands that integers stay below a bound.
func small(t testing.TB, x []*big.Int, bound int64) {
	t.Helper()
	for k := range x {
		if x[k].CmpAbs(big.NewInt(bound)) > 0 {
			require.Failf(t, "too large", "coefficient %d is %v, above %d", k, x[k], bound)
		}
	}
}

// requireCode demands a refusal with a code and gives its text.
func requireCode(t testing.TB, err error, code refusal.Code) string {
	t.Helper()
	require.Error(t, err)
	require.Equal(t, code, refusal.CodeOf(err), err.Error())
	return err.Error()
}
