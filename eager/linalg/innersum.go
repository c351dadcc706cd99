package linalg

import (
	"math/bits"

	"fhelium/ckks"
	"fhelium/core/refusal"
	"fhelium/eager"
)

// InnerSum replaces slot j by the sum of slots j, j+stride, …,
// j+(count−1)·stride (modulo the slot count) in about log2(count) rotations.
// Operands: the ciphertext, then rotation keys in any order. Ints: count,
// stride.
var InnerSum = eager.DefineProgram(ckks.Op{Name: "inner_sum", MinIn: 1, MaxIn: -1, Ints: 2}, innerSum)

// InnerSumSteps lists the rotation steps that InnerSum needs, each once.
func InnerSumSteps(count, stride int64, slots int) ([]int, error) {
	if count < 1 || count > int64(slots) {
		return nil, refusal.New(ckks.ArgumentInvalid, "a sum of %d slots; 1 to %d are possible", count, slots)
	}
	var found steps
	walk(count, func(have int64, doubling bool) {
		if !doubling {
			have = 1
		}
		if step := ckks.NormalStep(-have*(stride%int64(slots)), slots); step != 0 {
			found.place(step)
		}
	})
	return found.list, nil
}

// walk builds count from 1 by doublings and additions of 1, as its binary
// digits say; have is the number of slots summed before each.
func walk(count int64, visit func(have int64, doubling bool)) {
	have := int64(1)
	for i := bits.Len64(uint64(count)) - 2; i >= 0; i-- {
		visit(have, true)
		have *= 2
		if count>>i&1 == 1 {
			visit(have, false)
			have++
		}
	}
}

func innerSum(c *ckks.Config, do eager.Exec, a ckks.Call, in []*ckks.Value) ([]*ckks.Value, error) {
	count, stride := a.Ints[0], a.Ints[1]
	if _, err := InnerSumSteps(count, stride, c.Slots()); err != nil {
		return nil, err
	}
	x := in[0]
	t := &transformer{do: do, slots: c.Slots(), x: x, keys: keysByStep(in[1:])}
	sum, err := do.One(ckks.Sum.With().At(0), x)
	walk(count, func(have int64, doubling bool) {
		if err != nil {
			return
		}
		// Doubling adds the sum so far, moved by what it covers; adding one
		// moves the sum by one place and adds the vector itself.
		moved, base := have, sum
		if !doubling {
			moved, base = 1, x
		}
		var rolled *ckks.Value
		if rolled, err = t.roll(sum, -moved*(stride%int64(t.slots))); err == nil {
			sum, err = do.One(ckks.Add.With().At(0), base, rolled)
		}
	})
	return []*ckks.Value{sum}, err
}

// roll rolls by a step, staying in the domain of v.
func (t *transformer) roll(v *ckks.Value, step int64) (*ckks.Value, error) {
	normal := ckks.NormalStep(step, t.slots)
	if normal == 0 {
		return v, nil
	}
	key, err := t.key(normal)
	if err != nil {
		return nil, err
	}
	return t.do.One(ckks.Rotate.With(int64(v.Domain)), v, key)
}
