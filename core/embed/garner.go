package embed

import (
	"math"
	"math/bits"
)

// reconstruction is one worker's tile: digits[c·L + i] is digit i of
// coefficient c, and negative tells that the coefficient lies in the upper half
// of the range of the digits found so far.
type reconstruction struct {
	digits   []uint64
	negative [tile]bool
	words    [MaxModuli]uint64
}

// wipe forgets the message that the digits held.
func (t *reconstruction) wipe() {
	clear(t.digits)
	clear(t.negative[:])
	clear(t.words[:])
}

// applyTile reconstructs coefficients start … start+len(coef)-1.
func (r *Reconstructor) applyTile(t *reconstruction, coef []float64, rows [][]uint64, start int) {
	chain := len(r.moduli)
	for done, k := 0, r.first; ; done, k = k, min(2*k, chain) {
		for j := done; j < k; j++ {
			r.digit(t, j, rows[j][start:start+len(coef)])
		}
		for c := range coef {
			t.negative[c] = r.upperHalf(t.digits[c*chain : c*chain+k])
		}
		if r.agree(t, k, rows, start, len(coef)) {
			for c := range coef {
				coef[c] = r.value(t, c, k)
			}
			return
		}
	}
}

// digit finds digit j of the tile: (x_j - Σ_{i<j} d_i M_i) / M_j modulo q_j.
func (r *Reconstructor) digit(t *reconstruction, j int, row []uint64) {
	m, chain, inv := &r.moduli[j], len(r.moduli), r.inverse[j]
	radix := r.radix[j][:j]
	for c, x := range row {
		d := t.digits[c*chain : c*chain+j+1]
		hi, lo := dot(d[:j], radix)
		d[j] = m.once(m.lazy(x+m.q-m.wide(hi, lo), inv))
	}
}

// agree tells whether the centred value of the first k digits has all the
// residues of the other rows.
func (r *Reconstructor) agree(t *reconstruction, k int, rows [][]uint64, start, n int) bool {
	chain := len(r.moduli)
	for j := k; j < chain; j++ {
		m, radix := &r.moduli[j], r.radix[j][:k+1]
		for c, x := range rows[j][start : start+n] {
			hi, lo := dot(t.digits[c*chain:c*chain+k], radix[:k])
			if t.negative[c] {
				x += radix[k]
			}
			if m.wide(hi, lo) != m.once(x) {
				return false
			}
		}
	}
	return true
}

// dot gives Σ d_i w_i in two words: the terms are below 2^100 and at most
// MaxModuli.
func dot(d, w []uint64) (hi, lo uint64) {
	w = w[:len(d)]
	for i, x := range d {
		h, l := bits.Mul64(x, w[i])
		var carry uint64
		lo, carry = bits.Add64(lo, l, 0)
		hi += h + carry
	}
	return hi, lo
}

// upperHalf tells whether the digits exceed those of (M_k - 1)/2, which are
// (q_i - 1)/2 each.
func (r *Reconstructor) upperHalf(digits []uint64) bool {
	for i := len(digits) - 1; i >= 0; i-- {
		if center := r.moduli[i].center; digits[i] != center {
			return digits[i] > center
		}
	}
	return false
}

// value rounds coefficient c from its first k digits.
func (r *Reconstructor) value(t *reconstruction, c, k int) float64 {
	digits := t.digits[c*len(r.moduli):][:k]
	if t.negative[c] {
		r.negate(digits)
	}
	used := 1
	t.words[0] = 0
	for i := k - 1; i >= 0; i-- {
		carry := digits[i]
		for w := range used {
			hi, lo := bits.Mul64(t.words[w], r.moduli[i].q)
			var over uint64
			t.words[w], over = bits.Add64(lo, carry, 0)
			carry = hi + over
		}
		if carry != 0 {
			t.words[used] = carry
			used++
		}
	}
	magnitude := rounded(t.words[:used])
	if t.negative[c] {
		return -magnitude
	}
	return magnitude
}

// negate turns the digits of x > 0 into those of M_k - x.
func (r *Reconstructor) negate(digits []uint64) {
	i := 0
	for digits[i] == 0 {
		i++
	}
	digits[i] = r.moduli[i].q - digits[i]
	for i++; i < len(digits); i++ {
		digits[i] = r.moduli[i].q - 1 - digits[i]
	}
}

// rounded gives the float64 nearest to an integer of little-endian words, ties
// to even: the leading 63 bits, the last of which also stands for all bits
// below, are rounded by the conversion from int64.
func rounded(words []uint64) float64 {
	top := len(words) - 1
	if top == 0 && words[0] < 1<<63 {
		return float64(int64(words[0]))
	}
	lead := bits.LeadingZeros64(words[top])
	head, sticky := words[top]<<lead, uint64(0)
	if top > 0 {
		head |= words[top-1] >> (64 - lead)
		sticky = words[top-1] << lead
		for _, w := range words[:top-1] {
			sticky |= w
		}
	}
	sticky |= head & 1
	head >>= 1
	if sticky != 0 {
		head |= 1
	}
	exponent := 64*top + 1 - lead
	if exponent > 1023 {
		return math.Inf(1)
	}
	return float64(int64(head)) * math.Float64frombits(uint64(1023+exponent)<<52)
}
