package eager

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/ckks"
)

// expanded is a compressed plaintext as a dense one, by the words of Layout.
func (b *bench) expanded(pt *ckks.Value) *ckks.Value {
	s := pt.State
	s.Kind, s.Unique, s.Layout = ckks.Plaintext, 0, ckks.Dense
	out := ckks.NewValue(s)
	for m := range pt.BatchSize() {
		for r := range pt.Rows {
			dst, words := row(out, 0, m, r), row(pt, 0, m, r)
			for i := range dst {
				switch pt.Layout {
				case ckks.Cyclic:
					dst[i] = words[i%pt.Unique]
				case ckks.Contiguous:
					dst[i] = words[i*pt.Unique/pt.N]
				case ckks.StridedSparse:
					dst[i] = pt.Implicit[m*pt.Rows+r]
					if i*pt.Unique%pt.N == 0 {
						dst[i] = words[i*pt.Unique/pt.N]
					}
				}
			}
		}
	}
	return out
}

// compressed are plaintexts of every layout, and from one to N/2 words a row.
func (b *bench) compressed(s ckks.State) []*ckks.Value {
	var out []*ckks.Value
	for _, layout := range []ckks.Layout{ckks.Cyclic, ckks.Contiguous, ckks.StridedSparse} {
		for _, unique := range []int{1, 2, 64, b.config.N() / 2} {
			s.Kind, s.Layout, s.Unique = ckks.Compressed, layout, unique
			out = append(out, b.filled(s, "random", uint64(unique)))
		}
	}
	return out
}

var plaintextCalls = []ckks.Call{ckks.AddPlaintext.With().At(0), ckks.SubtractPlaintext.With().At(0), ckks.MultiplyPlaintext.With()}

// Dense plaintexts are added to component 0, and multiply every component.
// Mutant: toComponent0 combines always.
func TestPlaintexts(t *testing.T) {
	for _, c := range arithmeticChains(t) {
		b := newBench(t, c)
		for depth := range c.MaxDepth() + 1 {
			for _, pattern := range []string{"largest", "random"} {
				s := b.whole(depth, ckks.QP, ckks.NTT, 2, 2)
				x, pt := b.filled(s, pattern, 1), b.filled(plain(s, 2), pattern, 2)
				for k, call := range plaintextCalls {
					equalRows(t, b.rowLocal(call, x, pt), b, func(q uint64, p, m, r, i int) uint64 {
						y, z := row(x, p, m, r)[i], row(pt, 0, m, r)[i]
						switch {
						case k == 2:
							return times(y, z, q)
						case p > 0:
							return y
						case k == 0:
							return (y + z) % q
						}
						return (y + q - z) % q
					})
				}
			}
		}
	}
}

// A compressed plaintext is to the bit the dense one that it stands for, also
// where the degree is more than one block. Mutants: from ignored in Cyclic; the
// implicit word of row 0.
func TestCompressedPlaintexts(t *testing.T) {
	for _, logN := range []int{10, 12} {
		b := newBench(t, testConfig(t, logN, []int{40}, []int{30, 30}))
		s := b.whole(0, ckks.Q, ckks.NTT, 2, 2)
		x := b.filled(s, "random", 1)
		for _, pt := range b.compressed(plain(s, 2)) {
			for _, call := range plaintextCalls {
				require.True(t, slices.Equal(b.compute(call, x, b.expanded(pt))[0].Words, b.rowLocal(call, x, pt).Words),
					"%s, %v of %d words", call.Name, pt.Layout, pt.Unique)
			}
		}
	}
}

// A lone plaintext, with a batch axis of one or without, meets all members, in
// the coefficient domain too. Mutant: member gives b.
func TestLonePlaintext(t *testing.T) {
	b := newBench(t, testConfig(t, 10))
	for _, domain := range []ckks.Domain{ckks.Coefficient, ckks.NTT} {
		s := b.whole(1, ckks.Q, domain, 3, 2, 2)
		x := b.filled(s, "random", 1)
		for _, batch := range [][]int{nil, {1}} {
			pt := b.filled(plain(s, batch...), "random", 2)
			every := b.filled(plain(s, 2, 2), "random", 2)
			for m := range 4 {
				copy(every.Words[m*len(pt.Words):], pt.Words)
			}
			for _, call := range plaintextCalls[:2+int(domain)] {
				require.Equal(t, b.compute(call, x, every)[0].Words, b.rowLocal(call, x, pt).Words)
			}
		}
	}
}
