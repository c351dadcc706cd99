package ring

import (
	"math/bits"

	"fhelium/core/refusal"
)

// Automorphism is X -> X^g of Z_q[X]/(X^N+1), for every q. It is immutable and
// takes 4N bytes.
type Automorphism struct {
	Galois uint64

	// from[j] is the value of the operand that becomes value j. Value j of the
	// image stands at psi^(2·brv(j)+1) and so is the operand's value at
	// psi^(g·(2·brv(j)+1)), a power as odd as before.
	from []uint32
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
	a := &Automorphism{Galois: galois, from: make([]uint32, 1<<logN)}
	drop := 64 - logN
	for i := range uint64(1) << logN {
		source := galois * (2*i + 1) & mask >> 1
		a.from[bits.Reverse64(i)>>drop] = uint32(bits.Reverse64(source) >> drop)
	}
	return a, nil
}

// Bytes is the memory of the permutation.
func (a *Automorphism) Bytes() int { return 4 * len(a.from) }

// Coefficient maps N coefficients in natural order: coefficient i goes to place
// i·g modulo N, negated where i·g modulo 2N is N or more. dst may not overlap
// src.
func (a *Automorphism) Coefficient(m *Modulus, dst, src []uint64) {
	n := uint64(len(a.from))
	dst, src = dst[:n], src[:n]
	q, place := m.Q, uint64(0)
	for _, x := range src {
		negative := -(place / n & 1) // all ones where negated
		dst[place&(n-1)] = x ^ (x^once(q-x, q))&negative
		place += a.Galois
	}
}

// NTT maps N values in bit-reversed order, for any modulus. dst may not overlap
// src.
func (a *Automorphism) NTT(dst, src []uint64) {
	dst, src = dst[:len(a.from)], src[:len(a.from)]
	for j, k := range a.from {
		dst[j] = src[k]
	}
}
