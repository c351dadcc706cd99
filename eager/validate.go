package eager

import (
	"fmt"

	"fhelium/ckks"
	"fhelium/core/refusal"
)

func init() { Implement(ckks.Validate, validate) }

// validate refuses a value with a residue that is not below its prime, naming
// the first. Values without rows pass. It is constant-time for valid values.
func validate(j *Job) error {
	v := j.In[0]
	if !v.Kind.HasRows() {
		return nil
	}
	rows := v.Polynomials() * v.BatchSize() * v.Rows
	return firstError(j.Group, rows, func(i int) error {
		w, id := v.Width(), v.First+i%v.Rows
		q := j.config.Modulus(id)
		if at := firstAbove(v.Words[i*w:(i+1)*w], q); at < w {
			return outOfRange(v, i, fmt.Sprintf("index %d", at), v.Words[i*w+at], q)
		}
		if v.Layout == ckks.StridedSparse && v.Kind == ckks.Compressed && v.Implicit[i] >= q {
			return outOfRange(v, i, "the implicit word", v.Implicit[i], q)
		}
		return nil
	})
}

// firstAbove is the index of the first word that is not below q, or the number
// of words. It branches on the words' validity alone.
func firstAbove(row []uint64, q uint64) int {
	bad := uint64(0)
	for _, x := range row {
		bad |= x | (q - 1 - x) // the top bit is set where x ≥ 2^63 or x > q-1
	}
	if bad>>63 == 0 {
		return len(row)
	}
	for i, x := range row {
		if x >= q {
			return i
		}
	}
	return len(row)
}

// outOfRange refuses row i of a value. A secret's number is not shown.
func outOfRange(v *ckks.Value, i int, where string, residue, q uint64) error {
	number := fmt.Sprintf("%d", residue)
	if v.Kind == ckks.SecretKey {
		number = "a number"
	}
	polynomial, member, id := i/v.Rows/v.BatchSize(), i/v.Rows%v.BatchSize(), v.First+i%v.Rows
	return refusal.New(ckks.ResidueInvalid,
		"%v, polynomial %d, batch member %d, prime id %d: %s holds %s, which is not below the prime %d; residues are plain, in 0..q-1, and never in Montgomery form",
		v.Kind, polynomial, member, id, where, number, q)
}
