package ring

import "fhelium/core/refusal"

const (
	// ModulusInvalid: a modulus is even, below 3 or not below 2^50.
	ModulusInvalid refusal.Code = "modulus-invalid"
	// DegreeInvalid: the ring's degree is outside 2^4 … 2^17.
	DegreeInvalid refusal.Code = "degree-invalid"
	// RootAbsent: the integers modulo q hold no primitive 2N-th root of unity,
	// or q is no prime.
	RootAbsent refusal.Code = "root-absent"
	// GaloisInvalid: a Galois element is even or outside (0, 2N).
	GaloisInvalid refusal.Code = "galois-invalid"
	// BasisInvalid: a basis is empty, or its moduli are not coprime to those
	// that a conversion or division needs to invert.
	BasisInvalid refusal.Code = "basis-invalid"
)
