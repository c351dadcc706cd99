package main

import (
	"fmt"
	"math"
	"slices"

	"fhelium/ckks"
)

// bias is the fixed point, in bits below the default scale. It makes the chain a
// little narrower than its name says: on the average, runs of primes stay below a
// power of two that a digit may not reach, and QP stays inside its budget.
const bias = 1e-5

// spare is how many primes more than needed a walk may choose from.
const spare = 2

// maxFirst is how far the first divisor may lie from the default scale, 1 %.
const maxFirst = 0.01

// maxDrift is what no chain may exceed, in bits.
const maxDrift = 0.1

// literal makes the preset, or says which bound it fails.
func (s spec) literal() (ckks.Literal, error) {
	l := ckks.DefaultLiteral()
	l.Preset, l.LogN, l.EnforceSecurityBudget = s.name(), s.logN, !s.insecure
	l.DefaultScale = math.Ldexp(1, s.scaleBits)
	order, taken := uint64(2)<<s.logN, map[uint64]bool{}
	for _, width := range s.special {
		l.PModuli = append(l.PModuli, below(1<<width, order, taken))
	}
	var base []uint64
	for _, width := range s.base {
		base = append(base, below(1<<width, order, taken))
	}
	chain := s.chain(taken)
	if len(chain) != s.depth {
		return l, fmt.Errorf("%s: no chain found", s.name())
	}
	first, worst := value(chain[0])/l.DefaultScale-1, drift(chain, l.DefaultScale)
	if math.Abs(first) >= maxFirst || worst >= maxDrift {
		return l, fmt.Errorf("%s: first divisor is off by %v, the scale drifts by %v bits", s.name(), first, worst)
	}
	l.QDepthGroups = append(chain, base)
	return l, nil
}

// chain chooses the groups that are rescaled by.
func (s spec) chain(taken map[uint64]bool) [][]uint64 {
	scale, order := math.Ldexp(1, s.scaleBits), uint64(2)<<s.logN
	if s.scaleBits > 50 {
		return pairs(near(math.Sqrt(scale), order, 4*s.depth, taken), scale, s.depth)
	}
	if s.scaleBits == 50 && s.logN <= 15 {
		return singles(near(scale, order, s.depth, taken)) // the drift grows, from 10^-9 bit
	}
	bias, first := bias, near(scale*math.Exp2(bias), order, 1, taken)
	if s.scaleBits == 50 {
		first = widePair(scale, order, taken)
		bias = offset(value(first), scale)
	}
	for _, m := range first {
		taken[m] = true
	}
	p := pool{near(scale*math.Exp2(-bias), order, s.depth-1+spare, taken), scale, bias}
	rest := walk(p, scale*scale/value(first), s.depth-1)
	return append([][]uint64{first}, singles(rest)...)
}

func singles(primes []uint64) [][]uint64 {
	var groups [][]uint64
	for _, m := range primes {
		groups = append(groups, []uint64{m})
	}
	return groups
}

// pairs makes each group of the two primes whose product brings the scale closest
// to the default.
func pairs(primes []uint64, scale float64, depth int) [][]uint64 {
	var chain [][]uint64
	for s := scale; len(chain) < depth; {
		best := []uint64{primes[0], primes[1]}
		for i, m := range primes {
			for _, n := range primes[:i] {
				if pair := []uint64{m, n}; math.Abs(value(pair)-s*s/scale) < math.Abs(value(best)-s*s/scale) {
					best = pair
				}
			}
		}
		s = s * s / value(best)
		chain = append(chain, best)
		primes = slices.DeleteFunc(primes, func(m uint64) bool { return slices.Contains(best, m) })
	}
	return chain
}

// widePair is the pair of primes of 20 to 31 bits whose product is closest to the
// scale 2^50 among those that are wider by 10^-6 bit or more. All other primes of
// such a chain lie below 2^50, so without it the scale could only grow; it puts the
// fixed point just below 2^50.
func widePair(scale float64, order uint64, taken map[uint64]bool) []uint64 {
	var best []uint64
	least := math.Inf(1)
	for m := uint64(1)<<25 - (1<<25-1)%order; m > 1<<19; m -= order {
		if taken[m] || !isPrime(m) {
			continue
		}
		for _, n := range near(scale/float64(m), order, 4, taken) {
			if v := offset(float64(m)*float64(n), scale); m != n && v >= 1e-6 && v < least {
				best, least = []uint64{n, m}, v
			}
		}
	}
	return best
}
