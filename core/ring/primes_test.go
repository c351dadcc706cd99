package ring

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIsPrime(t *testing.T) {
	sieve := make([]bool, 5000)
	for i := 2; i < len(sieve); i++ {
		require.Equal(t, !sieve[i], IsPrime(uint64(i)), i)
		for j := 2 * i; j < len(sieve); j += i {
			sieve[j] = true
		}
	}
	require.True(t, IsPrime(1<<50-27))
	require.True(t, IsPrime(math.MaxUint64-58))
	for _, pseudo := range []uint64{3215031751, 3825123056546413051, math.MaxUint64} {
		require.False(t, IsPrime(pseudo), "a strong pseudoprime to the first bases, or the last word: %d", pseudo)
	}
}

// Both directions meet: neighbours of each other with no prime = 1 between.
func TestNextPrime(t *testing.T) {
	for _, step := range []uint64{1, 2, 32, 1 << 12, 1 << 18} {
		for _, q := range []uint64{3 * step, 3*step + 1, 1 << 30, 1<<50 - 1000*step} {
			up, ok := NextPrime(q, step, 1)
			require.True(t, ok, "%d %d", q, step)
			down, found := NextPrime(up, step, -1)
			if !found {
				continue
			}
			require.Greater(t, up, q)
			require.LessOrEqual(t, down, q)
			for _, p := range []uint64{up, down} {
				require.True(t, IsPrime(p) && p%step == 1%step)
			}
			for p := down + step; p < up; p += step {
				require.False(t, IsPrime(p))
			}
		}
	}
	p, ok := NextPrime(0, 32, 1)
	require.True(t, ok)
	require.Equal(t, uint64(97), p)
	p, ok = NextPrime(math.MaxUint64, 2, -1)
	require.True(t, ok)
	require.Equal(t, uint64(1<<50-27), p)
}

func TestNextPrimeEnds(t *testing.T) {
	for _, c := range []struct {
		q, step uint64
		dir     int
	}{{97, 32, -1}, {0, 32, -1}, {1, 32, -1}, {1<<50 - 27, 2, 1}, {1 << 50, 2, 1}, {5, 0, 1}, {5, 1 << 50, -1}} {
		_, ok := NextPrime(c.q, c.step, c.dir)
		require.False(t, ok, c)
	}
}
