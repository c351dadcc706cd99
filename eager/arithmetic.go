package eager

import (
	"fhelium/ckks"
	"fhelium/core/ring"
)

// Row-local arithmetic of ciphertexts: a row of a result needs only the same
// row of the operands, so shards of the rows work as the whole does.

func init() {
	Implement(ckks.Add, pairwise((*ring.Modulus).Add, (*ring.Modulus).AddStreaming))
	Implement(ckks.Subtract, pairwise((*ring.Modulus).Sub, (*ring.Modulus).SubStreaming))
	Implement(ckks.Negate, negate)
	Implement(ckks.Reinterpret, reinterpret)
	Implement(ckks.Sum, sum)
	Implement(ckks.SumBatch, sumBatch)
	Implement(ckks.Multiply, multiply)
}

// streamed is the number of words from which on a result is written past the caches:
// 16 MiB, of which they hold little when the last word is written.
var streamed = 1 << 21 // a test lowers it

// pairwise combines the rows of two ciphertexts one by one, those of a large result
// with streaming.
func pairwise(combine, streaming func(m *ring.Modulus, dst, a, b []uint64)) Runner {
	return func(j *Job) error {
		x, y, out := j.In[0], j.In[1], j.Out[0]
		combine := combine
		if len(out.Words) >= streamed {
			combine = streaming
		}
		moduli := j.tables.moduli(spanOf(out.State))
		j.eachRow(out, func(p, b, r int) {
			combine(moduli[r], row(out, p, b, r), row(x, p, b, r), row(y, p, b, r))
		})
		return nil
	}
}

func negate(j *Job) error {
	out := j.Out[0]
	moduli := j.tables.moduli(spanOf(out.State))
	j.eachRow(out, func(p, b, r int) { moduli[r].Neg(row(out, p, b, r), row(j.In[0], p, b, r)) })
	return nil
}

// reinterpret copies: only the recorded scale differs.
func reinterpret(j *Job) error {
	j.copyRows(j.Out[0], j.In[0])
	copy(j.Out[0].Implicit, j.In[0].Implicit)
	return nil
}

func sum(j *Job) error {
	out := j.Out[0]
	moduli := j.tables.moduli(spanOf(out.State))
	j.eachRow(out, func(p, b, r int) {
		dst := row(out, p, b, r)
		copy(dst, row(j.In[0], p, b, r))
		for _, x := range j.In[1:] {
			moduli[r].Add(dst, dst, row(x, p, b, r))
		}
	})
	return nil
}

// sumBatch adds the members along one batch axis: member (outer, i, inner) of
// the operand goes to member (outer, inner) of the result.
func sumBatch(j *Job) error {
	in, out, axis := j.In[0], j.Out[0], int(j.Call.Ints[0])
	inner := ckks.State{Batch: in.Batch[axis+1:]}.BatchSize()
	moduli := j.tables.moduli(spanOf(out.State))
	j.eachRow(out, func(p, b, r int) {
		dst := row(out, p, b, r)
		first := b/inner*in.Batch[axis]*inner + b%inner
		copy(dst, row(in, p, first, r))
		for i := 1; i < in.Batch[axis]; i++ {
			moduli[r].Add(dst, dst, row(in, p, first+i*inner, r))
		}
	})
	return nil
}

// multiply gives the three components of (a0 + a1·s)(b0 + b1·s) as a polynomial
// in s. Its operands are in the NTT domain.
func multiply(j *Job) error {
	x, y, out := j.In[0], j.In[1], j.Out[0]
	moduli := j.tables.moduli(spanOf(out.State))
	j.Group.Each(out.BatchSize()*out.Rows, func(i int) {
		b, r := i/out.Rows, i%out.Rows
		m := moduli[r]
		a0, a1, b0, b1 := row(x, 0, b, r), row(x, 1, b, r), row(y, 0, b, r), row(y, 1, b, r)
		m.Mul(row(out, 0, b, r), a0, b0)
		m.Dot(row(out, 1, b, r), ring.Rows{a0, a1}, ring.Rows{b1, b0})
		m.Mul(row(out, 2, b, r), a1, b1)
	})
	return nil
}
