package main

import (
	"cmp"
	"math"
	"slices"
)

// The scale after d rescales of a chain of squarings is s_d, where s_0 = D is the
// default scale and s_{d+1} = s_d^2 / M_d. In bits relative to D, with
// e_d = log2(s_d/D) and m_d = log2(M_d/D), that is
//
//	e_{d+1} = 2 e_d - m_d.
//
// Every error doubles, so each M_d has to correct what the ones before it left. A
// constant drift is a fixed point: e = m = -b. Around it, u = e + b and v = m + b
// obey the same recurrence u' = 2u - v, and primes at distance v to either side
// are used up best in turns: from u = r, v = 3r leads to u' = -r. The far primes
// go first, so that the near ones are left for the end; a beam search finds the
// order.
//
// The search follows the scale in float64, as the library computes it: rounding
// errors double too, so that after some 50 depths the real numbers that the
// recurrence speaks of say nothing about the scale that values will carry.

// pool is what a walk may choose from: at most 128 primes, and the fixed point.
type pool struct {
	primes []uint64
	scale  float64 // the default scale D
	bias   float64 // b
}

// offset is that of a divisor or a scale from the fixed point, v or u, in bits.
func (p pool) offset(x float64) float64 { return offset(x, p.scale) + p.bias }

// partial is a chain under construction: its last choice and the one before it.
type partial struct {
	before *partial
	choice int
	scale  float64
	u      float64   // the scale's offset from the fixed point
	spent  float64   // sum of |v| so far
	used   [2]uint64 // choices as bits
}

// beamWidth is how many partial chains survive each depth. At 50 the longest chain
// of scale 2^30 stays within 3 % of a third of its farthest prime.
const beamWidth = 50

// walk orders primes of the pool into a chain of the given number of depths so
// that the scale, where it starts, stays close to the fixed point. It gives nil
// where the search finds none.
func walk(p pool, start float64, depths int) []uint64 {
	span := 0.0
	for _, m := range p.primes {
		span = max(span, math.Abs(p.offset(float64(m))))
	}
	for _, share := range []float64{0.31, 0.33, 0.35, 0.37, 0.39, 0.42, 0.46, 0.5, 0.6, 0.8, 1, 1.5, 2} {
		if chain := beam(p, start, depths, share*span); chain != nil {
			return chain
		}
	}
	return nil
}

// beam searches for a chain whose offset never exceeds the bound.
func beam(p pool, start float64, depths int, bound float64) []uint64 {
	states := []*partial{{scale: start, u: p.offset(start)}}
	for range depths {
		states = extend(states, p, bound)
	}
	if len(states) == 0 {
		return nil
	}
	var chain []uint64
	for s := states[0]; s.before != nil; s = s.before {
		chain = append(chain, p.primes[s.choice])
	}
	slices.Reverse(chain)
	return chain
}

// extend adds one prime to every partial chain in every way that keeps the bound,
// and keeps those that have spent the farthest primes. Of two that used the same
// primes, only the one with less drift is kept.
func extend(states []*partial, p pool, bound float64) []*partial {
	var next []*partial
	seen := map[[2]uint64]int{}
	for _, s := range states {
		for i, m := range p.primes {
			scale := s.scale * s.scale / float64(m)
			u := p.offset(scale)
			if s.used[i/64]>>(i%64)&1 == 1 || math.Abs(u) > bound {
				continue
			}
			n := &partial{before: s, choice: i, scale: scale, u: u, used: s.used}
			n.spent = s.spent + math.Abs(p.offset(float64(m)))
			n.used[i/64] |= 1 << (i % 64)
			k, again := seen[n.used]
			switch {
			case !again:
				seen[n.used] = len(next)
				next = append(next, n)
			case math.Abs(u) < math.Abs(next[k].u):
				next[k] = n
			}
		}
	}
	slices.SortStableFunc(next, func(a, b *partial) int { return cmp.Compare(b.spent, a.spent) })
	return next[:min(len(next), beamWidth)]
}

// drift is the largest distance in bits of the scale from the default scale over
// a chain of squarings, in float64 as the library computes it.
func drift(chain [][]uint64, scale float64) float64 {
	worst, s := 0.0, scale
	for _, primes := range chain {
		s = s * s / value(primes)
		worst = max(worst, math.Abs(math.Log2(s/scale)))
	}
	return worst
}

// value is the product of the one or two primes of a group.
func value(primes []uint64) float64 {
	p := 1.0
	for _, m := range primes {
		p *= float64(m)
	}
	return p
}
