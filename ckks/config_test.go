package ckks

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fhelium/core/refusal"
	"fhelium/core/ring"
)

// smallLiteral is the preset of ring dimension 2^13 without its name: two groups of
// one prime, a base of two primes of 30 bits, and P of two more.
func smallLiteral(t testing.TB) Literal {
	c, err := PresetByName("slots4096-scale40-depth2-int64")
	require.NoError(t, err)
	l := c.Literal()
	l.Preset = ""
	return l
}

func TestNewRefuses(t *testing.T) {
	composite := ModulusLimit - 1<<14 + 1 // the largest numbers that are 1 modulo 2N
	for ring.IsPrime(composite) {
		composite -= 1 << 14
	}
	wide := ModulusLimit + 1
	for !ring.IsPrime(wide) {
		wide += 1 << 14
	}
	many := make([]uint64, 17)
	cases := []struct {
		name   string
		change func(*Literal)
		code   refusal.Code
		says   []string
	}{
		{"ring below", func(l *Literal) { l.LogN = 9 }, RingDimensionInvalid, []string{"9", "10 … 17"}},
		{"ring above", func(l *Literal) { l.LogN = 18 }, RingDimensionInvalid, []string{"18", "10 … 17"}},
		{"ring negative", func(l *Literal) { l.LogN = -1 }, RingDimensionInvalid, []string{"-1"}},
		{"scale 0", func(l *Literal) { l.DefaultScale = 0 }, ScaleInvalid, []string{"is 0"}},
		{"scale below 0", func(l *Literal) { l.DefaultScale = -0x1p40 }, ScaleInvalid, []string{"-1.099511627776e+12"}},
		{"scale NaN", func(l *Literal) { l.DefaultScale = math.NaN() }, ScaleInvalid, []string{"NaN"}},
		{"scale infinite", func(l *Literal) { l.DefaultScale = math.Inf(1) }, ScaleInvalid, []string{"Inf"}},
		{"sigma 0", func(l *Literal) { l.Sigma = 0 }, SigmaInvalid, []string{"is 0", "3.19"}},
		{"sigma NaN", func(l *Literal) { l.Sigma = math.NaN() }, SigmaInvalid, []string{"NaN"}},
		{"sigma too wide", func(l *Literal) { l.Sigma = 1025 }, SigmaInvalid, []string{"1025", "1024"}},
		{"target", func(l *Literal) { l.SecurityBits = 100 }, SecurityTargetInvalid, []string{"100", "128"}},
		{"generator", func(l *Literal) { l.GaloisGenerator = 7 }, GeneratorInvalid, []string{"7", "3 or 5"}},
		{"no groups", func(l *Literal) { l.QDepthGroups = nil }, ChainInvalid, []string{"0 depth groups"}},
		{"empty group", func(l *Literal) { l.QDepthGroups[1] = nil }, ChainInvalid, []string{"group 1 of 3"}},
		{"wide group", func(l *Literal) { l.QDepthGroups[1] = many }, ChainInvalid, []string{"17", "16"}},
		{"too many primes", func(l *Literal) { l.PModuli = make([]uint64, 257) }, ChainInvalid, []string{"261", "256", "fewer and wider"}},
		{"no P", func(l *Literal) { l.PModuli = nil }, SpecialModuliInvalid, []string{"0 special"}},
		{"P too small", func(l *Literal) { l.PModuli = l.PModuli[:1] }, SpecialModuliInvalid, []string{"group 0"}},
		{"zero", func(l *Literal) { l.PModuli[0] = 0 }, ModulusInvalid, []string{"modulus 0", "it has to be 1"}},
		{"one", func(l *Literal) { l.PModuli[0] = 1 }, ModulusInvalid, []string{"modulus 1 is not prime"}},
		{"even", func(l *Literal) { l.PModuli[0]-- }, ModulusInvalid, []string{"is 0 modulo 2N = 16384"}},
		{"prime off the order", func(l *Literal) { l.PModuli[0] = 1000003 }, ModulusInvalid, []string{"1000003 is 579 modulo 2N = 16384"}},
		{"composite", func(l *Literal) { l.PModuli[0] = composite }, ModulusInvalid, []string{"not prime"}},
		{"wider than 50 bits", func(l *Literal) { l.PModuli[0] = wide }, ModulusInvalid, []string{"below 2^50"}},
		{"largest word", func(l *Literal) { l.PModuli[0] = math.MaxUint64 }, ModulusInvalid, []string{"below 2^50"}},
		{"twice in Q", func(l *Literal) { l.QDepthGroups[1] = l.QDepthGroups[0] }, ModulusRepeated, []string{"twice"}},
		{"in Q and P", func(l *Literal) { l.PModuli[0] = l.QDepthGroups[0][0] }, ModulusRepeated, []string{"twice"}},
		{"no room", func(l *Literal) { l.DefaultScale = 0x1p59 }, HeadroomInvalid, []string{"60.00 bits", "59.00", "2 bits"}},
		{"scale of 1024 bits", func(l *Literal) { l.DefaultScale = math.MaxFloat64 }, HeadroomInvalid, []string{"1024.00"}},
		{"over budget", func(l *Literal) { l.SecurityBits = 192 }, SecurityBudgetExceeded, []string{"200", "147", "8192"}},
		{"no row", func(l *Literal) { l.LogN, l.SecurityBits = 10, 192 }, SecurityUnsupported, []string{"1024", "192"}},
		{"another sigma", func(l *Literal) { l.Sigma = 3.2 }, SecurityUnsupported, []string{"3.2 ", "3.19"}},
		{"unknown preset", func(l *Literal) { l.Preset = "slots4096" }, PresetUnknown, []string{"slots4096"}},
		{"another preset", func(l *Literal) { l.Preset = "slots4096-scale30-depth3-int64" }, PresetMismatch, []string{"scale30"}},
		{"changed preset", func(l *Literal) { l.Preset, l.DefaultScale = "slots4096-scale40-depth2-int64", 0x1p39 }, PresetMismatch, []string{"scale40"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			l := smallLiteral(t)
			c.change(&l)
			made, err := New(l)
			assert.Nil(t, made)
			require.Equal(t, c.code, refusal.CodeOf(err), "%v", err)
			for _, s := range c.says {
				assert.Contains(t, err.Error(), s)
			}
		})
	}
}

func TestNewAcceptsTheEdges(t *testing.T) {
	for name, change := range map[string]func(*Literal){
		"generator 5": func(l *Literal) { l.GaloisGenerator = 5 },
		"room of 2 bits": func(l *Literal) {
			l.DefaultScale = math.Ldexp(float64(l.QDepthGroups[2][0])*float64(l.QDepthGroups[2][1]), -2) * (1 - 0x1p-50)
		},
		"tiny scale":         func(l *Literal) { l.DefaultScale = math.SmallestNonzeroFloat64 },
		"insecure target":    func(l *Literal) { l.SecurityBits, l.EnforceSecurityBudget = 192, false },
		"insecure sigma":     func(l *Literal) { l.Sigma, l.EnforceSecurityBudget = 1024, false },
		"a ring without row": func(l *Literal) { l.LogN, l.SecurityBits, l.EnforceSecurityBudget = 10, 256, false },
		"terminal only":      func(l *Literal) { l.QDepthGroups = l.QDepthGroups[2:] },
	} {
		l := smallLiteral(t)
		change(&l)
		c, err := New(l)
		require.NoError(t, err, name)
		assert.Equal(t, c.Security().Status != SecurityMeets, c.Insecure(), name)
		if !l.EnforceSecurityBudget {
			assert.Contains(t, c.String(), "INSECURE", name)
		}
	}
}

// A chain cut short keeps its terminal group and loses groups in front of it.
func TestPrefixesOfEveryPresetAreConfigs(t *testing.T) {
	for _, name := range PresetNames() {
		whole, err := PresetByName(name)
		require.NoError(t, err)
		for _, depth := range []int{0, 1, whole.MaxDepth() / 2, whole.MaxDepth() - 1} {
			l := whole.Literal()
			l.Preset = ""
			l.QDepthGroups = append(l.QDepthGroups[:depth:depth], l.QDepthGroups[whole.MaxDepth()])
			c, err := New(l)
			require.NoError(t, err, "%s cut to depth %d", name, depth)
			assert.Equal(t, depth, c.MaxDepth())
		}
	}
}

func TestChainQueries(t *testing.T) {
	c, err := PresetByName("slots1024-scale60-depth2-int64-insecure")
	require.NoError(t, err)
	l := c.Literal()
	assert.Equal(t, []int{11, 2048, 1024, 2, 6, 2}, []int{c.LogN(), c.N(), c.Slots(), c.MaxDepth(), c.NumQ(), c.NumP()})
	assert.Equal(t, slices.Concat(l.QDepthGroups[0], l.QDepthGroups[1], l.QDepthGroups[2], l.PModuli), c.Moduli())
	for depth := range 3 {
		assert.Equal(t, 2*depth, c.GroupStart(depth))
		assert.InDelta(t, log2(product(c.Moduli()[2*depth:6])), c.Log2Q(depth), 1e-12)
	}
	divisor, err := c.RescaleDivisor(1)
	require.NoError(t, err)
	assert.Equal(t, float64(l.QDepthGroups[1][0]*l.QDepthGroups[1][1]), divisor) // exact in 64 bits, then rounded once
	for depth, code := range map[int]refusal.Code{-1: DepthInvalid, 2: LevelsExhausted, 3: DepthInvalid} {
		_, err := c.RescaleDivisor(depth)
		assert.Equal(t, code, refusal.CodeOf(err), "depth %d", depth)
	}
}

// Digits are contiguous, cover Q, stay below P, and each could not be longer.
func TestDigitsAreGreedy(t *testing.T) {
	for _, name := range PresetNames() {
		c, err := PresetByName(name)
		require.NoError(t, err)
		p, next := product(c.Literal().PModuli), 0
		for _, d := range c.Digits() {
			require.Equal(t, next, d[0], name)
			require.Negative(t, product(c.moduli[d[0]:d[1]]).Cmp(p), name)
			next = d[1]
			if next < c.NumQ() {
				require.GreaterOrEqual(t, product(c.moduli[d[0]:next+1]).Cmp(p), 0, name)
			}
		}
		require.Equal(t, c.NumQ(), next, name)
	}
}

func TestConfigIsImmutable(t *testing.T) {
	l := smallLiteral(t)
	c, err := New(l)
	require.NoError(t, err)
	before := string(c.JSON())
	l.QDepthGroups[0][0], l.PModuli[0] = 1, 1
	c.Literal().QDepthGroups[0][0], c.Moduli()[0], c.Digits()[0][1] = 1, 1, 9
	c.Literal().PModuli[0] = 1
	assert.Equal(t, before, string(c.JSON()))
	assert.NotEqual(t, uint64(1), c.Modulus(0))
	assert.Equal(t, 1, c.Digits()[0][1])
}
