package ckks

// With is a call of the operation with integer arguments.
func (op *Op) With(ints ...int64) Call { return Call{Op: op, Ints: ints} }

// At gives the call its float arguments.
func (a Call) At(floats ...float64) Call {
	a.Floats = floats
	return a
}
