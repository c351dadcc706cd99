package polynomial

import (
	"math"

	"fhelium/ckks"
	"fhelium/core/refusal"
)

// leastFactorScale is the least scale at which a coefficient is encoded, for
// three digits of it at least.
const leastFactorScale = 0x1p10

// power gives basis element k ≥ 1 — x^k, or the Chebyshev polynomial T_k — at
// depth ceil(log2 k) above x, computing and keeping what it needs:
// x^(a+b) = x^a·x^b, T_(a+b) = 2·T_a·T_b − T_(a−b), with a the largest
// power of two below k.
func (e *evaluator) power(k int) (*ckks.Value, error) {
	if v := e.powers[k]; v != nil {
		return v, nil
	}
	a := topPower(k - 1)
	v, err := e.productPower(a, k-a)
	if err == nil && e.basis == Chebyshev {
		v, err = e.chebyshevStep(v, a, k-a)
	}
	if err == nil {
		v, err = e.do.One(ckks.Rescale.With(0), v)
	}
	e.powers[k] = v
	return v, err
}

// productPower is the relinearized, not yet rescaled product of two powers.
func (e *evaluator) productPower(a, b int) (*ckks.Value, error) {
	x, err := e.power(a)
	if err != nil {
		return nil, err
	}
	y, err := e.power(b)
	if err != nil {
		return nil, err
	}
	return e.multiply(x, y)
}

// chebyshevStep turns T_a·T_b into 2·T_a·T_b − T_(a−b), a ≥ b, before its
// rescale. T_(a−b) is brought up to the product's scale by an integer factor
// close to the ratio and an exact relabelling.
func (e *evaluator) chebyshevStep(product *ckks.Value, a, b int) (*ckks.Value, error) {
	doubled, err := e.do.One(ckks.MultiplyInteger.With(2), product)
	if err != nil {
		return nil, err
	}
	if a == b {
		return e.do.One(ckks.AddConstant.With().At(-1, doubled.Scale), doubled)
	}
	lower, err := e.power(a - b)
	if err != nil {
		return nil, err
	}
	lower, err = e.scaled(lower, 1, doubled.Depth, doubled.Scale)
	if err != nil {
		return nil, err
	}
	return e.do.One(ckks.Subtract.With().At(0), doubled, lower)
}

// multiply brings two ciphertexts to one depth and gives their relinearized
// product.
func (e *evaluator) multiply(x, y *ckks.Value) (*ckks.Value, error) {
	depth := int64(max(x.Depth, y.Depth))
	x, err := e.do.One(ckks.ModSwitch.With(depth), x)
	if err != nil {
		return nil, err
	}
	if y, err = e.do.One(ckks.ModSwitch.With(depth), y); err != nil {
		return nil, err
	}
	v, err := e.do.One(ckks.Multiply.With(), x, y)
	if err != nil {
		return nil, err
	}
	return e.do.One(ckks.Relinearize.With(int64(ckks.NTT)), v, e.key)
}

// scaled is c·v at the given depth, with the given scale to the bit: the
// factor is encoded at scale/v.Scale, and the recorded scale, which may differ
// from the target by rounding in its last bit, is set to it. A factor that would
// be lost in its own encoding is refused.
func (e *evaluator) scaled(v *ckks.Value, c float64, depth int, scale float64) (*ckks.Value, error) {
	if f := scale / v.Scale; f < leastFactorScale && c*f != math.Round(c*f) {
		return nil, refusal.New(ckks.ScaleInvalid,
			"a power of scale 2^%.1f would be multiplied by a coefficient encoded at scale 2^%.1f, below 2^10, to reach scale 2^%.1f; rescale the operand to the default scale first, or ask for a result of a larger scale",
			math.Log2(v.Scale), math.Log2(f), math.Log2(scale))
	}
	v, err := e.do.One(ckks.ModSwitch.With(int64(depth)), v)
	if err != nil {
		return nil, err
	}
	if v, err = e.do.One(ckks.MultiplyScalar.With().At(c, scale/v.Scale), v); err != nil {
		return nil, err
	}
	return e.do.One(ckks.Reinterpret.With().At(scale, 0x1p-50), v)
}
