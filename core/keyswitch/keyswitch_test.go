package keyswitch

import (
	"fmt"
	"hash/maphash"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/core/kernel"
	"fhelium/core/parallel"
	"fhelium/core/ring"
)

const testLogN = kernel.MinLogN

// chain is a set of primes cut into digits, at one depth.
type chain struct {
	tables []*ring.Table
	active int
	digits [][2]int
	*Switcher
}

// chains are one to four digits of one to three primes, with whole and broken
// first digits, and primes of different sizes.
func chains(t testing.TB) map[string]chain {
	t.Helper()
	out := map[string]chain{}
	for name, c := range map[string]struct {
		active  int
		special int
		digits  [][2]int
	}{
		"one digit of one":        {1, 1, [][2]int{{0, 1}}},
		"one digit of three":      {3, 3, [][2]int{{0, 3}}},
		"two digits, one broken":  {3, 2, [][2]int{{0, 1}, {1, 3}}},
		"four digits, one broken": {7, 2, [][2]int{{0, 1}, {1, 3}, {3, 5}, {5, 7}}},
		"four digits of one":      {4, 1, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}}},
	} {
		out[name] = newChain(t, c.active, c.special, c.digits)
	}
	return out
}

func newChain(t testing.TB, active, special int, digits [][2]int) chain {
	t.Helper()
	var tables []*ring.Table
	small, large := uint64(1<<40), uint64(1<<50)
	for i := range active + special {
		below := &small
		if i >= active {
			below = &large
		}
		q, ok := ring.NextPrime(*below, 2<<testLogN, -1)
		require.True(t, ok)
		*below = q
		table, err := ring.NewTable(testLogN, q, level)
		require.NoError(t, err)
		tables = append(tables, table)
	}
	s, err := New(tables, active, digits)
	require.NoError(t, err)
	return chain{tables, active, digits, s}
}

// product of the primes of rows start to before end.
func (c chain) product(start, end int) *big.Int {
	p := big.NewInt(1)
	for _, t := range c.tables[start:end] {
		p.Mul(p, new(big.Int).SetUint64(t.Q))
	}
	return p
}

// rebuild is the centred integer with the given residues in column j.
func (c chain) rebuild(rows ring.Rows, start, end, j int) *big.Int {
	whole, x := c.product(start, end), new(big.Int)
	for r := start; r < end; r++ {
		q := new(big.Int).SetUint64(c.tables[r].Q)
		cofactor := new(big.Int).Div(whole, q)
		y := new(big.Int).SetUint64(rows[r-start][j])
		y.Mul(y, new(big.Int).ModInverse(cofactor, q)).Mod(y, q)
		x.Add(x, y.Mul(y, cofactor))
	}
	return centre(x, whole)
}

func centre(x, q *big.Int) *big.Int {
	x = new(big.Int).Mod(x, q)
	if new(big.Int).Lsh(x, 1).Cmp(q) > 0 {
		x.Sub(x, q)
	}
	return x
}

// inputs are polynomials at the edges of the range, and random.
func (c chain) inputs() map[string]ring.Rows {
	r := rand.New(rand.NewPCG(1, 2))
	out := map[string]ring.Rows{}
	for name, f := range map[string]func(q uint64, j int) uint64{
		"zero":        func(uint64, int) uint64 { return 0 },
		"largest":     func(q uint64, _ int) uint64 { return q - 1 },
		"half":        func(q uint64, _ int) uint64 { return q / 2 },
		"alternating": func(q uint64, j int) uint64 { return uint64(j&1) * (q - 1) },
		"random":      func(q uint64, _ int) uint64 { return r.Uint64N(q) },
	} {
		rows := make(ring.Rows, c.active)
		for i := range rows {
			rows[i] = make([]uint64, 1<<testLogN)
			for j := range rows[i] {
				rows[i][j] = f(c.tables[i].Q, j)
			}
		}
		out[name] = rows
	}
	return out
}

// small is a polynomial of coefficients in -bound … bound, and its NTT rows.
func (c chain) small(r *rand.Rand, bound int64) ([]int64, ring.Rows) {
	x := make([]int64, 1<<testLogN)
	for j := range x {
		x[j] = r.Int64N(2*bound+1) - bound
	}
	rows := make(ring.Rows, len(c.tables))
	for i, t := range c.tables {
		rows[i] = make([]uint64, len(x))
		t.FromInt64(rows[i], x)
		t.Forward(rows[i])
	}
	return x, rows
}

// key makes a key from secret to secret by the definition, all in NTT rows.
func (c chain) key(r *rand.Rand, from, to ring.Rows, errorBound int64) Key {
	var key Key
	for _, d := range c.digits {
		_, errors := c.small(r, errorBound)
		var pair [2]ring.Rows
		for i, t := range c.tables {
			k0, k1 := errors[i], make([]uint64, 1<<testLogN)
			for j := range k1 {
				k1[j] = r.Uint64N(t.Q)
				k0[j] = (k0[j] + t.Q - t.Mulmod(k1[j], to[i][j])) % t.Q
				if i >= d[0] && i < d[1] {
					p := new(big.Int).Mod(c.product(c.active, len(c.tables)), new(big.Int).SetUint64(t.Q)).Uint64()
					k0[j] = (k0[j] + t.Mulmod(p, from[i][j])) % t.Q
				}
			}
			pair[0], pair[1] = append(pair[0], k0), append(pair[1], k1)
		}
		key = append(key, pair)
	}
	return key
}

// works are words in working form, of the first rows.
func (c chain) works(rows ring.Rows) []ring.Work {
	memory := make(ring.Rows, len(rows))
	for i := range rows {
		memory[i] = make([]uint64, len(rows[i]))
	}
	out := ring.NewWorks(memory)
	for i := range rows {
		c.tables[i].Read(out[i], rows[i])
	}
	return out
}

func (c chain) words(rows []ring.Work) ring.Rows {
	out := make(ring.Rows, len(rows))
	for i := range rows {
		out[i] = make([]uint64, 1<<testLogN)
		c.tables[i].Write(out[i], rows[i])
	}
	return out
}

func (c chain) transformed(rows ring.Rows, forward bool) ring.Rows {
	out := make(ring.Rows, len(rows))
	for i := range rows {
		out[i] = slices.Clone(rows[i])
		if forward {
			c.tables[i].Forward(out[i])
		} else {
			c.tables[i].Inverse(out[i])
		}
	}
	return out
}

// digit is all rows of one digit.
func (d *Decomposition) digit(k int) []ring.Work {
	out := make([]ring.Work, len(d.tables))
	for r := range out {
		memory := make(ring.Rows, len(d.cuts))
		for i := range memory {
			memory[i] = make([]uint64, d.n())
		}
		out[r] = d.row(r, ring.NewWorks(memory))[k]
	}
	return out
}

// Every digit is the representative nearest to 0 of the input modulo the
// digit's primes, over all rows, so that the sum of digits times gadget is the
// input. Both input domains agree. Mutant: the others' rows in a wrong order.
func TestDigitsAreExact(t *testing.T) {
	for name, c := range chains(t) {
		for edge, x := range c.inputs() {
			for _, ntt := range []bool{false, true} {
				source := x
				if ntt {
					source = c.transformed(x, true)
				}
				before := digest(source)
				d := c.Decompose(parallel.New(2), source, ntt, true)
				require.Equal(t, before, digest(source))
				for k, span := range c.digits {
					rows := c.transformed(c.words(d.digit(k)), false)
					for j := range x[0] {
						want := c.rebuild(x[span[0]:span[1]], span[0], span[1], j)
						for i, table := range c.tables {
							residue := new(big.Int).Mod(want, new(big.Int).SetUint64(table.Q)).Uint64()
							require.Equal(t, residue, rows[i][j], "%s, %s, digit %d, row %d, coefficient %d", name, edge, k, i, j)
						}
					}
				}
				d.Free()
			}
		}
	}
}

// The product of digits and key is the sum of its terms at every word, also
// where all words are the largest. Mutant: only the first digits in Dot.
func TestInnerProduct(t *testing.T) {
	for name, c := range chains(t) {
		x := c.inputs()["largest"]
		d := c.Decompose(nil, x, false, false)
		key := make(Key, len(c.digits))
		for k := range key {
			for half := range 2 {
				for _, table := range c.tables {
					key[k][half] = append(key[k][half], slices.Repeat([]uint64{table.Q - 1 - uint64(half+k)}, 1<<testLogN))
				}
			}
		}
		p := d.InnerProduct(parallel.New(2), key)
		digits := make([]ring.Rows, len(key))
		for k := range key {
			digits[k] = c.words(d.digit(k))
		}
		for half := range 2 {
			got := c.words(p.Half[half])
			for r, table := range c.tables {
				for j := range got[r] {
					want := uint64(0)
					for k := range key {
						want = (want + table.Mulmod(digits[k][r][j], key[k][half][r][j])) % table.Q
					}
					require.Equal(t, want, got[r][j], "%s, half %d, row %d", name, half, r)
				}
			}
		}
		p.Free()
		d.Free()
	}
}

// Divide is the integer division of what Lift and InnerProduct leave, to the
// nearest, in both domains. Lift adds exactly. Mutant: Lift by P+1.
func TestDivideToNearest(t *testing.T) {
	for name, c := range chains(t) {
		r := rand.New(rand.NewPCG(3, 4))
		special := c.product(c.active, len(c.tables))
		sum := make(ring.Rows, len(c.tables)) // coefficients
		for i, table := range c.tables {
			sum[i] = make([]uint64, 1<<testLogN)
			for j := range sum[i] {
				sum[i][j] = []uint64{0, table.Q - 1, table.Q / 2, r.Uint64N(table.Q)}[j&3]
			}
		}
		x := c.inputs()["random"]
		for _, ntt := range []bool{false, true} {
			for _, lift := range []bool{false, true} {
				work, out, add := c.works(c.transformed(sum, true)), c.inputs()["zero"], c.transformed(x, true)
				if lift {
					c.Lift(nil, work, add)
					add = nil
				} else if !ntt {
					add = x
				}
				c.Divide(parallel.New(2), out, work, add, nil, ntt)
				if ntt {
					out = c.transformed(out, false)
				}
				for j := range sum[0] {
					value := c.rebuild(sum, 0, len(c.tables), j)
					rest := centre(value, special)
					want := new(big.Int).Div(new(big.Int).Sub(value, rest), special)
					want.Add(want, c.rebuild(x, 0, c.active, j))
					got := c.rebuild(out, 0, c.active, j)
					require.Equal(t, centre(want, c.product(0, c.active)), got, "%s, coefficient %d", name, j)
				}
			}
		}
	}
}

// With an automorphism Divide gives the image of what it gives without, in both
// domains. Mutant: fours without their turns.
func TestDivideImage(t *testing.T) {
	for name, c := range chains(t) {
		r := rand.New(rand.NewPCG(3, 5))
		sum := make(ring.Rows, len(c.tables))
		for i, table := range c.tables {
			for range 1 << testLogN {
				sum[i] = append(sum[i], r.Uint64N(table.Q))
			}
		}
		for _, galois := range []uint64{1, 3, 5, 2<<testLogN - 1, 2<<testLogN - 5} {
			sigma, err := ring.NewAutomorphism(testLogN, galois)
			require.NoError(t, err)
			for _, ntt := range []bool{false, true} {
				for _, add := range []ring.Rows{nil, c.inputs()["random"]} {
					plain, out, want := c.inputs()["zero"], c.inputs()["zero"], c.inputs()["zero"]
					c.Divide(nil, plain, c.works(sum), add, nil, ntt)
					c.Divide(parallel.New(2), out, c.works(sum), add, sigma, ntt)
					for i, row := range plain {
						if ntt {
							sigma.NTT(c.tables[i].Modulus, want[i], row)
						} else {
							sigma.Coefficient(c.tables[i].Modulus, want[i], row)
						}
					}
					require.Equal(t, want, out, "%s, %d, ntt %v", name, galois, ntt)
				}
			}
		}
	}
}

// negacyclic is x·s in integers.
func negacyclic(x []*big.Int, s []int64) []*big.Int {
	n := len(x)
	out := make([]*big.Int, n)
	for j := range out {
		out[j] = new(big.Int)
	}
	for i, a := range x {
		for j, b := range s {
			term := new(big.Int).Mul(a, big.NewInt(b))
			if i+j >= n {
				term.Neg(term)
			}
			out[(i+j)%n].Add(out[(i+j)%n], term)
		}
	}
	return out
}

// y0 + y1·t differs from x·s by no more than the package comment says, for all
// input edges. Mutant: the key's gadget without P.
func TestErrorBound(t *testing.T) {
	const largestError = 20
	for name, c := range chains(t) {
		r := rand.New(rand.NewPCG(5, 6))
		s, from := c.small(r, 1)
		secret, to := c.small(r, 1)
		key := c.key(r, from, to, largestError)
		bound := c.bound(secret, largestError)
		whole := c.product(0, c.active)
		for edge, x := range c.inputs() {
			d := c.Decompose(nil, x, false, false)
			p := d.InnerProduct(nil, key)
			var y [2][]*big.Int
			for half := range 2 {
				quotient := c.inputs()["zero"]
				c.Divide(nil, quotient, p.Half[half], nil, nil, false)
				for j := range x[0] {
					y[half] = append(y[half], c.rebuild(quotient, 0, c.active, j))
				}
			}
			var integers []*big.Int
			for j := range x[0] {
				integers = append(integers, c.rebuild(x, 0, c.active, j))
			}
			want, second := negacyclic(integers, s), negacyclic(y[1], secret)
			for j := range want {
				got := new(big.Int).Add(y[0][j], second[j])
				gap := centre(got.Sub(got, want[j]), whole)
				require.LessOrEqual(t, new(big.Int).Lsh(gap.Abs(gap), 1).Cmp(bound), 0, "%s, %s: twice %v above %v", name, edge, gap, bound)
			}
			p.Free()
			d.Free()
		}
	}
}

// bound is twice the error of the package comment, rounded up.
func (c chain) bound(secret []int64, largestError int64) *big.Int {
	special := c.product(c.active, len(c.tables))
	sum := big.NewInt(0)
	for _, d := range c.digits {
		sum.Add(sum, c.product(d[0], d[1]))
	}
	sum.Mul(sum, big.NewInt(largestError<<testLogN)).Div(sum, special)
	norm := int64(2)
	for _, x := range secret {
		norm += max(x, -x)
	}
	return sum.Add(sum, big.NewInt(norm))
}

// Worker counts, reused memory and keeping the rows change no bit. Mutant: add to dst in Dot.
func TestWorkersAgree(t *testing.T) {
	for name, c := range chains(t) {
		r := rand.New(rand.NewPCG(7, 8))
		_, s := c.small(r, 1)
		key := c.key(r, s, s, 20)
		var first uint64
		for i, g := range []*parallel.Group{nil, parallel.New(1), parallel.New(3), parallel.New(3)} {
			many := i%2 == 1
			d := c.Decompose(g, c.inputs()["random"], true, many)
			p := d.InnerProduct(g, key)
			sum := digest(c.words(p.Half[0])) ^ digest(c.words(p.Half[1]))
			if g == nil {
				first = sum
			}
			require.Equal(t, first, sum, name)
			p.Free()
			d.Free()
		}
	}
}

// A cancelled group computes nothing more and hangs nowhere.
func TestCancelled(t *testing.T) {
	c := chains(t)["four digits of one"]
	g := parallel.New(2)
	g.Cancel()
	x := c.inputs()["random"]
	d := c.Decompose(g, x, true, false)
	key := make(Key, len(c.digits))
	p := d.InnerProduct(g, key)
	out := c.inputs()["zero"]
	c.Divide(g, out, p.Half[0], nil, nil, true)
	p.Free()
	d.Free()
	require.Equal(t, digest(c.inputs()["zero"]), digest(out))
	require.Error(t, g.Err())
}

var seed = maphash.MakeSeed()

func digest(rows ring.Rows) uint64 { return maphash.String(seed, fmt.Sprint(rows)) }
