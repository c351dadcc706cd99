package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTableIsWhatTheGeneratorWrites(t *testing.T) {
	want, err := generate()
	require.NoError(t, err)
	got, err := os.ReadFile("../../preset_table.go")
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run: go run ./ckks/internal/presetgen")
}
