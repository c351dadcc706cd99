package ckks

import (
	"math"
	"math/big"

	"fhelium/core/embed"
	"fhelium/core/refusal"
	"fhelium/core/ring"
)

// Bounds of a Literal.
const (
	minLogN = 10
	maxLogN = 17
	// maxPrimes bounds the work that a hostile literal can cause, and is what can
	// be decrypted: all of Q and P in basis QP.
	maxPrimes = embed.MaxModuli
	// maxGroup keeps the product that a rescale divides by within float64. The
	// terminal group is not divided by.
	maxGroup = 16
	// maxSigma keeps errors far below every modulus.
	maxSigma = 1 << 10
	// headroomBits is how much wider than the default scale the terminal group has
	// to be: 2 bits let messages below 2 in size survive at the last depth.
	headroomBits = 2
)

// check refuses everything that New must not accept, except the security budget,
// which needs the assembled chain.
func (l Literal) check() error {
	if l.LogN < minLogN || l.LogN > maxLogN {
		return refusal.New(RingDimensionInvalid, "logN is %d; it has to be %d … %d", l.LogN, minLogN, maxLogN)
	}
	if !(l.DefaultScale > 0) || math.IsInf(l.DefaultScale, 1) {
		return refusal.New(ScaleInvalid, "default scale is %v; it has to be finite and above 0, such as 2^40", l.DefaultScale)
	}
	if !(l.Sigma > 0) || l.Sigma > maxSigma {
		return refusal.New(SigmaInvalid, "sigma is %v; it has to be above 0 and at most %d, and %v is standard", l.Sigma, maxSigma, StandardSigma)
	}
	if _, known := securityBudgets[l.SecurityBits]; !known {
		return refusal.New(SecurityTargetInvalid, "security target is %d bits; choose 128, 192 or 256", l.SecurityBits)
	}
	if l.GaloisGenerator != 3 && l.GaloisGenerator != 5 {
		return refusal.New(GeneratorInvalid, "Galois generator is %d; it has to be 3 or 5", l.GaloisGenerator)
	}
	if err := l.checkChain(); err != nil {
		return err
	}
	return l.checkSizes()
}

// checkChain refuses chains of a wrong form and moduli that are not distinct
// primes below 2^50 that are 1 modulo 2N.
func (l Literal) checkChain() error {
	if len(l.QDepthGroups) == 0 {
		return refusal.New(ChainInvalid, "there are 0 depth groups; at least the terminal one is needed")
	}
	if len(l.PModuli) == 0 {
		return refusal.New(SpecialModuliInvalid, "there are 0 special primes; key switching needs at least 1")
	}
	total := len(l.PModuli)
	for d, group := range l.QDepthGroups {
		if len(group) == 0 {
			return refusal.New(ChainInvalid, "depth group %d of %d has 0 primes; it needs at least 1", d, len(l.QDepthGroups))
		}
		if d < len(l.QDepthGroups)-1 && len(group) > maxGroup {
			return refusal.New(ChainInvalid, "depth group %d has %d primes; a group that is rescaled by has at most %d", d, len(group), maxGroup)
		}
		total += len(group)
	}
	if total > maxPrimes {
		return refusal.New(ChainInvalid, "there are %d primes in Q and P; at most %d can be decoded, use fewer and wider ones", total, maxPrimes)
	}
	seen := make(map[uint64]bool, total)
	for _, group := range append(l.QDepthGroups[:len(l.QDepthGroups):len(l.QDepthGroups)], l.PModuli) {
		for _, m := range group {
			if err := checkModulus(m, l.LogN); err != nil {
				return err
			}
			if seen[m] {
				return refusal.New(ModulusRepeated, "modulus %d occurs twice; the primes of Q and P have to be distinct", m)
			}
			seen[m] = true
		}
	}
	return nil
}

func checkModulus(m uint64, logN int) error {
	order := uint64(2) << logN
	switch {
	case m >= ModulusLimit:
		return refusal.New(ModulusInvalid, "modulus %d is not below 2^50 = %d; make a wider step of a group of two primes", m, ModulusLimit)
	case m%order != 1:
		return refusal.New(ModulusInvalid, "modulus %d is %d modulo 2N = %d; it has to be 1", m, m%order, order)
	case !ring.IsPrime(m):
		return refusal.New(ModulusInvalid, "modulus %d is not prime", m)
	}
	return nil
}

// checkSizes refuses a terminal group without room above the default scale, and a
// P that is not above every prime of Q (a digit holds at least one of them).
func (l Literal) checkSizes() error {
	terminal := product(l.QDepthGroups[len(l.QDepthGroups)-1])
	least := new(big.Float).SetMantExp(big.NewFloat(l.DefaultScale), headroomBits)
	if new(big.Float).SetInt(terminal).Cmp(least) < 0 {
		return refusal.New(HeadroomInvalid,
			"the terminal group has %.2f bits and the default scale %.2f; it has to be at least %d bits wider, and 8 are wise: widen the last group or lower the scale",
			log2(terminal), math.Log2(l.DefaultScale), headroomBits)
	}
	p := product(l.PModuli)
	for d, group := range l.QDepthGroups {
		for _, m := range group {
			if p.Cmp(new(big.Int).SetUint64(m)) <= 0 {
				return refusal.New(SpecialModuliInvalid,
					"the special primes' product is %v and prime %d of depth group %d is not below it; add a special prime", p, m, d)
			}
		}
	}
	return nil
}

// log2 of a positive integer of any size.
func log2(x *big.Int) float64 {
	mantissa := new(big.Float)
	exponent := new(big.Float).SetInt(x).MantExp(mantissa)
	m, _ := mantissa.Float64()
	return math.Log2(m) + float64(exponent)
}
