package ckks

import "fhelium/core/ring"

// Value is a state and the memory of its numbers. The memory is borrowed for
// the length of one call when it belongs to a Python tensor.
type Value struct {
	State
	Words    []uint64     // residues, or int64 coefficients by their bits
	Floats   []float64    // float64 messages and coefficients
	Slots    []complex128 // complex messages
	Implicit []uint64     // see State.ImplicitElements
}

// NewValue allocates a value of the given state.
func NewValue(s State) *Value {
	v := &Value{State: s.clone(), Implicit: make([]uint64, s.ImplicitElements())}
	switch s.Dtype {
	case Int64:
		v.Words = make([]uint64, s.Elements())
	case Float64:
		v.Floats = make([]float64, s.Elements())
	case Complex128:
		v.Slots = make([]complex128, s.Elements())
	}
	return v
}

// Poly gives the rows of polynomial p (component, or 2·digit + half for keys)
// of batch member b. The rows alias the value's memory.
func (v *Value) Poly(p, b int) ring.Rows {
	w := v.Width()
	base := (p*v.BatchSize() + b) * v.Rows * w
	rows := make(ring.Rows, v.Rows)
	for r := range rows {
		rows[r] = v.Words[base+r*w : base+(r+1)*w : base+(r+1)*w]
	}
	return rows
}
