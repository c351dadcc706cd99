package eager

import (
	"fhelium/ckks"
	"fhelium/core/keyswitch"
	"fhelium/core/parallel"
	"fhelium/core/ring"
	"fhelium/core/scratch"
)

func init() {
	Implement(ckks.Relinearize, relinearize)
	Implement(ckks.Switch, func(j *Job) error { return j.switchEach(func(*ckks.Value) *ring.Automorphism { return nil }) })
}

// switchable is one polynomial, decomposed, and what is to be added to the two
// halves of its key switch. Any number of keys can be applied to it.
type switchable struct {
	*keyswitch.Decomposition
	base  [2]ring.Rows // nil where nothing is added
	lift  bool         // base is in the NTT domain, the results are not: it is added before the division
	ntt   bool         // domain of the results
	block *scratch.Block
}

// keyRows cuts a key to the rows and digits that are active at a depth.
func (j *Job) keyRows(key *ckks.Value, depth int) keyswitch.Key {
	start := j.config.GroupStart(depth)
	var out keyswitch.Key
	for _, d := range j.tables.activeDigits(depth) {
		out = append(out, [2]ring.Rows{key.Poly(2*d, 0)[start:], key.Poly(2*d+1, 0)[start:]})
	}
	return out
}

// decompose prepares member b of a ciphertext of 2 components for key switches
// with results in the given domain, by one key or by many. Component 0 is brought to the NTT domain
// unless both ends are in the coefficient domain.
func (j *Job) decompose(ct *ckks.Value, b int, ntt, many bool) *switchable {
	s := &switchable{ntt: ntt, lift: !ntt && ct.Domain == ckks.NTT}
	s.base[0] = ct.Poly(0, b)
	if ntt && ct.Domain == ckks.Coefficient {
		tables := j.tables.primes(spanOf(ct.State))
		s.block = scratch.NewBlock(ct.Rows, ct.N)
		j.Group.Each(ct.Rows, func(r int) {
			copy(s.block.Rows[r], s.base[0][r])
			tables[r].Forward(s.block.Rows[r])
		})
		s.base[0] = s.block.Rows
	}
	s.Decomposition = j.tables.switcher(ct.Depth).Decompose(j.Group, ct.Poly(1, b), ct.Domain == ckks.NTT, many)
	return s
}

// free gives the memory back.
func (s *switchable) free() {
	s.Decomposition.Free()
	s.block.Free()
}

// apply sets dst to sigma(base + switched polynomial), for sigma nil without the
// automorphism. dst has two polynomials of the active rows.
func (s *switchable) apply(g *parallel.Group, key keyswitch.Key, sigma *ring.Automorphism, dst [2]ring.Rows) {
	sums := s.InnerProduct(g, key)
	defer sums.Free()
	for half, sum := range sums.Half {
		base := s.base[half]
		if base != nil && s.lift {
			s.Lift(g, sum, base)
			base = nil
		}
		s.Divide(g, dst[half], sum, base, sigma, s.ntt)
	}
}

// relinearize switches component 2 from s^2 to s and adds the result to the
// others.
func relinearize(j *Job) error {
	ct, out := j.In[0], j.Out[0]
	key := j.keyRows(j.In[1], ct.Depth)
	for b := range ct.BatchSize() {
		s := &switchable{lift: out.Domain != ckks.NTT, ntt: out.Domain == ckks.NTT}
		s.base = [2]ring.Rows{ct.Poly(0, b), ct.Poly(1, b)}
		s.Decomposition = j.tables.switcher(ct.Depth).Decompose(j.Group, ct.Poly(2, b), true, false)
		s.apply(j.Group, key, nil, [2]ring.Rows{out.Poly(0, b), out.Poly(1, b)})
		s.free()
	}
	return nil
}

// switchEach applies every key of the call to its one ciphertext, with the
// automorphism that belongs to the key, sharing the decomposition. There is one
// result a key.
func (j *Job) switchEach(automorphism func(key *ckks.Value) *ring.Automorphism) error {
	ct := j.In[0]
	for b := range ct.BatchSize() {
		s := j.decompose(ct, b, j.Out[0].Domain == ckks.NTT, len(j.Out) > 1)
		for i, key := range j.In[1:] {
			dst := [2]ring.Rows{j.Out[i].Poly(0, b), j.Out[i].Poly(1, b)}
			s.apply(j.Group, j.keyRows(key, ct.Depth), automorphism(key), dst)
		}
		s.free()
	}
	return nil
}
