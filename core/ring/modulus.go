// Package ring computes with residues modulo primes below 2^50: vector
// arithmetic, the negacyclic number-theoretic transform (NTT), automorphisms,
// and exact conversion between residue bases.
//
// A residue is a uint64 in [0, q), its canonical form, at every border of this
// package; lazily reduced values never leave a routine. A polynomial of
// Z_q[X]/(X^N+1) is one slice of N words, either its coefficients in natural
// order or its evaluations in bit-reversed order; a polynomial over several
// moduli is one such row for each.
//
// Rows that are too short are a bug of the caller and panic. No routine
// branches on a residue, except where its comment says so.
//
// The code here is portable and defines the results. Where a Modulus was made for
// a faster level of package kernel, that does the bulk of the work, with the same
// words.
package ring

import (
	"math/bits"

	"fhelium/core/kernel"
	"fhelium/core/refusal"
)

// Rows is a polynomial over several moduli: one row of N words for each.
type Rows = [][]uint64

// MaxBits bounds the moduli: every q is below 2^MaxBits.
const MaxBits = 50

// Modulus holds an odd q with 2 < q < 2^50 and the constants that replace
// division by it. It is immutable.
type Modulus struct {
	Q uint64

	shift uint64  // 64 - n, where n is the bit length of q
	mu    uint64  // floor(2^(n+57) / q), for products of two residues
	word  uint64  // floor(2^64 / q), for single words
	carry twiddle // 2^64 mod q, for double words

	fast *kernel.Constants // nil at the portable level
}

// twiddle is a factor w in [0, q) with floor(2^64 w / q), after V. Shoup: the
// quotient of a·w by q comes from one multiplication by the second word.
type twiddle struct{ w, quotient uint64 }

// NewModulus checks the range of q, and computes with kernels of the given level.
// That q is prime is the concern of whoever chooses it; only Inv and NewTable need
// it.
func NewModulus(q uint64, level kernel.Level) (*Modulus, error) {
	if q < 3 || q>>MaxBits != 0 || q&1 == 0 {
		return nil, refusal.New(ModulusInvalid,
			"modulus %d is not an odd number with 2 < q < 2^%d; choose an odd prime below 2^%d", q, MaxBits, MaxBits)
	}
	n := uint64(bits.Len64(q))
	m := &Modulus{Q: q, shift: 64 - n, fast: kernel.New(q, level)}
	m.mu, _ = bits.Div64(1<<n>>7, 1<<(n+57), q) // one of the two words is 0
	word, rest := bits.Div64(1, 0, q)
	m.word, m.carry = word, m.twiddle(rest)
	return m, nil
}

// twiddle prepares the factor w in [0, q).
func (m *Modulus) twiddle(w uint64) twiddle {
	quotient, _ := bits.Div64(w, 0, m.Q)
	return twiddle{w, quotient}
}

// mulLazy is a·w modulo q for any word a, in [0, 2q).
//
// With h = floor(a·quotient / 2^64) and quotient > 2^64·w/q - 1 we have
// a·w/q - h < 1 + a/2^64, so the result is below q·(1 + a/2^64) < 2q, and it is
// not negative because h ≤ a·w/q. See D. Harvey, "Faster arithmetic for
// number-theoretic transforms", J. Symbolic Computation 60, 2014.
func mulLazy(a uint64, w twiddle, q uint64) uint64 {
	h, _ := bits.Mul64(a, w.quotient)
	return a*w.w - h*q
}

// once maps x in [0, 2q) to [0, q) without a branch: below q the difference
// wraps round and is the larger of the two.
func once(x, q uint64) uint64 { return min(x, x-q) }

// product is a·b modulo q for a, b in [0, q), in [0, q). The constants are
// those of Modulus, passed so that loops keep them in registers.
//
// Barrett reduction with n bits of q: x = a·b < 2^2n and
// t = floor(x / 2^(n-7)) < 2^(n+7), taken as the high word of (a·2^(64-n))·(b·2^7),
// whose factors fit a word because n ≤ 50. With mu = floor(2^(n+57)/q), the
// quotient floor(t·mu/2^64) is at most x/q, and short of x/q by less than
// 2^(n-7)/q + t/2^64 + 1 ≤ 2^-6 + 2^-7 + 1. So the remainder is below 1.03q and
// one subtraction makes it canonical.
func product(a, b, q, shift, mu uint64) uint64 {
	t, _ := bits.Mul64(a<<(shift&63), b<<7)
	h, _ := bits.Mul64(t, mu)
	return once(a*b-h*q, q)
}

// reduceWord is x modulo q for any word x, in [0, q). The quotient
// floor(x·floor(2^64/q)/2^64) is short by less than 1 + x/2^64 < 2.
func reduceWord(x, q, word uint64) uint64 {
	h, _ := bits.Mul64(x, word)
	return once(x-h*q, q)
}

// reduceDouble is hi·2^64 + lo modulo q for any two words, in [0, q): the two
// parts are each below 2q, see mulLazy and reduceWord.
func reduceDouble(hi, lo, q, word uint64, carry twiddle) uint64 {
	h, _ := bits.Mul64(lo, word)
	x := mulLazy(hi, carry, q) + lo - h*q
	return once(min(x, x-2*q), q)
}

// Mulmod is a·b modulo q, for a, b in [0, q).
func (m *Modulus) Mulmod(a, b uint64) uint64 { return product(a, b, m.Q, m.shift, m.mu) }

// Pow is a^e modulo q, for a in [0, q); it branches on e.
func (m *Modulus) Pow(a, e uint64) uint64 {
	x := uint64(1)
	for ; e > 0; e >>= 1 {
		if e&1 == 1 {
			x = m.Mulmod(x, a)
		}
		a = m.Mulmod(a, a)
	}
	return x
}

// Inv is the inverse of a in [1, q) by Fermat's theorem, which needs q to be
// prime. Inv(0) is 0.
func (m *Modulus) Inv(a uint64) uint64 { return m.Pow(a, m.Q-2) }
