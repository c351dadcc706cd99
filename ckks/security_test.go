package ckks

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fhelium/core/refusal"
)

// The table once more, by target from N = 2^10 on; 0 where there is no row.
var publishedBudgets = map[int][8]int{
	128: {26, 53, 106, 214, 430, 868, 1747, 3523},
	192: {0, 36, 73, 147, 297, 597, 1199, 2411},
	256: {0, 27, 56, 114, 230, 462, 929, 1866},
}

func TestAssessSecurityAtTheEdge(t *testing.T) {
	for target, row := range publishedBudgets {
		for i, budget := range row {
			for secret, extra := range map[Secret]int{TernarySecret: 0, GaussianSecret: 2} {
				ask := func(bits int) Assessment {
					a, err := AssessSecurity(1024<<i, bits, target, secret, 3.19)
					require.NoError(t, err)
					return a
				}
				if budget == 0 {
					a := ask(1)
					assert.Equal(t, SecurityHasNoBudget, a.Status)
					assert.Equal(t, SecurityUnsupported, refusal.CodeOf(a.Check()))
					continue
				}
				assert.Equal(t, Assessment{1024 << i, budget + extra, budget + extra, target, secret, 3.19, SecurityMeets, ""}, ask(budget+extra))
				assert.NoError(t, ask(budget+extra).Check())
				over := ask(budget + extra + 1)
				assert.Equal(t, SecurityExceeds, over.Status)
				assert.Equal(t, SecurityBudgetExceeded, refusal.CodeOf(over.Check()))
			}
		}
	}
}

func TestAssessSecurityHasNoBudget(t *testing.T) {
	for name, ask := range map[string]func() (Assessment, error){
		"sparse secret": func() (Assessment, error) { return AssessSecurity(8192, 100, 128, SparseSecret, 3.19) },
		"wider error": func() (Assessment, error) {
			return AssessSecurity(8192, 100, 128, TernarySecret, math.Nextafter(3.19, 4))
		},
		"narrower error": func() (Assessment, error) { return AssessSecurity(8192, 100, 128, TernarySecret, 3.1899) },
		"smaller ring":   func() (Assessment, error) { return AssessSecurity(512, 10, 128, TernarySecret, 3.19) },
		"larger ring":    func() (Assessment, error) { return AssessSecurity(1<<18, 10, 128, TernarySecret, 3.19) },
	} {
		a, err := ask()
		require.NoError(t, err, name)
		assert.Equal(t, SecurityHasNoBudget, a.Status, name)
		assert.Zero(t, a.BudgetBits, name)
		assert.Equal(t, SecurityUnsupported, refusal.CodeOf(a.Check()), name)
	}
}

func TestAssessSecurityRefusesSenselessQuestions(t *testing.T) {
	for _, c := range []struct {
		n, bits, target int
		secret          Secret
		sigma           float64
		code            refusal.Code
	}{
		{8192, 100, 127, TernarySecret, 3.19, SecurityTargetInvalid},
		{0, 100, 128, TernarySecret, 3.19, RingDimensionInvalid},
		{-8192, 100, 128, TernarySecret, 3.19, RingDimensionInvalid},
		{8191, 100, 128, TernarySecret, 3.19, RingDimensionInvalid},
		{math.MinInt, 100, 128, TernarySecret, 3.19, RingDimensionInvalid},
		{8192, 0, 128, TernarySecret, 3.19, ModulusInvalid},
		{8192, 100, 128, "binary", 3.19, SecurityUnsupported},
		{8192, 100, 128, TernarySecret, math.NaN(), SigmaInvalid},
		{8192, 100, 128, TernarySecret, math.Inf(1), SigmaInvalid},
		{8192, 100, 128, TernarySecret, 0, SigmaInvalid},
	} {
		_, err := AssessSecurity(c.n, c.bits, c.target, c.secret, c.sigma)
		assert.Equal(t, c.code, refusal.CodeOf(err), "%v", err)
	}
}

func TestModulusBitsIsTheBitLengthOfTheProduct(t *testing.T) {
	assert.Equal(t, 2, ModulusBits([]uint64{3}))
	assert.Equal(t, 4, ModulusBits([]uint64{3, 5}))
	assert.Equal(t, 65, ModulusBits([]uint64{1 << 32, 1 << 32}))
	assert.Equal(t, 64, ModulusBits([]uint64{1 << 32, 1<<32 - 1}))
}
