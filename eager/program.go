package eager

import "fhelium/ckks"

// Exec performs one call of a program: on values when the program runs, on
// states alone while it is planned. Intermediate results may be transparent;
// the program's own results are checked like any other's.
type Exec func(a ckks.Call, in ...*ckks.Value) ([]*ckks.Value, error)

// Program is an operation that is made of other operations. It must not look
// at numbers, so that planning it meets every refusal that running it would.
type Program func(c *ckks.Config, do Exec, a ckks.Call, in []*ckks.Value) ([]*ckks.Value, error)

// DefineProgram adds an operation whose Next and whose computation are one
// program.
func DefineProgram(op ckks.Op, program Program) *ckks.Op {
	op.Next = func(c *ckks.Config, a ckks.Call, in []ckks.State) ([]ckks.State, error) {
		values := make([]*ckks.Value, len(in))
		for i, s := range in {
			values[i] = &ckks.Value{State: s}
		}
		results, err := program(c, planner(c), a, values)
		if err != nil {
			return nil, err
		}
		states := make([]ckks.State, len(results))
		for i, v := range results {
			states[i] = v.State
		}
		return states, nil
	}
	defined := ckks.Define(op)
	Implement(defined, func(j *Job) error {
		results, err := program(j.config, j.exec, j.Call, j.In)
		if err != nil {
			return err
		}
		for i, v := range results {
			j.copyRows(j.Out[i], v)
		}
		return nil
	})
	return defined
}

func planner(c *ckks.Config) Exec {
	return func(a ckks.Call, in ...*ckks.Value) ([]*ckks.Value, error) {
		states := make([]ckks.State, len(in))
		for i, v := range in {
			states[i] = v.State
		}
		planned, err := a.Plan(c, states)
		if err != nil {
			return nil, err
		}
		out := make([]*ckks.Value, len(planned))
		for i, s := range planned {
			out[i] = &ckks.Value{State: s}
		}
		return out, nil
	}
}

// exec runs one call of a program. Calls that change the state alone give a
// value that aliases its operand, which no program writes to.
func (j *Job) exec(a ckks.Call, in ...*ckks.Value) ([]*ckks.Value, error) {
	if a.Op == ckks.Reinterpret || a.Op == ckks.ModSwitch && a.Ints[0] == int64(in[0].Depth) {
		out, err := planner(j.config)(a, in...)
		if err != nil {
			return nil, err
		}
		out[0].Words, out[0].Implicit = in[0].Words, in[0].Implicit
		return out, nil
	}
	a.AllowTransparent = true
	return j.Do(j.Group, a, in...)
}

// One performs a call that has one result.
func (do Exec) One(a ckks.Call, in ...*ckks.Value) (*ckks.Value, error) {
	out, err := do(a, in...)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}
