package eager

import (
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/ckks"
	"fhelium/core/parallel"
)

// arithmeticChains are chains of one to four key-switching digits, with depth
// groups of one and two primes, that cut digits at many places.
func arithmeticChains(t testing.TB) map[string]*ckks.Config {
	return map[string]*ckks.Config{
		"one digit, one depth":  testConfig(t, 10, []int{40, 40}),
		"two digits":            testConfig(t, 10, []int{40}, []int{40}, []int{30, 30}),
		"three digits, a group": testConfig(t, 10, []int{30, 30}, []int{45}, []int{44, 30}),
		"four digits, groups":   testConfig(t, 10, []int{48, 20}, []int{49}, []int{47, 46}),
	}
}

// patterns fill rows at the edges of [0, q), and at random.
var patterns = map[string]func(r *rand.Rand, q uint64, i int) uint64{
	"zero":        func(*rand.Rand, uint64, int) uint64 { return 0 },
	"largest":     func(_ *rand.Rand, q uint64, _ int) uint64 { return q - 1 },
	"half":        func(_ *rand.Rand, q uint64, _ int) uint64 { return q / 2 },
	"alternating": func(_ *rand.Rand, q uint64, i int) uint64 { return uint64(i&1) * (q - 1) },
	"random":      func(r *rand.Rand, q uint64, _ int) uint64 { return r.Uint64N(q) },
}

// filled makes a value of any state with rows of a pattern.
func (b *bench) filled(s ckks.State, pattern string, seed uint64) *ckks.Value {
	s.N, s.Params = b.config.N(), b.config.Fingerprint()
	if s.Kind == ckks.Ciphertext {
		s.Key = b.secret.Key
	}
	v := ckks.NewValue(s)
	r := rand.New(rand.NewPCG(seed, 1))
	for p := range v.Polynomials() {
		for m := range v.BatchSize() {
			for k := range v.Rows {
				q := b.config.Modulus(v.First + k)
				x := row(v, p, m, k)
				for i := range x {
					x[i] = patterns[pattern](r, q, i)
				}
			}
		}
	}
	for i := range v.Implicit {
		v.Implicit[i] = r.Uint64N(b.config.Modulus(v.First + i%v.Rows))
	}
	return v
}

// whole is the state of a ciphertext with all rows of a depth.
func (b *bench) whole(depth int, basis ckks.Basis, domain ckks.Domain, components int, batch ...int) ckks.State {
	return ckks.State{Kind: ckks.Ciphertext, Depth: depth, Scale: 0x1p20, Domain: domain, Basis: basis, Components: components,
		First: b.config.GroupStart(depth), Rows: b.config.ActiveRows(depth, basis), Batch: batch}
}

// plain is the state of a plaintext that fits a ciphertext.
func plain(s ckks.State, batch ...int) ckks.State {
	s.Kind, s.Components, s.Batch = ckks.Plaintext, 1, batch
	return s
}

// copied gives copies of operands, to compare with them later.
func copied(values []*ckks.Value) []ckks.Value {
	out := make([]ckks.Value, len(values))
	for i, v := range values {
		out[i] = *v
		out[i].Words, out[i].Implicit = slices.Clone(v.Words), slices.Clone(v.Implicit)
	}
	return out
}

// compute runs a call with one and with three workers, which agree to the bit
// and leave the operands alone, and checks that the results are canonical.
func (b *bench) compute(a ckks.Call, in ...*ckks.Value) []*ckks.Value {
	b.t.Helper()
	a.AllowTransparent = true
	before := copied(in)
	one, err := b.Do(nil, a, in...)
	require.NoError(b.t, err)
	three, err := b.Do(parallel.New(3), a, in...)
	require.NoError(b.t, err)
	for i, v := range in {
		require.True(b.t, slices.Equal(before[i].Words, v.Words) && slices.Equal(before[i].Implicit, v.Implicit), "%s changes an operand", a.Name)
	}
	for i, v := range one {
		require.True(b.t, slices.Equal(v.Words, three[i].Words), "%s depends on the workers", a.Name)
		require.NoError(b.t, b.canonical(v), a.Name)
	}
	return one
}

func (b *bench) canonical(v *ckks.Value) error {
	for p := range v.Polynomials() {
		for m := range v.BatchSize() {
			for r := range v.Rows {
				if top := slices.Max(row(v, p, m, r)); top >= b.config.Modulus(v.First+r) {
					return fmt.Errorf("polynomial %d, member %d, row %d holds %d", p, m, r, top)
				}
			}
		}
	}
	return nil
}

// equalRows demands that every residue of v is what the function gives for its
// prime q, component p, member m, row r and place i.
func equalRows(t testing.TB, v *ckks.Value, b *bench, want func(q uint64, p, m, r, i int) uint64) {
	t.Helper()
	for p := range v.Polynomials() {
		for m := range v.BatchSize() {
			for r := range v.Rows {
				q := b.config.Modulus(v.First + r)
				for i, x := range row(v, p, m, r) {
					if x != want(q, p, m, r, i) {
						require.Equal(t, want(q, p, m, r, i), x, "component %d, member %d, row %d, place %d, modulus %d", p, m, r, i, q)
					}
				}
			}
		}
	}
}

// times is a·b modulo q by the machine's division.
func times(a, b, q uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	_, rest := bits.Div64(hi%q, lo, q)
	return rest
}

// alone is batch member m as an unbatched value. A value that is broadcast is
// given as it is.
func alone(v *ckks.Value, m int) *ckks.Value {
	if v.BatchSize() == 1 {
		return v
	}
	s := v.State
	s.Batch = nil
	out := ckks.NewValue(s)
	for p := range v.Polynomials() {
		for r := range v.Rows {
			copy(row(out, p, 0, r), row(v, p, m, r))
		}
	}
	if v.Kind == ckks.Compressed && len(v.Implicit) > 0 {
		copy(out.Implicit, v.Implicit[m*v.Rows:])
	}
	return out
}

// shard is count rows of v from row first on.
func shard(v *ckks.Value, first, count int) *ckks.Value {
	s := v.State
	s.First, s.Rows = s.First+first, count
	out := ckks.NewValue(s)
	for p := range v.Polynomials() {
		for m := range v.BatchSize() {
			for r := range count {
				copy(row(out, p, m, r), row(v, p, m, first+r))
				if len(out.Implicit) > 0 {
					out.Implicit[m*count+r] = v.Implicit[m*v.Rows+first+r]
				}
			}
		}
	}
	return out
}

// each applies a change to every operand.
func each(in []*ckks.Value, f func(v *ckks.Value) *ckks.Value) []*ckks.Value {
	out := make([]*ckks.Value, len(in))
	for i, v := range in {
		out[i] = f(v)
	}
	return out
}

// rowLocal is compute for row-local operations: it also demands that members of
// a batch, and shards of two rows, are to the bit what the whole holds.
func (b *bench) rowLocal(a ckks.Call, in ...*ckks.Value) *ckks.Value {
	b.t.Helper()
	out := b.compute(a, in...)[0]
	for m := range out.BatchSize() {
		one := b.compute(a, each(in, func(v *ckks.Value) *ckks.Value { return alone(v, m) })...)[0]
		require.True(b.t, slices.Equal(alone(out, m).Words, one.Words), "%s, member %d", a.Name, m)
	}
	if out.Rows > 2 {
		part := b.compute(a, each(in, func(v *ckks.Value) *ckks.Value { return shard(v, out.Rows-2, 2) })...)[0]
		require.True(b.t, slices.Equal(shard(out, out.Rows-2, 2).Words, part.Words), "%s, shard", a.Name)
	}
	return out
}

// crt gives the integers modulo the product of consecutive primes, in [0, Q),
// of residues read place by place.
type crt struct {
	product *big.Int
	units   []*big.Int
}

func (b *bench) crt(first, rows int) crt {
	c := crt{product: big.NewInt(1)}
	for r := range rows {
		c.product.Mul(c.product, new(big.Int).SetUint64(b.config.Modulus(first+r)))
	}
	for r := range rows {
		q := new(big.Int).SetUint64(b.config.Modulus(first + r))
		rest := new(big.Int).Div(c.product, q)
		c.units = append(c.units, rest.Mul(rest, new(big.Int).ModInverse(rest, q)))
	}
	return c
}

func (c crt) at(rows [][]uint64, i int) *big.Int {
	x := new(big.Int)
	for r := range rows {
		x.Add(x, new(big.Int).Mul(c.units[r], new(big.Int).SetUint64(rows[r][i])))
	}
	return x.Mod(x, c.product)
}

// centred is the representative nearest to 0.
func (c crt) centred(x *big.Int) *big.Int {
	x = new(big.Int).Mod(x, c.product)
	if new(big.Int).Lsh(x, 1).Cmp(c.product) > 0 {
		x.Sub(x, c.product)
	}
	return x
}
