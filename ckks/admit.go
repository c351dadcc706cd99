package ckks

import (
	"math"
	"math/bits"
	"slices"

	"fhelium/core/refusal"
)

// Admit checks that a state can exist under these parameters: whatever passes
// may index the engine's tables.
func (c *Config) Admit(s State) error {
	if s.Kind < 0 || s.Kind >= kinds {
		return refusal.New(KindMismatch, "kind number %d does not exist", s.Kind)
	}
	if err := admitDtype(s); err != nil {
		return err
	}
	for _, b := range s.Batch {
		if b < 1 {
			return refusal.New(BatchMismatch, "batch axes %v: an axis of %d messages is empty; leave empty batches out", s.Batch, b)
		}
	}
	if s.Kind == Message {
		return c.admitMessage(s)
	}
	if s.N != c.N() {
		return refusal.New(ParametersMismatch, "ring degree %d, but the engine's is %d; use an engine of the value's parameters", s.N, c.N())
	}
	if err := c.admitParameters(s); err != nil {
		return err
	}
	if err := c.CheckDepth(s.Depth); err != nil {
		return err
	}
	if s.Kind < SecretKey {
		if err := CheckScale(s.Scale); err != nil {
			return err
		}
	}
	if s.Kind.HasRows() {
		return c.admitRows(s)
	}
	return nil
}

// admitDtype lets a value's memory be read by its dtype.
func admitDtype(s State) error {
	can := s.Kind.dtypes()
	if slices.Contains(can, s.Dtype) {
		return nil
	}
	return refusal.New(DtypeInvalid, "the numbers of the %v are %v; %v is needed", s.Kind, s.Dtype, can[0])
}

func (c *Config) admitMessage(s State) error {
	if s.N < 1 {
		return refusal.New(MessageInvalid, "the message holds no values; give 1 to %d", c.Slots())
	}
	if s.N > c.Slots() {
		return refusal.New(MessageInvalid, "the message has %d values, but a ciphertext of these parameters holds %d; split it or batch it", s.N, c.Slots())
	}
	return nil
}

// admitParameters lets cleartext values without a fingerprint through: the
// engine adopts those, once their rows have been checked.
func (c *Config) admitParameters(s State) error {
	if s.Params == c.Fingerprint() || (s.Params == ID{} && s.Kind <= Compressed) {
		return nil
	}
	return refusal.New(ParametersMismatch, "%v of parameters %v, but the engine's parameters are %v; use an engine of the value's parameters",
		s.Kind, s.Params, ID(c.Fingerprint()))
}

func (c *Config) admitRows(s State) error {
	first, end := c.GroupStart(s.Depth), c.NumQ()
	if s.Kind >= SecretKey {
		first = 0
	}
	if s.Basis == QP {
		end += c.NumP()
	}
	if s.Rows < 1 || s.First < first || s.First+s.Rows > end {
		return refusal.New(RowsMismatch, "primes %d..%d, but depth %d in basis %v has primes %d..%d",
			s.First, s.First+s.Rows-1, s.Depth, s.Basis, first, end-1)
	}
	if s.Kind >= Seeded && s.Domain != NTT {
		return refusal.New(DomainMismatch, "the %v says it is in the %v domain; keys and seeded ciphertexts exist in the %v domain only, so it was put together wrongly",
			s.Kind, s.Domain, NTT)
	}
	switch s.Kind {
	case Ciphertext:
		if s.Components != 2 && s.Components != 3 {
			return refusal.New(ComponentsMismatch, "a ciphertext of %d components; 2 or 3 exist", s.Components)
		}
	case Compressed:
		return admitLayout(s)
	case SwitchKey, Relinearization, Rotation, Conjugation:
		if s.Components != len(c.Digits()) || s.Rows != c.NumQ()+c.NumP() {
			return refusal.New(ParametersMismatch, "a key of %d digits and %d rows; these parameters need %d and %d",
				s.Components, s.Rows, len(c.Digits()), c.NumQ()+c.NumP())
		}
	}
	return nil
}

func admitLayout(s State) error {
	if s.Layout < Cyclic || s.Layout > StridedSparse {
		return refusal.New(LayoutInvalid, "compression layout number %d does not exist", s.Layout)
	}
	if s.Unique < 1 || s.Unique >= s.N || bits.OnesCount(uint(s.Unique)) != 1 {
		return refusal.New(LayoutInvalid, "%d unique words a row; a power of two below the ring degree %d is needed", s.Unique, s.N)
	}
	return nil
}

// CheckScale refuses a scale that is not a finite number above 0.
func CheckScale(scale float64) error {
	if !(scale > 0) || math.IsInf(scale, 0) {
		return refusal.New(ScaleInvalid, "scale %v; a finite number above 0 is needed", scale)
	}
	return nil
}
