//go:build amd64 && !purego

package kernel

import (
	"fmt"
	"os"
	"slices"
	"testing"
)

func TestMain(m *testing.M) {
	if !slices.Contains(Levels(), AVX2) {
		fmt.Println("no test of package kernel is run: this processor has no AVX2 with FMA")
		os.Exit(0)
	}
	os.Exit(m.Run())
}
