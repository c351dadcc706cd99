package eager

import (
	"fhelium/ckks"
	"fhelium/core/parallel"
	"fhelium/core/ring"
)

func init() { Implement(ckks.Decrypt, decrypt) }

// decrypt gives the coefficients of c0 + c1·s (+ c2·s²), rebuilt from all rows,
// centred in (-Q/2, Q/2) and rounded to the nearest float64. They belong to the
// holder of the key: whoever knows the ciphertext and the noise in them can
// solve for the key (Li and Micciancio, EUROCRYPT 2021). To hand a result to
// others, see flood.
//
// A message that has outgrown the modulus wraps into the same range, and so
// looks like one that encode accepts, which is any below Q/2. No threshold
// tells them apart, and there is no such check.
//
// The product with the secret is constant-time. Rebuilding the message and
// rounding it to float64 is not.
func decrypt(j *Job) error {
	in, out := j.In[0], j.Out[0]
	noise, err := j.newFlood(in, j.Call.Floats[0])
	if err != nil {
		return err
	}
	s := spanOf(in.State)
	primes, secret, rebuilder := j.tables.primes(s), rowsOf(j.In[1], 0, s), j.tables.rebuilder(s)
	return members(j.Group, in.BatchSize(), func(b int, g *parallel.Group) error {
		rows, memory := takeRows(in.Rows, in.N)
		defer words.give(memory)
		g.Each(in.Rows, func(r int) {
			innerProduct(primes[r], rows[r], in, b, r, secret[r])
		})
		dst := out.Floats[b*out.N : (b+1)*out.N]
		if noise == nil {
			rebuilder.Apply(g, dst, rows)
			return nil
		}
		return inMember(in.State, b, noise.share(g, b, rows, rebuilder, dst))
	})
}

// innerProduct sets dst to the coefficients of Σ c_p·s^p of one row, which has a
// component beside c0.
func innerProduct(t *ring.Table, dst []uint64, ct *ckks.Value, b, r int, s []uint64) {
	if ct.Domain == ckks.NTT {
		sum := row(ct, ct.Components-1, b, r)
		for p := ct.Components - 2; p >= 0; p-- {
			t.Mul(dst, sum, s)
			t.Add(dst, dst, row(ct, p, b, r))
			sum = dst
		}
		t.Inverse(dst)
		return
	}
	component := words.take(len(dst))
	defer words.give(component)
	for p := ct.Components - 1; p > 0; p-- {
		copy(component, row(ct, p, b, r))
		t.Forward(component)
		t.Add(dst, dst, component)
		t.Mul(dst, dst, s)
	}
	t.Inverse(dst)
	t.Add(dst, dst, row(ct, 0, b, r))
}
