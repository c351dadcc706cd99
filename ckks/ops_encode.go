package ckks

import (
	"math/bits"
	"slices"

	"fhelium/core/refusal"
)

// Between messages, coefficients, residues and ciphertexts. Slots 0 in an
// argument means all N/2; a smaller power of two is sparse packing, in which
// the message repeats to fill all slots.
var (
	// Encode gives integer coefficients, held exactly in float64. Ints: depth, slots. Float 0: scale.
	Encode = Define(Op{Name: "encode", MinIn: 1, MaxIn: 1, Ints: 2, Floats: 1, Next: nextEncode})
	// EncodeRows gives a plaintext. Ints: depth, slots, basis, domain. Float 0: scale.
	EncodeRows = Define(Op{Name: "encode_rows", MinIn: 1, MaxIn: 1, Ints: 4, Floats: 1, Next: nextEncodeRows})
	// EncodeCompressed gives a compressed plaintext of one period of slots. Ints: depth, basis, domain. Float 0: scale.
	EncodeCompressed = Define(Op{Name: "encode_compressed", MinIn: 1, MaxIn: 1, Ints: 3, Floats: 1, Next: nextEncodeCompressed})
	// IntegersToRows reduces integer coefficients. Ints: basis, domain.
	IntegersToRows = Define(Op{Name: "integer_coefficients_to_rns", MinIn: 1, MaxIn: 1, Ints: 2, Next: nextIntegersToRows})
	// Decode gives complex slots of integer or approximate coefficients. Int 0: slots.
	Decode = Define(Op{Name: "decode", MinIn: 1, MaxIn: 1, Ints: 1, Next: nextDecode})
	// Encrypt encrypts a plaintext under a public key. Int 0: output domain.
	Encrypt = Define(Op{Name: "encrypt", MinIn: 2, MaxIn: 2, Ints: 1, Next: nextEncrypt})
	// EncryptSecret encrypts a plaintext under a secret key, in the NTT domain, with a public seed in place of component 1.
	EncryptSecret = Define(Op{Name: "encrypt_with_secret_key", MinIn: 2, MaxIn: 2, Next: nextEncryptSecret})
	// Expand grows component 1 of a seeded ciphertext.
	Expand = Define(Op{Name: "expand", MinIn: 1, MaxIn: 1, Next: nextExpand})
	// EncryptZero encrypts zeros in the state of operand 0 under the public key, operand 1.
	EncryptZero = Define(Op{Name: "encrypt_zero_like", MinIn: 2, MaxIn: 2, Next: nextEncryptZero})
	// Decrypt gives approximate coefficients of a ciphertext under a secret key. Float 0: bits at which the result may be shared, 0 for none.
	Decrypt = Define(Op{Name: "decrypt", MinIn: 2, MaxIn: 2, Floats: 1, Next: nextDecrypt})
)

func (c *Config) checkSlots(slots int64) error {
	if slots == 0 || (slots > 0 && slots <= int64(c.Slots()) && bits.OnesCount64(uint64(slots)) == 1) {
		return nil
	}
	return refusal.New(MessageInvalid, "packing into %d slots; a power of two from 1 to %d is needed", slots, c.Slots())
}

func nextEncode(c *Config, a Call, in []State) ([]State, error) {
	depth, slots := a.Ints[0], a.Ints[1]
	if err := wantKind(in[0], Message); err != nil {
		return nil, err
	}
	if err := c.CheckDepth(int(depth)); err != nil {
		return nil, err
	}
	if err := CheckScale(a.Floats[0]); err != nil {
		return nil, err
	}
	if err := c.checkSlots(slots); err != nil {
		return nil, err
	}
	if slots > 0 && int64(in[0].N) > slots {
		return nil, refusal.New(MessageInvalid, "%d values do not fit a packing of %d slots", in[0].N, slots)
	}
	return []State{{Kind: Integers, Dtype: Float64, Depth: int(depth), Scale: a.Floats[0], N: c.N(), Components: 1,
		Batch: slices.Clone(in[0].Batch)}}, nil
}

// rowsState turns coefficients into the state of a plaintext in the basis and
// domain given as arguments.
func rowsState(c *Config, s State, basis, domain int64) (State, error) {
	if basis>>1 != 0 || domain>>1 != 0 {
		return State{}, refusal.New(ArgumentInvalid, "basis %d, domain %d: each is 0 or 1", basis, domain)
	}
	s.Kind, s.Dtype = Plaintext, Int64
	s.Basis, s.Domain = Basis(basis), Domain(domain)
	s.First, s.Rows = c.GroupStart(s.Depth), c.ActiveRows(s.Depth, s.Basis)
	return s, nil
}

func nextEncodeRows(c *Config, a Call, in []State) ([]State, error) {
	mid, err := nextEncode(c, a, in)
	if err != nil {
		return nil, err
	}
	out, err := rowsState(c, mid[0], a.Ints[2], a.Ints[3])
	return []State{out}, err
}

// nextEncodeCompressed keeps 2n words a row for n slots, and 4 for one slot under
// the Galois generator 3: modulo 4 it alternates between a root and its
// conjugate, so that one slot repeats as a pair of conjugates, with a period of
// two.
func nextEncodeCompressed(c *Config, a Call, in []State) ([]State, error) {
	if err := wantKind(in[0], Message); err != nil {
		return nil, err
	}
	n := in[0].N
	if bits.OnesCount(uint(n)) != 1 || n >= c.Slots() {
		return nil, refusal.New(MessageInvalid, "a period of %d slots; a power of two below %d is needed", n, c.Slots())
	}
	sub := a
	sub.Ints = []int64{a.Ints[0], int64(n)}
	mid, err := nextEncode(c, sub, in)
	if err != nil {
		return nil, err
	}
	out, err := rowsState(c, mid[0], a.Ints[1], a.Ints[2])
	if n == 1 && c.GaloisGenerator() == 3 {
		n = 2
	}
	out.Kind, out.Unique, out.Layout = Compressed, 2*n, Contiguous
	if out.Domain == Coefficient {
		out.Layout = StridedSparse
	}
	return []State{out}, err
}

func nextIntegersToRows(c *Config, a Call, in []State) ([]State, error) {
	if err := wantKind(in[0], Integers); err != nil {
		return nil, err
	}
	out, err := rowsState(c, in[0].clone(), a.Ints[0], a.Ints[1])
	return []State{out}, err
}

func nextDecode(c *Config, a Call, in []State) ([]State, error) {
	if err := wantKind(in[0], Approximate, Integers); err != nil {
		return nil, err
	}
	if err := c.checkSlots(a.Ints[0]); err != nil {
		return nil, err
	}
	n := int(a.Ints[0])
	if n == 0 {
		n = c.Slots()
	}
	return []State{{Kind: Message, Dtype: Complex128, N: n, Components: 1, Batch: slices.Clone(in[0].Batch)}}, nil
}

// coversRows demands that a key has every row of the value.
func coversRows(key, s State) error {
	if key.First <= s.First && key.First+key.Rows >= s.First+s.Rows {
		return nil
	}
	return refusal.New(BasisMismatch, "the %v is in basis %v (primes %d..%d), the %v needs primes %d..%d; make the key in basis QP",
		key.Kind, key.Basis, key.First, key.First+key.Rows-1, s.Kind, s.First, s.First+s.Rows-1)
}

func ciphertextState(s State, key State, domain Domain) State {
	out := s.clone()
	out.Kind, out.Components, out.Domain, out.Key = Ciphertext, 2, domain, key.Key
	return out
}

// encryptable demands a value of a kind, with all its rows, and a key of a kind
// that covers them.
func encryptable(c *Config, s, key State, value, by Kind) error {
	if err := wantKind(s, value); err != nil {
		return err
	}
	if err := wantKind(key, by); err != nil {
		return err
	}
	if err := wantIdentity(key); err != nil {
		return err
	}
	if err := wantAllRows(c, s); err != nil {
		return err
	}
	return coversRows(key, s)
}

func nextEncrypt(c *Config, a Call, in []State) ([]State, error) {
	if a.Ints[0]>>1 != 0 {
		return nil, refusal.New(ArgumentInvalid, "domain %d is not 0 or 1", a.Ints[0])
	}
	return []State{ciphertextState(in[0], in[1], Domain(a.Ints[0]))}, encryptable(c, in[0], in[1], Plaintext, PublicKey)
}

func nextEncryptSecret(c *Config, _ Call, in []State) ([]State, error) {
	out := ciphertextState(in[0], in[1], NTT)
	out.Kind, out.Components = Seeded, 1
	return []State{out}, encryptable(c, in[0], in[1], Plaintext, SecretKey)
}

func nextExpand(_ *Config, _ Call, in []State) ([]State, error) {
	out := in[0].clone()
	out.Kind, out.Components = Ciphertext, 2
	return []State{out}, wantKind(in[0], Seeded)
}

func nextEncryptZero(c *Config, _ Call, in []State) ([]State, error) {
	out := in[0].clone()
	out.Components, out.Key = 2, in[1].Key
	return []State{out}, encryptable(c, in[0], in[1], Ciphertext, PublicKey)
}

func nextDecrypt(c *Config, a Call, in []State) ([]State, error) {
	if err := wantKind(in[0], Ciphertext); err != nil {
		return nil, err
	}
	if err := wantKind(in[1], SecretKey); err != nil {
		return nil, err
	}
	if err := sameKey(in[0], in[1]); err != nil {
		return nil, err
	}
	if err := wantAllRows(c, in[0]); err != nil {
		return nil, err
	}
	if b := a.Floats[0]; !(b >= 0 && b <= 52) {
		return nil, refusal.New(ArgumentInvalid, "share_bits %v is outside 1..52", b)
	}
	return []State{{Kind: Approximate, Dtype: Float64, Depth: in[0].Depth, Scale: in[0].Scale, N: c.N(), Components: 1,
		Batch: slices.Clone(in[0].Batch)}}, coversRows(in[1], in[0])
}
