package eager

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/ckks"
)

// productChain is the sum of products by single operations, a member a group.
func (b *bench) productChain(groups int, cts, pts []*ckks.Value) []uint64 {
	var members []*ckks.Value
	for g := range groups {
		var sum *ckks.Value
		for i, ct := range cts {
			product := b.do(ckks.MultiplyPlaintext, nil, nil, ct, pts[g*len(cts)+i])
			if sum == nil {
				sum = product
			} else {
				sum = b.do(ckks.Add, nil, []float64{0}, sum, product)
			}
		}
		members = append(members, sum)
	}
	var out []uint64
	polynomial := len(members[0].Words) / members[0].Components
	for p := range members[0].Components {
		for _, m := range members {
			out = append(out, m.Words[p*polynomial:(p+1)*polynomial]...)
		}
	}
	return out
}

// mixed gives plaintexts of all forms in turn: dense, dense and lone, and every
// layout.
func (b *bench) mixed(count int, s ckks.State, batch ...int) []*ckks.Value {
	forms := append(b.compressed(plain(s)), b.compressed(plain(s, batch...))...)
	forms = append(forms, b.filled(plain(s, batch...), "largest", 1), b.filled(plain(s), "random", 2))
	var out []*ckks.Value
	for i := range count {
		out = append(out, forms[(5*i+len(forms)-1)%len(forms)])
	}
	return out
}

// SumPlaintextProducts is to the bit the chain of multiplications and additions,
// for all numbers of groups, components and terms, whatever form the plaintexts
// have. Mutant: s.terms+t for s.terms+first+t.
func TestSumPlaintextProducts(t *testing.T) {
	b := newBench(t, testConfig(t, 10))
	for _, c := range []struct{ groups, terms, components int }{{0, 1, 2}, {0, 5, 3}, {1, 3, 2}, {3, 2, 2}, {2, 19, 2}} {
		for _, batch := range [][]int{nil, {2}} {
			s := b.whole(1, ckks.Q, ckks.NTT, c.components, batch...)
			var cts []*ckks.Value
			for i := range c.terms {
				cts = append(cts, b.filled(s, []string{"largest", "random"}[i%2], uint64(i)))
			}
			pts := b.mixed(max(1, c.groups)*c.terms, s, batch...)
			out := b.compute(ckks.SumPlaintextProducts.With(int64(c.groups), int64(c.terms)), slices.Concat(cts, pts)...)[0]
			require.True(t, slices.Equal(b.productChain(max(1, c.groups), cts, pts), out.Words), "%v, batch %v", c, batch)
			require.Equal(t, cts[0].Scale*pts[0].Scale, out.Scale)
		}
	}
}

// SumRotatedProducts is to the bit the chain of rotations, multiplications and
// additions, with the identity at either end, between, or absent, and with more
// rotations than are held at a time. Mutant: the identity one place later.
func TestSumRotatedProducts(t *testing.T) {
	b := newBench(t, testConfig(t, 10))
	var keys []*ckks.Value
	for step := range int64(2*rotationsAtOnce + 1) {
		keys = append(keys, b.do(ckks.CreateRotation, []int64{3*step - 5}, nil, b.secret))
	}
	for _, c := range []struct{ groups, terms, identity int }{
		{1, 1, -1}, {1, 1, 0}, {2, 3, 1}, {2, 3, 2}, {1, rotationsAtOnce + 1, rotationsAtOnce}, {2, 2*rotationsAtOnce + 1, 3},
	} {
		for depth := range 2 {
			t.Run(fmt.Sprint(c, depth), func(t *testing.T) {
				ct := b.filled(b.whole(depth, ckks.Q, ckks.Coefficient, 2, 2), "random", 1)
				used := keys[:c.terms]
				if c.identity >= 0 {
					used = keys[:c.terms-1]
				}
				var rotated []*ckks.Value
				for _, key := range used {
					rotated = append(rotated, b.do(ckks.Rotate, []int64{1}, nil, ct, key))
				}
				if c.identity >= 0 {
					rotated = slices.Insert(rotated, c.identity, b.do(ckks.ToNTT, nil, nil, ct))
				}
				pts := b.mixed(c.groups*c.terms, rotated[0].State, 2)
				call := ckks.SumRotatedProducts.With(int64(c.groups), int64(c.terms), int64(c.identity))
				out := b.compute(call, slices.Concat([]*ckks.Value{ct}, used, pts)...)[0]
				require.True(t, slices.Equal(b.productChain(c.groups, rotated, pts), out.Words))
			})
		}
	}
}
