package embed

import "fhelium/core/refusal"

// The refusals of this package.
const (
	// RingUnsupported: the ring degree or the Galois generator has no encoder.
	RingUnsupported refusal.Code = "embed-ring"
	// EncodeSlots: the number of slots is not a power of two from 1 to N/2.
	EncodeSlots refusal.Code = "encode-slots"
	// EncodeScale: the scale is not a positive finite number.
	EncodeScale refusal.Code = "encode-scale"
	// EncodeNotFinite: a slot holds NaN or an infinity.
	EncodeNotFinite refusal.Code = "encode-not-finite"
	// EncodeOverflow: a scaled value leaves the range of float64.
	EncodeOverflow refusal.Code = "encode-overflow"
	// ReconstructModuli: the moduli do not define a reconstruction.
	ReconstructModuli refusal.Code = "reconstruct-moduli"
)
