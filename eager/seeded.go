package eager

import (
	"encoding/binary"

	"fhelium/ckks"
	"fhelium/core/parallel"
	"fhelium/core/sample"
)

func init() {
	Implement(ckks.EncryptSecret, encryptSecret)
	Implement(ckks.Expand, expand)
}

// encryptSecret makes c1 uniform and c0 = m + e - c1·s in the NTT domain. Only
// c0 and the public seed that c1 grows from are kept, half the size. The seed
// is read from a stream of its own, so that it tells nothing about the streams
// of secrets. Constant-time in the plaintext, the secret and the errors.
func encryptSecret(j *Job) error {
	m, secret, out := j.In[0], j.In[1], j.Out[0]
	var public sample.Seed
	if _, err := sample.NewSource(j.draw()).Read(public[:]); err != nil {
		return err
	}
	for i := range out.Implicit {
		out.Implicit[i] = binary.LittleEndian.Uint64(public[8*i:])
	}
	seed := j.draw()
	s := spanOf(out.State)
	primes, key := j.tables.primes(s), rowsOf(secret, 0, s)
	return members(j.Group, out.BatchSize(), func(b int, rows *parallel.Group) error {
		e := ints.take(out.N)
		defer ints.give(e)
		j.gaussian(e, seed.Derive("error", uint64(b)))
		c0 := out.Poly(0, b)
		rows.Each(out.Rows, func(r int) {
			t, row := primes[r], words.take(out.N)
			defer words.give(row)
			grow(row, public, b, s.first+r, t.Q)
			hide(t, c0[r], row, key[r], e)
			copy(row, m.Poly(0, b)[r])
			if m.Domain == ckks.Coefficient {
				t.Forward(row)
			}
			t.Add(c0[r], c0[r], row)
		})
		return nil
	})
}

// expand grows component 1 of a seeded ciphertext.
func expand(j *Job) error {
	in, out := j.In[0], j.Out[0]
	var public sample.Seed
	for i, w := range in.Implicit {
		binary.LittleEndian.PutUint64(public[8*i:], w)
	}
	primes := j.tables.primes(spanOf(out.State))
	j.copyRows(out, in)
	j.Group.Each(out.BatchSize()*out.Rows, func(i int) {
		b, r := i/out.Rows, i%out.Rows
		grow(out.Poly(1, b)[r], public, b, out.First+r, primes[r].Q)
	})
	return nil
}

// grow fills the row of component 1 that belongs to a batch member and a prime
// id. This is a storage format: a seeded ciphertext means its expansion by this
// function. Dropping rows leaves the others as they are.
func grow(row []uint64, public sample.Seed, b, id int, q uint64) {
	uniform(row, q, public.Derive("fhelium seeded ciphertext", uint64(b), uint64(id)))
}
