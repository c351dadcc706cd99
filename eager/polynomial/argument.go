package polynomial

import (
	"math"

	"fhelium/ckks"
	"fhelium/core/refusal"
)

// argument is the ciphertext in the NTT domain, in the Chebyshev basis mapped
// from [a, b] to [-1, 1].
func (e *evaluator) argument(x *ckks.Value, a, b float64) (*ckks.Value, error) {
	var err error
	if x.Domain == ckks.Coefficient {
		if x, err = e.do.One(ckks.ToNTT.With(), x); err != nil {
			return nil, err
		}
	}
	if e.basis == Power {
		return x, nil
	}
	if !(a < b) || math.IsInf(b-a, 0) {
		return nil, refusal.New(ckks.ArgumentInvalid, "interval [%v, %v]; two finite ends with the lower first are needed", a, b)
	}
	if b-a != 2 {
		x, err = e.stretched(x, 2/(b-a))
		if err != nil {
			return nil, err
		}
	}
	if a+b != 0 {
		return e.do.One(ckks.AddConstant.With().At(-(a+b)/(b-a), x.Scale), x)
	}
	return x, nil
}

// stretched is factor·x one level deeper, at the scale of x.
func (e *evaluator) stretched(x *ckks.Value, factor float64) (*ckks.Value, error) {
	divisor, err := e.config.RescaleDivisor(x.Depth)
	if err != nil {
		return nil, err
	}
	v, err := e.scaled(x, factor, x.Depth, x.Scale*divisor)
	if err != nil {
		return nil, err
	}
	return e.rescaled(v, x.Scale)
}
