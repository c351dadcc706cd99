package ckks

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"fhelium/core/refusal"
)

// Literal is what a user writes down: unchecked parameters. New makes a Config
// of it. DefaultLiteral has the fields that rarely change filled in. The JSON form
// is that of Config.JSON and ParseJSON.
type Literal struct {
	// Preset is the dashed name of the preset that the other fields repeat, or
	// empty. It is a label: New refuses one that the fields contradict.
	Preset string `json:"preset,omitempty"`
	// LogN is log2 of the ring dimension N, 10 … 17.
	LogN int `json:"logN"`
	// QDepthGroups are the primes of Q by depth: group d is dropped by the
	// rescale from depth d to d+1; the last group is terminal.
	QDepthGroups [][]uint64 `json:"q_depth_groups"`
	// PModuli are the special primes of key switching.
	PModuli []uint64 `json:"p_moduli"`
	// DefaultScale multiplies a message where no other scale is named.
	DefaultScale float64 `json:"default_scale"`
	// Sigma is the standard deviation of the errors.
	Sigma float64 `json:"sigma"`
	// SecurityBits is the target: 128, 192 or 256.
	SecurityBits int `json:"security_bits"`
	// EnforceSecurityBudget refuses what the security table does not cover.
	// Without it the parameters are for tests alone.
	EnforceSecurityBudget bool `json:"enforce_security_budget"`
	// GaloisGenerator generates the rotations of the slots, 3 or 5.
	GaloisGenerator uint64 `json:"galois_generator"`
}

// DefaultLiteral has a standard error, an enforced 128-bit target and the Galois
// generator 3; the ring, the chain and the scale are left to the caller.
func DefaultLiteral() Literal {
	return Literal{Sigma: StandardSigma, SecurityBits: 128, EnforceSecurityBudget: true, GaloisGenerator: 3}
}

// Config is a checked, immutable parameter set. It is safe for concurrent use.
// Prime ids count the rows of depth 0: Q in order from 0, then P.
type Config struct {
	literal     Literal // deep copy, never handed out
	moduli      []uint64
	starts      []int // first prime id of each depth, and NumQ at the end
	divisors    []float64
	log2Q       []float64 // by depth
	digits      [][2]int
	assessment  Assessment
	fingerprint [16]byte
}

// New checks a literal and makes the Config of it. Primality is decided exactly
// (see ring.IsPrime). Nothing is allocated that depends on the ring dimension.
func New(l Literal) (*Config, error) {
	l = l.clone()
	if err := l.check(); err != nil {
		return nil, err
	}
	c := &Config{literal: l, starts: []int{0}}
	for _, group := range l.QDepthGroups {
		c.moduli = append(c.moduli, group...)
		c.starts = append(c.starts, len(c.moduli))
		divisor, _ := new(big.Float).SetInt(product(group)).Float64()
		c.divisors = append(c.divisors, divisor)
	}
	c.digits = digitRanges(c.moduli, product(l.PModuli))
	for _, start := range c.starts[:len(l.QDepthGroups)] {
		c.log2Q = append(c.log2Q, sumOfLogs(c.moduli[start:]))
	}
	c.moduli = append(c.moduli, l.PModuli...)
	var err error
	if c.assessment, err = AssessSecurity(c.N(), c.TotalBits(), l.SecurityBits, TernarySecret, l.Sigma); err != nil {
		return nil, err
	}
	if l.EnforceSecurityBudget {
		if err := c.assessment.Check(); err != nil {
			return nil, err
		}
	}
	if err := l.checkPreset(); err != nil {
		return nil, err
	}
	c.fingerprint = l.fingerprint()
	return c, nil
}

func (l Literal) clone() Literal {
	groups := make([][]uint64, len(l.QDepthGroups))
	for i, group := range l.QDepthGroups {
		groups[i] = slices.Clone(group)
	}
	l.QDepthGroups, l.PModuli = groups, slices.Clone(l.PModuli)
	return l
}

// digitRanges cuts the primes of Q into the key-switching digits: contiguous
// ranges, each as long as its product stays below p. Every single prime is below
// p, which check has seen to.
func digitRanges(q []uint64, p *big.Int) [][2]int {
	var digits [][2]int
	start, digit := 0, big.NewInt(1)
	for i, m := range q {
		wider := new(big.Int).Mul(digit, new(big.Int).SetUint64(m))
		if wider.Cmp(p) >= 0 {
			digits = append(digits, [2]int{start, i})
			start, wider = i, wider.SetUint64(m)
		}
		digit = wider
	}
	return append(digits, [2]int{start, len(q)})
}

// Literal gives a copy of what the Config was made from.
func (c *Config) Literal() Literal { return c.literal.clone() }

// Preset is the dashed name of the preset, or empty.
func (c *Config) Preset() string { return c.literal.Preset }

// LogN is log2 of the ring dimension.
func (c *Config) LogN() int { return c.literal.LogN }

// N is the ring dimension: words in a limb.
func (c *Config) N() int { return 1 << c.literal.LogN }

// Slots is the number of complex message slots, N/2.
func (c *Config) Slots() int { return c.N() / 2 }

// MaxDepth is the number of rescales that a fresh ciphertext can take.
func (c *Config) MaxDepth() int { return len(c.literal.QDepthGroups) - 1 }

// NumQ is the number of primes of Q at depth 0; their ids are 0 … NumQ-1.
func (c *Config) NumQ() int { return len(c.moduli) - c.NumP() }

// NumP is the number of special primes; their ids follow those of Q.
func (c *Config) NumP() int { return len(c.literal.PModuli) }

// Modulus is the prime with the given id, 0 … NumQ+NumP-1.
func (c *Config) Modulus(id int) uint64 { return c.moduli[id] }

// Moduli is a copy of all primes by id: Q, then P.
func (c *Config) Moduli() []uint64 { return slices.Clone(c.moduli) }

// CheckDepth refuses a depth outside 0 … MaxDepth.
func (c *Config) CheckDepth(depth int) error {
	if depth < 0 || depth > c.MaxDepth() {
		return refusal.New(DepthInvalid, "depth %d is outside 0 … %d of these parameters", depth, c.MaxDepth())
	}
	return nil
}

// GroupStart is the id of the first prime that a value of the given depth holds:
// its rows are GroupStart(depth) … NumQ-1. The depth has passed CheckDepth.
func (c *Config) GroupStart(depth int) int { return c.starts[depth] }

// RescaleDivisor is the product of the group that the rescale from the given
// depth drops, rounded to float64. At MaxDepth there is none.
func (c *Config) RescaleDivisor(depth int) (float64, error) {
	if err := c.CheckDepth(depth); err != nil {
		return 0, err
	}
	if depth == c.MaxDepth() {
		return 0, refusal.New(LevelsExhausted,
			"depth %d is the last of these parameters (maximum depth %d), so nothing is left to rescale by; use parameters of more depth or fewer multiplications", depth, c.MaxDepth())
	}
	return c.divisors[depth], nil
}

// Log2Q is log2 of the product of the primes of Q that are active at a depth. The
// depth has passed CheckDepth.
func (c *Config) Log2Q(depth int) float64 { return c.log2Q[depth] }

// sumOfLogs is log2 of a product of moduli.
func sumOfLogs(moduli []uint64) float64 {
	sum := 0.0
	for _, m := range moduli {
		sum += math.Log2(float64(m))
	}
	return sum
}

// DefaultScale is the scale of a message where no other is named.
func (c *Config) DefaultScale() float64 { return c.literal.DefaultScale }

// Sigma is the standard deviation of the errors.
func (c *Config) Sigma() float64 { return c.literal.Sigma }

// GaloisGenerator generates the rotations of the slots, 3 or 5.
func (c *Config) GaloisGenerator() uint64 { return c.literal.GaloisGenerator }

// Digits are the key-switching digits: ranges [start, end) of prime ids of Q,
// each with a product below P's. A digit keeps its index when rows are dropped:
// at depth d it covers the part of its range from GroupStart(d) on.
func (c *Config) Digits() [][2]int { return slices.Clone(c.digits) }

// TotalBits is the exact bit length of QP.
func (c *Config) TotalBits() int { return ModulusBits(c.moduli) }

// Security is the answer of the security table for a ternary secret.
func (c *Config) Security() Assessment { return c.assessment }

// Insecure says that the parameters are for tests alone: the security budget is
// not enforced and the table does not confirm them.
func (c *Config) Insecure() bool { return c.assessment.Status != SecurityMeets }

// Fingerprint is equal for parameter sets whose residues mean the same; what
// enters it is said at Literal.fingerprint.
func (c *Config) Fingerprint() [16]byte { return c.fingerprint }

// String shows the shape of the parameters, and that they are insecure if so.
func (c *Config) String() string {
	s := fmt.Sprintf("Config(logN=%d, depth=%d, Q=%d primes, P=%d primes, QP=%d bits, scale=%v",
		c.LogN(), c.MaxDepth(), c.NumQ(), c.NumP(), c.TotalBits(), c.DefaultScale())
	if c.Insecure() {
		s += ", INSECURE"
	}
	return s + ")"
}
