package ring

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// substitute is X -> X^g written out.
func substitute(m *Modulus, x []uint64, g int) []uint64 {
	n := len(x)
	y := make([]uint64, n)
	for i, c := range x {
		place := i * g % (2 * n)
		if place >= n {
			place, c = place-n, (m.Q-c)%m.Q
		}
		y[place] = c
	}
	return y
}

// Both domains agree with the substitution, for rotations, the conjugation and
// both ends of the range. Mutant: drop the negation.
func TestAutomorphism(t *testing.T) {
	for _, logN := range []int{4, 5, 8, 11} {
		for _, table := range testTables(t, logN) {
			n := table.N()
			rows := edgePatterns(table.Q, n)
			for _, g := range []int{1, 3, 5, 25 % n, n - 1, n + 1, 2*n - 5, 2*n - 1} {
				a, err := NewAutomorphism(logN, uint64(g))
				require.NoError(t, err)
				for name, x := range rows {
					want := substitute(table.Modulus, x, g)
					got := make([]uint64, n)
					a.Coefficient(table.Modulus, got, x)
					require.True(t, slices.Equal(want, got), "coefficient N=%d g=%d %s", n, g, name)

					y := slices.Clone(x)
					table.Forward(y)
					a.NTT(table.Modulus, got, y)
					table.Inverse(got)
					require.True(t, slices.Equal(want, got), "ntt N=%d g=%d %s", n, g, name)
				}
			}
		}
	}
}

func TestAutomorphismRefusals(t *testing.T) {
	for _, c := range []struct {
		logN   int
		galois uint64
		code   string
	}{
		{3, 3, "degree-invalid"}, {18, 3, "degree-invalid"},
		{4, 0, "galois-invalid"}, {4, 2, "galois-invalid"}, {4, 33, "galois-invalid"},
	} {
		_, err := NewAutomorphism(c.logN, c.galois)
		require.ErrorContains(t, err, c.code+": ")
	}
}

func FuzzAutomorphism(f *testing.F) {
	f.Add(uint64(5), uint64(1))
	f.Fuzz(func(t *testing.T, galois, index uint64) {
		table := testTables(t, 6)[0]
		g := galois%128 | 1
		a, err := NewAutomorphism(6, g)
		require.NoError(t, err)
		x, y := make([]uint64, 64), make([]uint64, 64)
		x[index%64] = 1 + galois%(table.Q-1)
		want := substitute(table.Modulus, x, int(g))
		a.Coefficient(table.Modulus, y, x)
		require.Equal(t, want, y)
		table.Forward(x)
		a.NTT(table.Modulus, y, x)
		table.Inverse(y)
		require.Equal(t, want, y)
	})
}
