// Package linalg multiplies encrypted vectors by clear matrices and sums their
// slots.
package linalg

import (
	"fhelium/ckks"
	"fhelium/core/refusal"
	"fhelium/eager"
)

// KeyAbsent says that the operation needs a rotation key that was not given.
const KeyAbsent refusal.Code = "key-absent"

// Transform is the sum over diagonals r of diag_r ⊙ roll(x, r), so that with
// diag_r[j] = M[j, j−r] it is M·x. With r = g + b and the diagonals rolled back
// by g it is the sum over g of roll(sum over b of diag ⊙ roll(x, b), g).
//
// Operands: the ciphertext, the diagonals as one plaintext in the NTT domain
// with the diagonals as its only batch axis, each rolled by −g, then rotation
// keys in any order. Ints: output domain, 1 to rescale, numbers of babies, of
// giants and of terms, then the steps of a Plan and its terms.
var Transform = eager.DefineProgram(ckks.Op{Name: "linear_transform", MinIn: 2, MaxIn: -1, Ints: -1}, transform)

type transformer struct {
	do     eager.Exec
	slots  int
	x      *ckks.Value
	keys   map[int]*ckks.Value
	domain int64
}

func transform(c *ckks.Config, do eager.Exec, a ckks.Call, in []*ckks.Value) ([]*ckks.Value, error) {
	plan, err := readPlan(a.Ints)
	if err != nil {
		return nil, err
	}
	diagonals := in[1]
	if diagonals.Kind != ckks.Plaintext || len(diagonals.Batch) != 1 || diagonals.Batch[0] != len(plan.Terms) {
		return nil, refusal.New(ckks.ArgumentInvalid, "%d diagonals are planned, got a %v", len(plan.Terms), diagonals.State)
	}
	t := &transformer{do: do, slots: c.Slots(), x: in[0], keys: keysByStep(in[2:]), domain: a.Ints[0]}
	rotated, err := t.babies(plan.Babies)
	if err != nil {
		return nil, err
	}
	var parts []*ckks.Value
	for g, step := range plan.Giants {
		part, err := t.giant(plan, g, step, rotated, diagonals)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	sum, err := do.One(ckks.Sum.With().At(0), parts...)
	if err == nil && a.Ints[1] == 1 {
		sum, err = do.One(ckks.Rescale.With(0), sum)
	}
	if err == nil && t.domain == int64(ckks.Coefficient) {
		sum, err = do.One(ckks.ToCoefficient.With(), sum)
	}
	return []*ckks.Value{sum}, err
}

func readPlan(ints []int64) (*Plan, error) {
	bad := refusal.New(ckks.FrameInvalid, "%d integers do not describe a plan", len(ints))
	if len(ints) < 5 || ints[0]>>1 != 0 || ints[1]>>1 != 0 {
		return nil, bad
	}
	babies, giants, terms := ints[2], ints[3], ints[4]
	for _, n := range []int64{babies, giants, terms} {
		if n < 1 || n > int64(len(ints)) {
			return nil, bad
		}
	}
	rest := ints[5:]
	if int64(len(rest)) != babies+giants+2*terms {
		return nil, bad
	}
	p := &Plan{}
	for i, v := range rest[:babies+giants] {
		if int64(i) < babies {
			p.Babies = append(p.Babies, int(v))
		} else {
			p.Giants = append(p.Giants, int(v))
		}
	}
	for pairs := rest[babies+giants:]; len(pairs) > 0; pairs = pairs[2:] {
		if g, b := pairs[0], pairs[1]; g < 0 || g >= giants || b < 0 || b >= babies {
			return nil, bad
		}
		p.Terms = append(p.Terms, [2]int{int(pairs[0]), int(pairs[1])})
	}
	return p, nil
}

func keysByStep(keys []*ckks.Value) map[int]*ckks.Value {
	m := map[int]*ckks.Value{}
	for _, k := range keys {
		m[k.Step] = k
	}
	return m
}

// key finds the key of a step.
func (t *transformer) key(step int) (*ckks.Value, error) {
	if k := t.keys[ckks.NormalStep(int64(step), t.slots)]; k != nil {
		return k, nil
	}
	return nil, refusal.New(KeyAbsent, "no rotation key for step %d was given", step)
}

// babies gives the vector rolled by each step, in the NTT domain.
func (t *transformer) babies(steps []int) ([]*ckks.Value, error) {
	rotated := make([]*ckks.Value, len(steps))
	operands := []*ckks.Value{t.x}
	var places []int
	for i, step := range steps {
		if ckks.NormalStep(int64(step), t.slots) == 0 {
			still, err := t.ntt(t.x)
			if err != nil {
				return nil, err
			}
			rotated[i] = still
			continue
		}
		key, err := t.key(step)
		if err != nil {
			return nil, err
		}
		operands, places = append(operands, key), append(places, i)
	}
	if len(places) == 0 {
		return rotated, nil
	}
	out, err := t.do(ckks.RotateMany.With(int64(ckks.NTT)), operands...)
	if err != nil {
		return nil, err
	}
	for i, v := range out {
		rotated[places[i]] = v
	}
	return rotated, nil
}

func (t *transformer) ntt(v *ckks.Value) (*ckks.Value, error) {
	if v.Domain == ckks.NTT {
		return v, nil
	}
	return t.do.One(ckks.ToNTT.With(), v)
}

// giant is the part of the sum that giant step g rolls.
func (t *transformer) giant(p *Plan, g, step int, rotated []*ckks.Value, diagonals *ckks.Value) (*ckks.Value, error) {
	var cts, pts []*ckks.Value
	for k, term := range p.Terms {
		if term[0] == g {
			cts, pts = append(cts, rotated[term[1]]), append(pts, member(diagonals, k))
		}
	}
	if len(cts) == 0 {
		return nil, refusal.New(ckks.FrameInvalid, "giant step %d has no terms", step)
	}
	part, err := t.do.One(ckks.SumPlaintextProducts.With(0, int64(len(cts))), append(cts, pts...)...)
	if err != nil || ckks.NormalStep(int64(step), t.slots) == 0 {
		return part, err
	}
	key, err := t.key(step)
	if err != nil {
		return nil, err
	}
	return t.do.One(ckks.Rotate.With(int64(ckks.NTT)), part, key)
}

// member is one plaintext of a batch; it aliases the batch's memory.
func member(v *ckks.Value, k int) *ckks.Value {
	m := &ckks.Value{State: v.State}
	m.Batch = nil
	if v.Words != nil {
		n := m.Elements()
		m.Words = v.Words[k*n : (k+1)*n]
	}
	return m
}
