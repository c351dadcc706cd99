// Package polynomial evaluates polynomials on ciphertexts by the method of
// Paterson and Stockmeyer (SIAM J. Comput. 1973) in the power and the
// Chebyshev basis, with the fewest levels, ceil(log2(degree+1)), and exact
// scales: every sum adds equal scales, because each coefficient is encoded at
// the scale that its power still lacks.
package polynomial

import (
	"math"

	"fhelium/ckks"
	"fhelium/core/refusal"
	"fhelium/eager"
)

// Basis is what a coefficient multiplies.
type Basis int64

const (
	Power     Basis = iota // x^k
	Chebyshev              // T_k(u), u in [-1, 1] the affine image of x in [a, b]
)

// Evaluate is p(x) for each slot x. Operands: the ciphertext, the
// relinearization key (unneeded for degree 0 and 1). Ints: basis, output
// domain. Floats: the result's scale (0: that of the operand), the interval's
// ends a and b (power basis: ignored), then the coefficients from degree 0 up.
// An interval of a width other than 2 costs one more level.
var Evaluate = eager.DefineProgram(ckks.Op{Name: "polynomial_evaluate", MinIn: 1, MaxIn: 2, Ints: 2, Floats: -1}, evaluate)

type evaluator struct {
	config *ckks.Config
	do     eager.Exec
	basis  Basis
	key    *ckks.Value
	powers map[int]*ckks.Value
	base   int // depth of power 1
	baby   int // powers below this one may enter linear combinations
}

func evaluate(c *ckks.Config, do eager.Exec, a ckks.Call, in []*ckks.Value) ([]*ckks.Value, error) {
	if len(a.Floats) < 4 {
		return nil, refusal.New(ckks.ArgumentInvalid, "a polynomial without coefficients; give at least one")
	}
	if a.Ints[0]>>1 != 0 || a.Ints[1]>>1 != 0 {
		return nil, refusal.New(ckks.ArgumentInvalid, "basis %d, domain %d: each is 0 or 1", a.Ints[0], a.Ints[1])
	}
	p, err := coefficients(a.Floats[3:])
	if err != nil {
		return nil, err
	}
	e := &evaluator{config: c, do: do, basis: Basis(a.Ints[0]), powers: map[int]*ckks.Value{}}
	if len(in) == 2 {
		e.key = in[1]
	} else if len(p) > 2 {
		return nil, refusal.New(ckks.ArgumentInvalid, "degree %d needs a relinearization key, and none was given", len(p)-1)
	}
	x, err := e.argument(in[0], a.Floats[1], a.Floats[2])
	if err != nil {
		return nil, err
	}
	e.powers[1], e.base = x, x.Depth
	if levels := Depth(len(p) - 1); x.Depth+levels > c.MaxDepth() {
		return nil, refusal.New(ckks.LevelsExhausted, "degree %d takes %d levels from depth %d, but the parameters end at depth %d; lower the degree or use a longer chain",
			len(p)-1, levels, x.Depth, c.MaxDepth())
	}
	target := a.Floats[0]
	if target == 0 {
		target = in[0].Scale
	}
	v, err := e.whole(p, x.Depth+Depth(len(p)-1), target)
	if err != nil {
		return nil, err
	}
	if a.Ints[1] == int64(ckks.Coefficient) {
		v, err = do.One(ckks.ToCoefficient.With(), v)
	}
	return []*ckks.Value{v}, err
}

// coefficients checks and trims a polynomial, and makes it of degree 1 at
// least: see term for what a zero slope means.
func coefficients(p []float64) ([]float64, error) {
	for k, c := range p {
		if math.IsNaN(c) || math.IsInf(c, 0) {
			return nil, refusal.New(ckks.ArgumentInvalid, "coefficient %d is %v; finite numbers are needed", k, c)
		}
	}
	p = trim(p)
	if len(p) == 1 {
		p = append(p[:1:1], 0)
	}
	return p, nil
}
