package ckks

import "fhelium/core/refusal"

// Codes of the refusals that a state can cause. The detail gives both sides'
// values and the way out.
const (
	// ScaleMismatch: two operands' scales are not equal to the bit.
	ScaleMismatch refusal.Code = "state-scale-mismatch"
	// ScaleInvalid: a scale is not a finite number above 0.
	ScaleInvalid refusal.Code = "scale-invalid"
	// ScaleUnderflow: a division would leave a scale below the noise of its rounding.
	ScaleUnderflow refusal.Code = "scale-underflow"
	// DepthMismatch: two operands sit at different depths.
	DepthMismatch refusal.Code = "state-depth-mismatch"
	// DepthInvalid: a depth outside 0 … the deepest of the parameters.
	DepthInvalid refusal.Code = "depth-invalid"
	// LevelsExhausted: the modulus chain has no room for the operation.
	LevelsExhausted refusal.Code = "levels-exhausted"
	// DomainMismatch: coefficient where ntt is needed, or the other way round.
	DomainMismatch refusal.Code = "state-domain-mismatch"
	// BasisMismatch: Q where QP is needed, or the other way round.
	BasisMismatch refusal.Code = "state-basis-mismatch"
	// RowsMismatch: operands hold rows of different primes.
	RowsMismatch refusal.Code = "state-rows-mismatch"
	// NeedsAllRows: the operation mixes rows, and the operand is a shard.
	NeedsAllRows refusal.Code = "operation-needs-all-rows"
	// ParametersMismatch: a value of other parameters than the engine's.
	ParametersMismatch refusal.Code = "state-parameters-mismatch"
	// KeyMismatch: values or keys that belong to different secret keys.
	KeyMismatch refusal.Code = "state-key-mismatch"
	// ComponentsMismatch: 2 components where 3 are needed, or the other way round.
	ComponentsMismatch refusal.Code = "state-components-mismatch"
	// BatchMismatch: batch axes that do not fit together.
	BatchMismatch refusal.Code = "state-batch-mismatch"
	// KindMismatch: another type of value than the operation takes.
	KindMismatch refusal.Code = "state-kind-mismatch"
	// DtypeInvalid: numbers of another element type than the kind of value holds.
	DtypeInvalid refusal.Code = "dtype-invalid"
	// LayoutInvalid: a compressed layout that the operation cannot use.
	LayoutInvalid refusal.Code = "layout-invalid"
	// ArgumentInvalid: an argument outside its range; nothing fits better.
	ArgumentInvalid refusal.Code = "argument-invalid"
	// MessageInvalid: an empty message, or more values than slots.
	MessageInvalid refusal.Code = "message-invalid"
	// EncodeOverflow: a coefficient reaches half the modulus at its depth.
	EncodeOverflow refusal.Code = "encode-overflow"
	// ScaleReinterpretation: reinterpreting would change the message by more than allowed.
	ScaleReinterpretation refusal.Code = "scale-reinterpretation"
	// Transparent: a result carries no secret; anyone could read it.
	Transparent refusal.Code = "ciphertext-transparent"
	// ResidueInvalid: a residue is not below its prime.
	ResidueInvalid refusal.Code = "residue-out-of-range"
	// DecryptOverflow: a message and the noise for sharing it together reach half the modulus.
	DecryptOverflow refusal.Code = "decrypt-overflow"
	// FrameInvalid: a call's record is malformed.
	FrameInvalid refusal.Code = "frame-invalid"
)
