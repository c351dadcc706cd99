package ckks

import (
	"math"
	"slices"

	"fhelium/core/refusal"
)

// The checks that Next functions are built of. Each refusal shows both sides
// and the way out.

func wantKind(s State, kinds ...Kind) error {
	if slices.Contains(kinds, s.Kind) {
		return nil
	}
	return refusal.New(KindMismatch, "got a %v where a %v is needed", s.Kind, kinds[0])
}

func wantDomain(s State, d Domain) error {
	if s.Domain == d {
		return nil
	}
	way := "coefficient_domain_to_ntt_domain"
	if d == Coefficient {
		way = "ntt_domain_to_coefficient_domain"
	}
	return refusal.New(DomainMismatch, "the %v is in the %v domain, the %v domain is needed; call %s first", s.Kind, s.Domain, d, way)
}

func wantBasis(s State, b Basis) error {
	if s.Basis == b {
		return nil
	}
	return refusal.New(BasisMismatch, "the %v is in basis %v, basis %v is needed", s.Kind, s.Basis, b)
}

func wantComponents(s State, n int) error {
	if s.Components == n {
		return nil
	}
	way := "relinearize it first"
	if n == 3 {
		way = "only a product that was not relinearized has 3"
	}
	return refusal.New(ComponentsMismatch, "the ciphertext has %d components, %d are needed; %s", s.Components, n, way)
}

func wantAllRows(c *Config, s State) error {
	if n := c.ActiveRows(s.Depth, s.Basis); s.First != c.GroupStart(s.Depth) || s.Rows != n {
		return refusal.New(NeedsAllRows, "the %v holds primes %d..%d, but all %d rows of depth %d are needed; gather the rows first",
			s.Kind, s.First, s.First+s.Rows-1, n, s.Depth)
	}
	return nil
}

// ActiveRows is the number of rows at a depth: primes of Q not yet dropped,
// and in basis QP the special primes after them.
func (c *Config) ActiveRows(depth int, b Basis) int {
	n := c.NumQ() - c.GroupStart(depth)
	if b == QP {
		n += c.NumP()
	}
	return n
}

func sameDepth(a, b State) error {
	if a.Depth == b.Depth {
		return nil
	}
	side := "left"
	if a.Depth > b.Depth {
		side = "right"
	}
	return refusal.New(DepthMismatch, "left depth %d, right depth %d; mod_switch_to_depth(%s, %d) brings both to one depth",
		a.Depth, b.Depth, side, max(a.Depth, b.Depth))
}

// sameScale demands equality to the bit, or within a relative tolerance that
// the caller asked for.
func sameScale(a, b State, tolerance float64) error {
	if a.Scale == b.Scale || math.Abs(a.Scale/b.Scale-1) <= tolerance {
		return nil
	}
	return refusal.New(ScaleMismatch,
		"left scale 2^%.6f (%v) at depth %d, right scale 2^%.6f (%v) at depth %d; rescale the larger, encode at the other's scale, or reinterpret_at_scale",
		math.Log2(a.Scale), a.Scale, a.Depth, math.Log2(b.Scale), b.Scale, b.Depth)
}

func sameKey(a, b State) error {
	if a.Key == b.Key && a.Key != (ID{}) {
		return nil
	}
	return refusal.New(KeyMismatch, "the %v belongs to secret key %v, the %v to %v; both must belong to one secret key",
		a.Kind, a.Key, b.Kind, b.Key)
}

// wantIdentity demands a key that its values can name.
func wantIdentity(key State) error {
	if key.Key != (ID{}) {
		return nil
	}
	return refusal.New(KeyMismatch, "the %v has no key_id, so nothing made with it could ever be told from another key's; load or make it anew", key.Kind)
}

// sameRows demands equal depth, domain, basis and primes.
func sameRows(a, b State) error {
	if err := sameDepth(a, b); err != nil {
		return err
	}
	switch {
	case a.Domain != b.Domain:
		return refusal.New(DomainMismatch, "left is in the %v domain, right in the %v domain; transform one of them", a.Domain, b.Domain)
	case a.Basis != b.Basis:
		return refusal.New(BasisMismatch, "left is in basis %v, right in basis %v", a.Basis, b.Basis)
	case a.First != b.First || a.Rows != b.Rows:
		return refusal.New(RowsMismatch, "left holds primes %d..%d, right %d..%d", a.First, a.First+a.Rows-1, b.First, b.First+b.Rows-1)
	}
	return nil
}

func sameBatch(a, b State) error {
	if slices.Equal(a.Batch, b.Batch) {
		return nil
	}
	return refusal.New(BatchMismatch, "left batch %v, right batch %v; batches must be equal", a.Batch, b.Batch)
}

// broadcasts lets an unbatched plaintext, or one of batch [1], meet any batch.
func broadcasts(ct, pt State) error {
	if len(pt.Batch) == 0 || slices.Equal(pt.Batch, []int{1}) {
		return nil
	}
	return sameBatch(ct, pt)
}

// sameCiphertexts demands what an addition needs of two ciphertexts.
func sameCiphertexts(a, b State, tolerance float64) error {
	if err := wantKind(b, Ciphertext); err != nil {
		return err
	}
	if err := sameRows(a, b); err != nil {
		return err
	}
	if err := sameKey(a, b); err != nil {
		return err
	}
	if a.Components != b.Components {
		return refusal.New(ComponentsMismatch, "left has %d components, right %d; relinearize the one of 3", a.Components, b.Components)
	}
	if err := sameBatch(a, b); err != nil {
		return err
	}
	return sameScale(a, b, tolerance)
}

// wantRoom demands that a message of size 1 at this scale stays below half the
// modulus left at the depth.
func wantRoom(c *Config, depth int, scale float64) error {
	left := c.Log2Q(depth)
	if math.Log2(scale) < left-1 {
		return nil
	}
	way := "rescale the operands first"
	if depth == c.MaxDepth() {
		way = "no level is left: use a preset with a longer chain, or a fresh encryption"
	}
	return refusal.New(LevelsExhausted, "the result's scale 2^%.1f does not fit the 2^%.1f modulus left at depth %d of %d; %s",
		math.Log2(scale), left, depth, c.MaxDepth(), way)
}

// wantNextDepth demands that a rescale or modulus switch has a group to drop.
func wantNextDepth(c *Config, depth int) error {
	if depth < c.MaxDepth() {
		return nil
	}
	return refusal.New(LevelsExhausted, "depth %d of %d: level %d would be needed, and none is left; use a preset with a longer chain, or a fresh encryption",
		depth, c.MaxDepth(), depth+1)
}
