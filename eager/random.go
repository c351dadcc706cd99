package eager

import (
	"math"

	"fhelium/core/sample"
)

// Randomness. Each call of an operation draws one seed, and each random
// polynomial grows from its own child of that seed, named by what it is for and
// by its indices (batch member, digit, prime). So results do not depend on the
// number of workers, no two goroutines share a stream, and no stream is long:
// the number of encryptions has no bound.

// gaussian fills dst with errors of the parameters' standard deviation. At
// sample.Sigma, the only one that the security table covers, it is
// constant-time. Any other one is a rounded normal draw, for tests alone.
func (e *Engine) gaussian(dst []int64, seed sample.Seed) {
	source := sample.NewSource(seed)
	sigma := e.config.Sigma()
	if sigma == sample.Sigma {
		source.Gaussian(dst)
		return
	}
	draws := reals.take(len(dst))
	defer reals.give(draws)
	source.WideGaussian(draws, sigma)
	for i, x := range draws {
		dst[i] = int64(x)
	}
}

// ternary fills dst with uniform values of {-1, 0, 1}.
func ternary(dst []int64, seed sample.Seed) { sample.NewSource(seed).Ternary(dst) }

// uniform fills a row with uniform residues.
func uniform(row []uint64, q uint64, seed sample.Seed) { sample.NewSource(seed).Uniform(row, q) }

// secretVariance is the variance of one coefficient of a uniform ternary
// polynomial, such as a secret key or an encryption's mask.
const secretVariance = 2.0 / 3

// freshNoise estimates the standard deviation of one coefficient of the noise
// of an encryption under a public key without the special primes, the largest of a
// fresh one, v·e + e0 + e1·s: with errors of deviation sigma
// and ternary v and s its variance is sigma²·(1 + 2·(2/3)·N), in the heuristic
// that coefficients are independent (Costache and Smart, CT-RSA 2016). With the
// special primes it is that of rounding (see divided). Under a secret key the noise is e alone, of deviation sigma.
func (e *Engine) freshNoise() float64 {
	return e.config.Sigma() * math.Sqrt(1+2*secretVariance*float64(e.config.N()))
}
