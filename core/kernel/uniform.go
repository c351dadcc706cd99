//go:build amd64 && !purego

package kernel

import "math/bits"

// orders has, for each set of lanes as a mask, the halves of its words in front.
var orders = func() (out [16][8]uint32) {
	for lanes := range out {
		at := 0
		for lane := range uint32(4) {
			if lanes>>lane&1 == 1 {
				out[lanes][at], out[lanes][at+1] = 2*lane, 2*lane+1
				at += 2
			}
		}
	}
	return out
}()

// Uniform draws residues in [0, q), q > 1, from random words, of 8 bytes each: the
// top ⌈log2 q⌉ bits of each are kept where they are below q, one after another. It
// takes a multiple of Step words from the first on, as many as dst has room for,
// and says how many it took and how many it kept; what dst holds behind those may
// have changed.
func Uniform(dst []uint64, words []byte, q uint64) (taken, kept int) {
	taken = whole(min(len(dst), len(words)/8))
	if taken > 0 {
		kept = uniform(&dst[0], &words[0], taken, 64-bits.Len64(q-1), &q, &orders[0][0])
	}
	return taken, kept
}
