package linalg

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/ckks"
	"fhelium/core/refusal"
)

func span(from, to int) []int {
	var s []int
	for i := from; i <= to; i++ {
		s = append(s, i)
	}
	return s
}

// case A07: every set of diagonals is covered exactly, the smallest included.
// A plan that drops the baby step 0 fails for {0} and {0, 64}.
func TestPlanCoversDiagonals(t *testing.T) {
	const n = 4096
	for _, diagonals := range [][]int{{0}, {1}, {-1}, {4095}, {0, 64}, span(-7, 7), span(0, 63), span(0, 4095), {3, 1000, 2047}} {
		p, err := NewPlan(diagonals, n)
		require.NoError(t, err)
		require.Len(t, p.Terms, len(diagonals))
		for i, term := range p.Terms {
			sum := p.Giants[term[0]] + p.Babies[term[1]]
			require.Equal(t, ckks.NormalStep(int64(diagonals[i]), n), ckks.NormalStep(int64(sum), n))
		}
	}
}

// Sixteen giant steps of four babies would cost more than eight of eight.
func TestPlanSharesOutEvenly(t *testing.T) {
	p, err := NewPlan(span(0, 63), 8192)
	require.NoError(t, err)
	require.LessOrEqual(t, len(p.Babies)+len(p.Giants), 20)
	strided, err := NewPlan([]int{0, 128, 256, 384, 512, 640, 768, 896}, 8192)
	require.NoError(t, err)
	require.LessOrEqual(t, len(strided.Babies)+len(strided.Giants), 8)
}

func TestPlanRefusals(t *testing.T) {
	for _, diagonals := range [][]int{nil, {1, 1}, {-1, 4095}} {
		_, err := NewPlan(diagonals, 4096)
		require.Equal(t, ckks.ArgumentInvalid, refusal.CodeOf(err))
	}
}

// The walk reaches every count, and its steps are the ones listed.
func TestWalkReachesCount(t *testing.T) {
	for count := int64(1); count <= 300; count++ {
		have := int64(1)
		walk(count, func(h int64, doubling bool) {
			require.Equal(t, have, h)
			if doubling {
				have *= 2
			} else {
				have++
			}
		})
		require.Equal(t, count, have)
	}
	steps, err := InnerSumSteps(6, 2, 1024)
	require.NoError(t, err)
	require.Equal(t, []int{-2, -6}, steps)
	for _, count := range []int64{0, -1, 1025} {
		_, err := InnerSumSteps(count, 1, 1024)
		require.Equal(t, ckks.ArgumentInvalid, refusal.CodeOf(err))
	}
}
