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
	"sync"

	"fhelium/core/refusal"
	"fhelium/core/scratch"
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
	place          []uint32  // slot j: leaf·2, plus 1 if the leaf holds its conjugate
	scratch        sync.Pool // *[]float64 of N
}

// New makes the Encoder of the ring of degree 2^logN, MinLogN <= logN <=
// MaxLogN, with the generator 3 or 5. Modulo 4 the generator 3 alternates
// between ζ and its conjugate, so that the ring of degree 2 holds one slot only
// beside its conjugate; there a single slot is packed as two equal ones.
func New(logN int, generator uint64) (*Encoder, error) {
	if logN < MinLogN || logN > MaxLogN {
		return nil, refusal.New(RingUnsupported, "log2 of the ring degree is %d; it must be from %d to %d", logN, MinLogN, MaxLogN)
	}
	if generator != 3 && generator != 5 {
		return nil, refusal.New(RingUnsupported, "the Galois generator is %d; it must be 3 or 5", generator)
	}
	e := &Encoder{logN: logN, pairs: generator == 3, place: places(logN, generator)}
	e.rootRe, e.rootIm = butterflyRoots(logN)
	e.scratch.New = func() any { s := make([]float64, 1<<logN); return &s }
	return e, nil
}

// Bytes is the memory that the tables take.
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
// the given ones, rounded half to even to integers that coef, of length N,
// holds exactly. The number n of slots is a power of two from 1 to N/2; n <
// N/2 packs sparsely, which equals the message repeated N/(2n) times: the 2n
// coefficients lie N/(2n) apart and the others are zero. (One complex slot under
// the generator 3 takes four coefficients, N/4 apart.)
//
// Refused, coef unchanged: encode-slots, encode-scale, encode-not-finite with
// the first bad index, encode-overflow when a coefficient leaves the range of
// float64, with the index of the largest slot, the first of equal ones.
func (e *Encoder) Encode(coef []float64, slots []complex128, scale float64) error {
	e.mustHoldRing(coef)
	if e.pairs && len(slots) == 1 {
		slots = []complex128{slots[0], slots[0]}
	}
	n := len(slots)
	shift, ok := e.leafShift(n)
	if !ok {
		return refusal.New(EncodeSlots, "%d slots; the number must be a power of two from 1 to %d", n, len(e.place))
	}
	if !(scale > 0) || math.IsInf(scale, 1) {
		return refusal.New(EncodeScale, "the scale is %g; it must be positive and finite", scale)
	}
	largest, peak, err := survey(slots)
	if err != nil {
		return err
	}
	s := e.borrow()
	defer e.wipe(s)
	re, im := (*s)[:n], (*s)[n:2*n]
	by := factor(scale, peak, n)
	for j, z := range slots {
		p := e.place[j]
		leaf, y := p>>1>>shift, by.before(imag(z))
		if p&1 == 1 {
			y = -y
		}
		re[leaf], im[leaf] = by.before(real(z)), y
	}
	e.interpolate(re, im)
	if !by.finish((*s)[:2*n]) {
		return refusal.New(EncodeOverflow, "slot %d holds %g, which at scale %g leaves the range of float64; lower the scale or the value", largest, slots[largest], scale)
	}
	gap := len(coef) / (2 * n)
	if gap > 1 {
		clear(coef)
	}
	for k, c := range (*s)[:2*n] {
		coef[k*gap] = c
	}
	return nil
}

// Decode writes the slots of the polynomial with the given N coefficients,
// divided by scale. A number of slots below N/2, a power of two, reads only the
// coefficients of that sparse packing, which is the average of the message's
// N/(2n) repetitions.
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
	s := e.borrow()
	defer e.wipe(s)
	gap := len(coef) / (2 * n)
	for k := range 2 * n {
		(*s)[k] = coef[k*gap] / scale
	}
	re, im := (*s)[:n], (*s)[n:2*n]
	e.evaluate(re, im)
	for j := range slots {
		p := e.place[j]
		leaf := p >> 1 >> shift
		if p&1 == 1 {
			slots[j] = complex(re[leaf], -im[leaf])
		} else {
			slots[j] = complex(re[leaf], im[leaf])
		}
	}
}

// borrow lends scratch memory of N numbers.
func (e *Encoder) borrow() *[]float64 {
	scratch.Lent(8 << e.logN)
	return e.scratch.Get().(*[]float64)
}

// wipe gives scratch memory back, without the message that it held.
func (e *Encoder) wipe(s *[]float64) {
	clear(*s)
	scratch.Back(8 << e.logN)
	e.scratch.Put(s)
}

func (e *Encoder) mustHoldRing(coef []float64) {
	if len(coef) != 1<<e.logN {
		panic("embed: the coefficients are not as many as the ring degree")
	}
}
