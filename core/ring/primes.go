package ring

import "math/big"

// IsPrime tells whether q is prime. Below 2^64 the Baillie-PSW test has no
// counterexample (checked exhaustively by Feitsma and Galway, 2013).
func IsPrime(q uint64) bool { return new(big.Int).SetUint64(q).ProbablyPrime(0) }

// NextPrime is the nearest prime p = 1 modulo step (2N for an NTT of degree N)
// strictly above q where dir > 0, or strictly below it otherwise. ok is false
// where there is none in (step, 2^50).
func NextPrime(q, step uint64, dir int) (p uint64, ok bool) {
	if step == 0 || step>>MaxBits != 0 || q>>MaxBits != 0 && dir > 0 {
		return 0, false
	}
	if dir > 0 {
		p = q - (q+step-1)%step + step
		for ; p>>MaxBits == 0; p += step {
			if IsPrime(p) {
				return p, true
			}
		}
		return 0, false
	}
	q = min(q, 1<<MaxBits)
	if q < 2 {
		return 0, false
	}
	for p = q - 1 - (q-2)%step; p > step; p -= step {
		if IsPrime(p) {
			return p, true
		}
	}
	return 0, false
}
