package eager

import (
	"math"
	"math/bits"

	"fhelium/ckks"
	"fhelium/core/embed"
	"fhelium/core/parallel"
	"fhelium/core/refusal"
)

// Integer coefficients are int64, in Words by their bits, or float64 that hold
// integers exactly, in Floats.

// integersToRows reduces coefficients, and refuses those that encode would.
func integersToRows(j *Job) error {
	in := j.In[0]
	return members(j.Group, in.BatchSize(), func(b int, rows *parallel.Group) error {
		from, to := b*in.N, (b+1)*in.N
		var err error
		if in.Dtype == ckks.Int64 {
			err = j.reduceWords(rows, b, in.Words[from:to])
		} else {
			err = j.reduceFloats(rows, b, in.Floats[from:to])
		}
		return inMember(in.State, b, err)
	})
}

// reduceWords reduces int64 coefficients given by their bits.
func (j *Job) reduceWords(g *parallel.Group, b int, src []uint64) error {
	coefficients, largest := ints.take(len(src)), uint64(0)
	defer ints.give(coefficients)
	for i, w := range src {
		x := int64(w)
		coefficients[i] = x
		largest = max(largest, uint64(max(x, -x))) // -2^63 stays: its word is 2^63
	}
	if !wordFits(largest, j.activeQ()) {
		return j.overflow(math.Log2(float64(largest)))
	}
	out := j.Out[0]
	rows, primes := out.Poly(0, b), j.tables.primes(spanOf(out.State))
	g.Each(len(rows), func(r int) {
		primes[r].FromInt64(rows[r], coefficients)
		if out.Domain == ckks.NTT {
			primes[r].Forward(rows[r])
		}
	})
	return nil
}

// reduceFloats reduces integers that are held in float64.
func (j *Job) reduceFloats(g *parallel.Group, b int, src []float64) error {
	if err := wholeNumbers(src); err != nil {
		return err
	}
	largest := 0.0
	for _, c := range src {
		largest = max(largest, math.Abs(c))
	}
	if err := j.fits(largest); err != nil {
		return err
	}
	j.reduce(g, b, src)
	return nil
}

// wordFits tells exactly whether x < Q/2 for the product Q of odd moduli.
func wordFits(x uint64, q []uint64) bool {
	product := uint64(1)
	for _, m := range q {
		high, low := bits.Mul64(product, m)
		if high != 0 {
			return true // Q > 2^64 and x ≤ 2^63
		}
		product = low
	}
	return x <= product/2
}

// wholeNumbers refuses float64 coefficients that are not integers.
func wholeNumbers(x []float64) error {
	for i, c := range x {
		switch {
		case c == math.Trunc(c) && c-c == 0:
		case c-c != 0:
			return notFinite(i, c)
		default:
			return refusal.New(ckks.MessageInvalid, "coefficient %d is %v, which is no integer; encode the message, or round it", i, c)
		}
	}
	return nil
}

func notFinite(i int, c float64) error {
	return refusal.New(embed.EncodeNotFinite, "coefficient %d is %v; every coefficient must be finite", i, c)
}
