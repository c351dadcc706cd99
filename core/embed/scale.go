package embed

import (
	"math"

	"fhelium/core/kernel"
)

// scaling is the product with scale/n, split so that nothing overflows before
// the result does: values are moved by 2^-shift before the transform and
// multiplied by by·2^rest after it.
type scaling struct {
	shift int
	by    float64
	rest  int
}

// plainExponent bounds the exponents at which scale, values and their sums over
// 2^16 slots multiply within the normal range of float64.
const plainExponent = 400

// factor plans the product for values of at most peak over n slots, n a power
// of two: the plain way keeps rest and shift zero.
func factor(scale, peak float64, n int) scaling {
	_, ep := math.Frexp(peak)
	mantissa, es := math.Frexp(scale)
	if max(ep, -ep, es, -es) <= plainExponent {
		return scaling{by: scale / float64(n)}
	}
	return scaling{shift: ep, by: mantissa / float64(n), rest: es + ep}
}

func (f scaling) before(x float64) float64 {
	if f.shift == 0 {
		return x
	}
	return math.Ldexp(x, -f.shift)
}

// finish scales and rounds, and gives the largest size of the results, or NaN or an
// infinity where one is not finite. The sum with zero turns -0 into 0.
func (f scaling) finish(values []float64, level kernel.Level) (peak float64) {
	if f.rest == 0 && level != kernel.Portable && len(values)%kernel.Step == 0 {
		return kernel.RoundProduct(values, f.by)
	}
	for k, v := range values {
		v *= f.by
		if f.rest != 0 {
			v = math.Ldexp(v, f.rest)
		}
		c := math.RoundToEven(v) + 0
		values[k] = c
		peak = math.Max(peak, math.Abs(c))
	}
	return peak
}
