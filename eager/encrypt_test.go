package eager

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/ckks"
	"fhelium/core/ring"
)

// With the special primes in the key, an encryption is the one over all primes of
// QP, of 0 and from the same randomness, divided by P to the nearest, plus the
// message; whatever the domains of plaintext and result. Mutants: no error in the
// special rows; add the error to the remainder.
func TestEncryptDivided(t *testing.T) {
	z := message(randomSlots(2*512, 4), 512, 2)
	for _, in := range []ckks.Domain{ckks.Coefficient, ckks.NTT} {
		for _, out := range []ckks.Domain{ckks.Coefficient, ckks.NTT} {
			whole, b := newBench(t, testConfig(t, 10)), newBench(t, testConfig(t, 10))
			pt, nothing := b.encoded(z, ckks.Q, in), whole.encoded(message(make([]complex128, 1024), 512, 2), ckks.QP, in)
			got := b.do(ckks.Encrypt, []int64{int64(out)}, nil, pt, b.public)
			over := whole.do(ckks.Encrypt, []int64{int64(out)}, nil, nothing, whole.public)
			for member := range 2 {
				want := b.divided(over, member, got.Rows)
				for r, table := range b.tables.primes(spanOf(got.State)) {
					m := slices.Clone(pt.Poly(0, member)[r])
					if in == ckks.NTT && out == ckks.Coefficient {
						table.Inverse(m)
					} else if in == ckks.Coefficient && out == ckks.NTT {
						table.Forward(m)
					}
					table.Add(want[0][r], want[0][r], m)
				}
				for half := range 2 {
					require.Equal(t, want[half], got.Poly(half, member), "%v to %v, half %d", in, out, half)
				}
			}
		}
	}
}

// divided is both halves of a ciphertext over QP divided by the special primes.
func (b *bench) divided(ct *ckks.Value, member, rows int) (out [2]ring.Rows) {
	dropped, kept := b.specialSpan(), span{0, rows}
	for half := range out {
		all := ct.Poly(half, member)
		d := ring.Dividend{Dropped: ring.Source{Words: all[rows:]}, Kept: ring.Source{Words: all[:rows]}}
		if ct.Domain == ckks.NTT {
			d.NTT = &ring.DivTables{Dropped: b.tables.primes(dropped), Kept: b.tables.primes(kept)}
		}
		for range rows {
			out[half] = append(out[half], make([]uint64, ct.N))
		}
		b.tables.division(dropped, kept).Apply(nil, out[half], d, false)
	}
	return out
}
