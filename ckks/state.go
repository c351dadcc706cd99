package ckks

import (
	"fmt"
	"math"
	"slices"
)

// ID is 128 bits that name parameters (a fingerprint) or a secret key (random
// bits made with it). The zero ID means: not known, or not applicable.
type ID [16]byte

// String shows the first 32 bits, enough to tell two apart in a message.
func (id ID) String() string {
	if id == (ID{}) {
		return "none"
	}
	return fmt.Sprintf("%x", id[:4])
}

// State is everything about a value but its numbers. It holds no engine, rank,
// group, path, history or placement.
type State struct {
	Kind       Kind
	Dtype      Dtype
	Depth      int     // rescales used, 0 for fresh
	Scale      float64 // finite and > 0; 0 for keys and messages
	Domain     Domain
	Basis      Basis
	First      int // prime id of the first row; ids are consecutive (Q's, then P's)
	Rows       int // number of rows
	Components int // 2 or 3 for a ciphertext; digits for a switch key; else 1
	N          int // ring degree; slot count of a message
	Unique     int // words a row of a Compressed, else 0
	Layout     Layout
	Step       int   // rotation step of a Rotation key, in [-N/4, N/4)
	Batch      []int // batch axes, outermost first; never 0
	Params     ID    // fingerprint of the parameters
	Key        ID    // the secret that decrypts it; for a switch key, the secret it leads to
	Source     ID    // switch keys only: the secret it starts from
}

// BatchSize is the number of independent polynomials (messages) in the value.
func (s State) BatchSize() int {
	size := 1
	for _, b := range s.Batch {
		size *= b
	}
	return size
}

// Width is the number of words in one row.
func (s State) Width() int {
	if s.Kind == Compressed {
		return s.Unique
	}
	return s.N
}

// Polynomials is the number of polynomials that share the batch and row axes.
func (s State) Polynomials() int {
	switch {
	case s.Kind == PublicKey:
		return 2
	case s.Kind.IsSwitch():
		return 2 * s.Components
	case s.Kind == Ciphertext:
		return s.Components
	}
	return 1
}

// Elements is the number of elements in the value's tensor.
func (s State) Elements() int {
	if !s.Kind.HasRows() {
		return s.BatchSize() * s.N
	}
	return s.Polynomials() * s.BatchSize() * s.Rows * s.Width()
}

// ImplicitElements is the number of words beside the tensor: one a row for a
// strided-sparse plaintext, four (a 256-bit seed) for a seeded ciphertext.
func (s State) ImplicitElements() int {
	switch {
	case s.Kind == Compressed && s.Layout == StridedSparse:
		return s.BatchSize() * s.Rows
	case s.Kind == Seeded:
		return 4
	}
	return 0
}

// String shows the state in one line, for messages.
func (s State) String() string {
	if !s.Kind.HasRows() {
		return fmt.Sprintf("%v of %d values, batch %v", s.Kind, s.N, s.Batch)
	}
	return fmt.Sprintf("%v at depth %d, scale 2^%.3f, %v domain, basis %v, primes %d..%d, batch %v",
		s.Kind, s.Depth, math.Log2(s.Scale), s.Domain, s.Basis, s.First, s.First+s.Rows-1, s.Batch)
}

// clone copies the state, so that the copy shares no batch slice.
func (s State) clone() State {
	s.Batch = slices.Clone(s.Batch)
	return s
}
