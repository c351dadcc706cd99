package pybind

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/core/parallel"
	"fhelium/core/refusal"
)

// guarded runs f under the guard.
func guarded(f func() error) (err error) {
	defer guard(&err)
	return f()
}

func TestGuardGivesEveryErrorACode(t *testing.T) {
	require.NoError(t, guarded(func() error { return nil }))
	require.EqualError(t, guarded(func() error { return errors.New("disk: full") }), "internal: disk: full")
	scale := refusal.New("scale-mismatch", "2 and 3")
	require.EqualError(t, guarded(func() error { return scale }), "scale-mismatch: 2 and 3")
	require.EqualError(t, guarded(func() error { return fmt.Errorf("adding: %w", scale) }), "scale-mismatch: adding: 2 and 3")
}

func TestGuardTurnsPanicsIntoErrors(t *testing.T) {
	var none map[string]int
	for name, f := range map[string]func() error{
		"text":  func() error { panic("broken") },
		"error": func() error { panic(errors.New("broken")) },
		"map":   func() error { none["a"] = 1; return nil },
		"nil":   func() error { panic(nil) },
		"worker": func() error {
			parallel.New(3).Each(3, func(i int) { panic("broken") })
			return nil
		},
	} {
		err := guarded(f)
		require.Equal(t, CodeInternalPanic, refusal.CodeOf(err), name)
		require.Regexp(t, `^internal-panic: .* in fhelium/pybind\.\S+ \(guard_test\.go:[0-9]+\); this is a bug of fhelium`, err.Error(), name)
	}
}

// A secret can be an index, an operand in the panic's text, or an argument on
// the stack.
func TestGuardHidesNumbersOfPanics(t *testing.T) {
	const secret = 987654321
	words := make([]int, 3)
	index := func(i int) error { words[i] = 1; return nil }
	for name, f := range map[string]func() error{
		"index":  func() error { return index(secret) },
		"text":   func() error { panic(fmt.Sprintf("residue %d or %#x", secret, secret)) },
		"worker": func() error { parallel.New(2).Each(2, func(int) { _ = index(secret) }); return nil },
	} {
		text := guarded(f).Error()
		require.Contains(t, text, "#", name)
		require.NotContains(t, text, "987654321", name)
		require.NotContains(t, text, "3ade68b1", name)
		require.NotContains(t, text, "\n", name)
	}
}

func TestProbePanic(t *testing.T) {
	for _, worker := range []bool{false, true} {
		_, err := ProbePanic(worker)
		require.ErrorContains(t, err, "internal-panic: the probe was asked to fail in fhelium/pybind.ProbePanic")
	}
}

type probe struct{}

func (*probe) fail() { panic("broken") }

func TestPanicNamesTheMethod(t *testing.T) {
	require.ErrorContains(t, guarded(func() error { new(probe).fail(); return nil }), "fhelium/pybind.(*probe).fail (guard_test.go:")
}
