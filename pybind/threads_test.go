package pybind

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/core/refusal"
)

func TestWorkers(t *testing.T) {
	before, err := Workers()
	require.NoError(t, err)
	defer workers.Store(int64(before))
	for _, n := range []int{1, 3, maxWorkers} {
		was, err := SetWorkers(n)
		require.NoError(t, err)
		require.Equal(t, before, was)
		before = n
		require.Equal(t, n, newGroup().Workers())
	}
	for _, n := range []int{0, -1, maxWorkers + 1} {
		_, err := SetWorkers(n)
		require.Equal(t, CodeWorkersInvalid, refusal.CodeOf(err))
	}
	now, err := Workers()
	require.NoError(t, err)
	require.Equal(t, maxWorkers, now, "a refusal changes nothing")
}

func TestInfo(t *testing.T) {
	v, err := Version()
	require.NoError(t, err)
	require.Regexp(t, `^\d+\.\d+\.\d+`, v)
	info, err := BuildInfo()
	require.NoError(t, err)
	require.Contains(t, info, "fhelium "+v+", go1.")
}
