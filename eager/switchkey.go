package eager

import (
	"fhelium/ckks"
	"fhelium/core/embed"
	"fhelium/core/refusal"
	"fhelium/core/ring"
)

func init() {
	Implement(ckks.CreateSwitch, createSwitch)
	Implement(ckks.CreateRelinearization, createRelinearization)
	Implement(ckks.CreateRotation, createRotation)
	Implement(ckks.CreateConjugation, createConjugation)
}

// Key-switch keys are hybrid (Han and Ki, CT-RSA 2020). With the primes of Q
// cut into digits and P the product of the special primes, digit d of a key
// from s to s' is a pair over all primes of QP with
//
//	k0 + k1·s' = e + P·g_d·s,   k1 uniform, e Gaussian,
//
// where g_d is 1 modulo the primes of digit d and 0 modulo the other primes of
// Q. The sum over digits of (x modulo digit d)·(k0, k1), divided by P, is then
// an encryption of x·s under s' with an error below one unit of x for each
// digit. Making a key is constant-time in the secrets and the errors.

// createSwitch makes a key from the secret of operand 0 to that of operand 1.
func createSwitch(j *Job) error {
	source, err := allRows(j.In[0], j.Out[0])
	if err != nil {
		return err
	}
	target, err := allRows(j.In[1], j.Out[0])
	if err != nil {
		return err
	}
	j.fillSwitchKey(source, target)
	return nil
}

// createRelinearization makes a key from s² to s.
func createRelinearization(j *Job) error {
	s, err := allRows(j.In[0], j.Out[0])
	if err != nil {
		return err
	}
	square, memory := takeRows(len(s), j.config.N())
	defer words.give(memory)
	primes := j.tables.primes(spanOf(j.Out[0].State))
	j.Group.Each(len(s), func(r int) { primes[r].Mul(square[r], s[r], s[r]) })
	j.fillSwitchKey(square, s)
	return nil
}

// createRotation makes a key from s to σ⁻¹(s), for σ: X -> X^g. A rotation
// switches c1·s to that key first and applies σ last, so that one decomposition
// of c1 serves many rotations (Halevi and Shoup, CRYPTO 2018):
// m = c0 + k0 + k1·σ⁻¹(s) gives σ(m) = σ(c0 + k0) + σ(k1)·s.
func createRotation(j *Job) error {
	return j.automorphismKey(embed.RotationGalois(j.config.LogN(), j.config.GaloisGenerator(), j.Out[0].Step))
}

// createConjugation is createRotation for X -> X^(2N-1).
func createConjugation(j *Job) error {
	return j.automorphismKey(uint64(2*j.config.N() - 1))
}

func (j *Job) automorphismKey(galois uint64) error {
	s, err := allRows(j.In[0], j.Out[0])
	if err != nil {
		return err
	}
	inverse := j.tables.galois(inverseGalois(galois, j.config.LogN()))
	image, memory := takeRows(len(s), j.config.N())
	defer words.give(memory)
	primes := j.tables.primes(spanOf(j.Out[0].State))
	j.Group.Each(len(s), func(r int) { inverse.NTT(primes[r].Modulus, image[r], s[r]) })
	j.fillSwitchKey(s, image)
	return nil
}

// inverseGalois is 1/g modulo 2N, by Newton's iteration: each step doubles the
// number of low bits that are right, from the 3 of g·g = 1 modulo 8 to 24.
func inverseGalois(g uint64, logN int) uint64 {
	x := g
	for range 3 {
		x *= 2 - g*x
	}
	return x & (2<<logN - 1)
}

// allRows gives the rows of a secret over all primes of QP.
func allRows(secret, key *ckks.Value) (ring.Rows, error) {
	if secret.Rows != key.Rows {
		return nil, refusal.New(ckks.NeedsAllRows, "the secret key holds primes %d..%d, but all %d rows of Q and P are needed; gather the rows first",
			secret.First, secret.First+secret.Rows-1, key.Rows)
	}
	return secret.Poly(0, 0), nil
}

// fillSwitchKey fills Out[0] with a key from the source to the target secret,
// both over all primes of QP in the NTT domain.
func (j *Job) fillSwitchKey(source, target ring.Rows) {
	key, n, digits := j.Out[0], j.config.N(), j.config.Digits()
	seed := j.draw()
	errors := ints.take(len(digits) * n)
	defer ints.give(errors)
	j.Group.Each(len(digits), func(d int) {
		j.gaussian(errors[d*n:(d+1)*n], seed.Derive("error", uint64(d)))
	})
	primes := j.tables.primes(spanOf(key.State))
	j.Group.Each(len(digits)*len(primes), func(i int) {
		d, r := i/len(primes), i%len(primes)
		k0, k1 := key.Poly(2*d, 0)[r], key.Poly(2*d+1, 0)[r]
		uniform(k1, primes[r].Q, seed.Derive("uniform", uint64(d), uint64(r)))
		hide(primes[r], k0, k1, target[r], errors[d*n:(d+1)*n])
		if digits[d][0] <= r && r < digits[d][1] {
			primes[r].MulScalarAdd(k0, source[r], j.specialProduct(primes[r].Q))
		}
	})
}
