package kernel

import (
	"os"
	"slices"
	"strings"

	"fhelium/core/refusal"
)

// Codes of this package's errors.
const (
	// Unknown: kernels of this name do not exist.
	Unknown refusal.Code = "ntt-backend-unknown"
	// Unsupported: this processor or build has no kernels of this name.
	Unsupported refusal.Code = "ntt-backend-unsupported"
)

// MinLogN is the least log2 of the degree that a Transform serves.
const MinLogN = 6

// Step is the number of words that kernels take a multiple of.
const Step = 16

// Level is a set of instructions that kernels are written for. All levels give
// the same results.
type Level int

const (
	// Portable is Go alone.
	Portable Level = iota
	// AVX2 is AVX2 with FMA, on amd64.
	AVX2
	// AVX512 is AVX-512 F, DQ and VL beside AVX2, on amd64.
	AVX512
)

var names = []string{"portable", "avx2", "avx512"}

func (l Level) String() string { return names[l] }

// Variable is the environment variable that names the kernels of "auto".
const Variable = "FHELIUM_KERNELS"

// Named gives the level of a name that this machine can run. "auto" and "" are
// what the environment variable FHELIUM_KERNELS names, and the fastest without it.
func Named(name string) (Level, error) {
	if name == "" || name == "auto" {
		name = os.Getenv(Variable)
	}
	levels := Levels()
	if name == "" || name == "auto" {
		return levels[len(levels)-1], nil
	}
	level := Level(slices.Index(names, name))
	switch {
	case level < 0:
		return 0, refusal.New(Unknown, "ntt_backend or FHELIUM_KERNELS %.40q; auto, %s exist", name, strings.Join(names, ", "))
	case !slices.Contains(levels, level):
		return 0, refusal.New(Unsupported, "ntt_backend or FHELIUM_KERNELS %v: this processor or build has %v", level, levels)
	}
	return level, nil
}
