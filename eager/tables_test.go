package eager

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/core/sample"
)

// Every kind of table is counted, and once. Mutant: leave out one kind.
func TestTableBytes(t *testing.T) {
	e := NewInsecure(testConfig(t, 10), testLevel(t), sample.Seed{1})
	require.Zero(t, e.TableBytes())
	for id := range 6 { // all of Q and P, which a switcher shares
		e.tables.prime(id)
	}
	require.Equal(t, 6*e.tables.prime(0).Bytes(), e.TableBytes())
	type sized interface{ Bytes() int }
	for name, build := range map[string]func() sized{
		"subring":   func() sized { return e.tables.subring(5, 1) },
		"galois":    func() sized { return e.tables.galois(3) },
		"division":  func() sized { return e.tables.division(span{0, 1}, span{1, 4}) },
		"switcher":  func() sized { return e.tables.switcher(1) },
		"rebuilder": func() sized { return e.tables.rebuilder(span{0, 4}) },
		"embedding": func() sized { return e.tables.encoder() },
	} {
		before := e.TableBytes()
		size := build().Bytes()
		require.Positive(t, size, name)
		require.Equal(t, before+size, e.TableBytes(), name)
		build()
		require.Equal(t, before+size, e.TableBytes(), name)
	}
}
