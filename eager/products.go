package eager

import (
	"fhelium/ckks"
	"fhelium/core/ring"
	"fhelium/core/scratch"
)

func init() {
	Implement(ckks.SumPlaintextProducts, sumPlaintextProducts)
	Implement(ckks.SumRotatedProducts, sumRotatedProducts)
}

// rotationsAtOnce bounds how many rotated ciphertexts are held at a time.
const rotationsAtOnce = 8

// productSum adds products of ciphertexts and plaintexts to its result.
type productSum struct {
	*Job
	groups, terms int
	plaintexts    []*ckks.Value // by group, then term
	moduli        []*ring.Modulus
}

func (j *Job) productSum(plaintexts []*ckks.Value, terms int) productSum {
	return productSum{j, len(plaintexts) / terms, terms, plaintexts, j.tables.moduli(spanOf(j.Out[0].State))}
}

// add sets member (g, b) of the result, for every group g, to itself plus the
// sum of ciphertext t times plaintext (g, first+t), over the ciphertexts given
// by their components' NTT rows. Before the first term it counts as 0. The sum
// is reduced once.
func (s productSum) add(b, first int, ciphertexts [][]ring.Rows) {
	out := s.Out[0]
	size := out.BatchSize() / s.groups
	s.Group.Each(s.groups*out.Rows, func(i int) {
		g, r := i/out.Rows, i%out.Rows
		memory := scratch.NewBlock(len(ciphertexts), blockSize)
		defer memory.Free()
		a, x := make(ring.Rows, len(ciphertexts)), make(ring.Rows, len(ciphertexts))
		for from := 0; from < out.N; from += blockSize {
			for t := range ciphertexts {
				pt := s.plaintexts[g*s.terms+first+t]
				x[t] = plainBlock(memory.Rows[t], pt, member(pt, b), r, from)
			}
			for p := range out.Components {
				dst := row(out, p, g*size+b, r)[from : from+blockSize]
				for t, ct := range ciphertexts {
					a[t] = ct[p][r][from : from+blockSize]
				}
				if first > 0 {
					s.moduli[r].DotAdd(dst, a, x)
				} else {
					s.moduli[r].Dot(dst, a, x)
				}
			}
		}
	})
}

func sumPlaintextProducts(j *Job) error {
	terms := int(j.Call.Ints[1])
	s := j.productSum(j.In[terms:], terms)
	for b := range j.In[0].BatchSize() {
		ciphertexts := make([][]ring.Rows, terms)
		for t, ct := range j.In[:terms] {
			for p := range ct.Components {
				ciphertexts[t] = append(ciphertexts[t], ct.Poly(p, b))
			}
		}
		s.add(b, 0, ciphertexts)
	}
	return nil
}

// sumRotatedProducts decomposes each ciphertext once for all rotations.
func sumRotatedProducts(j *Job) error {
	ct, terms, identity := j.In[0], int(j.Call.Ints[1]), int(j.Call.Ints[2])
	plaintexts := j.In[len(j.In)-terms*int(j.Call.Ints[0]):]
	keys := make([]*ckks.Value, 0, terms) // nil for the identity
	for _, key := range j.In[1 : len(j.In)-len(plaintexts)] {
		if len(keys) == identity {
			keys = append(keys, nil)
		}
		keys = append(keys, key)
	}
	if len(keys) == identity {
		keys = append(keys, nil)
	}
	sums := j.productSum(plaintexts, terms)
	for b := range ct.BatchSize() {
		s := j.decompose(ct, b, true, terms > 1)
		for first := 0; first < terms; first += rotationsAtOnce {
			j.addRotated(sums, s, b, first, keys[first:min(terms, first+rotationsAtOnce)])
		}
		s.free()
	}
	return nil
}

// addRotated rotates a decomposed member b by some keys and adds the products.
func (j *Job) addRotated(sums productSum, s *switchable, b, first int, keys []*ckks.Value) {
	active := s.Active()
	memory := scratch.NewBlock(2*active*len(keys), j.config.N())
	defer memory.Free()
	rotated := make([][]ring.Rows, len(keys))
	for t, key := range keys {
		rows := memory.Rows[2*active*t:]
		if key == nil {
			s.Values(j.Group, rows)
			rotated[t] = []ring.Rows{s.base[0], rows[:active]}
			continue
		}
		rotated[t] = []ring.Rows{rows[:active], rows[active : 2*active]}
		s.apply(j.Group, j.keyRows(key, j.In[0].Depth), j.rotation(key), [2]ring.Rows(rotated[t]))
	}
	sums.add(b, first, rotated)
}
