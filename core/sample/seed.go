// Package sample expands a 32-byte seed into the random polynomials of CKKS:
// uniform residues, ternary secrets, discrete Gaussian errors and the wide
// noise of flooding. Equal seeds give equal draws on every machine, except
// for WideGaussian and WideGaussianPair (see there).
package sample

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
)

// Seed is the 256-bit key of a Source. Who knows it knows every draw.
type Seed [32]byte

// deriveDomain separates Derive from every other use of HMAC with these keys.
const deriveDomain = "fhelium sample derive"

// NewSeed takes a seed from the operating system's entropy.
func NewSeed() (Seed, error) {
	var s Seed
	_, err := rand.Read(s[:])
	return s, err
}

// Derive gives the child seed for a label and a list of indices, so that limbs
// and digits expand independently of one another and in parallel. The child is
// HMAC-SHA-256 under the parent of an unambiguous encoding: different labels,
// indices or numbers of indices give unrelated children, and a child reveals
// neither its parent nor its siblings.
func (s Seed) Derive(label string, index ...uint64) Seed {
	mac := hmac.New(sha256.New, s[:])
	message := make([]byte, 0, len(deriveDomain)+len(label)+8*(len(index)+2))
	message = append(message, deriveDomain...)
	message = binary.LittleEndian.AppendUint64(message, uint64(len(label)))
	message = append(message, label...)
	message = binary.LittleEndian.AppendUint64(message, uint64(len(index)))
	for _, i := range index {
		message = binary.LittleEndian.AppendUint64(message, i)
	}
	mac.Write(message)
	return Seed(mac.Sum(nil))
}
