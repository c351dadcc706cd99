package ckks

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fhelium/core/ring"
)

func fingerprintAfter(t *testing.T, change func(*Literal)) [16]byte {
	l := smallLiteral(t)
	l.EnforceSecurityBudget = false
	change(&l)
	c, err := New(l)
	require.NoError(t, err)
	return c.Fingerprint()
}

func TestFingerprint(t *testing.T) {
	base := fingerprintAfter(t, func(*Literal) {})
	for name, change := range map[string]func(*Literal){
		"default scale": func(l *Literal) { l.DefaultScale = 0x1p39 },
		"target":        func(l *Literal) { l.SecurityBits = 256 },
		"enforcement":   func(l *Literal) { l.EnforceSecurityBudget = true },
		"preset":        func(l *Literal) { l.Preset, l.EnforceSecurityBudget = "slots4096-scale40-depth2-int64", true },
	} {
		assert.Equal(t, base, fingerprintAfter(t, change), name)
	}
	seen := map[[16]byte]string{base: "unchanged"}
	for name, change := range map[string]func(*Literal){
		"ring":              func(l *Literal) { l.LogN = 12 },
		"generator":         func(l *Literal) { l.GaloisGenerator = 5 },
		"sigma":             func(l *Literal) { l.Sigma = 3.2 },
		"order of groups":   func(l *Literal) { g := l.QDepthGroups; g[0], g[1] = g[1], g[0] },
		"order in a group":  func(l *Literal) { g := l.QDepthGroups[2]; g[0], g[1] = g[1], g[0] },
		"order of P":        func(l *Literal) { p := l.PModuli; p[0], p[1] = p[1], p[0] },
		"fewer groups":      func(l *Literal) { l.QDepthGroups = l.QDepthGroups[1:] },
		"two groups as one": func(l *Literal) { g := l.QDepthGroups; l.QDepthGroups = [][]uint64{{g[0][0], g[1][0]}, g[2]} },
		"a prime across":    func(l *Literal) { g := l.QDepthGroups; l.QDepthGroups = [][]uint64{g[0], {g[1][0], g[2][0], g[2][1]}} },
		"another prime":     func(l *Literal) { l.QDepthGroups[0][0] = l.QDepthGroups[0][0] + nextPrime(l.QDepthGroups[0][0]) },
		"P's prime moved to Q": func(l *Literal) {
			l.QDepthGroups[2], l.PModuli = append(l.QDepthGroups[2], l.PModuli[0]), []uint64{l.PModuli[1], l.QDepthGroups[0][0]}
			l.QDepthGroups = l.QDepthGroups[1:]
		},
	} {
		f := fingerprintAfter(t, change)
		assert.Empty(t, seen[f], "%s has the same fingerprint", name)
		seen[f] = name
	}
}

// nextPrime is the distance to the next prime above m that is 1 modulo 2^14.
func nextPrime(m uint64) uint64 {
	for step := uint64(1 << 14); ; step += 1 << 14 {
		if ring.IsPrime(m + step) {
			return step
		}
	}
}
