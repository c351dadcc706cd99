// Package keyswitch leads polynomials from one secret key to another by hybrid
// key switching with grouped digits (K. Han and D. Ki, "Better Bootstrapping
// for Approximate Homomorphic Encryption", CT-RSA 2020). It knows rows of
// residues and no values.
//
// Let Q be the product of the active primes, cut into digits, contiguous ranges
// of primes with products Q_d, and let P be the product of the special primes,
// above every Q_d. Let g_d be 1 modulo the primes of digit d and 0 modulo the
// other primes of Q. A key from secret s to secret t is, for each digit, a pair
// of polynomials modulo QP with
//
//	k0_d + k1_d·t = e_d + P·g_d·s,   e_d small.
//
// With D_d the representative of x modulo Q_d nearest to 0, Σ D_d·g_d = x modulo
// Q, so that
//
//	Σ D_d·(k0_d + k1_d·t) = P·x·s + Σ D_d·e_d   modulo QP,
//
// and dividing both sums by P, to the nearest, gives (y0, y1) modulo Q with
//
//	y0 + y1·t = x·s + error,   |error| ≤ Σ N·(Q_d/2P)·|e_d| + (1 + |t|_1)/2
//
// for every coefficient, where |e_d| is the largest coefficient and |t|_1 the
// sum of all. Rows that a rescale drops leave their digit: what is left of a
// digit keeps its key, because P·g_d stays what it is modulo the other primes.
package keyswitch

import (
	"math/big"

	"fhelium/core/parallel"
	"fhelium/core/ring"
)

// Switcher holds what key switching needs for one set of active primes. It is
// immutable.
type Switcher struct {
	tables  []*ring.Table // active primes of Q, then the special primes
	active  int           // number of active primes of Q
	digits  []digit
	down    *ring.Division
	special []uint64 // P modulo each active prime of Q
}

// digit is the range of rows that a digit covers, and its conversion to all
// other rows.
type digit struct {
	start, end int
	up         *ring.Conversion
}

// New takes the transforms of the active primes of Q followed by those of the
// special primes, the number of the former, and the digits as ranges of rows
// that cover the active primes in order.
func New(tables []*ring.Table, active int, digits [][2]int) (*Switcher, error) {
	moduli := make([]*ring.Modulus, len(tables))
	for i, t := range tables {
		moduli[i] = t.Modulus
	}
	s := &Switcher{tables: tables, active: active}
	for _, d := range digits {
		up, err := ring.NewConversion(moduli[d[0]:d[1]], without(moduli, d[0], d[1]))
		if err != nil {
			return nil, err
		}
		s.digits = append(s.digits, digit{d[0], d[1], up})
	}
	var err error
	if s.down, err = ring.NewDivision(moduli[active:], moduli[:active]); err != nil {
		return nil, err
	}
	product := big.NewInt(1)
	for _, m := range moduli[active:] {
		product.Mul(product, new(big.Int).SetUint64(m.Q))
	}
	for _, m := range moduli[:active] {
		s.special = append(s.special, new(big.Int).Mod(product, new(big.Int).SetUint64(m.Q)).Uint64())
	}
	return s, nil
}

// without is the list less the entries from start to before end.
func without[T any](list []T, start, end int) []T {
	return append(append(make([]T, 0, len(list)), list[:start]...), list[end:]...)
}

// Special is P modulo each active prime of Q.
func (s *Switcher) Special() []uint64 { return s.special }

// Active is the number of active rows of Q.
func (s *Switcher) Active() int { return s.active }

// Bytes is the memory of the constants, without the transforms, which belong to
// the caller.
func (s *Switcher) Bytes() int {
	total := s.down.Bytes() + 8*len(s.special)
	for _, d := range s.digits {
		total += d.up.Bytes()
	}
	return total
}

// n is the degree.
func (s *Switcher) n() int { return s.tables[0].N() }

// Lift adds P·x to an inner product, for x modulo Q in the NTT domain, so that
// Divide gives its result plus x exactly.
func (s *Switcher) Lift(g *parallel.Group, sum []ring.Work, x ring.Rows) {
	g.Each(s.active, func(r int) {
		s.tables[r].MulScalarAddWork(sum[r], x[r], s.special[r])
	})
}

// Divide sets dst to sigma of an inner product over P, rounded to the nearest, plus
// add where it is not nil, all in the NTT or the coefficient domain; a nil sigma is
// the identity. dst has the active rows of Q. The content of sum is lost. Only without
// sigma may dst be the memory of sum.
func (s *Switcher) Divide(g *parallel.Group, dst ring.Rows, sum []ring.Work, add ring.Rows, sigma *ring.Automorphism, ntt bool) {
	x := ring.Dividend{Dropped: ring.Source{Work: sum[s.active:]}, Kept: ring.Source{Work: sum[:s.active]}, Add: add}
	if ntt {
		x.NTT = &ring.DivTables{Dropped: s.tables[s.active:], Kept: s.tables[:s.active]}
		x.Image = sigma
		s.down.Apply(g, dst, x, false)
		return
	}
	g.Each(len(s.tables), func(r int) { s.tables[r].InverseWork(sum[r]) })
	if sigma == nil {
		s.down.Apply(g, dst, x, false)
		return
	}
	quotient := make(ring.Rows, s.active)
	for r := range quotient {
		quotient[r] = sum[r].Memory()
	}
	s.down.Apply(g, quotient, x, false)
	g.Each(s.active, func(r int) { sigma.Coefficient(s.tables[r].Modulus, dst[r], quotient[r]) })
}
