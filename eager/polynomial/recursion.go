package polynomial

import "fhelium/ckks"

// whole is p at the given depth and scale.
func (e *evaluator) whole(p []float64, depth int, scale float64) (*ckks.Value, error) {
	divisor, err := e.config.RescaleDivisor(depth - 1)
	if err != nil {
		return nil, err
	}
	e.choose(p, depth-1)
	v, err := e.raw(p, depth-1, scale*divisor)
	if err != nil {
		return nil, err
	}
	return e.rescaled(v, scale)
}

// rescaled drops a level and records the scale meant, which the quotient gives
// but for rounding in the last bit.
func (e *evaluator) rescaled(v *ckks.Value, scale float64) (*ckks.Value, error) {
	v, err := e.do.One(ckks.Rescale.With(0), v)
	if err != nil {
		return nil, err
	}
	return e.do.One(ckks.Reinterpret.With().At(scale, 0x1p-50), v)
}

// raw is p at a depth with a scale that waits for one rescale.
func (e *evaluator) raw(p []float64, depth int, scale float64) (*ckks.Value, error) {
	if e.linear(p, depth) {
		return e.combination(p, depth, scale)
	}
	g := topPower(len(p) - 1)
	giant, err := e.power(g)
	if err != nil {
		return nil, err
	}
	q, r := split(p, g, e.basis)
	product, err := e.product(q, giant, depth, scale)
	if err != nil {
		return nil, err
	}
	if len(r) == 1 {
		return e.plus(product, r[0])
	}
	rest, err := e.raw(r, depth, scale)
	if err != nil {
		return nil, err
	}
	return e.do.One(ckks.Add.With().At(0), product, rest)
}

// product is q·giant at a depth and scale.
func (e *evaluator) product(q []float64, giant *ckks.Value, depth int, scale float64) (*ckks.Value, error) {
	if len(q) == 1 {
		return e.scaled(giant, q[0], depth, scale)
	}
	divisor, err := e.config.RescaleDivisor(depth - 1)
	if err != nil {
		return nil, err
	}
	inner := scale / giant.Scale
	v, err := e.raw(q, depth-1, inner*divisor)
	if err != nil {
		return nil, err
	}
	if v, err = e.rescaled(v, inner); err != nil {
		return nil, err
	}
	if v, err = e.multiply(v, giant); err != nil {
		return nil, err
	}
	return e.do.One(ckks.Reinterpret.With().At(scale, 0x1p-50), v)
}

// plus adds a number to every slot.
func (e *evaluator) plus(v *ckks.Value, c float64) (*ckks.Value, error) {
	if c == 0 {
		return v, nil
	}
	return e.do.One(ckks.AddConstant.With().At(c, v.Scale), v)
}

// linear says whether p may be one sum of powers at the depth: it is short
// enough, and every power that it uses is there by then.
func (e *evaluator) linear(p []float64, depth int) bool {
	if len(p) > e.baby && len(p) > 2 {
		return false
	}
	for k := 2; k < len(p); k++ {
		if p[k] != 0 && e.base+log2Ceil(k) > depth {
			return false
		}
	}
	return true
}

// combination is the sum of p[k]·power k at a depth and scale. Terms whose
// coefficient is exactly zero are left out, but for power 1 where nothing else
// is there.
func (e *evaluator) combination(p []float64, depth int, scale float64) (*ckks.Value, error) {
	var sum *ckks.Value
	for k := len(p) - 1; k >= 1; k-- {
		if p[k] == 0 && (k > 1 || sum != nil) {
			continue
		}
		v, err := e.term(k, p[k], depth, scale)
		if err == nil && sum != nil {
			v, err = e.do.One(ckks.Add.With().At(0), sum, v)
		}
		if err != nil {
			return nil, err
		}
		sum = v
	}
	return e.plus(sum, p[0])
}

// term is c·power k at a depth and scale. A coefficient 0 is taken as the
// smallest there is, one unit of its encoding, which rounding later removes:
// so a constant polynomial still gives a ciphertext with a secret in it.
func (e *evaluator) term(k int, c float64, depth int, scale float64) (*ckks.Value, error) {
	v, err := e.power(k)
	if err != nil {
		return nil, err
	}
	if c == 0 {
		c = v.Scale / scale
	}
	return e.scaled(v, c, depth, scale)
}
