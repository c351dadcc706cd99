package ckks

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fhelium/core/refusal"
)

func TestJSONRoundTrip(t *testing.T) {
	literals := []Literal{}
	for _, name := range PresetNames() {
		c, err := PresetByName(name)
		require.NoError(t, err)
		literals = append(literals, c.Literal())
	}
	wide := literals[1] // a base of two primes of 35 bits
	wide.Preset = ""
	wide.QDepthGroups = append([][]uint64{}, append(wide.QDepthGroups[:2:2], append(wide.QDepthGroups[2], literals[0].QDepthGroups[1]...))...)
	for _, scale := range []float64{0x1p80, 0x1.fffffffffffffp79, math.Nextafter(0x1p40, 0), 0.1, math.SmallestNonzeroFloat64} {
		wide.DefaultScale = scale
		literals = append(literals, wide)
	}
	for _, l := range literals {
		c, err := New(l)
		require.NoError(t, err)
		back, err := ParseJSON(c.JSON())
		require.NoError(t, err)
		require.Equal(t, c, back)
		require.Equal(t, c.JSON(), back.JSON())
	}
}

func TestParseJSONFillsDefaults(t *testing.T) {
	l := smallLiteral(t)
	text := fmt.Sprintf(`{"logN":13,"q_depth_groups":[[%d,%d]],"p_moduli":[%d],"default_scale":1e12}`,
		l.QDepthGroups[2][0], l.QDepthGroups[2][1], l.QDepthGroups[0][0])
	c, err := ParseJSON([]byte(text))
	require.NoError(t, err)
	assert.Equal(t, []any{StandardSigma, uint64(3), 128, true},
		[]any{c.Sigma(), c.GaloisGenerator(), c.Security().TargetBits, c.Literal().EnforceSecurityBudget})
}

func TestParseJSONRefuses(t *testing.T) {
	c, err := New(smallLiteral(t))
	require.NoError(t, err)
	good := string(c.JSON())
	change := func(old, new string) string {
		require.Contains(t, good, old)
		return strings.Replace(good, old, new, 1)
	}
	deep := func(open string) string {
		return change(`"logN":13`, `"logN":`+strings.Repeat(open, (1<<17)/len(open)))
	}
	for name, text := range map[string]string{
		"nothing":          "",
		"null":             "null",
		"list":             "[" + good + "]",
		"number":           "1",
		"text after it":    good + "{}",
		"unknown key":      change(`{`, `{"levels":3,`),
		"other case":       change(`"logN"`, `"LOGN"`),
		"key twice":        change(`{`, `{"logN":13,`),
		"null value":       change(`"logN":13`, `"logN":null`),
		"float as integer": change(`"logN":13`, `"logN":13.0`),
		"text as integer":  change(`"logN":13`, `"logN":"13"`),
		"huge integer":     change(`"logN":13`, `"logN":`+strings.Repeat("9", 1000)),
		"negative modulus": change(`"p_moduli":[`, `"p_moduli":[-`),
		"2^64 as modulus":  change(`"p_moduli":[`, `"p_moduli":[18446744073709551616,`),
		"infinite scale":   change(`"default_scale":1099511627776`, `"default_scale":1e999`),
		"NaN scale":        change(`"default_scale":1099511627776`, `"default_scale":NaN`),
		"missing scale":    change(`"default_scale":1099511627776,`, ``),
		"missing ring":     change(`"logN":13,`, ``),
		"too long":         good + strings.Repeat(" ", maxConfigBytes),
		"deep lists":       deep(`[`),
		"deep objects":     deep(`{"a":`),
		"deep and whole":   change(`"logN":13`, `"logN":`+strings.Repeat("[", 1<<16)+strings.Repeat("]", 1<<16)),
		"deep at the top":  strings.Repeat("[", 1<<17),
	} {
		_, err := ParseJSON([]byte(text))
		assert.Equal(t, ConfigJSONInvalid, refusal.CodeOf(err), "%s: %v", name, err)
		if err != nil {
			assert.Less(t, len(err.Error()), 2000, name)
		}
	}
	for text, code := range map[string]refusal.Code{
		change(`"q_depth_groups":[[`, `"q_depth_groups":[null,[`):         ChainInvalid,
		change(`"p_moduli":[`, `"p_moduli":[null,`):                       ModulusInvalid,
		change(`"default_scale":1099511627776`, `"default_scale":0`):      ScaleInvalid,
		change(`"default_scale":1099511627776`, `"default_scale":1e-999`): ScaleInvalid,
	} {
		_, err := ParseJSON([]byte(text))
		assert.Equal(t, code, refusal.CodeOf(err), "%v", err)
	}
}

// Damaged text is refused or means valid parameters; it never panics. Every cut is
// refused.
func TestParseJSONOfDamagedText(t *testing.T) {
	c, err := New(smallLiteral(t))
	require.NoError(t, err)
	good := c.JSON()
	for i := range good {
		_, err := ParseJSON(good[:i])
		require.Equal(t, ConfigJSONInvalid, refusal.CodeOf(err), "cut at %d", i)
		for bit := range 8 {
			bad := bytes.Clone(good)
			bad[i] ^= 1 << bit
			if damaged, err := ParseJSON(bad); err == nil {
				require.NotEqual(t, c.JSON(), damaged.JSON(), "byte %d, bit %d", i, bit)
			}
		}
	}
}
