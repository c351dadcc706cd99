package ring

import (
	"math/big"
	"slices"
	"testing"

	"fhelium/core/kernel"
	"fhelium/core/parallel"

	"github.com/stretchr/testify/require"
)

// divided is x/D rounded down, or to nearest; D is odd, so there are no ties.
func divided(values []*big.Int, d *big.Int, floor bool) []*big.Int {
	out := make([]*big.Int, len(values))
	for i, v := range values {
		x := new(big.Int).Set(v)
		if !floor {
			x.Add(x, new(big.Int).Rsh(d, 1))
		}
		out[i] = x.Div(x, d) // Euclidean, so towards -∞ for D > 0
	}
	return out
}

// divisionValues are integers around multiples of D and of D/2, of both signs.
func divisionValues(d, whole *big.Int) []*big.Int {
	var values []*big.Int
	bound := new(big.Int).Rsh(whole, 1)
	for _, base := range borderValues(d) {
		for _, m := range []*big.Int{big.NewInt(0), bigOf(12345), bigOf(1<<40 + 7)} {
			x := new(big.Int).Mul(d, m)
			x.Add(x, base)
			if x.CmpAbs(bound) < 0 {
				values = append(values, x, new(big.Int).Neg(x))
			}
		}
	}
	return values
}

func copyRows(rows Rows) Rows {
	out := make(Rows, len(rows))
	for i := range rows {
		out[i] = slices.Clone(rows[i])
	}
	return out
}

// rowSums are rows added modulo their primes.
func rowSums(basis []*Modulus, a, b Rows) Rows {
	out := emptyRows(len(a), len(a[0]))
	for i, m := range basis {
		for j := range out[i] {
			out[i][j] = (a[i][j] + b[i][j]) % m.Q
		}
	}
	return out
}

func TestDivisionIsExact(t *testing.T) {
	large, small := testPrimes(t, 12, 1<<50), testPrimes(t, 2, 1<<30)
	for name, b := range map[string]basisPair{
		"rescale by one":   {large[:1], large[1:5]},
		"rescale by two":   {small, large[:5]},
		"special primes":   {large[:4], large[4:10]},
		"small from large": {large[:1], slices.Concat(small, large[1:3])},
	} {
		t.Run(name, func(t *testing.T) {
			division, err := NewDivision(b.from, b.to)
			require.NoError(t, err)
			d := productOf(b.from)
			values := padded(divisionValues(d, new(big.Int).Mul(d, productOf(b.to))))
			dropped, kept := residues(b.from, values), residues(b.to, values)
			for _, floor := range []bool{false, true} {
				want := residues(b.to, divided(values, d, floor))
				for _, g := range []*parallel.Group{nil, parallel.New(4)} {
					dst := emptyRows(len(b.to), len(values))
					division.Apply(g, dst, Dividend{Dropped: Source{Words: dropped}, Kept: Source{Words: kept}}, floor)
					require.Equal(t, want, dst, "floor=%v", floor)

					inPlace := copyRows(kept)
					division.Apply(g, inPlace, Dividend{Dropped: Source{Words: dropped}, Kept: Source{Words: inPlace}}, floor)
					require.Equal(t, want, inPlace, "in place floor=%v", floor)

					works := Dividend{Dropped: Source{Work: worksOf(b.from, dropped)}, Kept: Source{Work: worksOf(b.to, kept)}}
					division.Apply(g, dst, works, floor)
					require.Equal(t, want, dst, "works floor=%v", floor)

					works.Add = kept
					division.Apply(g, dst, works, floor)
					require.Equal(t, rowSums(b.to, want, kept), dst, "added floor=%v", floor)
				}
			}
		})
	}
}

// The two domains give the same words.
func TestDivisionDomains(t *testing.T) {
	const logN = 10
	tables := make([]*Table, 0, 7)
	moduli := testPrimes(t, 7, 1<<50)
	for _, m := range moduli {
		table, err := NewTable(logN, m.Q, level)
		require.NoError(t, err)
		tables = append(tables, table)
	}
	forward := func(rows Rows, tables []*Table) Rows {
		rows = copyRows(rows)
		for i := range rows {
			tables[i].Forward(rows[i])
		}
		return rows
	}
	for k := 1; k <= 3; k++ {
		division, err := NewDivision(moduli[:k], moduli[k:])
		require.NoError(t, err)
		d := productOf(moduli[:k])
		values := divisionValues(d, productOf(moduli))[:1<<logN]
		dropped, kept := residues(moduli[:k], values), residues(moduli[k:], values)
		ntt := DivTables{tables[:k], tables[k:]}
		droppedValues := forward(dropped, ntt.Dropped)
		for _, floor := range []bool{false, true} {
			want := emptyRows(7-k, 1<<logN)
			division.Apply(nil, want, Dividend{Dropped: Source{Words: dropped}, Kept: Source{Words: kept}}, floor)
			want = forward(want, ntt.Kept)
			for _, g := range []*parallel.Group{nil, parallel.New(1), parallel.New(4)} {
				rows, before := forward(kept, ntt.Kept), copyRows(droppedValues)
				dst := emptyRows(7-k, 1<<logN)
				x := Dividend{Dropped: Source{Words: droppedValues}, Kept: Source{Words: rows}, NTT: &ntt}
				division.Apply(g, dst, x, floor)
				require.Equal(t, want, dst)
				works := x
				works.Dropped, works.Kept = Source{Work: worksOf(moduli[:k], droppedValues)}, Source{Work: worksOf(moduli[k:], rows)}
				works.Add = want
				inPlace := make(Rows, 7-k)
				for i, row := range works.Kept.Work {
					inPlace[i] = row.Memory()
				}
				division.Apply(g, inPlace, works, floor)
				require.Equal(t, rowSums(moduli[k:], want, want), inPlace, "works, added, in place")
				lowered := x
				lowered.Lower = func(j int, r Work) { // the quotient is one more
					m := moduli[k+j]
					m.MulScalarAddWork(r, slices.Repeat([]uint64{1}, 1<<logN), m.Q-new(big.Int).Mod(d, bigOf(m.Q)).Uint64())
				}
				division.Apply(g, dst, lowered, floor)
				one := emptyRows(7-k, 1<<logN)
				for i := range one {
					one[i] = slices.Repeat([]uint64{1}, 1<<logN)
				}
				require.Equal(t, rowSums(moduli[k:], want, forward(one, ntt.Kept)), dst, "lowered")
				image, err := NewAutomorphism(logN, 5)
				require.NoError(t, err)
				x.Image = image
				division.Apply(g, dst, x, floor)
				for i, m := range moduli[k:] {
					moved := make([]uint64, 1<<logN)
					image.NTT(m, moved, want[i])
					require.Equal(t, moved, dst[i], "image")
				}
				x.Image = nil
				division.Apply(g, rows, x, floor)
				require.Equal(t, want, rows, "in place")
				require.Equal(t, before, droppedValues, "dropped rows are only read where they are words")
			}
		}
	}
}

func FuzzDivision(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0}, uint8(0), false)
	f.Add([]byte{9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}, uint8(2), true)
	f.Fuzz(func(t *testing.T, number []byte, size uint8, floor bool) {
		primes := testPrimes(t, 6, 1<<50)
		k := 1 + int(size)%3
		division, err := NewDivision(primes[:k], primes[k:])
		require.NoError(t, err)
		x := new(big.Int).SetBytes(number)
		values := padded([]*big.Int{x.Mod(x, productOf(primes))})
		dst := emptyRows(6-k, len(values))
		dividend := Dividend{Dropped: Source{Words: residues(primes[:k], values)}, Kept: Source{Words: residues(primes[k:], values)}}
		division.Apply(nil, dst, dividend, floor)
		require.Equal(t, residues(primes[k:], divided(values, productOf(primes[:k]), floor)), dst)
	})
}

// From two primes to three: one inverse of two words and one lift, two halves, and
// per target two factors and a half. A division has one word more a target. Kernels
// need each factor and inverse as two words besides, and two bounds of two.
func TestBytes(t *testing.T) {
	m := testPrimes(t, 5, 1<<45)
	c, err := NewConversion(m[:2], m[2:])
	require.NoError(t, err)
	fast := 0
	if level != kernel.Portable {
		fast = 16 * (1 + 3*2 + 2*2)
	}
	require.Equal(t, 8*(2+1+2+3*3)+fast, c.Bytes())
	d, err := NewDivision(m[:2], m[2:])
	require.NoError(t, err)
	require.Equal(t, c.Bytes()+8*3, d.Bytes())
}
