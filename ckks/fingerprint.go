package ckks

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
)

// fingerprint digests what a residue and its error mean: the ring dimension, the
// primes by group, the special primes, the Galois generator (the order of the
// slots) and sigma (the size of the errors). The default scale is left out because
// each value carries its own; the security target, its enforcement and the
// preset's name are left out because they judge parameters and change no value.
//
// The digest is SHA-256 truncated to 128 bits, of little-endian 64-bit words, each
// list preceded by its length.
func (l Literal) fingerprint() [16]byte {
	text := []byte("fhelium parameters 1\x00")
	word := func(w uint64) { text = binary.LittleEndian.AppendUint64(text, w) }
	list := func(moduli []uint64) {
		word(uint64(len(moduli)))
		for _, m := range moduli {
			word(m)
		}
	}
	word(uint64(l.LogN))
	word(l.GaloisGenerator)
	word(math.Float64bits(l.Sigma))
	list(l.PModuli)
	word(uint64(len(l.QDepthGroups)))
	for _, group := range l.QDepthGroups {
		list(group)
	}
	sum := sha256.Sum256(text)
	return [16]byte(sum[:16])
}
