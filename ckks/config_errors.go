package ckks

import "fhelium/core/refusal"

// Codes of the refusals of parameters, presets and the security table.
const (
	// RingDimensionInvalid: log2 of the ring dimension lies outside 10 … 17.
	RingDimensionInvalid refusal.Code = "config-ring-dimension-invalid"
	// ModulusInvalid: a modulus is not a prime below 2^50 that is 1 modulo 2N.
	ModulusInvalid refusal.Code = "config-modulus-invalid"
	// ModulusRepeated: a prime occurs twice in the chain.
	ModulusRepeated refusal.Code = "config-modulus-repeated"
	// ChainInvalid: no depth group, a group without a prime, or too many primes.
	ChainInvalid refusal.Code = "config-chain-invalid"
	// SpecialModuliInvalid: P is empty, or too small to key-switch one prime of Q.
	SpecialModuliInvalid refusal.Code = "config-special-moduli-invalid"
	// HeadroomInvalid: the terminal group leaves no room above the default scale.
	HeadroomInvalid refusal.Code = "config-headroom-invalid"
	// GeneratorInvalid: the Galois generator is neither 3 nor 5.
	GeneratorInvalid refusal.Code = "config-generator-invalid"
	// SigmaInvalid: the error's standard deviation is not a usable number.
	SigmaInvalid refusal.Code = "config-sigma-invalid"
	// SecurityTargetInvalid: a security target other than 128, 192 or 256 bits.
	SecurityTargetInvalid refusal.Code = "config-security-target-invalid"
	// ConfigJSONInvalid: bytes that are not the JSON object of a Config.
	ConfigJSONInvalid refusal.Code = "config-json-invalid"
	// PresetUnknown: no preset has the name.
	PresetUnknown refusal.Code = "preset-unknown"
	// PresetMismatch: parameters name a preset and differ from it.
	PresetMismatch refusal.Code = "preset-mismatch"
	// SecurityBudgetExceeded: QP is wider than the security table allows.
	SecurityBudgetExceeded refusal.Code = "security-budget-exceeded"
	// SecurityUnsupported: the security table has no row for the parameters.
	SecurityUnsupported refusal.Code = "security-unsupported"
)
