package ring

import "fhelium/core/kernel"

// fastConversion is what kernels need of a Conversion. They hold y_i and v as
// float64, y_i as the representative near 0: then v = rint(Σ y_i/q_i), or
// rint(Σ y_i/q_i - 1/2) for the representative in [0, F), is another v that goes
// with these y_i, and S - v·F is the same number.
type fastConversion struct {
	*Conversion
	scale  []kernel.Factor
	factor [][]kernel.Factor
}

// newFastConversion gives nil where the moduli have no kernels.
func newFastConversion(c *Conversion) *fastConversion {
	f := &fastConversion{Conversion: c}
	for i, m := range c.from {
		if m.fast == nil {
			return nil
		}
		f.scale = append(f.scale, m.fast.Factor(c.scale[i].w))
	}
	for j, m := range c.to {
		row := make([]kernel.Factor, len(c.factor[j]))
		for i, w := range c.factor[j] {
			row[i] = m.fast.Factor(w)
		}
		f.factor = append(f.factor, row)
	}
	return f
}

// bytes is the memory of the factors.
func (f *fastConversion) bytes() int {
	if f == nil {
		return 0
	}
	factors := len(f.scale)
	for _, row := range f.factor {
		factors += len(row)
	}
	return 16 * factors
}

// digits is Conversion.digits in float64. It gives false, and nothing of use,
// where a sum is too near to the step of v to trust it.
func (f *fastConversion) digits(out []uint64, src Source, from int, floor bool) bool {
	count := len(out) / f.Stride()
	y := asFloats(out)
	sum := y[len(f.from)*count:]
	clear(sum)
	if floor {
		for i := range sum {
			sum[i] = -0.5
		}
	}
	for i, m := range f.from {
		if src.Work != nil {
			m.fast.Digit(y[i*count:][:count], sum, src.Work[i].floats()[from:], f.scale[i])
		} else {
			m.fast.DigitWords(y[i*count:][:count], sum, src.Words[i][from:], f.scale[i])
		}
	}
	return !kernel.Round(sum, 0.5-f.doubt)
}
