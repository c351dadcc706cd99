package eager

import (
	"fhelium/ckks"
	"fhelium/core/ring"
)

func init() {
	Implement(ckks.ToNTT, transform((*ring.Table).Forward))
	Implement(ckks.ToCoefficient, transform((*ring.Table).Inverse))
}

// transform takes every row to the other domain.
func transform(direction func(t *ring.Table, x []uint64)) Runner {
	return func(j *Job) error {
		out := j.Out[0]
		tables := j.tables.primes(spanOf(out.State))
		j.eachRow(out, func(p, b, r int) {
			dst := row(out, p, b, r)
			copy(dst, row(j.In[0], p, b, r))
			direction(tables[r], dst)
		})
		return nil
	}
}
