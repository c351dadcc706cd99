package eager

import (
	"slices"

	"fhelium/ckks"
	"fhelium/core/keyswitch"
	"fhelium/core/ring"
	"fhelium/core/scratch"
)

func init() {
	Implement(ckks.RelinearizeRescale, relinearizeRescale)
	Implement(ckks.MultiplyRelinearizeRescale, multiplyRelinearizeRescale)
}

// Relinearizing divides an inner product by P, and rescaling what is left by the
// leading group's product q. Where both follow each other one division by P·q does:
// with (s0, s1) the inner products of component 2 and the key,
//
//	out = ((s0, s1) + P·(c0, c1)) / (P·q), to the nearest,
//
// which needs fewer transforms, touches no rows in between, and rounds once.

// rescaled is such a division at one depth.
type rescaled struct {
	*Job
	*keyswitch.Switcher
	key              keyswitch.Key
	leading          int // rows of the leading group
	division         *ring.Division
	primes, specials []*ring.Table // active primes of Q, and of P
}

// newRescaled prepares for operands at a depth, with the key of the last operand.
func (j *Job) newRescaled(depth int) *rescaled {
	x := &rescaled{Job: j, Switcher: j.tables.switcher(depth), key: j.keyRows(j.In[len(j.In)-1], depth)}
	active := span{j.config.GroupStart(depth), j.config.NumQ()}
	x.leading = j.config.GroupStart(depth+1) - active.first
	x.primes, x.specials = j.tables.primes(active), j.tables.primes(j.specialSpan())
	x.division = j.tables.rescaling(depth)
	return x
}

// relinearizeRescale takes the three components of a product.
func relinearizeRescale(j *Job) error {
	ct := j.In[0]
	x := j.newRescaled(ct.Depth)
	for b := range ct.BatchSize() {
		sums := x.switched(x.Decompose(j.Group, ct.Poly(2, b), true, false))
		for half := range sums.Half {
			x.Lift(j.Group, sums.Half[half], ct.Poly(half, b))
		}
		x.divide(b, sums)
	}
	return nil
}

// multiplyRelinearizeRescale makes the components of the product row by row.
func multiplyRelinearizeRescale(j *Job) error {
	left, right := j.In[0], j.In[1]
	x := j.newRescaled(left.Depth)
	for b := range left.BatchSize() {
		l0, l1, r0, r1 := left.Poly(0, b), left.Poly(1, b), right.Poly(0, b), right.Poly(1, b)
		block := scratch.NewBlock(len(x.primes), left.N)
		j.Group.Each(len(x.primes), func(r int) { x.primes[r].Mul(block.Rows[r], l1[r], r1[r]) })
		d := x.Decompose(j.Group, block.Rows, true, false)
		block.Free()
		sums := x.switched(d)
		special := x.Special()
		j.Group.Each(len(x.primes), func(r int) {
			row := scratch.NewBlock(1, left.N)
			defer row.Free()
			t, product := x.primes[r], row.Rows[0]
			t.Mul(product, l0[r], r0[r])
			t.MulScalarAddWork(sums.Half[0][r], product, special[r])
			t.Dot(product, ring.Rows{l0[r], l1[r]}, ring.Rows{r1[r], r0[r]})
			t.MulScalarAddWork(sums.Half[1][r], product, special[r])
		})
		x.divide(b, sums)
	}
	return nil
}

// switched is the inner products of component 2 and the key. It frees the digits.
func (x *rescaled) switched(d *keyswitch.Decomposition) *keyswitch.InnerProduct {
	defer d.Free()
	return d.InnerProduct(x.Group, x.key)
}

// divide writes member b of the result, and gives the sums' memory back.
func (x *rescaled) divide(b int, sums *keyswitch.InnerProduct) {
	defer sums.Free()
	out := x.Out[0]
	for half, sum := range sums.Half {
		q, p := sum[:len(x.primes)], sum[len(x.primes):]
		d := ring.Dividend{
			Dropped: ring.Source{Work: slices.Concat(q[:x.leading], p)},
			Kept:    ring.Source{Work: q[x.leading:]},
		}
		if out.Domain == ckks.NTT {
			d.NTT = &ring.DivTables{Dropped: slices.Concat(x.primes[:x.leading], x.specials), Kept: x.primes[x.leading:]}
		} else {
			tables := slices.Concat(x.primes, x.specials)
			x.Group.Each(len(sum), func(r int) { tables[r].InverseWork(sum[r]) })
		}
		x.division.Apply(x.Group, out.Poly(half, b), d, false)
	}
}
