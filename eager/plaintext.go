package eager

import (
	"math/bits"

	"fhelium/ckks"
	"fhelium/core/ring"
)

func init() {
	Implement(ckks.AddPlaintext, withPlaintext(toComponent0((*ring.Modulus).Add)))
	Implement(ckks.SubtractPlaintext, withPlaintext(toComponent0((*ring.Modulus).Sub)))
	Implement(ckks.MultiplyPlaintext, withPlaintext(func(m *ring.Modulus, _ int, dst, a, x []uint64) { m.Mul(dst, a, x) }))
}

// blockSize is how many residues of a compressed row are expanded at a time; the
// least degree is a multiple of it.
const blockSize = 1 << 10

// withPlaintext combines every component p of a ciphertext with a plaintext, in
// blocks.
func withPlaintext(combine func(m *ring.Modulus, p int, dst, a, x []uint64)) Runner {
	return func(j *Job) error {
		ct, pt, out := j.In[0], j.In[1], j.Out[0]
		moduli := j.tables.moduli(spanOf(out.State))
		j.Group.Each(out.BatchSize()*out.Rows, func(i int) {
			b, r := i/out.Rows, i%out.Rows
			var memory [blockSize]uint64
			for from := 0; from < out.N; from += blockSize {
				x := plainBlock(memory[:], pt, member(pt, b), r, from)
				for p := range out.Components {
					combine(moduli[r], p, row(out, p, b, r)[from:from+blockSize], row(ct, p, b, r)[from:], x)
				}
			}
		})
		return nil
	}
}

// toComponent0 combines component 0 only and copies the others.
func toComponent0(combine func(m *ring.Modulus, dst, a, b []uint64)) func(*ring.Modulus, int, []uint64, []uint64, []uint64) {
	return func(m *ring.Modulus, p int, dst, a, x []uint64) {
		if p == 0 {
			combine(m, dst, a, x)
		} else {
			copy(dst, a)
		}
	}
}

// member is the plaintext's member that meets member b of a ciphertext; a lone
// member meets all.
func member(pt *ckks.Value, b int) int {
	if pt.BatchSize() == 1 {
		return 0
	}
	return b
}

// plainBlock gives len(memory) residues of a plaintext's row, beginning with
// residue from. Those of a compressed row are written to memory, by the rule of
// its Layout; those of a dense row are not copied.
func plainBlock(memory []uint64, pt *ckks.Value, b, r, from int) []uint64 {
	words := row(pt, 0, b, r)
	if pt.Kind == ckks.Plaintext {
		return words[from : from+len(memory)]
	}
	stride := pt.N / pt.Unique
	switch pt.Layout {
	case ckks.Cyclic:
		for i := range memory {
			memory[i] = words[(from+i)&(pt.Unique-1)]
		}
	case ckks.Contiguous:
		shift := bits.TrailingZeros(uint(stride))
		for i := range memory {
			memory[i] = words[(from+i)>>shift]
		}
	case ckks.StridedSparse:
		implicit := pt.Implicit[b*pt.Rows+r]
		for i := range memory {
			memory[i] = implicit
		}
		for i := (from + stride - 1) / stride; i*stride < from+len(memory); i++ {
			memory[i*stride-from] = words[i]
		}
	}
	return memory
}
