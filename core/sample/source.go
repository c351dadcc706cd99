package sample

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"math/bits"

	"fhelium/core/kernel"
)

// Source is the AES-256-CTR key stream of a seed and the draws made from it.
// It is used by one goroutine at a time; work in parallel takes one Source for
// each child of Seed.Derive.
//
// The stream never ends in practice: the block counter has 128 bits. What
// bounds a Source is that blocks of a permutation never repeat: after b blocks
// the stream is told from true randomness with advantage below b²/2^129. An
// encryption at N = 2^16 takes fewer than 2^17 blocks, so 10^5 of them from a
// single Source stay below 2^-60; 2^48 bytes (2^-41) is the stated limit.
//
// Timing: Read, Gaussian and the AES rounds (on machines with AES
// instructions) take no branch and no index from secret data. Uniform and
// Ternary reject draws, so their time reveals how many draws were rejected;
// these are independent of the values kept. WideGaussian is not constant-time.
type Source struct {
	stream cipher.Stream
	buffer [4096]byte
}

// NewSource starts the stream of a seed at its first byte.
func NewSource(seed Seed) *Source {
	block, err := aes.NewCipher(seed[:])
	if err != nil {
		panic(err) // a 32-byte key is always accepted
	}
	return &Source{stream: cipher.NewCTR(block, make([]byte, aes.BlockSize))}
}

// Read fills p with the next bytes of the stream. It never fails.
func (s *Source) Read(p []byte) (int, error) {
	clear(p)
	s.stream.XORKeyStream(p, p)
	return len(p), nil
}

// next gives the following n bytes of the stream, or a bufferful if that is
// less, valid until the next call.
func (s *Source) next(n int) []byte {
	b := s.buffer[:min(n, len(s.buffer))]
	clear(b)
	s.stream.XORKeyStream(b, b)
	return b
}

// Uniform fills dst with independent uniform residues in [0, q), q >= 1. Each
// draw takes the top ⌈log2 q⌉ bits of an 8-byte word and is rejected when it
// reaches q. Two calls draw what one call for both lengths draws.
func (s *Source) Uniform(dst []uint64, q uint64) {
	if q == 0 {
		panic("sample: Uniform modulo 0")
	}
	shift := 64 - bits.Len64(q-1)
	for n := 0; n < len(dst); {
		b := s.next(8 * (len(dst) - n))
		if fast && q > 1 && q < 1<<63 {
			taken, kept := kernel.Uniform(dst[n:], b, q)
			b, n = b[8*taken:], n+kept
		}
		for ; len(b) > 0; b = b[8:] {
			v := binary.LittleEndian.Uint64(b) >> shift
			dst[n] = v
			_, below := bits.Sub64(v, q, 0)
			n += int(below)
		}
	}
}

// Ternary fills dst with independent uniform values of {-1, 0, 1}. Each draw
// is a byte modulo 3; the byte 255 is rejected, which makes the three values
// exactly equally likely.
func (s *Source) Ternary(dst []int64) {
	for n := 0; n < len(dst); {
		for _, b := range s.next(len(dst) - n) {
			dst[n] = int64(b%3) - 1
			_, below := bits.Sub64(uint64(b), 255, 0)
			n += int(below)
		}
	}
}
