//go:build amd64 && !purego

package kernel

import "unsafe"

// Constants are what kernels need of a modulus, each in all lanes; the offsets
// are known to the assembly. With 512 bytes they start where a line of the cache
// does.
type Constants struct {
	p       [8]float64
	inverse [8]float64 // fl(1/p)
	shift   [8]float64 // 2^52
	shiftP  [8]float64 // 2^52 + p
	words   [8]uint64  // p
	signed  [8]float64 // 2^52 + 2^51
	range51 [8]uint64  // 2^51
	wide    [8]uint64  // not 0 where kernels have AVX-512: each goes there by itself
}

// New takes an odd p with 2 < p < 2^50. It gives nil for the portable level,
// which has no kernels.
func New(p uint64, level Level) *Constants {
	if level == Portable {
		return nil
	}
	c := new(Constants)
	for i := range c.p {
		c.p[i], c.inverse[i] = float64(p), 1/float64(p)
		c.shift[i], c.shiftP[i] = 1<<52, 1<<52+float64(p)
		c.words[i] = p
		c.signed[i], c.range51[i] = 1<<52+1<<51, 1<<51
	}
	if level == AVX512 {
		c.wide[0] = 1
	}
	return c
}

func (c *Constants) isWide() bool { return c.wide[0] != 0 }

func (c *Constants) data() *float64 { return (*float64)(unsafe.Pointer(c)) }

// centred is the representative of a word in [0, p) nearest to 0.
func (c *Constants) centred(w uint64) float64 {
	if p := c.words[0]; w > p/2 {
		return -float64(p - w)
	}
	return float64(w)
}

// Factor is a residue nearest to 0, and its quotient by p.
type Factor struct{ x, quotient float64 }

// Factor prepares a word in [0, p).
func (c *Constants) Factor(w uint64) Factor {
	x := c.centred(w)
	return Factor{x, x / c.p[0]}
}
