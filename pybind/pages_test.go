//go:build linux

package pybind

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/ckks"
)

// Advice changes nothing, wherever a result begins and ends. Mutant: MADV_DONTNEED.
func TestAdviseHugeKeepsWords(t *testing.T) {
	words := make([]uint64, 3*hugeResult/8)
	for i := range words {
		words[i] = uint64(i)
	}
	before := slices.Clone(words)
	for _, cut := range [][2]int{{0, 0}, {1, 0}, {511, 3}, {513, 511}, {len(words) - 5, 0}, {len(words), 0}} {
		adviseHuge([]*ckks.Value{{Words: words[cut[0] : len(words)-cut[1]]}})
		require.Equal(t, before, words)
	}
}
