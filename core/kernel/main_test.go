//go:build amd64 && !purego

package kernel

import (
	"fmt"
	"os"
	"testing"
)

// fast are the levels that have kernels; each test is of every one.
var fast = Levels()[1:]

func TestMain(m *testing.M) {
	if len(fast) == 0 {
		fmt.Println("no test of package kernel is run: this processor has no AVX2 with FMA")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// level is that of constants.
func (c *Constants) level() Level {
	if c.isWide() {
		return AVX512
	}
	return AVX2
}
