package eager

import (
	"fhelium/ckks"
	"fhelium/core/ring"
)

func init() {
	Implement(ckks.Rescale, rescale)
	Implement(ckks.ModSwitch, modSwitch)
}

// roundDown is the argument of Rescale that asks for the floor.
const roundDown = 1

// rescale divides by the product of the leading depth group, all its primes at
// once, so that one rounding happens. The special primes' rows stay.
func rescale(j *Job) error {
	in, out := j.In[0], j.Out[0]
	dropped, kept := span{in.First, out.First}, spanOf(out.State)
	division, floor := j.tables.division(dropped, kept), j.Call.Ints[0] == roundDown
	var tables *ring.DivTables
	if in.Domain == ckks.NTT {
		tables = &ring.DivTables{Dropped: j.tables.primes(dropped), Kept: j.tables.primes(kept)}
	}
	leading := out.First - in.First
	for p := range out.Components {
		for b := range out.BatchSize() {
			x := in.Poly(p, b)
			dividend := ring.Dividend{Dropped: ring.Source{Words: x[:leading]}, Kept: ring.Source{Words: x[leading:]}, NTT: tables}
			division.Apply(j.Group, out.Poly(p, b), dividend, floor)
		}
	}
	return nil
}

// modSwitch keeps the rows that are active at the target depth. A compressed
// row keeps its implicit word, a seeded ciphertext its seed.
func modSwitch(j *Job) error {
	in, out := j.In[0], j.Out[0]
	skip := out.First - in.First
	j.eachRow(out, func(p, b, r int) { copy(row(out, p, b, r), row(in, p, b, r+skip)) })
	if in.Kind == ckks.Seeded {
		copy(out.Implicit, in.Implicit)
		return nil
	}
	for i := range out.Implicit {
		out.Implicit[i] = in.Implicit[i/out.Rows*in.Rows+skip+i%out.Rows]
	}
	return nil
}
