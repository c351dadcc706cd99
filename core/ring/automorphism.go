package ring

import (
	"math/bits"

	"fhelium/core/kernel"
	"fhelium/core/refusal"
)

// Automorphism is X -> X^g of Z_q[X]/(X^N+1), for every q. It is immutable and
// takes N bytes.
type Automorphism struct {
	Galois uint64

	// Value j of a row stands at the power 2·brv(j)+1 of psi, and value j of the
	// image is the operand's value at the g-th of that power. The two leading bits
	// of brv(j) are the two last of j, reversed: a four of values stands at powers
	// e + t·N/2, for t = 0, 2, 1, 3, and their g-th are f + (u + g·t mod 4)·N/2. So
	// whole fours move, each in one of four orders, which its turn u names.
	moves kernel.Moves
}

// turns has the orders of fours, by g modulo 4 and by turn: value i comes from
// value order[i]. orders are the same in halves of words, for kernels.
var (
	turns  [4][4][4]uint8
	orders [4][4][8]uint32
)

func init() {
	reversed := [4]int{0, 2, 1, 3}
	for g := range turns {
		for u := range turns[g] {
			for i := range uint32(4) {
				from := reversed[(u+g*reversed[i])&3]
				turns[g][u][i] = uint8(from)
				orders[g][u][2*i], orders[g][u][2*i+1] = 2*uint32(from), 2*uint32(from)+1
			}
		}
	}
}

// NewAutomorphism takes an odd g in (0, 2N), N = 2^logN.
func NewAutomorphism(logN int, galois uint64) (*Automorphism, error) {
	if logN < MinLogN || logN > MaxLogN {
		return nil, refusal.New(DegreeInvalid, "log2 of the degree is %d; it must be in %d … %d", logN, MinLogN, MaxLogN)
	}
	mask := uint64(2)<<logN - 1
	if galois&1 == 0 || galois > mask {
		return nil, refusal.New(GaloisInvalid, "Galois element %d is not an odd number below 2N = %d", galois, mask+1)
	}
	a := &Automorphism{Galois: galois}
	a.moves = kernel.Moves{To: make([]uint32, 1<<(logN-2)), Turns: &orders[galois&3]}
	reverse := func(x uint64) uint64 { return bits.Reverse64(x) >> (64 - logN) }
	for four := range uint64(1) << (logN - 2) {
		power := galois * (2*reverse(4*four) + 1) & mask
		turn := power >> (logN - 1)
		from := reverse(power&(mask>>2)>>1) / 4
		a.moves.To[from] = uint32(4*four + turn)
	}
	return a, nil
}

// Bytes is the memory of the permutation.
func (a *Automorphism) Bytes() int { return 4 * len(a.moves.To) }

// Coefficient maps N coefficients in natural order: coefficient i goes to place
// i·g modulo N, negated where i·g modulo 2N is N or more. dst may not overlap
// src.
func (a *Automorphism) Coefficient(m *Modulus, dst, src []uint64) {
	n := uint64(4 * len(a.moves.To))
	dst, src = dst[:n], src[:n]
	q, place := m.Q, uint64(0)
	for _, x := range src {
		negative := -(place / n & 1) // all ones where negated
		dst[place&(n-1)] = x ^ (x^once(q-x, q))&negative
		place += a.Galois
	}
}

// NTT maps N values in bit-reversed order modulo m. dst may not overlap src.
func (a *Automorphism) NTT(m *Modulus, dst, src []uint64) {
	n := 4 * len(a.moves.To)
	dst, src = dst[:n], src[:n]
	if m.fast != nil && n%kernel.Step == 0 {
		kernel.Permute(dst, src, a.moves)
		return
	}
	order := &turns[a.Galois&3]
	for four, to := range a.moves.To {
		in, out := (*[4]uint64)(src[4*four:]), (*[4]uint64)(dst[to&^3:])
		for i, from := range order[to&3] {
			out[i] = in[from&3]
		}
	}
}
