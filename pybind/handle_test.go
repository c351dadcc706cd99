package pybind

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/core/refusal"
)

func TestHandleLife(t *testing.T) {
	before, err := HandleCount()
	require.NoError(t, err)
	h := put("value")
	require.Positive(t, h)
	v, err := get[string](h)
	require.NoError(t, err)
	require.Equal(t, "value", v)
	count, err := HandleCount()
	require.NoError(t, err)
	require.Equal(t, before+1, count)
	freed, err := HandleFree(h)
	require.NoError(t, err)
	require.Equal(t, 1, freed)
	require.NotEqual(t, h, put("another"), "a handle is never used twice")
}

func TestHandleRefusals(t *testing.T) {
	h := put(7)
	_, err := get[string](h)
	require.Equal(t, CodeHandleInvalid, refusal.CodeOf(err))
	require.ErrorContains(t, err, "int where a string was expected")
	_, err = HandleFree(h)
	require.NoError(t, err)
	for _, stale := range []int64{h, 0, -1, 1 << 62} {
		_, err = get[int](stale)
		require.Equal(t, CodeHandleInvalid, refusal.CodeOf(err))
		_, err = HandleFree(stale)
		require.Equal(t, CodeHandleInvalid, refusal.CodeOf(err))
	}
}

func TestHandlesFromManyThreads(t *testing.T) {
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 500 {
				h := put(i)
				v, err := get[int](h)
				_, freeErr := HandleFree(h)
				if err != nil || freeErr != nil || v != i {
					t.Errorf("handle %d: %d, %v, %v", h, v, err, freeErr)
				}
			}
		})
	}
	all.Wait()
}
