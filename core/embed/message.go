package embed

import (
	"math"

	"fhelium/core/refusal"
)

// Message is what a polynomial's N slots are to hold: values of one of the two
// kinds, and zeros after them.
type Message struct {
	N       int
	Complex []complex128
	Real    []float64
}

func (m Message) len() int { return len(m.Complex) + len(m.Real) }

// at is slot j.
func (m Message) at(j int) complex128 {
	switch {
	case j < len(m.Complex):
		return m.Complex[j]
	case j < len(m.Real):
		return complex(m.Real[j], 0)
	}
	return 0
}

// doubled is a message of one slot as one of two equal ones.
func (m Message) doubled() Message {
	z := m.at(0)
	return Message{N: 2, Complex: []complex128{z, z}}
}

// peak is the largest part of a slot in size. It refuses NaN and infinities. The
// sizes are compared as the words that hold them, whose order is that of the
// numbers, with infinities and NaN above all.
func (m Message) peak() (float64, error) {
	largest := uint64(0)
	for _, x := range m.Real {
		largest = max(largest, math.Float64bits(x)&math.MaxInt64)
	}
	for _, z := range m.Complex {
		largest = max(largest, math.Float64bits(real(z))&math.MaxInt64, math.Float64bits(imag(z))&math.MaxInt64)
	}
	peak := math.Float64frombits(largest)
	if peak <= math.MaxFloat64 {
		return peak, nil
	}
	for j := range m.len() {
		if z := m.at(j); !(size(z) <= math.MaxFloat64) {
			return 0, refusal.New(EncodeNotFinite, "slot %d holds %g; every value must be finite", j, z)
		}
	}
	panic("embed: a peak that no slot has")
}

// first is the first slot with the given peak.
func (m Message) first(peak float64) int {
	for j := range m.len() {
		if size(m.at(j)) == peak {
			return j
		}
	}
	return 0
}

// size is the larger part of a number, or NaN where one is.
func size(z complex128) float64 { return math.Max(math.Abs(real(z)), math.Abs(imag(z))) }
