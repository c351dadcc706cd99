package pybind

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"fhelium/core/refusal"
)

func TestViewsShareMemory(t *testing.T) {
	address := uintptr(unsafe.Pointer(&outside[0]))
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&outside[0])), 4)
	copy(words, []uint64{1, 2, 3, math.MaxUint64})
	u, err := u64(address, 4)
	require.NoError(t, err)
	require.Equal(t, words, u)
	u[0] = math.Float64bits(0.5)
	f, err := f64(address, 1)
	require.NoError(t, err)
	require.Equal(t, []float64{0.5}, f)
	i, err := i64(address+8, 3)
	require.NoError(t, err)
	require.Equal(t, []int64{2, 3, -1}, i)
	words[1] = math.Float64bits(-2)
	c, err := c128(address, 1)
	require.NoError(t, err)
	require.Equal(t, []complex128{complex(0.5, -2)}, c)
	// torch aligns complex numbers to the size of one part when a tensor is a slice of reals.
	_, err = c128(address+8, 1)
	require.NoError(t, err)
}

func TestViewRefusals(t *testing.T) {
	address := uintptr(unsafe.Pointer(&outside[0]))
	for _, c := range []struct {
		ptr uintptr
		n   int
	}{
		{0, 1}, {address + 1, 1}, {address + 4, 1}, {address, -1}, {address, math.MinInt}, {address, math.MaxInt}, {address, math.MaxInt/8 + 1},
	} {
		_, err := u64(c.ptr, c.n)
		require.Equal(t, CodeBufferInvalid, refusal.CodeOf(err), "%+v", c)
	}
	_, err := c128(address, math.MaxInt/16+1)
	require.Equal(t, CodeBufferInvalid, refusal.CodeOf(err))
	for _, ptr := range []uintptr{0, 1, address} {
		empty, err := u64(ptr, 0)
		require.NoError(t, err)
		require.Empty(t, empty)
	}
}
