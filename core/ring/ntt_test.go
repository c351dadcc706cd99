package ring

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// testTables gives, for a degree, tables of the largest prime below 2^50 and, up
// to N = 2^12, of small ones.
func testTables(t testing.TB, logN int) []*Table {
	t.Helper()
	tables := make([]*Table, 0, 3)
	for _, below := range []uint64{1 << 50, 1 << 30, 1 << max(20, logN+4)} {
		q, ok := NextPrime(below, 2<<logN, -1)
		require.True(t, ok)
		table, err := NewTable(logN, q, level)
		require.NoError(t, err)
		tables = append(tables, table)
		if logN > 12 {
			break
		}
	}
	return tables
}

// edgePatterns are rows at the edges of [0, q), and one random row.
func edgePatterns(q uint64, n int) map[string][]uint64 {
	r := rand.New(rand.NewPCG(q, uint64(n)))
	rows := map[string][]uint64{}
	fill := func(name string, f func(i int) uint64) {
		x := make([]uint64, n)
		for i := range x {
			x[i] = f(i)
		}
		rows[name] = x
	}
	fill("zero", func(int) uint64 { return 0 })
	fill("largest", func(int) uint64 { return q - 1 })
	fill("half", func(int) uint64 { return q / 2 })
	fill("alternating", func(i int) uint64 { return uint64(i&1) * (q - 1) })
	// the largest sums of leaves beside zeros, where the inverse subtracts
	fill("leaves", func(i int) uint64 { return uint64(1-i/leafSize&1) * (q - 1) })
	fill("pairs of leaves", func(i int) uint64 { return uint64(1-i/leafSize/2&1) * (q - 1) })
	fill("first", func(i int) uint64 {
		if i == 0 {
			return q - 1
		}
		return 0
	})
	fill("random", func(int) uint64 { return r.Uint64N(q) })
	return rows
}

// evaluate is the polynomial's value at the point, by Horner's rule.
func evaluate(m *Modulus, x []uint64, point uint64) uint64 {
	y := uint64(0)
	for _, c := range slices.Backward(x) {
		y = (m.Mulmod(y, point) + c) % m.Q
	}
	return y
}

func reverse(i, logN int) int { return int(bits.Reverse64(uint64(i)) >> (64 - logN)) }

// Output j is the value at psi^(2·brv(j)+1): all j for small degrees, some for
// large ones. Mutant: swap w2 and w3 in forwardFour.
func TestForwardIsEvaluation(t *testing.T) {
	for logN := MinLogN; logN <= MaxLogN; logN++ {
		for _, table := range testTables(t, logN) {
			n := table.N()
			x := edgePatterns(table.Q, n)["random"]
			y := slices.Clone(x)
			table.Forward(y)
			step := max(1, n/16-1)
			for j := 0; j < n; j += step {
				point := table.Pow(table.psi, uint64(2*reverse(j, logN)+1))
				require.Equal(t, evaluate(table.Modulus, x, point), y[j], "N=2^%d q=%d j=%d", logN, table.Q, j)
			}
		}
	}
}

// Inverse undoes Forward, both leave canonical words, at every edge.
func TestInverseUndoesForward(t *testing.T) {
	for logN := MinLogN; logN <= MaxLogN; logN++ {
		for _, table := range testTables(t, logN) {
			for name, x := range edgePatterns(table.Q, table.N()) {
				y := slices.Clone(x)
				table.Forward(y)
				require.Less(t, slices.Max(y), table.Q)
				table.Inverse(y)
				require.True(t, slices.Equal(x, y), "N=2^%d q=%d %s", logN, table.Q, name)
				table.Inverse(y)
				require.Less(t, slices.Max(y), table.Q)
				table.Forward(y)
				require.True(t, slices.Equal(x, y), "N=2^%d q=%d %s backwards", logN, table.Q, name)
			}
		}
	}
}

// negacyclic is the schoolbook product modulo X^N + 1.
func negacyclic(m *Modulus, a, b []uint64) []uint64 {
	n := len(a)
	c := make([]uint64, n)
	for i := range a {
		for j := range b {
			p := m.Mulmod(a[i], b[j])
			if i+j < n {
				c[i+j] = (c[i+j] + p) % m.Q
			} else {
				c[i+j-n] = (c[i+j-n] + m.Q - p) % m.Q
			}
		}
	}
	return c
}

func TestProductIsNegacyclic(t *testing.T) {
	for logN := MinLogN; logN <= 8; logN++ {
		for _, table := range testTables(t, logN) {
			rows := edgePatterns(table.Q, table.N())
			for name, a := range rows {
				b := rows["random"]
				want := negacyclic(table.Modulus, a, b)
				x, y := slices.Clone(a), slices.Clone(b)
				table.Forward(x)
				table.Forward(y)
				table.Mul(x, x, y)
				table.Inverse(x)
				require.Equal(t, want, x, "N=2^%d q=%d %s", logN, table.Q, name)
			}
		}
	}
}

// The unreduced words stay within the proofs' bounds and come near them: above
// q·LogN forward, and exactly n·(q-1) for a leaf of the inverse.
func TestLazyMaxima(t *testing.T) {
	atPortable(t)
	for _, logN := range []int{4, 5, 9, 10, 11, 12, 13, 16, 17} {
		for _, table := range testTables(t, logN) {
			q := table.Q
			bound := q - 1 + 2*q*uint64(logN)
			seen := uint64(0)
			for _, x := range edgePatterns(q, table.N()) {
				table.forwardLazy(x)
				seen = max(seen, slices.Max(x))
			}
			require.LessOrEqual(t, seen, bound)
			require.Greater(t, seen, q*uint64(logN))
			for name, x := range edgePatterns(q, table.N()) {
				table.inverseLazy(x)
				require.Less(t, slices.Max(x), q<<10)
				if name == "largest" && logN <= 12 {
					require.Equal(t, uint64(table.N()>>(2-logN&1))*(q-1), slices.Max(x))
				}
			}
		}
	}
}

func TestTableRefusals(t *testing.T) {
	for _, c := range []struct {
		logN int
		q    uint64
		code string
	}{
		{3, 97, "degree-invalid"}, {18, 786433, "degree-invalid"},
		{4, 96, "modulus-invalid"}, {4, 1, "modulus-invalid"}, {4, 1<<50 + 1, "modulus-invalid"},
		{4, 101, "root-absent"}, {4, 33, "root-absent"}, {5, 97 * 193, "root-absent"},
	} {
		_, err := NewTable(c.logN, c.q, level)
		require.ErrorContains(t, err, c.code+": ", "%d %d", c.logN, c.q)
	}
}

// The root is that of the smallest non-residue: 5 modulo 97.
func TestRootIsDeterministic(t *testing.T) {
	table, err := NewTable(4, 97, level)
	require.NoError(t, err)
	require.Equal(t, uint64(125%97), table.psi)
	require.Equal(t, uint64(96), table.Pow(table.psi, 16))
	require.InDelta(t, 16*16, table.Bytes(), 200)
}

func FuzzTransform(f *testing.F) {
	f.Add(uint8(4), uint64(1), uint64(1<<50))
	f.Add(uint8(11), uint64(2), uint64(1<<20))
	f.Fuzz(func(t *testing.T, log uint8, seed, below uint64) {
		logN := MinLogN + int(log)%9
		q, ok := NextPrime(below%(1<<50-1<<18)+1<<18, 2<<logN, -1)
		if !ok {
			t.Skip()
		}
		table, err := NewTable(logN, q, level)
		require.NoError(t, err)
		r := rand.New(rand.NewPCG(seed, q))
		x := make([]uint64, table.N())
		for i := range x {
			x[i] = r.Uint64N(q)
		}
		y := slices.Clone(x)
		table.Forward(y)
		j := r.IntN(len(x))
		point := table.Pow(table.psi, uint64(2*reverse(j, logN)+1))
		require.Equal(t, evaluate(table.Modulus, x, point), y[j])
		table.Inverse(y)
		require.True(t, slices.Equal(x, y), fmt.Sprint(logN, q))
	})
}
