package embed

import (
	"math"
	"math/big"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"
)

// pi has 80 digits.
const pi = "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899"

// series sums cos and sin of 2π·turn by their Taylor series at 250 bits.
func series(turn *big.Float) (cos, sin float64) {
	number := func() *big.Float { return new(big.Float).SetPrec(250) }
	x, _ := number().SetString(pi)
	x.Mul(x, turn).Mul(x, number().SetInt64(2))
	sums := [2]*big.Float{number(), number()}
	term := number().SetInt64(1)
	for i := range int64(90) {
		if i%4 < 2 {
			sums[i%2].Add(sums[i%2], term)
		} else {
			sums[i%2].Sub(sums[i%2], term)
		}
		term.Mul(term, x)
		term.Quo(term, number().SetInt64(i+1))
	}
	cos, _ = sums[0].Float64()
	sin, _ = sums[1].Float64()
	return cos, sin
}

// TestRootsAreCorrectlyRounded recomputes the heap from its definition: all of
// a small ring, and a sample of the largest.
func TestRootsAreCorrectlyRounded(t *testing.T) {
	for logN, stride := range map[int]int{4: 1, 9: 1, 17: 379} {
		re, im := butterflyRoots(logN)
		require.Len(t, re, 1<<(logN-1))
		for node := 1; node < len(re); node += stride {
			log := bits.Len(uint(node)) - 1
			i, m := node-1<<log, 1<<log
			reversed := int(bits.Reverse64(uint64(i)<<1) >> (63 - log))
			turn := new(big.Float).SetPrec(250).SetInt64(int64(1 + 4*reversed))
			turn.Quo(turn, new(big.Float).SetInt64(int64(8*m)))
			cos, sin := series(turn)
			require.Equal(t, cos, re[node], "node %d", node)
			require.Equal(t, sin, im[node], "node %d", node)
		}
	}
}

// TestRootsOfSmallerRings are a prefix, on which sparse packing relies.
func TestRootsOfSmallerRings(t *testing.T) {
	re, im := butterflyRoots(10)
	for logN := MinLogN; logN < 10; logN++ {
		r, i := butterflyRoots(logN)
		require.Equal(t, re[:len(r)], r)
		require.Equal(t, im[:len(i)], i)
	}
	require.Equal(t, math.Sqrt2/2, re[1])
}
