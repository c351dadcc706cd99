//go:build amd64 && !purego

package kernel

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// carriers are constants for primes of every width, down to the least, at each
// level.
func carriers(t *testing.T, f func(c *Constants, p uint64, label string)) {
	for _, level := range fast {
		for _, p := range []uint64{prime(1<<50, 10), prime(1<<40, 10), prime(1<<30, 10), prime(1<<14, 5), 5, 3} {
			f(New(p, level), p, fmt.Sprint(level, " modulo ", p))
		}
	}
}

// integersAround are numbers that residues modulo p may change at, with their
// neighbours, of either sign and up to 2^51 in size.
func integersAround(p uint64) (out []float64) {
	for _, x := range []float64{0, float64(p / 2), float64(p/2 + 1), float64(p), float64(p + p/2), float64(2 * p), float64(1<<51/p*p) - float64(p), float64(1 << 51 / p * p), 1 << 50, 1<<51 - 2} {
		for _, d := range []float64{-2, -1, 0, 1, 2} {
			if math.Abs(x+d) <= 1<<51 {
				out = append(out, x+d, -(x + d))
			}
		}
	}
	return out
}

func modulo(x float64, p uint64) uint64 {
	y, _ := big.NewFloat(x).Int(nil)
	return y.Mod(y, new(big.Int).SetUint64(p)).Uint64()
}

// Integers of both signs up to 2^51 in size, of any length, with the rest of the row
// left alone; -0 is 0. Mutants: a residue that is not made positive; no reduction.
func TestFromFloats(t *testing.T) {
	carriers(t, func(c *Constants, p uint64, label string) {
		values := integersAround(p)
		r := rand.New(rand.NewPCG(p, 18))
		for len(values) < 20*Step {
			values = append(values, float64(r.Int64N(1<<52+1)-1<<51))
		}
		for n := range 4*Step + 2 {
			r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
			for _, src := range [][]float64{values[:n], values} {
				dst := slices.Repeat([]uint64{1<<64 - 1}, len(src)+2)
				done := c.FromFloats(dst[:len(src)], src)
				require.Equal(t, len(src)/Step*Step, done, label)
				for i, w := range dst {
					if i < done {
						require.Equal(t, modulo(src[i], p), w, "%v %s", src[i], label)
					} else {
						require.Equal(t, uint64(1<<64-1), w, "place %d of %d %s", i, done, label)
					}
				}
			}
		}
	})
}

// What is above 2^51 in size, or no number, stops it at any place, alone and among
// numbers of any size; 2^51 does not. Mutants: look at the last vector alone; stop
// at 2^51; take a negative number for a small one.
func TestFromFloatsLarge(t *testing.T) {
	above := math.Nextafter(1<<51, math.Inf(1))
	quiet, signalling := math.Float64frombits(0xfff8<<48), math.Float64frombits(0x7ff0<<48|1)
	carriers(t, func(c *Constants, p uint64, label string) {
		for _, n := range []int{Step, 2 * Step, 3 * Step} {
			dst := make([]uint64, n)
			for i := range n {
				for _, others := range []float64{0, -1, 1 << 51, -1 << 51} {
					src := slices.Repeat([]float64{others}, n)
					for _, x := range []float64{1 << 51, -1 << 51, 1<<51 - 1, 5e-324, -5e-324} {
						src[i] = x
						require.Equal(t, n, c.FromFloats(dst, src), "%v at %d %s", x, i, label)
					}
					for _, x := range []float64{above, -above, 1<<51 + 1, -1<<51 - 1, 1 << 52, -1 << 53, 1 << 62, -1 << 63, 1 << 64, -1e300, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN(), quiet, signalling} {
						src[i] = x
						require.Zero(t, c.FromFloats(dst, src), "%v at %d %s", x, i, label)
					}
				}
			}
		}
	})
}

// Words are the floats that they are congruent to, those of (-p, 0) too, and one
// that is off by a little or by the modulus is seen at any place. Mutants: look at
// the last vector alone; take floats for words without a modulus added.
func TestEquals(t *testing.T) {
	carriers(t, func(c *Constants, p uint64, label string) {
		for name, x := range edges(p, 3*Step) {
			for n := Step; n <= len(x); n += Step {
				x := slices.Clone(x[:n])
				a := make([]float64, n)
				for i, w := range x {
					if a[i] = float64(w); w != 0 && i&1 == 1 {
						a[i] -= float64(p)
					}
				}
				require.True(t, c.Equals(x, a), "%s %s", name, label)
				for i, w := range x {
					for _, other := range []uint64{(w + 1) % p, (w + p - 1) % p, w + p, w - p, w + 1<<52, w ^ 1<<63} {
						x[i] = other
						require.False(t, c.Equals(x, a), "%d for %d at %d %s %s", other, w, i, name, label)
					}
					x[i] = w
					before := a[i]
					for _, d := range []float64{-1, 1} {
						if a[i] = before + d; math.Abs(a[i]) < float64(p) {
							require.False(t, c.Equals(x, a), "%v for %v at %d %s %s", a[i], before, i, name, label)
						}
					}
					a[i] = before
				}
				require.True(t, c.Equals(x, a), "%s %s", name, label)
			}
		}
	})
}

// joined is low + high·p rounded to the nearest, ties to even, by its definition.
func joined(low, high float64, p uint64) float64 {
	x, _ := big.NewFloat(high).Int(nil)
	y, _ := big.NewFloat(low).Int(nil)
	x.Mul(x, new(big.Int).SetUint64(p)).Add(x, y)
	out, _ := new(big.Float).SetInt(x).Float64() // of the precision that x needs
	return out
}

// ties are pairs of digits of which the number lies halfway between two floats, and
// one beside, where the modulus has the width for it.
func ties(p uint64, r *rand.Rand) (low, high []float64) {
	for range 40 {
		h := 1<<49 + r.Uint64N(1<<49)
		product := new(big.Int).Mul(new(big.Int).SetUint64(h), new(big.Int).SetUint64(p))
		drop := uint(max(product.BitLen(), 54) - 53)
		unit := new(big.Int).Lsh(big.NewInt(1), drop)
		rest := new(big.Int).Mod(product, unit)
		half := new(big.Int).Rsh(unit, 1)
		d := float64(half.Sub(half, rest).Int64())
		for _, off := range []float64{-1, 0, 1} {
			low, high = append(low, d+off, -(d+off)), append(high, float64(h), -float64(h))
		}
	}
	return low, high
}

// Two digits make a number that is rounded once, over either row too, whatever the
// signs and however much of them cancels; 0 has no sign. Mutants: leave out the
// rest of the product; add it to the product before the low digit; round the
// product alone.
func TestJoin(t *testing.T) {
	carriers(t, func(c *Constants, p uint64, label string) {
		r := rand.New(rand.NewPCG(p, 19))
		low, high := ties(p, r)
		for _, x := range integersAround(p) {
			for _, y := range integersAround(p) {
				if max(math.Abs(x), math.Abs(y)) < 1<<50 {
					low, high = append(low, x), append(high, y)
				}
			}
		}
		for range 400 {
			sign := float64(1 - 2*r.IntN(2))
			low = append(low, float64(r.Int64N(1<<51-1)-1<<50+1), -float64(p)*sign)
			high = append(high, float64(r.Int64N(1<<51-1)-1<<50+1), sign)
		}
		n := whole(len(low))
		low, high = low[:n], high[:n]
		want, halves := make([]float64, n), 0
		for i := range want {
			want[i] = joined(low[i], high[i], p)
			if want[i] != float64(high[i]*float64(p))+low[i] {
				halves++
			}
		}
		if p > 1<<20 {
			require.Greater(t, halves, 10, "%s", label) // a sum that is rounded twice
		}
		apart, first, second := make([]float64, n+1), slices.Clone(low), slices.Clone(high)
		apart[n] = 7
		c.Join(apart[:n], low, high)
		require.Equal(t, 7.0, apart[n])
		c.Join(first, first, high)
		c.Join(second, low, second)
		for i, x := range want {
			for place, got := range [][]float64{apart, first, second} {
				require.Equal(t, math.Float64bits(x), math.Float64bits(got[i]), "%v + %v·p is %v, got %v, over %d, %s", low[i], high[i], x, got[i], place, label)
			}
		}
	})
}

// Rows of floats are a multiple of Step long, and no row is shorter than the first.
// Mutant: refuse 0 alone.
func TestFloatsLength(t *testing.T) {
	carriers(t, func(c *Constants, p uint64, label string) {
		for _, n := range []int{0, 1, 15, 17, 24} {
			x := make([]float64, n)
			require.Panics(t, func() { c.Equals(make([]uint64, n), x) }, "%d %s", n, label)
			require.Panics(t, func() { c.Join(x, x, x) }, "%d %s", n, label)
		}
		x, short := make([]float64, 2*Step), make([]float64, Step)
		require.Panics(t, func() { c.FromFloats(make([]uint64, 2*Step), short[:Step:Step]) }, label)
		require.Panics(t, func() { c.Equals(make([]uint64, 2*Step), short[:Step:Step]) }, label)
		require.Panics(t, func() { c.Join(x, short[:Step:Step], x) }, label)
		require.Panics(t, func() { c.Join(x, x, short[:Step:Step]) }, label)
	})
}
