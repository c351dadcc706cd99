package eager

import (
	"math"

	"fhelium/ckks"
	"fhelium/core/parallel"
)

func init() { Implement(ckks.Decode, decode) }

// decode evaluates integer or approximate coefficients at the slots' roots of
// unity and divides by the scale. A number of slots below N/2 reads a sparse
// packing. Its time does not depend on the coefficients, except that it refuses
// those that are not finite, and integers that are none.
func decode(j *Job) error {
	in, out := j.In[0], j.Out[0]
	return members(j.Group, in.BatchSize(), func(b int, _ *parallel.Group) error {
		coefficients := reals.take(in.N)
		defer reals.give(coefficients)
		if err := readCoefficients(coefficients, in, b); err != nil {
			return inMember(in.State, b, err)
		}
		j.tables.encoder().Decode(out.Slots[b*out.N:(b+1)*out.N], coefficients, in.Scale)
		return nil
	})
}

// readCoefficients copies one member's coefficients; int64 beyond 2^53 round to
// the nearest float64.
func readCoefficients(dst []float64, in *ckks.Value, b int) error {
	from, to := b*in.N, (b+1)*in.N
	if in.Dtype == ckks.Int64 {
		for i, w := range in.Words[from:to] {
			dst[i] = float64(int64(w))
		}
		return nil
	}
	copy(dst, in.Floats[from:to])
	if in.Kind == ckks.Integers {
		return wholeNumbers(dst)
	}
	for i, c := range dst {
		if math.IsNaN(c) || math.IsInf(c, 0) {
			return notFinite(i, c)
		}
	}
	return nil
}
