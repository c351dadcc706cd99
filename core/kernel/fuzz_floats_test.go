package kernel_test

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/core/kernel"
)

// Integers that are held in float64 are fuzzed against big integers, which have no
// limit that the kernels or the portable code might share.

// integer is what a number holds.
func integer(x float64) *big.Int {
	out, _ := big.NewFloat(x).Int(nil)
	return out
}

// integersOf makes integers of bytes, up to 2^(4·size): of each word some bits choose
// the sign and a power of two, and the upper ones are the mantissa.
func integersOf(data []byte, place, n int, size uint8) []float64 {
	out := make([]float64, n)
	for i := range out {
		w := word(data, place+i)
		exponent := int(w >> 3 % (4*uint64(size) + 1))
		out[i] = math.Trunc(math.Ldexp(float64(w>>11), exponent-53))
		if w&1 == 1 {
			out[i] = -out[i]
		}
	}
	return out
}

// Every level and the portable code reduce integers of any size exactly, in rows of
// any length, and leave alone what is beside them. Mutants: no limit for the kernels;
// one that negative numbers are below; a look at the last vector alone; the residue
// of the size for that of a negative number; one power of two less.
func FuzzFromFloats(f *testing.F) {
	seeds(f, func(data []byte) {
		for _, size := range []uint8{0, 12, 13, 16, 25, 240, 255} {
			f.Add(uint8(0), uint8(35), size, data)
			f.Add(uint8(25), uint8(16), size, data)
		}
	})
	f.Add(uint8(0), uint8(200), uint8(13), []byte("integers of either sign and of many sizes, some of which are above the limit"))
	f.Add(uint8(3), uint8(255), uint8(255), []byte("integers of either sign and of many sizes, most of which are above the limit"))
	f.Fuzz(func(t *testing.T, which, length, size uint8, data []byte) {
		src := integersOf(data, 0, int(length), size)
		for _, level := range kernel.Levels() {
			_, m := modulus(t, which, level)
			got := slices.Repeat([]uint64{7}, len(src)+1)
			m.FromFloats(got[:len(src)], src)
			require.Equal(t, uint64(7), got[len(src)])
			for i, x := range src {
				want := integer(x)
				want.Mod(want, new(big.Int).SetUint64(m.Q))
				require.Equal(t, want.Uint64(), got[i], "%v, %v modulo %d", level, x, m.Q)
			}
		}
	})
}

// Two digits below 2^50 in size, of which bytes choose how many bits they have.
// Mutant: leave out the rest of the product.
func FuzzJoin(f *testing.F) {
	seeds(f, func(data []byte) {
		f.Add(uint8(0), uint8(3), uint8(0), data)
		f.Add(uint8(20), uint8(0), uint8(1), data)
		f.Add(uint8(9), uint8(1), uint8(2), data)
	})
	f.Fuzz(func(t *testing.T, which, length, alias uint8, data []byte) {
		for _, level := range fuzzed(t) {
			_, m := modulus(t, which, level)
			n := steps(length)
			low, high, want := make([]float64, n), make([]float64, n), make([]float64, n)
			for i := range n {
				w := word(data, i+n)
				low[i] = float64(int64(word(data, i)) >> (13 + w%48))
				high[i] = float64(int64(w) >> (13 + w>>32%8))
				low[i], high[i] = max(low[i], 1-1<<50), max(high[i], 1-1<<50)
				x := integer(high[i])
				x.Mul(x, new(big.Int).SetUint64(m.Q)).Add(x, integer(low[i]))
				want[i], _ = new(big.Float).SetInt(x).Float64()
			}
			dst := [][]float64{make([]float64, n), low, high}[alias%3]
			kernel.New(m.Q, level).Join(dst, low, high)
			requireBits(t, want, dst, level.String())
		}
	})
}

// Words are compared with floats that are congruent to them, or all but one.
// Mutant: look at the last vector alone.
func FuzzEquals(f *testing.F) {
	seeds(f, func(data []byte) {
		f.Add(uint8(0), uint8(3), uint8(0), uint64(0), data)
		f.Add(uint8(20), uint8(0), uint8(1), uint64(1), data)
	})
	f.Fuzz(func(t *testing.T, which, length, place uint8, difference uint64, data []byte) {
		for _, level := range fuzzed(t) {
			_, m := modulus(t, which, level)
			x := residues(data, 0, steps(length), m.Q)
			a := make([]float64, len(x))
			for i, w := range x {
				if a[i] = float64(w); w != 0 && word(data, i+1)&1 == 1 {
					a[i] -= float64(m.Q)
				}
			}
			x[int(place)%len(x)] ^= difference
			require.Equal(t, difference == 0, kernel.New(m.Q, level).Equals(x, a), "%v, modulo %d", level, m.Q)
		}
	})
}
