package eager

import (
	"fhelium/ckks"
	"fhelium/core/ring"
)

func init() {
	Implement(ckks.CreateSecret, createSecret)
	Implement(ckks.CreatePublic, createPublic)
}

// createSecret samples s with independent coefficients, uniform in {-1, 0, 1},
// and stores its NTT modulo each prime. The rejection of draws shows in the
// time taken, the values kept do not (see sample.Source); reduction and
// transform are constant-time.
func createSecret(j *Job) error {
	key := j.Out[0]
	s := ints.take(key.N)
	defer ints.give(s)
	ternary(s, j.draw().Derive("secret"))
	reduce(j, key.Poly(0, 0), s, spanOf(key.State))
	return nil
}

// createPublic makes (k0, k1) with k0 + k1·s = e for uniform k1 and Gaussian e,
// in the NTT domain. Constant-time in s and e.
func createPublic(j *Job) error {
	secret, key := j.In[0], j.Out[0]
	seed := j.draw()
	e := ints.take(key.N)
	defer ints.give(e)
	j.gaussian(e, seed.Derive("error"))
	k0, k1, s := key.Poly(0, 0), key.Poly(1, 0), rowsOf(secret, 0, spanOf(key.State))
	primes := j.tables.primes(spanOf(key.State))
	j.Group.Each(key.Rows, func(r int) {
		uniform(k1[r], primes[r].Q, seed.Derive("uniform", uint64(key.First+r)))
		hide(primes[r], k0[r], k1[r], s[r], e)
	})
	return nil
}

// hide sets k0 = e - k1·s in the NTT domain, e given by its coefficients.
func hide(t *ring.Table, k0, k1, s []uint64, e []int64) {
	product := words.take(len(k0))
	defer words.give(product)
	t.Mul(product, k1, s)
	t.FromInt64(k0, e)
	t.Forward(k0)
	t.Sub(k0, k0, product)
}

// reduce sets rows to the NTT of a polynomial of small integers.
func reduce(j *Job, rows ring.Rows, x []int64, s span) {
	primes := j.tables.primes(s)
	j.Group.Each(len(rows), func(r int) {
		primes[r].FromInt64(rows[r], x)
		primes[r].Forward(rows[r])
	})
}

// rowsOf gives the rows of polynomial p of a key that belong to a range of
// primes. The plan has checked that the key has them.
func rowsOf(key *ckks.Value, p int, s span) ring.Rows {
	return key.Poly(p, 0)[s.first-key.First : s.end-key.First]
}
