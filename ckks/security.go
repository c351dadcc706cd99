package ckks

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"fhelium/core/refusal"
)

// StandardSigma is the standard deviation of the error that the security table
// is made for, and that every preset uses.
const StandardSigma = 3.19

// Secret names the distribution of a secret key's coefficients.
type Secret string

// The secrets that can be asked about. A sparse secret is always unsupported.
const (
	TernarySecret  Secret = "ternary"
	GaussianSecret Secret = "gaussian"
	SparseSecret   Secret = "sparse"
)

// SecurityStatus is the outcome of a lookup.
type SecurityStatus string

// The budget is met, or exceeded, or there is none to compare with.
const (
	SecurityMeets       SecurityStatus = "meets"
	SecurityExceeds     SecurityStatus = "exceeds"
	SecurityHasNoBudget SecurityStatus = "unsupported"
)

// gaussianExtraBits is what a Gaussian secret's budgets have above a ternary one's.
const gaussianExtraBits = 2

// securityBudgets holds the largest bit length of QP for a ternary secret and
// errors of standard deviation 3.19, by target bits and then log2 N. Source:
// Bossuat et al., Security Guidelines for Implementing Homomorphic Encryption,
// IACR Communications in Cryptology 1(4), 2025: classical attacks, MATZOV cost
// model. Rows that the source does not have are absent here: the table is
// looked up and never interpolated.
var securityBudgets = map[int]map[int]int{
	128: {10: 26, 11: 53, 12: 106, 13: 214, 14: 430, 15: 868, 16: 1747, 17: 3523},
	192: {11: 36, 12: 73, 13: 147, 14: 297, 15: 597, 16: 1199, 17: 2411},
	256: {11: 27, 12: 56, 13: 114, 14: 230, 15: 462, 16: 929, 17: 1866},
}

// Assessment is the answer of the security table, with everything that was
// compared: ModulusBits against BudgetBits, both bit lengths of the integer QP.
type Assessment struct {
	RingDimension int
	ModulusBits   int
	BudgetBits    int // 0 where the table has no row
	TargetBits    int
	Secret        Secret
	Sigma         float64
	Status        SecurityStatus
	Reason        string // why there is no budget; otherwise empty
}

// AssessSecurity looks up whether ring dimension n with a modulus QP of
// modulusBits bits (its exact bit length, see ModulusBits) reaches targetBits of
// classical security. An error means that the question itself makes no sense;
// parameters without a table row give the status SecurityHasNoBudget.
func AssessSecurity(n, modulusBits, targetBits int, secret Secret, sigma float64) (Assessment, error) {
	a := Assessment{
		RingDimension: n, ModulusBits: modulusBits, TargetBits: targetBits,
		Secret: secret, Sigma: sigma, Status: SecurityHasNoBudget,
	}
	table, known := securityBudgets[targetBits]
	switch {
	case !known:
		return a, refusal.New(SecurityTargetInvalid, "security target is %d bits; choose 128, 192 or 256", targetBits)
	case logOfPowerOfTwo(n) < 0:
		return a, refusal.New(RingDimensionInvalid, "ring dimension is %d; it has to be a power of two", n)
	case modulusBits < 1:
		return a, refusal.New(ModulusInvalid, "the modulus has %d bits; it has to have at least 1", modulusBits)
	case !(sigma > 0) || math.IsInf(sigma, 1):
		return a, refusal.New(SigmaInvalid, "sigma is %v; it has to be finite and above 0, and %v is standard", sigma, StandardSigma)
	case secret != TernarySecret && secret != GaussianSecret && secret != SparseSecret:
		return a, refusal.New(SecurityUnsupported, "secret distribution is %.64q; choose %q or %q", secret, TernarySecret, GaussianSecret)
	}
	budget, listed := table[logOfPowerOfTwo(n)]
	switch {
	case secret == SparseSecret:
		a.Reason = "sparse secrets are not in the security table"
	case sigma != StandardSigma:
		a.Reason = fmt.Sprintf("sigma is %v and the security table is made for %v", sigma, StandardSigma)
	case !listed:
		a.Reason = fmt.Sprintf("the security table has no row for ring dimension %d at %d bits", n, targetBits)
	default:
		if secret == GaussianSecret {
			budget += gaussianExtraBits
		}
		a.BudgetBits = budget
		a.Status = SecurityMeets
		if modulusBits > budget {
			a.Status = SecurityExceeds
		}
	}
	return a, nil
}

// Check gives the refusal that the assessment stands for, or nil.
func (a Assessment) Check() error {
	switch a.Status {
	case SecurityMeets:
		return nil
	case SecurityExceeds:
		return refusal.New(SecurityBudgetExceeded,
			"QP has %d bits and ring dimension %d with a %s secret allows %d for %d-bit security; use fewer or narrower primes, a larger ring, or the insecure test mode",
			a.ModulusBits, a.RingDimension, a.Secret, a.BudgetBits, a.TargetBits)
	}
	return refusal.New(SecurityUnsupported, "%s; use parameters of the table, or the insecure test mode", a.Reason)
}

// ModulusBits is the bit length of the product of the moduli, an exact integer.
func ModulusBits(moduli []uint64) int { return product(moduli).BitLen() }

// product multiplies exactly; the empty product is 1.
func product(moduli []uint64) *big.Int {
	p := big.NewInt(1)
	for _, m := range moduli {
		p.Mul(p, new(big.Int).SetUint64(m))
	}
	return p
}

// logOfPowerOfTwo is log2 n, or -1 where n is not a power of two.
func logOfPowerOfTwo(n int) int {
	if n < 1 || n&(n-1) != 0 {
		return -1
	}
	return bits.Len(uint(n)) - 1
}
