package ckks

import (
	"math"
	"slices"

	"fhelium/core/refusal"
)

// Row-local operations: they also accept a shard of the rows.
var (
	// Add is the sum of two ciphertexts. Float 0: relative scale tolerance.
	Add = Define(Op{Name: "add", MinIn: 2, MaxIn: 2, Floats: 1, Next: nextAdd})
	// Subtract is the difference of two ciphertexts. Float 0: relative scale tolerance.
	Subtract = Define(Op{Name: "subtract", MinIn: 2, MaxIn: 2, Floats: 1, Next: nextAdd})
	// Negate is the additive inverse of a ciphertext.
	Negate = Define(Op{Name: "negate", MinIn: 1, MaxIn: 1, Next: nextSame})
	// Sum adds one or more ciphertexts. Float 0: relative scale tolerance.
	Sum = Define(Op{Name: "sum_ciphertexts", MinIn: 1, MaxIn: -1, Floats: 1, Next: nextSum})
	// SumBatch adds the members of one batch axis. Int 0: the axis.
	SumBatch = Define(Op{Name: "sum_ciphertext_batch", MinIn: 1, MaxIn: 1, Ints: 1, Next: nextSumBatch})
	// AddPlaintext adds a plaintext to component 0. Float 0: relative scale tolerance.
	AddPlaintext = Define(Op{Name: "add_plaintext", MinIn: 2, MaxIn: 2, Floats: 1, Next: nextAddPlaintext})
	// SubtractPlaintext subtracts a plaintext from component 0. Float 0: relative scale tolerance.
	SubtractPlaintext = Define(Op{Name: "subtract_plaintext", MinIn: 2, MaxIn: 2, Floats: 1, Next: nextAddPlaintext})
	// MultiplyPlaintext multiplies every component by a plaintext.
	MultiplyPlaintext = Define(Op{Name: "multiply_plaintext", MinIn: 2, MaxIn: 2, Next: nextMultiplyPlaintext})
	// Multiply is the product of two ciphertexts, of 3 components.
	Multiply = Define(Op{Name: "multiply", MinIn: 2, MaxIn: 2, Next: nextMultiply})
	// AddScalar adds one real number to all slots. Floats: the number, the scale it is encoded at.
	AddScalar = Define(Op{Name: "add_scalar", MinIn: 1, MaxIn: 1, Floats: 2, Next: nextAddScalar})
	// AddConstant is AddScalar in either domain. Floats: the number, the scale it is encoded at.
	AddConstant = Define(Op{Name: "add_constant", MinIn: 1, MaxIn: 1, Floats: 2, Next: nextAddConstant})
	// MultiplyScalar multiplies by one real number. Floats: the number, its scale.
	MultiplyScalar = Define(Op{Name: "multiply_scalar", MinIn: 1, MaxIn: 1, Floats: 2, Next: nextMultiplyScalar})
	// MultiplyInteger multiplies by an integer without touching the scale. Int 0: the integer.
	MultiplyInteger = Define(Op{Name: "multiply_integer_scalar", MinIn: 1, MaxIn: 1, Ints: 1, Next: nextMultiplyInteger})
	// ToNTT transforms rows from the coefficient to the NTT domain.
	ToNTT = Define(Op{Name: "coefficient_domain_to_ntt_domain", MinIn: 1, MaxIn: 1, Next: nextTransform(NTT)})
	// ToCoefficient transforms rows from the NTT to the coefficient domain.
	ToCoefficient = Define(Op{Name: "ntt_domain_to_coefficient_domain", MinIn: 1, MaxIn: 1, Next: nextTransform(Coefficient)})
	// Reinterpret changes the recorded scale only. Floats: the scale, the largest relative change (negative: any).
	Reinterpret = Define(Op{Name: "reinterpret_at_scale", MinIn: 1, MaxIn: 1, Floats: 2, Next: nextReinterpret})
	// Validate checks that every residue is below its prime. It has no result.
	Validate = Define(Op{Name: "validate", MinIn: 1, MaxIn: 1, Next: nextNothing})
)

func nextNothing(*Config, Call, []State) ([]State, error) { return nil, nil }

func nextSame(_ *Config, _ Call, in []State) ([]State, error) {
	return []State{in[0].clone()}, wantKind(in[0], Ciphertext)
}

func nextAdd(_ *Config, a Call, in []State) ([]State, error) {
	if err := wantKind(in[0], Ciphertext); err != nil {
		return nil, err
	}
	return []State{in[0].clone()}, sameCiphertexts(in[0], in[1], a.Floats[0])
}

func nextSum(_ *Config, a Call, in []State) ([]State, error) {
	for _, s := range in {
		if err := wantKind(s, Ciphertext); err != nil {
			return nil, err
		}
		if err := sameCiphertexts(in[0], s, a.Floats[0]); err != nil {
			return nil, err
		}
	}
	return []State{in[0].clone()}, nil
}

func nextSumBatch(_ *Config, a Call, in []State) ([]State, error) {
	if err := wantKind(in[0], Ciphertext); err != nil {
		return nil, err
	}
	axis := int(a.Ints[0])
	if axis < 0 || axis >= len(in[0].Batch) {
		return nil, refusal.New(BatchMismatch, "axis %d of batch %v does not exist", axis, in[0].Batch)
	}
	out := in[0].clone()
	out.Batch = slices.Delete(out.Batch, axis, axis+1)
	return []State{out}, nil
}

func samePlaintext(ct, pt State) error {
	if err := wantKind(ct, Ciphertext); err != nil {
		return err
	}
	if err := wantKind(pt, Plaintext, Compressed); err != nil {
		return err
	}
	if err := sameRows(ct, pt); err != nil {
		return err
	}
	return broadcasts(ct, pt)
}

func nextAddPlaintext(_ *Config, a Call, in []State) ([]State, error) {
	if err := samePlaintext(in[0], in[1]); err != nil {
		return nil, err
	}
	return []State{in[0].clone()}, sameScale(in[0], in[1], a.Floats[0])
}

func nextMultiplyPlaintext(c *Config, _ Call, in []State) ([]State, error) {
	if err := samePlaintext(in[0], in[1]); err != nil {
		return nil, err
	}
	if err := wantDomain(in[0], NTT); err != nil {
		return nil, err
	}
	out := in[0].clone()
	out.Scale *= in[1].Scale
	return []State{out}, wantRoom(c, out.Depth, out.Scale)
}

func nextMultiply(c *Config, _ Call, in []State) ([]State, error) {
	for _, s := range in {
		if err := wantKind(s, Ciphertext); err != nil {
			return nil, err
		}
		if err := wantComponents(s, 2); err != nil {
			return nil, err
		}
		if err := wantDomain(s, NTT); err != nil {
			return nil, err
		}
	}
	if err := sameRows(in[0], in[1]); err != nil {
		return nil, err
	}
	if err := sameKey(in[0], in[1]); err != nil {
		return nil, err
	}
	if err := sameBatch(in[0], in[1]); err != nil {
		return nil, err
	}
	out := in[0].clone()
	out.Components, out.Scale = 3, in[0].Scale*in[1].Scale
	return []State{out}, wantRoom(c, out.Depth, out.Scale)
}

// scalar checks a real constant and that it fits the modulus at its scale.
func scalar(c *Config, s State, x, scale float64) error {
	if err := wantKind(s, Ciphertext); err != nil {
		return err
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return refusal.New(ArgumentInvalid, "the scalar is %v; a finite number is needed", x)
	}
	if err := CheckScale(scale); err != nil {
		return err
	}
	if limit := c.Log2Q(s.Depth) - 1; math.Log2(math.Abs(x))+math.Log2(scale) >= limit {
		return refusal.New(EncodeOverflow, "|%v| at scale 2^%.1f does not fit below 2^%.1f, half the modulus at depth %d; lower the scale or the value",
			x, math.Log2(scale), limit, s.Depth)
	}
	return nil
}

func nextAddScalar(c *Config, a Call, in []State) ([]State, error) {
	if err := wantDomain(in[0], Coefficient); err != nil {
		return nil, err
	}
	return nextAddConstant(c, a, in)
}

func nextAddConstant(c *Config, a Call, in []State) ([]State, error) {
	if err := scalar(c, in[0], a.Floats[0], a.Floats[1]); err != nil {
		return nil, err
	}
	encoded := in[0]
	encoded.Scale = a.Floats[1]
	return []State{in[0].clone()}, sameScale(in[0], encoded, 0)
}

func nextMultiplyScalar(c *Config, a Call, in []State) ([]State, error) {
	if err := scalar(c, in[0], a.Floats[0], a.Floats[1]); err != nil {
		return nil, err
	}
	out := in[0].clone()
	out.Scale *= a.Floats[1]
	return []State{out}, wantRoom(c, out.Depth, out.Scale)
}

// nextMultiplyInteger keeps the scale, so that the message grows instead: one
// of size 1 has to stay below half the modulus.
func nextMultiplyInteger(c *Config, a Call, in []State) ([]State, error) {
	if err := wantKind(in[0], Ciphertext); err != nil {
		return nil, err
	}
	size, limit := math.Log2(math.Abs(float64(a.Ints[0])))+math.Log2(in[0].Scale), c.Log2Q(in[0].Depth)-1
	if size >= limit {
		return nil, refusal.New(EncodeOverflow, "%d times a message of size 1 at scale 2^%.1f reaches 2^%.1f, and half the modulus at depth %d is 2^%.1f; multiply at an earlier depth, or by a smaller number",
			a.Ints[0], math.Log2(in[0].Scale), size, in[0].Depth, limit)
	}
	return []State{in[0].clone()}, nil
}

func nextTransform(to Domain) func(*Config, Call, []State) ([]State, error) {
	return func(_ *Config, _ Call, in []State) ([]State, error) {
		if err := wantKind(in[0], Ciphertext, Plaintext); err != nil {
			return nil, err
		}
		out := in[0].clone()
		out.Domain = to
		return []State{out}, wantDomain(in[0], 1-to)
	}
}

func nextReinterpret(_ *Config, a Call, in []State) ([]State, error) {
	scale, bound := a.Floats[0], a.Floats[1]
	if err := wantKind(in[0], Ciphertext, Plaintext, Compressed); err != nil {
		return nil, err
	}
	if err := CheckScale(scale); err != nil {
		return nil, err
	}
	change := max(scale/in[0].Scale, in[0].Scale/scale) - 1
	if bound >= 0 && !(change <= bound) {
		return nil, refusal.New(ScaleReinterpretation, "scale %v as %v would change the message by a factor %v; at most %v is allowed",
			in[0].Scale, scale, 1+change, 1+bound)
	}
	out := in[0].clone()
	out.Scale = scale
	return []State{out}, nil
}
