package eager

import (
	"math"
	"math/bits"

	"fhelium/ckks"
	"fhelium/core/embed"
	"fhelium/core/parallel"
	"fhelium/core/refusal"
	"fhelium/core/ring"
)

func init() {
	Implement(ckks.Encode, encode)
	Implement(ckks.EncodeRows, encodeRows)
	Implement(ckks.EncodeCompressed, encodeCompressed)
	Implement(ckks.IntegersToRows, integersToRows)
}

// Encoding interpolates the slots, multiplies by the scale and rounds half to
// even; it is the same to the bit on every machine. It refuses NaN and
// infinities, and a message if and only if its largest coefficient reaches half
// the modulus of its depth. Its time depends on the message in the few places
// where embed says so.

// encode gives integer coefficients, held exactly in float64.
func encode(j *Job) error {
	out := j.Out[0]
	return members(j.Group, out.BatchSize(), func(b int, _ *parallel.Group) error {
		return j.encodeMember(out.Floats[b*out.N:(b+1)*out.N], b, int(j.Call.Ints[1]))
	})
}

// encodeRows gives the residues of the coefficients.
func encodeRows(j *Job) error {
	out := j.Out[0]
	return members(j.Group, out.BatchSize(), func(b int, rows *parallel.Group) error {
		coefficients := reals.take(out.N)
		defer reals.give(coefficients)
		if err := j.encodeMember(coefficients, b, int(j.Call.Ints[1])); err != nil {
			return err
		}
		j.reduce(rows, b, coefficients)
		return nil
	})
}

// reduce sets member b of a new plaintext to coefficients that are integers.
func (j *Job) reduce(g *parallel.Group, b int, coefficients []float64) {
	out := j.Out[0]
	rows, primes := out.Poly(0, b), j.tables.primes(spanOf(out.State))
	g.Each(len(rows), func(r int) {
		primes[r].FromFloats(rows[r], coefficients)
		if out.Domain == ckks.NTT {
			primes[r].Forward(rows[r])
		}
	})
}

// encodeMember writes the N coefficients of one member of the message in
// operand 0, padded with zeros to n slots; n = 0 is all slots.
func (j *Job) encodeMember(dst []float64, b, n int) error {
	in := j.In[0]
	if n == 0 {
		n = j.config.Slots()
	}
	m := embed.Message{N: n}
	if in.Dtype == ckks.Complex128 {
		m.Complex = in.Slots[b*in.N : (b+1)*in.N]
	} else {
		m.Real = in.Floats[b*in.N : (b+1)*in.N]
	}
	peak, err := j.tables.encoder().Encode(dst, m, j.Out[0].Scale)
	if err == nil {
		err = j.fits(peak)
	}
	return inMember(in.State, b, err)
}

// fits refuses coefficients of which the largest reaches half the modulus at the
// depth of the result.
func (j *Job) fits(largest float64) error {
	if embed.Fits(largest, j.activeQ()) {
		return nil
	}
	return j.overflow(math.Log2(largest))
}

func (j *Job) overflow(log2 float64) error {
	out, c := j.Out[0], j.config
	way := "lower the scale or the values, or encode at a smaller depth, which has a larger modulus"
	if out.Depth == 0 {
		way = "lower the scale or the values, or use parameters with a larger modulus"
	}
	return refusal.New(ckks.EncodeOverflow,
		"the largest coefficient is 2^%.3f at scale 2^%.3f, but at depth %d it must be below half the modulus, 2^%.3f; %s",
		log2, math.Log2(out.Scale), out.Depth, c.Log2Q(out.Depth)-1, way)
}

// activeQ are the primes of Q at the depth of the result.
func (j *Job) activeQ() []uint64 {
	return j.config.Moduli()[j.config.GroupStart(j.Out[0].Depth):j.config.NumQ()]
}

// moduli are the primes of a value's rows.
func (e *Engine) moduli(s ckks.State) []uint64 {
	return e.config.Moduli()[s.First : s.First+s.Rows]
}

// encodeCompressed encodes one period of slots. Its polynomial is one in
// Y = X^(N/U) for U unique words, so that its coefficients lie N/U apart and all
// others are the implicit word 0. In the NTT domain value j stands at an odd
// power 2·brv(j)+1 of the root of X, and the root of Y sees that power modulo
// 2U, that is the reversal of the leading log2 U bits of j: the row is constant
// on blocks of N/U words, which are the NTT of degree U.
func encodeCompressed(j *Job) error {
	out := j.Out[0]
	gap := out.N / out.Unique
	clear(out.Implicit)
	return members(j.Group, out.BatchSize(), func(b int, rows *parallel.Group) error {
		dense := reals.take(out.N)
		defer reals.give(dense)
		if err := j.encodeMember(dense, b, j.In[0].N); err != nil {
			return err
		}
		unique := reals.take(out.Unique)
		defer reals.give(unique)
		for k := range unique {
			unique[k] = dense[k*gap]
		}
		residues, primes := out.Poly(0, b), j.tables.primes(spanOf(out.State))
		rows.Each(len(residues), func(r int) {
			primes[r].FromFloats(residues[r], unique)
			if out.Domain == ckks.NTT {
				j.forwardUnique(residues[r], out.First+r)
			}
		})
		return nil
	})
}

// forwardUnique is the NTT of a degree below N, also one that is below the
// smallest of a ring.Table: such words are transformed as a polynomial with
// gaps, in the same way.
func (j *Job) forwardUnique(x []uint64, id int) {
	logN := max(bits.Len(uint(len(x)))-1, ring.MinLogN)
	gap := 1 << logN / len(x)
	wide := words.take(1 << logN)
	defer words.give(wide)
	for k, c := range x {
		wide[k*gap] = c
	}
	j.tables.subring(logN, id).Forward(wide)
	for k := range x {
		x[k] = wide[k*gap]
	}
}
