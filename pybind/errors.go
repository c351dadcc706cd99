package pybind

import "fhelium/core/refusal"

const (
	// CodeInternal marks an error that carries no code, which is a bug of ours.
	CodeInternal refusal.Code = "internal"
	// CodeInternalPanic marks a panic that the guard caught, which is a bug of ours.
	CodeInternalPanic refusal.Code = "internal-panic"
	// CodeHandleInvalid: the handle was freed, was never made, or names a value of another type.
	CodeHandleInvalid refusal.Code = "handle-invalid"
	// CodeBufferInvalid: an address is null or misaligned, or a length is negative or too large.
	CodeBufferInvalid refusal.Code = "buffer-invalid"
	// CodeWorkersInvalid: the number of workers is outside its range.
	CodeWorkersInvalid refusal.Code = "workers-invalid"
)
