package embed

import (
	"fmt"
	"os"
	"testing"

	"fhelium/core/kernel"
)

// level is what all tests of the package run at: once at each that is there.
var level kernel.Level

func TestMain(m *testing.M) {
	failed := 0
	for _, level = range kernel.Levels() {
		if code := m.Run(); code != 0 {
			fmt.Println("failed with", level, "kernels")
			failed = code
		}
	}
	os.Exit(failed)
}
