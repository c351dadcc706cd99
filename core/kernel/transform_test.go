//go:build amd64 && !purego

package kernel

import (
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// field computes modulo p by division, the definition.
type field struct{ p uint64 }

func (f field) mul(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	_, r := bits.Div64(hi, lo, f.p)
	return r
}

func (f field) pow(a, e uint64) uint64 {
	x := uint64(1)
	for ; e > 0; e >>= 1 {
		if e&1 == 1 {
			x = f.mul(x, a)
		}
		a = f.mul(a, a)
	}
	return x
}

func (f field) add(a, b uint64) uint64 { return (a + b) % f.p }
func (f field) sub(a, b uint64) uint64 { return (a + f.p - b) % f.p }

// prime is the largest one below limit that is 1 modulo 2^logN·2.
func prime(limit uint64, logN int) uint64 {
	step := uint64(2) << logN
	q := (limit-2)/step*step + 1
	for !new(big.Int).SetUint64(q).ProbablyPrime(20) {
		q -= step
	}
	return q
}

// transformer is a Transform and its roots.
type transformer struct {
	field
	*Transform
	roots []uint64
}

func newTransformer(level Level, logN int, p uint64) transformer {
	f := field{p}
	n := uint64(1) << logN
	psi := uint64(0)
	for x := uint64(2); ; x++ {
		psi = f.pow(x, (p-1)/(2*n))
		if f.pow(psi, n) == p-1 {
			break
		}
	}
	roots := make([]uint64, n)
	power := uint64(1)
	for i := range n {
		roots[bits.Reverse64(i)>>(64-logN)] = power
		power = f.mul(power, psi)
	}
	t := New(p, level).NewTransform(logN, roots, f.pow(n%p, p-2))
	return transformer{f, t, roots}
}

// reference is the transform stage by stage.
func (t transformer) reference(x []uint64) []uint64 {
	x = slices.Clone(x)
	for node, half := 1, len(x)/2; half > 0; node, half = 2*node, half/2 {
		for k := range node {
			for j := 2 * k * half; j < (2*k+1)*half; j++ {
				a, m := x[j], t.mul(x[j+half], t.roots[node+k])
				x[j], x[j+half] = t.add(a, m), t.sub(a, m)
			}
		}
	}
	return x
}

// edges are words at the ends of the range and between.
func edges(p uint64, n int) map[string][]uint64 {
	r := rand.New(rand.NewPCG(p, uint64(n)))
	out := map[string][]uint64{}
	for name, f := range map[string]func(j int) uint64{
		"zero":        func(int) uint64 { return 0 },
		"largest":     func(int) uint64 { return p - 1 },
		"half":        func(j int) uint64 { return p/2 + uint64(j&1) },
		"alternating": func(j int) uint64 { return uint64(j&1) * (p - 1) },
		"signs":       func(int) uint64 { return []uint64{p - 1, 0, 1, p / 2, p/2 + 1}[r.IntN(5)] },
		"random":      func(int) uint64 { return r.Uint64N(p) },
	} {
		out[name] = make([]uint64, n)
		for j := range out[name] {
			out[name][j] = f(j)
		}
	}
	return out
}

// The transforms of every degree give the definition's words, for primes at both
// ends of the range. Mutants: one reduction less in forwardSixteens; a pass that
// takes its twiddles one node late.
func TestTransform(t *testing.T) {
	for logN := MinLogN; logN <= 17; logN++ {
		for _, level := range fast {
			testTransform(t, level, logN)
		}
	}
}

func testTransform(t *testing.T, level Level, logN int) {
	for _, limit := range []uint64{1 << 50, 1<<(logN+8) + 1<<24} {
		f := newTransformer(level, logN, prime(limit, logN))
		for name, x := range edges(f.p, 1<<logN) {
			label := fmt.Sprint(level, " ", logN, " ", f.p, " ", name)
			y := slices.Clone(x)
			f.Forward(y)
			require.Equal(t, -1, differ(f.reference(x), y), label)
			y0 := slices.Clone(y)
			f.Inverse(y)
			require.Equal(t, -1, differ(x, y), label)
			floats := floatsOf(f.Constants, x)
			f.ForwardFloats(floats)
			requireCongruent(t, f.field, y0, floats, label)
			f.InverseFloats(floats)
			requireCongruent(t, f.field, x, floats, label)
			f.ForwardFrom(floats, x)
			requireCongruent(t, f.field, y0, floats, label)
			f.InverseFrom(floats, y0)
			requireCongruent(t, f.field, x, floats, label)
			// Any words are values of some polynomial.
			f.Inverse(y)
			f.Forward(y)
			require.Equal(t, -1, differ(x, y), label)
		}
	}
}

// differ is the first place where two rows differ, or -1.
func differ(a, b []uint64) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

func BenchmarkTransform(b *testing.B) {
	for logN := 12; logN <= 17; logN++ {
		for _, level := range fast {
			f := newTransformer(level, logN, prime(1<<50, logN))
			x := edges(f.p, 1<<logN)["random"]
			b.Run(fmt.Sprint("forward/", logN, "/", level), func(b *testing.B) {
				for b.Loop() {
					f.Forward(x)
				}
			})
			b.Run(fmt.Sprint("inverse/", logN, "/", level), func(b *testing.B) {
				for b.Loop() {
					f.Inverse(x)
				}
			})
		}
	}
}
