package embed

import (
	"math/big"
	"testing"

	"fhelium/core/ring"

	"github.com/stretchr/testify/require"
)

// residue is the exact remainder in [0, q).
func residue(x *big.Int, q uint64) uint64 {
	return new(big.Int).Mod(x, new(big.Int).SetUint64(q)).Uint64()
}

func makeRows(limbs, n int) [][]uint64 {
	rows := make([][]uint64, limbs)
	for i := range rows {
		rows[i] = make([]uint64, n)
	}
	return rows
}

// toRows reduces integers held in float64.
func toRows(t testing.TB, rows [][]uint64, q []uint64, coef []float64) {
	t.Helper()
	for i := range q {
		m, err := ring.NewModulus(q[i], level)
		require.NoError(t, err)
		m.FromFloats(rows[i], coef)
	}
}
