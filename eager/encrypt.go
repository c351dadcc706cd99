package eager

import (
	"fhelium/ckks"
	"fhelium/core/parallel"
	"fhelium/core/ring"
	"fhelium/core/sample"
)

func init() {
	Implement(ckks.Encrypt, encrypt)
	Implement(ckks.EncryptZero, encryptZero)
}

// encrypt makes c = v·k + (m + e0, e1) for the public key k, a uniform ternary
// v and Gaussian e0, e1 of the caller's parameters (Lyubashevsky, Peikert and
// Regev, EUROCRYPT 2010). A key that has the special primes, whose product is P,
// gives c = (v·k + (e0, e1))/P + (m, 0) instead, to the nearest (see divided).
// The plaintext may be in either domain and basis, and each batch member has its
// own v, e0 and e1. The noise that decryption leaves is at most what freshNoise
// estimates. Constant-time in the plaintext and the errors; the rejected draws of
// v show in the time, those kept do not.
func encrypt(j *Job) error {
	return j.encryptMembers(j.In[0])
}

// encryptZero is encrypt of m = 0.
func encryptZero(j *Job) error {
	return j.encryptMembers(nil)
}

// encryptMembers encrypts each batch member of m under the public key of
// operand 1; a nil m is zero.
func (j *Job) encryptMembers(m *ckks.Value) error {
	out, seed := j.Out[0], j.draw()
	if special := j.specialSpan(); out.Basis == ckks.Q && special.first < special.end && holds(j.In[1], special) {
		return j.encryptDivided(m, seed)
	}
	s := spanOf(out.State)
	primes := j.tables.primes(s)
	k0, k1 := rowsOf(j.In[1], 0, s), rowsOf(j.In[1], 1, s)
	return members(j.Group, out.BatchSize(), func(b int, rows *parallel.Group) error {
		mask := j.newMask(seed, b, rows)
		defer ints.give(mask.memory)
		c0, c1 := out.Poly(0, b), out.Poly(1, b)
		rows.Each(out.Rows, func(r int) {
			x := publicRow{Table: primes[r], mask: mask, coefficient: out.Domain == ckks.Coefficient}
			if m != nil {
				x.m, x.mCoefficient = m.Poly(0, b)[r], m.Domain == ckks.Coefficient
			}
			x.encrypt(c0[r], c1[r], k0[r], k1[r])
		})
		return nil
	})
}

// mask is the randomness of one public-key encryption: three polynomials of
// small integers in one memory.
type mask struct{ v, e0, e1, memory []int64 }

func (j *Job) newMask(seed sample.Seed, b int, g *parallel.Group) mask {
	n, member := j.config.N(), uint64(b)
	x := ints.take(3 * n)
	out := mask{v: x[:n], e0: x[n : 2*n], e1: x[2*n:], memory: x}
	g.Each(3, func(i int) {
		switch i {
		case 0:
			ternary(out.v, seed.Derive("mask", member))
		case 1:
			j.gaussian(out.e0, seed.Derive("error 0", member))
		case 2:
			j.gaussian(out.e1, seed.Derive("error 1", member))
		}
	})
	return out
}

// publicRow is what one row of an encryption is made of, beside the key.
type publicRow struct {
	*ring.Table
	mask
	m            []uint64 // the plaintext's row, or nil
	mCoefficient bool     // m's domain
	coefficient  bool     // the output's domain
}

// encrypt takes three transforms: of v, and of the two errors or, for output in
// the coefficient domain, of the two products.
func (x publicRow) encrypt(c0, c1, k0, k1 []uint64) {
	row := words.take(x.N())
	defer words.give(row)
	x.multiply(c0, c1, k0, k1)
	if x.m != nil && !x.mCoefficient {
		x.Add(c0, c0, x.m)
	}
	if x.coefficient {
		x.Inverse(c0)
		x.Inverse(c1)
	}
	x.FromInt64(row, x.e0)
	if x.m != nil && x.mCoefficient {
		x.Add(row, row, x.m)
	}
	x.addTo(c0, row)
	x.FromInt64(row, x.e1)
	x.addTo(c1, row)
}

// multiply sets c = v·k in the NTT domain.
func (x publicRow) multiply(c0, c1, k0, k1 []uint64) {
	row := words.take(x.N())
	defer words.give(row)
	x.FromInt64(row, x.v)
	x.Forward(row)
	x.Mul(c0, row, k0)
	x.Mul(c1, row, k1)
}

// addTo adds coefficients to a row in the output's domain.
func (x publicRow) addTo(c, row []uint64) {
	if !x.coefficient {
		x.Forward(row)
	}
	x.Add(c, c, row)
}
