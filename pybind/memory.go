package pybind

import (
	"math"
	"unsafe"

	"fhelium/core/refusal"
)

// word is what a tensor that crosses may hold.
type word interface {
	uint64 | int64 | float64 | complex128
}

// view borrows n words of foreign memory as a slice, without a copy. The
// caller keeps the memory alive until the call, or the job that the call
// started, has ended. An empty view may have any address.
func view[T word](ptr uintptr, n int) ([]T, error) {
	var zero T
	size := int(unsafe.Sizeof(zero))
	switch {
	case n < 0 || n > math.MaxInt/size:
		return nil, refusal.New(CodeBufferInvalid, "a buffer of %d elements of %d bytes cannot exist", n, size)
	case n == 0:
		return nil, nil
	case ptr == 0:
		return nil, refusal.New(CodeBufferInvalid, "the address of %d elements is null; the tensor has no memory (a fake or meta tensor?)", n)
	case ptr%unsafe.Alignof(zero) != 0:
		return nil, refusal.New(CodeBufferInvalid, "the address of %d elements is not a multiple of %d bytes; clone the tensor to align it", n, unsafe.Alignof(zero))
	}
	// The address points outside Go's heap, so that no collector can move it
	// between the two conversions that vet distrusts.
	return unsafe.Slice((*T)(*(*unsafe.Pointer)(unsafe.Pointer(&ptr))), n), nil
}

// u64 is a view of residues or of other unsigned words.
func u64(ptr uintptr, n int) ([]uint64, error) { return view[uint64](ptr, n) }

// i64 is a view of signed words.
func i64(ptr uintptr, n int) ([]int64, error) { return view[int64](ptr, n) }

// f64 is a view of real numbers.
func f64(ptr uintptr, n int) ([]float64, error) { return view[float64](ptr, n) }

// c128 is a view of complex numbers, laid out as torch and numpy do: real part first.
func c128(ptr uintptr, n int) ([]complex128, error) { return view[complex128](ptr, n) }
