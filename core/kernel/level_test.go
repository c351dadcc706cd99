package kernel

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Mutant: read the variable for every name.
func TestNamed(t *testing.T) {
	best := Levels()[len(Levels())-1]
	for _, c := range []struct {
		name, variable string
		want           Level
		code           string
	}{
		{"", "", best, ""}, {"auto", "", best, ""}, {"auto", "auto", best, ""}, {"portable", "", Portable, ""},
		{"auto", "portable", Portable, ""}, {best.String(), "portable", best, ""},
		{"sse", "", 0, "ntt-backend-unknown"}, {"auto", "AVX2", 0, "ntt-backend-unknown"},
	} {
		t.Setenv(Variable, c.variable)
		level, err := Named(c.name)
		if c.code != "" {
			require.ErrorContains(t, err, c.code+": ")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.want, level)
	}
}

// Every level has its own name, and what this machine does not have is refused.
// Mutant: give the best level for one that is absent.
func TestLevels(t *testing.T) {
	t.Setenv(Variable, "")
	for level := Portable; level <= AVX512; level++ {
		got, err := Named(level.String())
		if slices.Contains(Levels(), level) {
			require.NoError(t, err)
			require.Equal(t, level, got)
		} else {
			require.ErrorContains(t, err, "ntt-backend-unsupported: ")
		}
	}
}
