package sample

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"
)

// fixedSeed is the bytes 0, 1, …, 31.
func fixedSeed() Seed {
	var s Seed
	for i := range s {
		s[i] = byte(i)
	}
	return s
}

func TestNewSeedDiffers(t *testing.T) {
	a, err := NewSeed()
	require.NoError(t, err)
	b, err := NewSeed()
	require.NoError(t, err)
	require.NotEqual(t, a, b)
	require.NotEqual(t, Seed{}, a)
}

func TestDeriveKnownAnswer(t *testing.T) {
	seed := fixedSeed()
	mac := hmac.New(sha256.New, seed[:])
	mac.Write([]byte("fhelium sample derive" +
		"\x04\x00\x00\x00\x00\x00\x00\x00limb" +
		"\x01\x00\x00\x00\x00\x00\x00\x00" + "\x07\x00\x00\x00\x00\x00\x00\x00"))
	child := seed.Derive("limb", 7)
	require.Equal(t, hex.EncodeToString(mac.Sum(nil)), hex.EncodeToString(child[:]))
	require.Equal(t, fixedSeed(), seed, "the parent is unchanged")
}

// TestDeriveSeparates covers encodings that a careless concatenation would
// confuse.
func TestDeriveSeparates(t *testing.T) {
	seed, other := fixedSeed(), Seed{}
	one := "\x01\x00\x00\x00\x00\x00\x00\x00"
	children := []Seed{
		seed, other, seed.Derive(""), other.Derive(""), seed.Derive("", 0), seed.Derive("", 0, 0),
		seed.Derive("a"), seed.Derive("a", 0), seed.Derive("a", 1), seed.Derive("a", 0, 1), seed.Derive("a", 1, 0),
		seed.Derive("a"+one, 1), seed.Derive("a", 1, 1), seed.Derive("ab"), seed.Derive("b"),
		seed.Derive("a").Derive("b"), seed.Derive("b").Derive("a"), seed.Derive("a", 1<<32), seed.Derive("a", 1<<63),
	}
	seen := map[Seed]int{}
	for i, c := range children {
		if j, ok := seen[c]; ok {
			t.Fatalf("children %d and %d are equal", i, j)
		}
		seen[c] = i
	}
}

// TestDeriveIndependent correlates the bits of siblings' streams. The number of
// equal bits of two independent streams of n bits is within 6.2 standard
// deviations (√n/2) of n/2 but for a chance of 1e-9; the seed is fixed.
func TestDeriveIndependent(t *testing.T) {
	const words = 1 << 12
	streams := make([][]uint64, 8)
	for i := range streams {
		streams[i] = make([]uint64, words)
		NewSource(fixedSeed().Derive("limb", uint64(i))).Uniform(streams[i], 2)
	}
	for i := range streams {
		for j := range i {
			equal := 0
			for k, v := range streams[i] {
				if v == streams[j][k] {
					equal++
				}
			}
			require.InDelta(t, words/2, equal, 6.2*32, "streams %d and %d", i, j)
		}
	}
}
