package ckks

import (
	"encoding/hex"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fhelium/core/refusal"
)

// presetDigests pins the exact primes of every preset by its fingerprint. A change
// here makes every stored value of the preset unreadable.
var presetDigests = []struct{ name, fingerprint string }{
	{"slots1024-scale40-depth3-int64-insecure", "ac67040bd96b74a8da5c8eaa69bb35ea"},
	{"slots1024-scale60-depth2-int64-insecure", "c915d6e1881178dc277d57b14023cf30"},
	{"slots2048-scale30-depth1-int64", "6c674679ed5227e6a49492c6ffc83f23"},
	{"slots2048-scale40-depth4-int64-insecure", "873f2d004f7f6beefffee73844136753"},
	{"slots4096-scale30-depth3-int64", "4dad7922e7f15cddbe43e345eff21374"},
	{"slots4096-scale40-depth2-int64", "cae4373c99a73d7cdcd63cab1460c114"},
	{"slots8192-scale30-depth9-int64", "d18d57206d2a7e2ae048a5779e2979f4"},
	{"slots8192-scale40-depth7-int64", "69d8a2cfb46cbc6ce7b8fb4565cd0088"},
	{"slots8192-scale50-depth5-int64", "1b38bc8f26bf7e0f1d37bf7529e9a107"},
	{"slots16384-scale30-depth21-int64", "0fca21e799eb3a5614b6eeb4a7d06b0d"},
	{"slots16384-scale40-depth16-int64", "5ad146c88e07626f319dd006ad90baec"},
	{"slots16384-scale50-depth12-int64", "f02a8206685a40e8c632240cb9918b9d"},
	{"slots32768-scale30-depth45-int64", "dec7fbd22a9376f4f69e121420324227"},
	{"slots32768-scale40-depth34-int64", "b478c5a368e66ec27be1b253539a95da"},
	{"slots32768-scale50-depth27-int64", "81dc0123481edda5bd510ec474b44266"},
	{"slots32768-scale50-depth29-int64", "5ea1cd6ae047dcec6815f37a1c162b6b"},
	{"slots65536-scale30-depth95-int64", "312d97991b62e71a0fb2b133abd31419"},
	{"slots65536-scale40-depth72-int64", "36ee85f5700732ab5f10fc0ba0ce110c"},
	{"slots65536-scale50-depth58-int64", "8f73532bf54f4f836bf8ad0f9015ea07"},
}

func TestPresetsArePinned(t *testing.T) {
	require.Len(t, PresetNames(), len(presetDigests))
	for i, p := range presetDigests {
		assert.Equal(t, p.name, PresetNames()[i])
		c, err := PresetByName(p.name)
		require.NoError(t, err)
		f := c.Fingerprint()
		assert.Equal(t, p.fingerprint, hex.EncodeToString(f[:]), p.name)
		assert.Equal(t, p.name, c.Preset())
	}
}

// squared is the scale after each rescale of a chain of squarings, computed in
// float64 as the operations compute it: the product first, then the quotient.
func squared(t *testing.T, c *Config) []float64 {
	scales := []float64{c.DefaultScale()}
	for d := range c.MaxDepth() {
		divisor, err := c.RescaleDivisor(d)
		require.NoError(t, err)
		s := scales[d] * scales[d]
		scales = append(scales, s/divisor)
	}
	return scales
}

// maxPresetDrift is 0.1 bit for the one chain whose 94 primes of 30 bits lie up to
// 0.18 bit apart, and what is reached elsewhere, rounded up.
func maxPresetDrift(name string) float64 {
	switch name {
	case "slots65536-scale30-depth95-int64":
		return 0.06
	case "slots32768-scale30-depth45-int64":
		return 0.016
	case "slots16384-scale30-depth21-int64":
		return 0.007
	case "slots65536-scale50-depth58-int64":
		return 0.004
	}
	return 0.001
}

func TestPresetsHoldTheScale(t *testing.T) {
	for _, name := range PresetNames() {
		c, err := PresetByName(name)
		require.NoError(t, err)
		mantissa, _ := math.Frexp(c.DefaultScale())
		assert.Equal(t, 0.5, mantissa, "%s: the default scale is a power of two", name)
		first, err := c.RescaleDivisor(0)
		require.NoError(t, err)
		assert.InEpsilon(t, c.DefaultScale(), first, 0.01, name)
		for d, s := range squared(t, c) {
			assert.Less(t, math.Abs(math.Log2(s/c.DefaultScale())), maxPresetDrift(name), "%s at depth %d", name, d)
		}
		terminal := log2(product(c.Literal().QDepthGroups[c.MaxDepth()]))
		assert.GreaterOrEqual(t, terminal-math.Log2(c.DefaultScale()), 8.0, name)
	}
}

func TestPresetsMeetTheirBudget(t *testing.T) {
	insecure := map[string]bool{}
	for _, name := range PresetNames() {
		c, err := PresetByName(name)
		require.NoError(t, err)
		insecure[name] = c.Insecure()
		assert.Equal(t, c.Insecure(), !c.Literal().EnforceSecurityBudget, name)
		assert.Equal(t, c.Insecure(), c.TotalBits() > c.Security().BudgetBits, name)
		assert.Equal(t, c.Insecure(), len(name) > 9 && name[len(name)-9:] == "-insecure", name)
		assert.LessOrEqual(t, len(c.Digits()), 8, name)
		assert.Equal(t, []any{StandardSigma, uint64(3), 128}, []any{c.Sigma(), c.GaloisGenerator(), c.Security().TargetBits}, name)
	}
	assert.Contains(t, insecure, "slots16384-scale40-depth16-int64")
}

func TestPresetByNameRefuses(t *testing.T) {
	for _, name := range []string{"", "slots8192_scale40_depth7_int64", "Slots8192-scale40-depth7-int64", "slots8192-scale40-levels7"} {
		_, err := PresetByName(name)
		assert.Equal(t, PresetUnknown, refusal.CodeOf(err), name)
		assert.Contains(t, err.Error(), "slots8192-scale40-depth7-int64")
	}
}
