package eager

import (
	"math/big"

	"fhelium/ckks"
	"fhelium/core/parallel"
	"fhelium/core/ring"
	"fhelium/core/sample"
)

// divided is public-key encryption of one member over all primes of QP, divided
// by P to the nearest: c = (v·k + (e0, e1) - r)/P + (m, 0), for the remainder r
// modulo P nearest to 0. Decryption leaves (v·e + e0 + e1·s)/P, which is next to
// nothing, and the rounding, of variance (1 + 2N/3)/12 a coefficient for a ternary
// s: a fifteenth of the deviation without the division.
//
// v·k + (e0, e1) is a ciphertext of 0 modulo QP, so that its remainders need no
// more care than the result does.
type divided struct {
	*Job
	mask
	m                *ckks.Value // nil is 0
	member           int
	kept, dropped    span
	primes, specials []*ring.Table
	*ring.Division
}

// specialSpan is the range of the special primes.
func (e *Engine) specialSpan() span {
	return span{e.config.NumQ(), e.config.NumQ() + e.config.NumP()}
}

// holds tells whether a key has the rows of a range of primes.
func holds(key *ckks.Value, s span) bool {
	return key.First <= s.first && s.end <= key.First+key.Rows
}

func (j *Job) encryptDivided(m *ckks.Value, seed sample.Seed) error {
	out := j.Out[0]
	x := divided{Job: j, m: m, kept: spanOf(out.State), dropped: j.specialSpan()}
	x.primes, x.specials = j.tables.primes(x.kept), j.tables.primes(x.dropped)
	x.Division = j.tables.division(x.dropped, x.kept)
	return members(j.Group, out.BatchSize(), func(b int, rows *parallel.Group) error {
		one := x
		one.member, one.mask = b, j.newMask(seed, b, rows)
		defer ints.give(one.memory)
		one.encrypt(rows, [2]ring.Rows{out.Poly(0, b), out.Poly(1, b)})
		return nil
	})
}

// encrypt needs three transforms of every special row, each way for two, and three
// of every other row: of v, and of what is subtracted from either product.
func (x *divided) encrypt(g *parallel.Group, c [2]ring.Rows) {
	coefficient := x.Out[0].Domain == ckks.Coefficient
	memory, special := takeRows(2*len(x.specials), x.config.N())
	defer words.give(special)
	dropped := [2]ring.Rows{memory[:len(x.specials)], memory[len(x.specials):]}
	x.each(g, x.specials, x.dropped, func(t publicRow, r int, k0, k1 []uint64) {
		t.coefficient = coefficient
		t.encrypt(dropped[0][r], dropped[1][r], k0, k1)
	})
	x.each(g, x.primes, x.kept, func(t publicRow, r int, k0, k1 []uint64) {
		if t.coefficient = coefficient; coefficient {
			t.encrypt(c[0][r], c[1][r], k0, k1)
		} else {
			t.multiply(c[0][r], c[1][r], k0, k1)
		}
	})
	for half, rows := range c {
		dividend := ring.Dividend{Dropped: ring.Source{Words: dropped[half]}, Kept: ring.Source{Words: rows}}
		if coefficient {
			x.divideCoefficients(g, dividend, half)
		} else {
			x.divideNTT(g, dividend, half)
		}
	}
}

// each runs f for every row of a range of primes, with the key's rows.
func (x *divided) each(g *parallel.Group, tables []*ring.Table, s span, f func(t publicRow, r int, k0, k1 []uint64)) {
	k0, k1 := rowsOf(x.In[1], 0, s), rowsOf(x.In[1], 1, s)
	g.Each(len(tables), func(r int) { f(publicRow{Table: tables[r], mask: x.mask}, r, k0[r], k1[r]) })
}

// divideNTT divides v·k, to which no error was added: (v·k + e - r)/P + m is
// (v·k - (r - e - P·m))/P, so that the error and a message of coefficients share
// the transform of r.
func (x *divided) divideNTT(g *parallel.Group, d ring.Dividend, half int) {
	errors := reals.take(x.config.N())
	defer reals.give(errors)
	for i, e := range [2][]int64{x.e0, x.e1}[half] {
		errors[i] = float64(e)
	}
	d.NTT = &ring.DivTables{Dropped: x.specials, Kept: x.primes}
	message := x.message(half)
	lifted := message != nil && x.m.Domain == ckks.Coefficient
	if !lifted {
		d.Add = message
	}
	d.Lower = func(r int, remainder ring.Work) {
		t := x.primes[r]
		t.SubIntegers(remainder, errors)
		if lifted {
			t.MulScalarAddWork(remainder, message[r], t.Q-x.specialProduct(t.Q))
		}
	}
	x.Apply(g, d.Kept.Words, d, false)
}

// divideCoefficients divides v·k + e in the coefficient domain.
func (x *divided) divideCoefficients(g *parallel.Group, d ring.Dividend, half int) {
	d.Add = x.message(half)
	if d.Add != nil && x.m.Domain == ckks.NTT {
		rows, memory := takeRows(len(x.primes), x.config.N())
		defer words.give(memory)
		g.Each(len(rows), func(r int) {
			copy(rows[r], d.Add[r])
			x.primes[r].Inverse(rows[r])
		})
		d.Add = rows
	}
	x.Apply(g, d.Kept.Words, d, false)
}

// message is what is added to one half of the ciphertext, or nil.
func (x *divided) message(half int) ring.Rows {
	if x.m == nil || half == 1 {
		return nil
	}
	return x.m.Poly(0, x.member)
}

// specialProduct is P modulo q.
func (e *Engine) specialProduct(q uint64) uint64 {
	product, modulus := big.NewInt(1), new(big.Int).SetUint64(q)
	for _, p := range e.config.Moduli()[e.config.NumQ():] {
		product.Mod(product.Mul(product, new(big.Int).SetUint64(p)), modulus)
	}
	return product.Uint64()
}
