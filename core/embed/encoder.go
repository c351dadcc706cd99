// Package embed carries messages into the ring and back: the canonical
// embedding of Cheon, Kim, Kim and Song (2017) between complex slots and
// integer coefficients, and the exact change between float64-held integers and
// their residues modulo a chain of primes.
//
// Slot j of a polynomial p modulo X^N + 1 is p(ζ^(g^j)) with ζ = exp(iπ/N) and g
// the Galois generator, so that X -> X^(g^r) moves slots (see RotationGalois).
package embed

import (
	"math"
	"math/bits"

	"fhelium/core/kernel"
	"fhelium/core/refusal"
)

// MinLogN and MaxLogN bound the ring degrees N = 2^logN of an Encoder.
const (
	MinLogN = 4
	MaxLogN = 17
)

// Encoder encodes and decodes for one ring degree and generator. It is
// immutable and safe for concurrent use.
type Encoder struct {
	logN           int
	pairs          bool      // one slot is packed as two equal ones, see New
	rootRe, rootIm []float64 // N/2 entries, see butterflyRoots
	level          kernel.Level
	fast           *kernel.Roots // nil at the portable level
	place          []uint32      // slot j: leaf·2, plus 1 if the leaf holds its conjugate
}

// New makes the Encoder of the ring of degree 2^logN, MinLogN <= logN <=
// MaxLogN, with the generator 3 or 5 and kernels of the given level. Modulo 4
// the generator 3 alternates between ζ and its conjugate, so that the ring of
// degree 2 holds one slot only beside its conjugate; there a single slot is
// packed as two equal ones.
func New(logN int, generator uint64, level kernel.Level) (*Encoder, error) {
	if logN < MinLogN || logN > MaxLogN {
		return nil, refusal.New(RingUnsupported, "log2 of the ring degree is %d; it must be from %d to %d", logN, MinLogN, MaxLogN)
	}
	if generator != 3 && generator != 5 {
		return nil, refusal.New(RingUnsupported, "the Galois generator is %d; it must be 3 or 5", generator)
	}
	e := &Encoder{logN: logN, pairs: generator == 3, level: level, place: places(logN, generator)}
	e.rootRe, e.rootIm = butterflyRoots(logN)
	e.fast = kernel.NewRoots(e.rootRe, e.rootIm, level)
	return e, nil
}

// Bytes is the memory that the tables take: 10N.
func (e *Encoder) Bytes() int {
	return 8*(len(e.rootRe)+len(e.rootIm)) + 4*len(e.place)
}

// places finds the leaf of every slot. The leaves are the exponents 4t+1 of ζ
// in bit-reversed order of t; an exponent 4t+3 is the conjugate of one of them.
func places(logN int, generator uint64) []uint32 {
	slots, mask := 1<<(logN-1), uint32(2)<<logN-1
	place := make([]uint32, slots)
	exponent := uint32(1)
	for j := range place {
		e, conjugate := exponent, uint32(0)
		if e&3 == 3 {
			e, conjugate = -e&mask, 1
		}
		leaf := bits.Reverse32(e>>2) >> (32 - (logN - 1))
		place[j] = leaf<<1 | conjugate
		exponent = exponent * uint32(generator) & mask
	}
	return place
}

// leafShift checks a number of slots and gives the shift of the leaves for it:
// n slots use the ring of degree 2n, whose leaf is the leading log2 n bits.
func (e *Encoder) leafShift(n int) (shift int, ok bool) {
	if n < 1 || n > 1<<(e.logN-1) || n&(n-1) != 0 {
		return 0, false
	}
	return e.logN - bits.Len(uint(n)), true
}

// Encode writes the coefficients of the polynomial whose slots are scale times
// those of the message, rounded half to even to integers that coef, of length N,
// holds exactly, and gives the size of the largest. A message of n < N/2 slots is
// packed sparsely, which equals it repeated N/(2n) times: the 2n coefficients lie
// N/(2n) apart and the others are zero. (One complex slot under the generator 3
// takes four coefficients, N/4 apart.)
//
// Refused: encode-slots, encode-scale, encode-not-finite with the first bad
// index, encode-overflow when a coefficient leaves the range of float64, with the
// index of the largest slot, the first of equal ones; what coef then holds is of
// no use.
func (e *Encoder) Encode(coef []float64, m Message, scale float64) (peak float64, err error) {
	e.mustHoldRing(coef)
	shift, ok := e.leafShift(m.N)
	if !ok || m.len() > m.N {
		return 0, refusal.New(EncodeSlots, "%d slots for %d values; the number must be a power of two from 1 to %d", m.N, m.len(), len(e.place))
	}
	if !(scale > 0) || math.IsInf(scale, 1) {
		return 0, refusal.New(EncodeScale, "the scale is %g; it must be positive and finite", scale)
	}
	largest, err := m.peak()
	if err != nil {
		return 0, err
	}
	if e.pairs && m.N == 1 {
		m, shift = m.doubled(), shift-1
	}
	n, by := m.N, factor(scale, largest, m.N)
	re, im := coef[:n], coef[n:2*n]
	e.scatter(re, im, m, shift, by)
	e.interpolate(re, im)
	peak = by.finish(coef[:2*n], e.level)
	if !(peak <= math.MaxFloat64) {
		at := m.first(largest)
		return 0, refusal.New(EncodeOverflow, "slot %d holds %g, which at scale %g leaves the range of float64; lower the scale or the value", at, m.at(at), scale)
	}
	spread(coef, 2*n)
	return peak, nil
}

// scatter puts the slots to their leaves.
func (e *Encoder) scatter(re, im []float64, m Message, shift int, by scaling) {
	if m.len() < m.N {
		clear(re)
		clear(im)
	}
	for j, x := range m.Real {
		leaf := e.place[j] >> 1 >> shift
		re[leaf], im[leaf] = by.before(x), 0
	}
	for j, z := range m.Complex {
		p := e.place[j]
		leaf := p >> 1 >> shift
		re[leaf], im[leaf] = by.before(real(z)), conjugated(by.before(imag(z)), p)
	}
}

// conjugated turns the sign of an imaginary part whose leaf holds the conjugate.
func conjugated(y float64, place uint32) float64 {
	return math.Float64frombits(math.Float64bits(y) ^ uint64(place)<<63)
}

// spread moves the first n coefficients as far apart as there is room, with zeros
// between them.
func spread(coef []float64, n int) {
	gap := len(coef) / n
	if gap == 1 {
		return
	}
	clear(coef[n:])
	for k := n - 1; k > 0; k-- {
		c := coef[k]
		coef[k] = 0
		coef[k*gap] = c
	}
}

// Decode writes the slots of the polynomial with the given N coefficients,
// divided by scale, and works in the memory of coef. A number of slots below N/2,
// a power of two, reads only the coefficients of that sparse packing, which is the
// average of the message's N/(2n) repetitions.
func (e *Encoder) Decode(slots []complex128, coef []float64, scale float64) {
	e.mustHoldRing(coef)
	if e.pairs && len(slots) == 1 {
		var two [2]complex128
		e.Decode(two[:], coef, scale)
		slots[0] = two[0]/2 + two[1]/2
		return
	}
	n := len(slots)
	shift, ok := e.leafShift(n)
	if !ok {
		panic("embed: Decode into a number of slots that is no power of two up to N/2")
	}
	gap := len(coef) / (2 * n)
	for k := range 2 * n {
		coef[k] = coef[k*gap] / scale
	}
	re, im := coef[:n], coef[n:2*n]
	e.evaluate(re, im)
	for j := range slots {
		p := e.place[j]
		leaf := p >> 1 >> shift
		slots[j] = complex(re[leaf], conjugated(im[leaf], p))
	}
}

func (e *Encoder) mustHoldRing(coef []float64) {
	if len(coef) != 1<<e.logN {
		panic("embed: the coefficients are not as many as the ring degree")
	}
}
