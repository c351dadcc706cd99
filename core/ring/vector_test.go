package ring

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// testModuli has the least and the largest odd moduli, powers of two plus and
// minus one, and primes of a few sizes.
func testModuli(t testing.TB) []*Modulus {
	t.Helper()
	var moduli []*Modulus
	for _, q := range []uint64{3, 5, 17, 127, 129, 257, 12289, 1<<18 - 5, 1<<30 - 35, 1<<40 + 15, 1<<49 - 1, 1<<49 + 1, 1<<50 - 27, 1<<50 - 1} {
		m, err := NewModulus(q, level)
		require.NoError(t, err)
		moduli = append(moduli, m)
	}
	return moduli
}

func bigOf(x uint64) *big.Int { return new(big.Int).SetUint64(x) }

// modulo is x modulo q by big integers.
func modulo(x *big.Int, q uint64) uint64 { return new(big.Int).Mod(x, bigOf(q)).Uint64() }

func times(a, b uint64) *big.Int { return new(big.Int).Mul(bigOf(a), bigOf(b)) }

// edges are residues at the borders of [0, q).
func edges(q uint64) []uint64 { return []uint64{0, 1, q / 2, q/2 + 1, q - 2, q - 1} }

func TestModulusRange(t *testing.T) {
	for _, q := range []uint64{0, 1, 2, 4, 1 << 49, 1 << 50, 1<<50 + 1, math.MaxUint64} {
		_, err := NewModulus(q, level)
		require.ErrorContains(t, err, "modulus-invalid: ", q)
	}
}

// Mutant: return a*b-h*q in product.
func TestScalars(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, m := range testModuli(t) {
		values := edges(m.Q)
		for range 20 {
			values = append(values, r.Uint64N(m.Q))
		}
		for _, a := range values {
			for _, b := range values {
				require.Equal(t, modulo(times(a, b), m.Q), m.Mulmod(a, b), "%d·%d mod %d", a, b, m.Q)
			}
			e := r.Uint64()
			require.Equal(t, new(big.Int).Exp(bigOf(a), bigOf(e), bigOf(m.Q)).Uint64(), m.Pow(a, e))
			if a != 0 && IsPrime(m.Q) {
				require.Equal(t, uint64(1), m.Mulmod(a, m.Inv(a)))
			}
		}
		require.Zero(t, m.Inv(0))
	}
}

// The remainders before their last subtraction stay within the proofs' bounds,
// for any words, and those of one word come near 2q.
func TestReductionBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, m := range testModuli(t) {
		words := append(edges(m.Q), math.MaxUint64, math.MaxUint64-m.Q, 1<<63, m.Q*(math.MaxUint64/m.Q)-1)
		for range 40 {
			words = append(words, r.Uint64())
		}
		seen := uint64(0)
		for _, x := range words {
			for _, w := range edges(m.Q) {
				y := mulLazy(x, m.twiddle(w), m.Q)
				seen = max(seen, y)
				require.Equal(t, modulo(times(x, w), m.Q), y%m.Q)
			}
			require.Equal(t, x%m.Q, reduceWord(x, m.Q, m.word))
			for _, hi := range words {
				v := new(big.Int).Add(new(big.Int).Lsh(bigOf(hi), 64), bigOf(x))
				require.Equal(t, modulo(v, m.Q), reduceDouble(hi, x, m.Q, m.word, m.carry))
			}
		}
		require.Less(t, seen, 2*m.Q)
		if m.Q > 1<<10 {
			require.Greater(t, seen, m.Q+m.Q/2)
		}
	}
}

// vectorCase is an operation and what one of its elements must be.
type vectorCase struct {
	run  func(m *Modulus, dst, a, b []uint64, s uint64)
	want func(d, a, b, s uint64) *big.Int
}

func vectorCases() map[string]vectorCase {
	sum := func(x, y *big.Int) *big.Int { return new(big.Int).Add(x, y) }
	return map[string]vectorCase{
		"add": {func(m *Modulus, dst, a, b []uint64, _ uint64) { m.Add(dst, a, b) },
			func(_, a, b, _ uint64) *big.Int { return sum(bigOf(a), bigOf(b)) }},
		"sub": {func(m *Modulus, dst, a, b []uint64, _ uint64) { m.Sub(dst, a, b) },
			func(_, a, b, _ uint64) *big.Int { return new(big.Int).Sub(bigOf(a), bigOf(b)) }},
		"addStreaming": {func(m *Modulus, dst, a, b []uint64, _ uint64) { m.AddStreaming(dst, a, b) },
			func(_, a, b, _ uint64) *big.Int { return sum(bigOf(a), bigOf(b)) }},
		"subStreaming": {func(m *Modulus, dst, a, b []uint64, _ uint64) { m.SubStreaming(dst, a, b) },
			func(_, a, b, _ uint64) *big.Int { return new(big.Int).Sub(bigOf(a), bigOf(b)) }},
		"neg": {func(m *Modulus, dst, a, _ []uint64, _ uint64) { m.Neg(dst, a) },
			func(_, a, _, _ uint64) *big.Int { return new(big.Int).Neg(bigOf(a)) }},
		"mul": {func(m *Modulus, dst, a, b []uint64, _ uint64) { m.Mul(dst, a, b) },
			func(_, a, b, _ uint64) *big.Int { return times(a, b) }},
		"mulScalar": {func(m *Modulus, dst, a, _ []uint64, s uint64) { m.MulScalar(dst, a, s) },
			func(_, a, _, s uint64) *big.Int { return times(a, s) }},
		"mulScalarAdd": {func(m *Modulus, dst, a, _ []uint64, s uint64) { m.MulScalarAdd(dst, a, s) },
			func(d, a, _, s uint64) *big.Int { return sum(bigOf(d), times(a, s)) }},
		"addScalar": {func(m *Modulus, dst, a, _ []uint64, s uint64) { m.AddScalar(dst, a, s) },
			func(_, a, _, s uint64) *big.Int { return sum(bigOf(a), bigOf(s)) }},
		"reduce": {func(m *Modulus, dst, a, _ []uint64, _ uint64) { m.Reduce(dst, a) },
			func(_, a, _, _ uint64) *big.Int { return bigOf(a) }},
		"dot": {func(m *Modulus, dst, a, b []uint64, _ uint64) { m.Dot(dst, Rows{a, b, a}, Rows{b, b, b}) },
			func(_, a, b, _ uint64) *big.Int { return sum(sum(times(a, b), times(b, b)), times(a, b)) }},
		"dotAdd": {func(m *Modulus, dst, a, b []uint64, _ uint64) { m.DotAdd(dst, Rows{b, b}, Rows{b, b}) },
			func(d, _, b, _ uint64) *big.Int { return sum(bigOf(d), sum(times(b, b), times(b, b))) }},
		"subMulScalar": {func(m *Modulus, dst, a, b []uint64, s uint64) { m.SubMulScalar(dst, a, b, s) },
			func(_, a, b, s uint64) *big.Int {
				return new(big.Int).Sub(times(a, s), times(b, s))
			}},
	}
}

// checkVector runs a case with dst apart, as a and as b.
func checkVector(t *testing.T, m *Modulus, c vectorCase, d, a, b []uint64, s uint64) {
	t.Helper()
	for alias := range 3 {
		a, b := append([]uint64{}, a...), append([]uint64{}, b...)
		dst := [][]uint64{append([]uint64{}, d...), a, b}[alias]
		want := make([]uint64, len(dst))
		for i := range want {
			want[i] = modulo(c.want(dst[i], a[i], b[i], s), m.Q)
		}
		c.run(m, dst, a, b, s)
		require.Equal(t, want, dst, "q=%d alias=%d", m.Q, alias)
	}
}

func TestVectorsAtEdges(t *testing.T) {
	for name, c := range vectorCases() {
		t.Run(name, func(t *testing.T) {
			for _, m := range testModuli(t) {
				var d, a, b []uint64
				for _, x := range edges(m.Q) {
					for _, y := range edges(m.Q) {
						d, a, b = append(d, m.Q-1), append(a, x%m.Q), append(b, y%m.Q)
					}
				}
				for _, s := range append(edges(m.Q), m.Q, math.MaxUint64) {
					checkVector(t, m, c, d, a, b, s)
				}
				checkVector(t, m, c, d[:0], a[:0], b[:0], 1)
			}
		})
	}
}

func TestVectorsOfAnyLength(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for name, c := range vectorCases() {
		t.Run(name, func(t *testing.T) {
			for _, m := range testModuli(t) {
				rows := make(Rows, 3)
				n := 1 + r.IntN(3*tileSize)
				for k := range rows {
					rows[k] = make([]uint64, n)
					for i := range rows[k] {
						rows[k][i] = r.Uint64N(m.Q)
					}
				}
				checkVector(t, m, c, rows[0], rows[1], rows[2], r.Uint64())
			}
		})
	}
}

// Many terms at the edge: the sums of 128 bits do carry.
func TestDotOfManyRows(t *testing.T) {
	for _, m := range testModuli(t) {
		for _, k := range []int{0, 1, 2, 5, 1000} {
			row := []uint64{m.Q - 1, m.Q / 2, 0}
			rows := slices.Repeat(Rows{row}, k)
			dst := []uint64{7, 7, 7}
			m.Dot(dst, rows, rows)
			for i, x := range row {
				require.Equal(t, modulo(new(big.Int).Mul(times(x, x), big.NewInt(int64(k))), m.Q), dst[i])
			}
		}
	}
}

func TestFromInt64(t *testing.T) {
	for _, m := range testModuli(t) {
		q := int64(m.Q)
		src := []int64{0, 1, -1, q, -q, q - 1, 1 - q, q + 1, math.MaxInt64, math.MinInt64, math.MinInt64 + 1}
		dst := make([]uint64, len(src))
		m.FromInt64(dst, src)
		for i, x := range src {
			require.Equal(t, modulo(big.NewInt(x), m.Q), dst[i], "%d mod %d", x, m.Q)
		}
	}
}

func FuzzVector(f *testing.F) {
	f.Add(uint64(1<<50-27), uint64(1), uint64(2), uint64(3), uint64(4))
	f.Add(uint64(3), uint64(1<<63), uint64(1<<62), uint64(5), uint64(1<<64-1))
	f.Fuzz(func(t *testing.T, q, d, a, b, s uint64) {
		m, err := NewModulus(q%(1<<MaxBits)|1, level)
		if err != nil {
			t.Skip()
		}
		for _, c := range vectorCases() {
			checkVector(t, m, c, []uint64{d % m.Q}, []uint64{a % m.Q}, []uint64{b % m.Q}, s)
		}
		x := make([]uint64, 1)
		m.FromInt64(x, []int64{int64(s)})
		require.Equal(t, modulo(big.NewInt(int64(s)), m.Q), x[0])
	})
}
