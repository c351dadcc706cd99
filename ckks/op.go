package ckks

import "fhelium/core/refusal"

// Op is one operation: its name, and what it does to states. Eager execution
// and compilation read the same table, so an operation means one thing.
type Op struct {
	Name string
	// Ints and Floats count the arguments beside the operands; -1 is any number.
	Ints, Floats int
	// MinIn and MaxIn bound the number of operands; MaxIn -1 is no bound.
	MinIn, MaxIn int
	// Next gives the states of the results, or refuses. The operands have
	// passed Admit. It computes no residues and changes nothing.
	Next func(c *Config, a Call, in []State) ([]State, error)

	code int
}

// Call is an operation with its arguments.
type Call struct {
	*Op
	Ints   []int64
	Floats []float64
	// AllowTransparent permits results that carry no secret.
	AllowTransparent bool
}

var table []*Op

// Define adds an operation to the table. It is called while packages
// initialise, so codes are stable within one build only.
func Define(op Op) *Op {
	table = append(table, &op)
	op.code = len(table)
	return &op
}

// Code is the operation's number in this build.
func (op *Op) Code() int { return op.code }

// OpByCode finds an operation by its number.
func OpByCode(code int64) (*Op, error) {
	if code < 1 || code > int64(len(table)) {
		return nil, refusal.New(FrameInvalid, "operation number %d is not in 1..%d", code, len(table))
	}
	return table[code-1], nil
}

// OpByName finds an operation by its name.
func OpByName(name string) (*Op, error) {
	for _, op := range table {
		if op.Name == name {
			return op, nil
		}
	}
	return nil, refusal.New(FrameInvalid, "no operation is called %q", name)
}

// Plan checks operands and arguments and gives the states of the results.
func (a Call) Plan(c *Config, in []State) ([]State, error) {
	switch {
	case len(in) < a.MinIn || (a.MaxIn >= 0 && len(in) > a.MaxIn):
		return nil, refusal.New(ArgumentInvalid, "%s takes %d to %d operands, got %d", a.Name, a.MinIn, a.MaxIn, len(in))
	case a.Op.Ints >= 0 && len(a.Ints) != a.Op.Ints, a.Op.Floats >= 0 && len(a.Floats) != a.Op.Floats:
		return nil, refusal.New(FrameInvalid, "%s takes %d integers and %d floats, got %d and %d",
			a.Name, a.Op.Ints, a.Op.Floats, len(a.Ints), len(a.Floats))
	}
	for i, s := range in {
		if err := c.Admit(s); err != nil {
			return nil, refusal.New(refusal.CodeOf(err), "%s, operand %d: %s", a.Name, i+1, detail(err))
		}
	}
	out, err := a.Next(c, a, in)
	if err != nil {
		return nil, refusal.New(refusal.CodeOf(err), "%s: %s", a.Name, detail(err))
	}
	for i := range out {
		out[i].Params = c.Fingerprint()
		if out[i].oversized() {
			return nil, refusal.New(BatchMismatch, "%s: the result would have more than %d elements, in batch %v; split the batch", a.Name, int64(maxElements), out[i].Batch)
		}
		if k := out[i].Kind; k != Message && k < SecretKey {
			if err := CheckScale(out[i].Scale); err != nil {
				return nil, refusal.New(refusal.CodeOf(err), "%s: the result would have %s", a.Name, detail(err))
			}
		}
	}
	return out, nil
}

func detail(err error) string {
	if r, ok := err.(*refusal.Refusal); ok {
		return r.Detail
	}
	return err.Error()
}
