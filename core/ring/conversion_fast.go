package ring

import "fhelium/core/kernel"

// fastConversion is what kernels need of a Conversion. Their digits are float64, in
// the range of the representative that is wanted.
type fastConversion struct {
	*Conversion
	inverse         [][]kernel.Factor
	centred, lowest []kernel.Bounds
	factor          [][]kernel.Factor
}

// newFastConversion gives nil where the moduli have no kernels.
func newFastConversion(c *Conversion) *fastConversion {
	f := &fastConversion{Conversion: c}
	for i, m := range c.from {
		if m.fast == nil {
			return nil
		}
		row := make([]kernel.Factor, i)
		for l := range row {
			row[l] = m.fast.Factor(c.inverse[i][l].w)
		}
		f.inverse = append(f.inverse, row)
		f.centred, f.lowest = append(f.centred, m.fast.Range(-int64(m.Q/2))), append(f.lowest, m.fast.Range(0))
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

// bytes is the memory of the factors and bounds.
func (f *fastConversion) bytes() int {
	if f == nil {
		return 0
	}
	factors := 2 * len(f.centred)
	for _, rows := range [][][]kernel.Factor{f.factor, f.inverse} {
		for _, row := range rows {
			factors += len(row)
		}
	}
	return 16 * factors
}

// cut is Digits.cut in float64.
func (f *fastConversion) cut(d Digits, src Source, from int) {
	y, bounds := asFloats(d.memory), f.centred
	if d.floor {
		bounds = f.lowest
	}
	for i, m := range f.from {
		digit := y[i*d.n:][:d.n]
		for l, inverse := range f.inverse[i] {
			before := y[l*d.n:][:d.n]
			switch {
			case l > 0:
				m.fast.RadixStep(digit, digit, before, inverse)
			case src.Work != nil:
				m.fast.RadixStep(digit, src.Work[i].floats()[from:], before, inverse)
			default:
				m.fast.RadixStepWords(digit, src.Words[i][from:], before, inverse)
			}
		}
		switch {
		case i > 0:
			m.fast.Canonical(digit, digit, bounds[i])
		case src.Work != nil:
			m.fast.Canonical(digit, src.Work[i].floats()[from:], bounds[i])
		default:
			m.fast.CanonicalWords(digit, src.Words[i][from:], bounds[i])
		}
	}
}
