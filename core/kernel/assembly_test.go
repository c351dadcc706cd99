//go:build amd64 && !purego

package kernel

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Kernels without AVX-512 use none of its registers: a processor that has AVX2 alone
// runs them. Mutant: write quads with eight lanes.
func TestRegisters(t *testing.T) {
	text, err := os.ReadFile("kernels_amd64.s")
	require.NoError(t, err)
	more := regexp.MustCompile(`\b([XY](1[6-9]|[23]\d)|[ZK]\d+)\b`)
	functions := strings.Split(string(text), "\nTEXT ·")[1:]
	require.NotEmpty(t, functions)
	for _, function := range functions {
		name, body, _ := strings.Cut(function, "(SB)")
		if strings.HasSuffix(name, "512") || strings.Contains(name, "Sixteens") {
			require.Contains(t, body, "Z0", name)
		} else {
			require.NotRegexp(t, more, body, name)
		}
	}
}
