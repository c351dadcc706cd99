package ckks

import (
	"math"
	"slices"

	"fhelium/core/refusal"
)

// Key generation, key switching and what follows from it.
var (
	// CreateSecret samples a uniform ternary secret. Ints: basis, and the two halves of its random ID.
	CreateSecret = Define(Op{Name: "create_secret_key", MaxIn: 0, Ints: 3, Next: nextCreateSecret})
	// CreatePublic makes a public key. Int 0: basis.
	CreatePublic = Define(Op{Name: "create_public_key", MinIn: 1, MaxIn: 1, Ints: 1, Next: nextCreatePublic})
	// CreateSwitch makes a key from the secret of operand 0 to that of operand 1.
	CreateSwitch = Define(Op{Name: "create_key_switch_key", MinIn: 2, MaxIn: 2, Next: nextCreateKey(SwitchKey)})
	// CreateRelinearization makes a key from s^2 to s.
	CreateRelinearization = Define(Op{Name: "create_relinearization_key", MinIn: 1, MaxIn: 1, Next: nextCreateKey(Relinearization)})
	// CreateRotation makes a key for torch.roll by Int 0 slots.
	CreateRotation = Define(Op{Name: "create_rotation_key", MinIn: 1, MaxIn: 1, Ints: 1, Next: nextCreateKey(Rotation)})
	// CreateConjugation makes a key for complex conjugation.
	CreateConjugation = Define(Op{Name: "create_conjugation_key", MinIn: 1, MaxIn: 1, Next: nextCreateKey(Conjugation)})
	// Relinearize turns 3 components into 2. Operand 1 is the key. Int 0: output domain.
	Relinearize = Define(Op{Name: "relinearize", MinIn: 2, MaxIn: 2, Ints: 1, Next: nextRelinearize})
	// Switch leads a ciphertext to another secret. Operand 1 is the key. Int 0: output domain.
	Switch = Define(Op{Name: "switch_key", MinIn: 2, MaxIn: 2, Ints: 1, Next: nextSwitch(SwitchKey)})
	// Rotate rolls the slots by the key's step. Operand 1 is the key. Int 0: output domain.
	Rotate = Define(Op{Name: "rotate_with_key", MinIn: 2, MaxIn: 2, Ints: 1, Next: nextSwitch(Rotation)})
	// Conjugate conjugates the slots. Operand 1 is the key. Int 0: output domain.
	Conjugate = Define(Op{Name: "conjugate", MinIn: 2, MaxIn: 2, Ints: 1, Next: nextSwitch(Conjugation)})
	// RotateMany rolls by the step of each key, sharing one decomposition. Int 0: output domain. One result a key.
	RotateMany = Define(Op{Name: "rotate_many_with_keys", MinIn: 2, MaxIn: -1, Ints: 1, Next: nextRotateMany})
	// Rescale divides by the leading depth group and drops it. Int 0: 0 to the nearest, 1 down.
	Rescale = Define(Op{Name: "rescale_to_next_depth", MinIn: 1, MaxIn: 1, Ints: 1, Next: nextRescale})
	// RelinearizeRescale is Relinearize and Rescale, with one rounding. Operand 1 is the key. Int 0: output domain.
	RelinearizeRescale = Define(Op{Name: "relinearize_rescale", MinIn: 2, MaxIn: 2, Ints: 1, Next: nextRelinearizeRescale})
	// MultiplyRelinearizeRescale is Multiply before that. Operand 2 is the key. Int 0: output domain.
	MultiplyRelinearizeRescale = Define(Op{Name: "multiply_relinearize_rescale", MinIn: 3, MaxIn: 3, Ints: 1, Next: nextMultiplyRelinearizeRescale})
	// ModSwitch drops leading rows. Int 0: the target depth.
	ModSwitch = Define(Op{Name: "mod_switch_to_depth", MinIn: 1, MaxIn: 1, Ints: 1, Next: nextModSwitch})
)

// NormalStep brings a rotation step to [-n/2, n/2) for n slots, so that steps
// equal modulo n are one step.
func NormalStep(step int64, slots int) int {
	n := int64(slots)
	return int((step%n+n+n/2)%n - n/2)
}

func nextCreateSecret(c *Config, a Call, _ []State) ([]State, error) {
	if a.Ints[0]>>1 != 0 {
		return nil, refusal.New(ArgumentInvalid, "basis %d is not 0 or 1", a.Ints[0])
	}
	basis := Basis(a.Ints[0])
	return []State{{Kind: SecretKey, Domain: NTT, Basis: basis, Rows: c.ActiveRows(0, basis), Components: 1, N: c.N(),
		Key: idOf(a.Ints[1], a.Ints[2])}}, nil
}

func nextCreatePublic(c *Config, a Call, in []State) ([]State, error) {
	if err := wantKind(in[0], SecretKey); err != nil {
		return nil, err
	}
	if a.Ints[0]>>1 != 0 {
		return nil, refusal.New(ArgumentInvalid, "basis %d is not 0 or 1", a.Ints[0])
	}
	if err := wantIdentity(in[0]); err != nil {
		return nil, err
	}
	out := in[0]
	out.Kind, out.Basis, out.Components = PublicKey, Basis(a.Ints[0]), 1
	out.Rows = c.ActiveRows(0, out.Basis)
	return []State{out}, coversRows(in[0], out)
}

// wantQPSecret demands a secret with all rows, those of the special primes too.
func wantQPSecret(c *Config, s State) error {
	if err := wantKind(s, SecretKey); err != nil {
		return err
	}
	if err := wantIdentity(s); err != nil {
		return err
	}
	if err := wantBasis(s, QP); err != nil {
		return err
	}
	return wantAllRows(c, s)
}

func nextCreateKey(kind Kind) func(*Config, Call, []State) ([]State, error) {
	return func(c *Config, a Call, in []State) ([]State, error) {
		for _, s := range in {
			if err := wantQPSecret(c, s); err != nil {
				return nil, err
			}
		}
		to := in[len(in)-1]
		out := State{Kind: kind, Domain: NTT, Basis: QP, Rows: c.ActiveRows(0, QP), Components: len(c.Digits()), N: c.N(),
			Key: to.Key, Source: in[0].Key}
		if kind == Rotation {
			out.Step = NormalStep(a.Ints[0], c.Slots())
		}
		return []State{out}, nil
	}
}

// switchable demands what every key switch needs of ciphertext and key.
func switchable(c *Config, ct, key State, kind Kind) error {
	if err := wantKind(ct, Ciphertext); err != nil {
		return err
	}
	if err := wantKind(key, kind); err != nil {
		return err
	}
	if err := wantBasis(ct, Q); err != nil {
		return err
	}
	if err := wantAllRows(c, ct); err != nil {
		return err
	}
	if ct.Key != key.Source || ct.Key == (ID{}) {
		return refusal.New(KeyMismatch, "the ciphertext belongs to secret key %v, the %v starts from %v; make the key from the ciphertext's secret",
			ct.Key, key.Kind, key.Source)
	}
	return nil
}

func switched(a Call, ct, key State) ([]State, error) {
	if a.Ints[0]>>1 != 0 {
		return nil, refusal.New(ArgumentInvalid, "domain %d is not 0 or 1", a.Ints[0])
	}
	out := ct.clone()
	out.Components, out.Domain, out.Key = 2, Domain(a.Ints[0]), key.Key
	return []State{out}, nil
}

func nextRelinearize(c *Config, a Call, in []State) ([]State, error) {
	if err := switchable(c, in[0], in[1], Relinearization); err != nil {
		return nil, err
	}
	if err := wantComponents(in[0], 3); err != nil {
		return nil, err
	}
	if err := wantDomain(in[0], NTT); err != nil {
		return nil, err
	}
	return switched(a, in[0], in[1])
}

func nextRelinearizeRescale(c *Config, a Call, in []State) ([]State, error) {
	out, err := nextRelinearize(c, a, in)
	if err != nil {
		return nil, err
	}
	return nextRescale(c, Rescale.With(0), out)
}

func nextMultiplyRelinearizeRescale(c *Config, a Call, in []State) ([]State, error) {
	product, err := nextMultiply(c, Multiply.With(), in[:2])
	if err != nil {
		return nil, err
	}
	return nextRelinearizeRescale(c, a, []State{product[0], in[2]})
}

func nextSwitch(kind Kind) func(*Config, Call, []State) ([]State, error) {
	return func(c *Config, a Call, in []State) ([]State, error) {
		if err := switchable(c, in[0], in[1], kind); err != nil {
			return nil, err
		}
		if err := wantComponents(in[0], 2); err != nil {
			return nil, err
		}
		return switched(a, in[0], in[1])
	}
}

func nextRotateMany(c *Config, a Call, in []State) ([]State, error) {
	var out []State
	for _, key := range in[1:] {
		next, err := nextSwitch(Rotation)(c, a, []State{in[0], key})
		if err != nil {
			return nil, err
		}
		out = append(out, next...)
	}
	return out, nil
}

func nextRescale(c *Config, a Call, in []State) ([]State, error) {
	if err := wantKind(in[0], Ciphertext); err != nil {
		return nil, err
	}
	if a.Ints[0]>>1 != 0 {
		return nil, refusal.New(ArgumentInvalid, "rounding %d is not 0 or 1", a.Ints[0])
	}
	if err := wantAllRows(c, in[0]); err != nil {
		return nil, err
	}
	if err := wantNextDepth(c, in[0].Depth); err != nil {
		return nil, err
	}
	divisor, err := c.RescaleDivisor(in[0].Depth)
	if err != nil {
		return nil, err
	}
	out := dropTo(c, in[0], in[0].Depth+1)
	out.Scale = in[0].Scale / divisor
	return []State{out}, wantAboveRounding(c, in[0], out, divisor)
}

// wantAboveRounding demands that a message of size 1 survives the rounding of
// a rescale, whose error in a slot has a standard deviation of about N/√18 for
// a ternary secret.
func wantAboveRounding(c *Config, s, rescaled State, divisor float64) error {
	least := float64(c.N()) / 4
	if rescaled.Scale >= least {
		return nil
	}
	return refusal.New(ScaleUnderflow, "scale 2^%.1f divided by 2^%.1f leaves 2^%.1f, below 2^%.1f, the size of the rounding error: nothing of the message would be left; rescale after a multiplication, or use mod_switch_to_depth to drop a level of a ciphertext that was not multiplied",
		math.Log2(s.Scale), math.Log2(divisor), math.Log2(rescaled.Scale), math.Log2(least))
}

func nextModSwitch(c *Config, a Call, in []State) ([]State, error) {
	if err := wantKind(in[0], Ciphertext, Plaintext, Compressed, Seeded); err != nil {
		return nil, err
	}
	if err := wantAllRows(c, in[0]); err != nil {
		return nil, err
	}
	target := a.Ints[0]
	switch {
	case target > int64(c.MaxDepth()):
		return nil, refusal.New(LevelsExhausted, "depth %d is needed, but these parameters end at depth %d", target, c.MaxDepth())
	case target < int64(in[0].Depth):
		return nil, refusal.New(DepthInvalid, "the %v is at depth %d; dropped rows cannot come back, so depth %d is out of reach", in[0].Kind, in[0].Depth, target)
	}
	out := dropTo(c, in[0], int(target))
	if left := c.Log2Q(out.Depth); out.Depth > in[0].Depth && math.Log2(out.Scale) >= left-1 {
		return nil, refusal.New(LevelsExhausted, "the %v's scale 2^%.1f does not fit the 2^%.1f modulus left at depth %d; rescale it before its rows are dropped",
			out.Kind, math.Log2(out.Scale), left, out.Depth)
	}
	return []State{out}, nil
}

func dropTo(c *Config, s State, depth int) State {
	out := s.clone()
	out.Depth, out.First, out.Rows = depth, c.GroupStart(depth), c.ActiveRows(depth, s.Basis)
	return out
}

// The sums of products that a matrix product is built of.
var (
	// SumPlaintextProducts is sum of ciphertext t times plaintext (g, t), one result member a group g.
	// Operands: T ciphertexts, then G·T plaintexts, group by group. Ints: G, T. G = 0 is one group without the new axis.
	SumPlaintextProducts = Define(Op{Name: "sum_plaintext_products", MinIn: 2, MaxIn: -1, Ints: 2, Next: nextProducts})
	// SumRotatedProducts is the same with ciphertext t = the one ciphertext rolled by key t.
	// Operands: the ciphertext, keys, then G·T plaintexts. Ints: G, T, and the place of the identity among the T rotations, or -1.
	SumRotatedProducts = Define(Op{Name: "sum_rotated_plaintext_product_groups", MinIn: 2, MaxIn: -1, Ints: 3, Next: nextRotatedProducts})
)

// products checks G·T plaintexts against T ciphertext states.
func products(c *Config, groups int64, cts, pts []State) ([]State, error) {
	first := pts[0]
	for i, pt := range pts {
		ct := cts[i%len(cts)]
		if err := wantDomain(ct, NTT); err != nil {
			return nil, err
		}
		if err := samePlaintext(ct, pt); err != nil {
			return nil, err
		}
		if err := sameCiphertexts(cts[0], ct, 0); err != nil {
			return nil, err
		}
		if err := sameScale(first, pt, 0); err != nil {
			return nil, err
		}
	}
	out := cts[0].clone()
	out.Scale *= first.Scale
	if groups > 0 {
		out.Batch = slices.Insert(out.Batch, 0, int(groups))
	}
	return []State{out}, wantRoom(c, out.Depth, out.Scale)
}

// countable demands numbers of groups and terms that operands can be of, so that
// their product does not wrap.
func countable(groups, terms int64, in []State) bool {
	most := int64(len(in))
	return 1 <= terms && terms <= most && groups <= most
}

func nextProducts(c *Config, a Call, in []State) ([]State, error) {
	groups, terms := a.Ints[0], a.Ints[1]
	if !countable(groups, terms, in) || groups < 0 || int64(len(in)) != terms+max(1, groups)*terms {
		return nil, refusal.New(ArgumentInvalid, "%d groups of %d terms need as many ciphertexts as terms and one plaintext for each pair; %d operands were given", groups, terms, len(in))
	}
	return products(c, groups, in[:terms], in[terms:])
}

func nextRotatedProducts(c *Config, a Call, in []State) ([]State, error) {
	groups, terms, identity := a.Ints[0], a.Ints[1], a.Ints[2]
	keys := terms
	if identity >= 0 {
		keys--
	}
	if !countable(groups, terms, in) || groups < 1 || identity >= terms || int64(len(in)) != 1+keys+groups*terms {
		return nil, refusal.New(ArgumentInvalid, "%d groups of %d rotations need one key a rotation and one plaintext for each pair; %d operands were given", groups, terms, len(in))
	}
	if err := wantComponents(in[0], 2); err != nil {
		return nil, err
	}
	if err := wantDomain(in[0], Coefficient); err != nil {
		return nil, err
	}
	// Also where the identity is the only rotation: all share one decomposition.
	if err := wantBasis(in[0], Q); err != nil {
		return nil, err
	}
	if err := wantAllRows(c, in[0]); err != nil {
		return nil, err
	}
	for _, key := range in[1 : 1+keys] {
		if err := switchable(c, in[0], key, Rotation); err != nil {
			return nil, err
		}
	}
	rotated := in[0].clone()
	rotated.Domain = NTT
	return products(c, groups, slices.Repeat([]State{rotated}, int(terms)), in[1+keys:])
}
