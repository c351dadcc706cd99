package eager

import (
	"math/big"

	"fhelium/ckks"
)

func init() {
	Implement(ckks.AddScalar, addScalar)
	Implement(ckks.AddConstant, addScalar)
	Implement(ckks.MultiplyScalar, multiplyScalar)
	Implement(ckks.MultiplyInteger, multiplyInteger)
}

// scaledInteger is x·scale rounded to the nearest integer, a tie to the even
// one. The product is exact, of any size.
func scaledInteger(x, scale float64) *big.Int {
	product := new(big.Float).SetPrec(106).Mul(big.NewFloat(x), big.NewFloat(scale))
	whole, accuracy := product.Int(nil) // towards 0
	if accuracy == big.Exact {
		return whole
	}
	rest := new(big.Float).SetPrec(1200).Sub(product, new(big.Float).SetInt(whole))
	side := rest.Abs(rest).Cmp(big.NewFloat(0.5))
	if side > 0 || side == 0 && whole.Bit(0) == 1 {
		whole.Add(whole, big.NewInt(int64(product.Sign())))
	}
	return whole
}

// residuesOf gives an integer modulo the primes of a value's rows.
func (e *Engine) residuesOf(x *big.Int, s ckks.State) []uint64 {
	out := make([]uint64, s.Rows)
	for r := range out {
		q := new(big.Int).SetUint64(e.config.Modulus(s.First + r))
		out[r] = q.Mod(x, q).Uint64()
	}
	return out
}

// addScalar adds round(x·scale) to coefficient 0 of component 0, which in the
// NTT domain is the same number in every place.
func addScalar(j *Job) error {
	in, out := j.In[0], j.Out[0]
	constants := j.residuesOf(scaledInteger(j.Call.Floats[0], j.Call.Floats[1]), out.State)
	moduli := j.tables.moduli(spanOf(out.State))
	j.eachRow(out, func(p, b, r int) {
		dst := row(out, p, b, r)
		copy(dst, row(in, p, b, r))
		if p == 0 {
			if out.Domain == ckks.Coefficient {
				dst = dst[:1]
			}
			moduli[r].AddScalar(dst, dst, constants[r])
		}
	})
	return nil
}

// multiplyScalar multiplies by round(x·scale).
func multiplyScalar(j *Job) error {
	return j.multiplyBy(scaledInteger(j.Call.Floats[0], j.Call.Floats[1]))
}

func multiplyInteger(j *Job) error { return j.multiplyBy(big.NewInt(j.Call.Ints[0])) }

func (j *Job) multiplyBy(x *big.Int) error {
	out := j.Out[0]
	factors := j.residuesOf(x, out.State)
	moduli := j.tables.moduli(spanOf(out.State))
	j.eachRow(out, func(p, b, r int) {
		moduli[r].MulScalar(row(out, p, b, r), row(j.In[0], p, b, r), factors[r])
	})
	return nil
}
