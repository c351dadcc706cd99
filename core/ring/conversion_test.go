package ring

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"fhelium/core/kernel"
	"fhelium/core/parallel"

	"github.com/stretchr/testify/require"
)

// testPrimes gives n moduli 1 modulo 2^13 below the power of two.
func testPrimes(t testing.TB, n int, below uint64) []*Modulus {
	t.Helper()
	moduli := make([]*Modulus, n)
	for i := range moduli {
		q, ok := NextPrime(below, 1<<13, -1)
		require.True(t, ok)
		m, err := NewModulus(q, level)
		require.NoError(t, err)
		moduli[i], below = m, q
	}
	return moduli
}

// basisPair is a basis to convert from and one to convert to.
type basisPair struct{ from, to []*Modulus }

func testBases(t testing.TB) map[string]basisPair {
	large, small := testPrimes(t, 70, 1<<50), testPrimes(t, 12, 1<<30)
	tiny, err := NewModulus(3, level)
	require.NoError(t, err)
	return map[string]basisPair{
		"1 to 5":      {large[:1], large[1:6]},
		"2 to 3":      {large[:2], slices.Concat(small[:2], large[2:3])},
		"4 to 12":     {large[:4], slices.Concat(large[4:10], small[:6])},
		"small to 3":  {small, large[:3]},
		"tiny":        {[]*Modulus{tiny, small[0]}, large[:2]},
		"from tiny":   {[]*Modulus{tiny}, large[:2]},
		"60 to 2":     {large[:60], large[60:62]},
		"mixed sizes": {[]*Modulus{large[0], small[0], large[1]}, []*Modulus{tiny, large[2]}},
	}
}

func productOf(basis []*Modulus) *big.Int {
	f := big.NewInt(1)
	for _, m := range basis {
		f.Mul(f, bigOf(m.Q))
	}
	return f
}

// residues are the rows of integers in a basis.
func residues(basis []*Modulus, values []*big.Int) Rows {
	rows := make(Rows, len(basis))
	for i, m := range basis {
		for _, v := range values {
			rows[i] = append(rows[i], modulo(v, m.Q))
		}
	}
	return rows
}

// borderValues are integers in [0, F): the borders of both representatives and
// their neighbours, near and far, and random ones, over more than one tile.
func borderValues(f *big.Int) []*big.Int {
	r := rand.New(rand.NewPCG(7, 8))
	half := new(big.Int).Rsh(f, 1)
	var values []*big.Int
	for _, centre := range []*big.Int{big.NewInt(0), half} {
		for shift := range uint(f.BitLen()) {
			if shift > 4 && shift < uint(f.BitLen())-60 && shift%41 != 0 {
				continue
			}
			for _, sign := range []int64{-1, 0, 1, 2} {
				d := new(big.Int).Mul(big.NewInt(sign), new(big.Int).Lsh(big.NewInt(1), shift))
				values = append(values, d.Add(d, centre).Mod(d, f))
			}
		}
	}
	for range 2*tileSize + 1 + (kernel.Step-(len(values)+1)%kernel.Step)%kernel.Step {
		x := new(big.Int)
		for range f.BitLen()/64 + 1 {
			x.Lsh(x, 64).Or(x, bigOf(r.Uint64()))
		}
		values = append(values, x.Mod(x, f))
	}
	return values
}

// centred moves values in [0, F) to [-(F-1)/2, (F-1)/2].
func centred(values []*big.Int, f *big.Int) []*big.Int {
	half := new(big.Int).Rsh(f, 1)
	out := make([]*big.Int, len(values))
	for i, v := range values {
		out[i] = v
		if v.Cmp(half) > 0 {
			out[i] = new(big.Int).Sub(v, f)
		}
	}
	return out
}

func emptyRows(k, n int) Rows {
	rows := make(Rows, k)
	for i := range rows {
		rows[i] = make([]uint64, n)
	}
	return rows
}

// padded fills up with zeros to a length that kernels take.
func padded(values []*big.Int) []*big.Int {
	for len(values)%kernel.Step != 0 {
		values = append(values, new(big.Int))
	}
	return values
}

// worksOf are words in working form.
func worksOf(basis []*Modulus, rows Rows) []Work {
	out := make([]Work, len(rows))
	for i, m := range basis {
		out[i] = Work{make([]uint64, len(rows[i]))}
		m.Read(out[i], rows[i])
	}
	return out
}

func wordsOfWorks(basis []*Modulus, rows []Work) Rows {
	out := emptyRows(len(rows), len(rows[0].memory))
	for i, m := range basis {
		m.Write(out[i], rows[i])
	}
	return out
}

// converted is what a conversion gives, which is the same from both forms.
func converted(t *testing.T, c *Conversion, g *parallel.Group, src Rows, floor bool) Rows {
	t.Helper()
	dst := NewWorks(emptyRows(len(c.to), len(src[0])))
	c.Apply(g, dst, Source{Words: src}, floor)
	words := wordsOfWorks(c.to, dst)
	c.Apply(g, dst, Source{Work: worksOf(c.from, src)}, floor)
	require.Equal(t, words, wordsOfWorks(c.to, dst))
	return words
}

// Exact at and around the borders of both representatives, for one worker and
// four. Mutants: digits not brought into their range; half of F rounded up.
func TestConversionIsExact(t *testing.T) {
	for name, b := range testBases(t) {
		t.Run(name, func(t *testing.T) {
			c, err := NewConversion(b.from, b.to)
			require.NoError(t, err)
			f := productOf(b.from)
			values := borderValues(f)
			src := residues(b.from, values)
			for _, g := range []*parallel.Group{nil, parallel.New(1), parallel.New(4)} {
				require.Equal(t, residues(b.to, values), converted(t, c, g, src, true), "floor")
				require.Equal(t, residues(b.to, centred(values, f)), converted(t, c, g, src, false), "centred")
			}
		})
	}
}

// Digits give the number that they stand for, and lie in their ranges. Mutant: the
// lift of a digit less one prime.
func TestDigits(t *testing.T) {
	for name, b := range testBases(t) {
		c, err := NewConversion(b.from, b.to)
		require.NoError(t, err)
		f := productOf(b.from)
		values := borderValues(f)
		values = values[len(values)-tileSize:]
		for _, floor := range []bool{false, true} {
			d := c.Cut(nil, make([]uint64, tileSize*c.Stride()), Source{Words: residues(b.from, values)}, floor)
			want := values
			if !floor {
				want = centred(values, f)
			}
			for j := range values {
				sum, product := new(big.Int), big.NewInt(1)
				for i, m := range b.from {
					digit := int64(d.memory[i*tileSize+j])
					most, least := int64(m.Q-1), int64(0)
					if c.fast != nil {
						digit = int64(asFloats(d.memory)[i*tileSize+j])
						if !floor {
							most, least = int64(m.Q/2), -int64(m.Q/2)
						}
					}
					require.True(t, least <= digit && digit <= most, "%s: digit %d is %d", name, i, digit)
					sum.Add(sum, new(big.Int).Mul(product, big.NewInt(digit)))
					product.Mul(product, bigOf(m.Q))
				}
				if c.fast == nil && !floor {
					sum.Sub(sum, new(big.Int).Rsh(f, 1))
				}
				require.Zero(t, sum.Cmp(want[j]), name)
			}
		}
	}
}

// A row of dst may be a row of src.
func TestConversionInPlace(t *testing.T) {
	primes := testPrimes(t, 3, 1<<50)
	c, err := NewConversion(primes[:2], primes[1:])
	require.NoError(t, err)
	f := productOf(primes[:2])
	values := borderValues(f)
	rows := append(residues(primes[:2], values), make([]uint64, len(values)))
	works := worksOf(primes, rows)
	c.Apply(parallel.New(4), works[:2], Source{Work: works[:2]}, false)
	require.Equal(t, residues(primes[1:], centred(values, f)), wordsOfWorks(primes[1:], works[:2]))
}

func TestConversionRefusals(t *testing.T) {
	primes := testPrimes(t, 2, 1<<50)
	for _, from := range [][]*Modulus{nil, {primes[0], primes[1], primes[0]}} {
		_, err := NewConversion(from, primes)
		require.ErrorContains(t, err, "basis-invalid: ")
		_, err = NewDivision(from, primes)
		require.ErrorContains(t, err, "basis-invalid: ")
	}
	_, err := NewDivision(primes[:1], primes)
	require.ErrorContains(t, err, "basis-invalid: ")
}

func FuzzConversion(f *testing.F) {
	f.Add([]byte{}, uint8(1))
	f.Add([]byte{1, 2, 3, 255, 255, 255, 255, 255, 255, 255}, uint8(4))
	f.Fuzz(func(t *testing.T, number []byte, size uint8) {
		primes := testPrimes(t, 8, 1<<50)
		k := 1 + int(size)%6
		c, err := NewConversion(primes[:k], primes[k:])
		require.NoError(t, err)
		product := productOf(primes[:k])
		x := new(big.Int).SetBytes(number)
		values := padded([]*big.Int{x.Mod(x, product)})
		src := residues(primes[:k], values)
		require.Equal(t, residues(primes[k:], values), converted(t, c, nil, src, true), fmt.Sprint(x))
		require.Equal(t, residues(primes[k:], centred(values, product)), converted(t, c, nil, src, false), fmt.Sprint(x))
	})
}
