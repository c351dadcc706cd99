//go:build amd64 && !purego

package kernel

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

var limits = []uint64{1 << 50, 1 << 40, 1 << 30}

// pairs are all pairs of edges, of a length that leaves a rest.
func pairs(t *testing.T, f func(c *Constants, m field, label string, a, b []uint64)) {
	for _, level := range fast {
		for _, limit := range limits {
			p := prime(limit, 10)
			c, e := New(p, level), edges(p, 5*Step+3)
			for _, left := range slices.Sorted(maps.Keys(e)) {
				for right := range e {
					f(c, field{p}, fmt.Sprint(level, " ", p, " ", left, " ", right), e[left], e[right])
				}
			}
		}
	}
}

// Every function gives the definition's words, in place too, and leaves the rest
// alone. Mutant: multiply without its correction of the sign.
func TestRows(t *testing.T) {
	pairs(t, func(c *Constants, m field, label string, a, b []uint64) {
		n := len(a)
		for name, k := range map[string]struct {
			run  func(dst, a, b []uint64) int
			want func(dst, a, b uint64) uint64
		}{
			"add":      {c.Add, func(_, a, b uint64) uint64 { return m.add(a, b) }},
			"sub":      {c.Sub, func(_, a, b uint64) uint64 { return m.sub(a, b) }},
			"mul":      {c.Mul, func(_, a, b uint64) uint64 { return m.mul(a, b) }},
			"scale":    {func(dst, a, b []uint64) int { return c.MulScalar(dst, a, b[0]) }, func(_, x, _ uint64) uint64 { return m.mul(x, b[0]) }},
			"scaleAdd": {func(dst, a, b []uint64) int { return c.MulScalarAdd(dst, a, b[0]) }, func(d, x, _ uint64) uint64 { return m.add(d, m.mul(x, b[0])) }},
			"quotient": {func(dst, a, b []uint64) int { return c.SubMulScalar(dst, a, b, a[0]) }, func(_, x, y uint64) uint64 { return m.mul(m.sub(x, y), a[0]) }},
		} {
			fresh := slices.Repeat([]uint64{m.p - 1}, n)
			require.Equal(t, 5*Step, k.run(fresh, a, b), label)
			for i := range n {
				want := m.p - 1
				if i < 5*Step {
					want = k.want(m.p-1, a[i], b[i])
				}
				require.Equal(t, want, fresh[i], "%s %s %d", name, label, i)
			}
			inPlace := slices.Clone(a)
			k.run(inPlace, inPlace, b)
			for i := range 5 * Step {
				require.Equal(t, k.want(a[i], a[i], b[i]), inPlace[i], "%s in place %s %d", name, label, i)
			}
		}
	})
}

// Writing past the caches gives the same words, where the place permits it, and does
// nothing else. Mutants: half of the words; no check of the place.
func TestStreaming(t *testing.T) {
	pairs(t, func(c *Constants, m field, label string, a, b []uint64) {
		n := len(a)
		memory := make([]uint64, n+16)
		first := int(-uintptr(unsafe.Pointer(&memory[0])) % 64 / 8)
		for name, k := range map[string]struct {
			run  func(dst, a, b []uint64) int
			want func(a, b uint64) uint64
		}{"add": {c.AddStreaming, m.add}, "sub": {c.SubStreaming, m.sub}} {
			for shift := range 8 {
				dst := memory[first+shift:][:n]
				copy(dst, a)
				done := k.run(dst, dst, b)
				if shift == 0 {
					require.Equal(t, 5*Step, done)
				} else {
					require.Zero(t, done)
				}
				for i := range n {
					want := a[i]
					if i < done {
						want = k.want(a[i], b[i])
					}
					require.Equal(t, want, dst[i], "%s %s %d", name, label, i)
				}
			}
		}
	})
}

// Integers of both signs up to 2^51 - 1 in size; one of 2^51 stops it, wherever it
// is. Mutant: look at the last vector alone.
func TestFromInt64(t *testing.T) {
	for _, level := range fast {
		testFromInt64(t, level)
	}
}

func testFromInt64(t *testing.T, level Level) {
	for _, limit := range limits {
		p := prime(limit, 10)
		c := New(p, level)
		src := make([]int64, 3*Step+5)
		edges := []int64{0, 1, -1, 1<<51 - 1, 1 - 1<<51, -1 << 51, int64(p), -int64(p), int64(p / 2), -int64(p/2) - 1, 20, -20}
		for i := range src {
			src[i] = edges[i%len(edges)]
		}
		dst := make([]uint64, len(src))
		require.Equal(t, 3*Step, c.FromInt64(dst, src))
		for i := range 3 * Step {
			want := new(big.Int).Mod(big.NewInt(src[i]), new(big.Int).SetUint64(p)).Uint64()
			require.Equal(t, want, dst[i], "%d modulo %d", src[i], p)
		}
		for _, large := range []int64{1 << 51, -1<<51 - 1, math.MaxInt64, math.MinInt64} {
			for _, place := range []int{0, 5, 3*Step - 1} {
				before := src[place]
				src[place] = large
				require.Zero(t, c.FromInt64(dst, src))
				src[place] = before
			}
		}
	}
}

// Sums of 1 … 20 products. Mutant: 10 products before a reduction.
func TestDot(t *testing.T) {
	pairs(t, func(c *Constants, m field, label string, a, b []uint64) {
		for rows := 1; rows <= 20; rows++ {
			left, right := slices.Repeat([][]uint64{a}, rows), slices.Repeat([][]uint64{b}, rows)
			dst := make([]uint64, len(a))
			n := c.Dot(dst, left, right, false)
			for i := range n {
				require.Equal(t, m.mul(m.mul(a[i], b[i]), uint64(rows)%m.p), dst[i], "%s %d %d", label, rows, i)
			}
			c.Dot(dst, left, right, true)
			for i := range n {
				require.Equal(t, m.mul(m.mul(a[i], b[i]), uint64(2*rows)%m.p), dst[i], "%s %d %d", label, rows, i)
			}
		}
	})
}

// floatsOf are words as Read makes them.
func floatsOf(c *Constants, x []uint64) []float64 {
	dst := make([]float64, whole(len(x)))
	c.Read(dst, x)
	return dst
}

// requireCongruent demands reduced floats that are words modulo p.
func requireCongruent(t *testing.T, m field, want []uint64, got []float64, label string) {
	t.Helper()
	for i, x := range got {
		y := int64(x)
		if y < 0 {
			y += int64(m.p)
		}
		if math.Abs(x) > float64(m.p/2+1) || uint64(y) != want[i] {
			require.Fail(t, "not the same residue", "%s: %v at %d, want %d modulo %d", label, x, i, want[i], m.p)
		}
	}
}

// Floats stand for the same residues as words. Mutants: a pair of dot products
// with one right side for both; a quotient without its sum reduced.
func TestFloats(t *testing.T) {
	pairs(t, func(c *Constants, m field, label string, a, b []uint64) {
		n := whole(len(a))
		a, b = a[:n], b[:n]
		x, y := floatsOf(c, a), floatsOf(c, b)
		requireCongruent(t, m, a, x, label)
		back := make([]uint64, n)
		c.Write(back, x)
		require.Equal(t, a, back)
		same := floatsOf(c, a)
		c.Write(bitsOf(same), same)
		require.Equal(t, a, bitsOf(same))
		want := make([]uint64, n)
		for i := range want {
			want[i] = m.add(b[i], m.mul(a[i], b[0]))
		}
		c.MulScalarAddFloats(y, a, b[0])
		requireCongruent(t, m, want, y, label)
		y = floatsOf(c, b)
		for i := range want {
			want[i] = m.mul(m.sub(a[i], b[i]), a[0])
		}
		dst := make([]uint64, n)
		c.QuotientWords(dst, a, y, a[0])
		require.Equal(t, want, dst, label)
		clear(dst)
		c.Quotient(dst, x, y, a[0], nil)
		require.Equal(t, want, dst, label)
		for i := range want {
			want[i] = m.add(want[i], b[i])
		}
		c.Quotient(dst, x, y, a[0], b)
		require.Equal(t, want, dst, label)
		for _, rows := range []int{1, 2, 11, 12, 21, 22, 40} {
			one, two := make([]float64, n), make([]float64, n)
			c.DotPair(one, two, slices.Repeat([][]float64{x}, rows), slices.Repeat([][]uint64{b}, rows), slices.Repeat([][]uint64{a}, rows))
			other := make([]uint64, n)
			for i := range want {
				want[i], other[i] = m.mul(m.mul(a[i], b[i]), uint64(rows)%m.p), m.mul(m.mul(a[i], a[i]), uint64(rows)%m.p)
			}
			requireCongruent(t, m, want, one, label)
			requireCongruent(t, m, other, two, label)
		}
	})
}

// bitsOf is the same memory.
func bitsOf(x []float64) []uint64 { return unsafe.Slice(words(x), len(x)) }

// Representatives lie in either range, and a step of the mixed radix is exact, from
// words and floats. Mutant: leave what is below the range.
func TestCanonicalAndRadixStep(t *testing.T) {
	pairs(t, func(c *Constants, m field, label string, a, b []uint64) {
		n, half := whole(len(a)), int64(m.p/2)
		x, digit := floatsOf(c, a), make([]float64, n)
		for i := range digit { // any sign
			digit[i] = float64(b[i]) - float64(m.p)*float64(i&1)
		}
		words, floats := make([]float64, n), make([]float64, n)
		for _, least := range []int64{-half, 0} {
			within := c.Range(least)
			c.CanonicalWords(words, a[:n], within)
			c.Canonical(floats, x, within)
			require.Equal(t, words, floats, label)
			c.Canonical(floats, digit, within)
			for i := range n {
				requireRange(t, words[i], a[i], m.p, least)
				requireRange(t, floats[i], b[i], m.p, least)
			}
		}
		w := b[0]
		c.RadixStepWords(words, a[:n], digit, c.Factor(w))
		c.RadixStep(floats, x, digit, c.Factor(w))
		want := make([]uint64, n)
		for i := range n {
			require.LessOrEqual(t, math.Abs(words[i]), 0.75*float64(m.p)+1)
			require.LessOrEqual(t, math.Abs(floats[i]), 0.75*float64(m.p)+1)
			want[i] = m.mul(m.sub(a[i], b[i]), w)
		}
		c.Canonical(words, words, c.Range(-half))
		c.Canonical(floats, floats, c.Range(-half))
		requireCongruent(t, m, want, words, label)
		requireCongruent(t, m, want, floats, label)
	})
}

// requireRange demands the representative of w that is least or at most p-1 above.
func requireRange(t *testing.T, x float64, w, p uint64, least int64) {
	t.Helper()
	want := int64(w)
	if want-int64(p) >= least {
		want -= int64(p)
	}
	require.Equal(t, float64(want), x)
	require.False(t, x == 0 && math.Signbit(x))
}

// Combining is the sum modulo another prime, of the largest digits too. Mutant: 14
// factors before a reduction.
func TestCombine(t *testing.T) {
	target := field{prime(1<<31, 11)}
	pairs(t, func(c *Constants, _ field, label string, a, b []uint64) {
		n, to := whole(len(a)), New(target.p, c.level())
		for _, rows := range []int{1, 2, 3, 4, 5, 11, 15, 16, 40} {
			y, factors, want := make([]float64, rows*n), make([]Factor, rows), make([]*big.Int, n)
			for k := range rows {
				w := b[k] % target.p
				if k == 0 {
					w = 1
				}
				factors[k] = to.Factor(w)
				for i := range n {
					y[k*n+i] = float64(a[i])
					if k&1 == 1 {
						y[k*n+i] = -float64(a[i])
					}
					if k == 0 {
						want[i] = new(big.Int)
					}
					product := big.NewInt(int64(y[k*n+i]))
					want[i].Add(want[i], product.Mul(product, new(big.Int).SetUint64(w)))
				}
			}
			dst, reduced := make([]float64, n), make([]uint64, n)
			to.Combine(dst, y, factors)
			for i := range n {
				reduced[i] = want[i].Mod(want[i], new(big.Int).SetUint64(target.p)).Uint64()
			}
			requireCongruent(t, target, reduced, dst, fmt.Sprint(label, rows))
		}
	})
}
