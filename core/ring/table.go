package ring

import (
	"math/bits"
	"unsafe"

	"fhelium/core/kernel"
	"fhelium/core/refusal"
)

// The degrees N = 2^LogN that a Table can have. The least is for tests.
const (
	MinLogN = 4
	MaxLogN = 17
)

// Table holds what the NTT of degree N = 2^LogN modulo q needs. It is
// immutable. With psi the chosen primitive 2N-th root of unity and brv the
// reversal of LogN bits, output j of Forward is the polynomial's value at
// psi^(2·brv(j)+1).
type Table struct {
	*Modulus
	LogN int

	psi  uint64
	fast *kernel.Transform // nil at the portable level and for small degrees

	// What the portable transforms need, empty where others do the work.
	// roots[j] = psi^brv(j). One table serves both directions: block i of the m
	// equal blocks of a stage uses roots[m+i], and the inverse of that root is
	// -roots[2m-1-i], because brv(m+i) + brv(2m-1-i) = N and psi^N = -1.
	roots []twiddle

	scale     twiddle // 1/N
	scaleRoot twiddle // roots[1]/N
}

// NewTable takes q = 1 modulo 2N, a prime. The root is that of the smallest
// quadratic non-residue x ≥ 2, psi = x^((q-1)/2N), so that it depends on q and N
// alone: x^((q-1)/2) = -1 is psi^N = -1.
func NewTable(logN int, q uint64, level kernel.Level) (*Table, error) {
	if logN < MinLogN || logN > MaxLogN {
		return nil, refusal.New(DegreeInvalid, "log2 of the degree is %d; it must be in %d … %d", logN, MinLogN, MaxLogN)
	}
	if logN < kernel.MinLogN {
		level = kernel.Portable // for the whole table, so that its rows have one form
	}
	m, err := NewModulus(q, level)
	if err != nil {
		return nil, err
	}
	n := uint64(1) << logN
	if q%(2*n) != 1 || !IsPrime(q) {
		return nil, refusal.New(RootAbsent,
			"%d is not a prime equal to 1 modulo 2N = %d, so it has no NTT of degree %d; choose one such as NextPrime gives", q, 2*n, n)
	}
	t := &Table{Modulus: m, LogN: logN}
	for x := uint64(2); ; x++ {
		t.psi = m.Pow(x, (q-1)/(2*n))
		if m.Pow(t.psi, n) == q-1 {
			break
		}
	}
	roots, overN := t.bitReversedPowers(), m.Inv(n%q)
	if m.fast != nil {
		t.fast = m.fast.NewTransform(logN, roots, overN)
		return t, nil
	}
	t.roots = make([]twiddle, n)
	for j, w := range roots {
		t.roots[j] = m.twiddle(w)
	}
	t.scale, t.scaleRoot = m.twiddle(overN), m.twiddle(m.Mulmod(overN, roots[1]))
	return t, nil
}

// bitReversedPowers has psi^brv(j) at j.
func (t *Table) bitReversedPowers() []uint64 {
	roots := make([]uint64, t.N())
	power := uint64(1)
	for i := range roots {
		roots[bits.Reverse64(uint64(i))>>(64-t.LogN)] = power
		power = t.Mulmod(power, t.psi)
	}
	return roots
}

// N is the degree.
func (t *Table) N() int { return 1 << t.LogN }

// Bytes is the memory of the table: 16N, or 20N with kernels, and a constant.
func (t *Table) Bytes() int {
	own := int(unsafe.Sizeof(*t)) + int(unsafe.Sizeof(*t.Modulus))
	if t.fast != nil {
		return own + t.fast.Bytes()
	}
	return own + len(t.roots)*int(unsafe.Sizeof(twiddle{}))
}
