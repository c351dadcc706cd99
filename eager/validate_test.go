package eager

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/ckks"
	"fhelium/core/parallel"
)

// Every kind with rows passes as made, and is refused with the place of its
// first residue that is not below its prime. Mutants: <= for < in
// firstAbove; show a secret's number.
func TestValidate(t *testing.T) {
	b := newBench(t, testConfig(t, 10))
	b.group = parallel.New(4)
	pt := b.encoded(message(randomSlots(1024, 1), 512, 2), ckks.QP, ckks.NTT)
	period := message(randomSlots(8, 1), 4, 2)
	values := []*ckks.Value{
		pt, b.secret, b.public,
		b.do(ckks.Encrypt, []int64{0}, nil, pt, b.public),
		b.do(ckks.EncryptSecret, nil, nil, pt, b.secret),
		b.do(ckks.EncodeCompressed, []int64{0, 0, 0}, []float64{0x1p30}, period),
		b.do(ckks.EncodeCompressed, []int64{0, 0, 1}, []float64{0x1p30}, period),
		b.do(ckks.CreateRotation, []int64{5}, nil, b.secret),
	}
	for _, v := range values {
		b.do(ckks.Validate, nil, nil, v)
		last := len(v.Words) - 1
		q := b.config.Modulus(v.First + v.Rows - 1)
		for _, bad := range []uint64{q, q + 1, 1 << 63, math.MaxUint64} {
			before := v.Words[last]
			v.Words[last], v.Words[last-1] = bad, q-1
			_, err := b.try(ckks.Validate, nil, nil, v)
			text := requireCode(t, err, ckks.ResidueInvalid)
			require.Contains(t, text, v.Kind.String())
			require.NotContains(t, text, "batch member -")
			v.Words[last] = before
		}
		b.do(ckks.Validate, nil, nil, v)
	}
	ct := values[3]
	row := ct.Poly(1, 0)[2]
	row[7], row[9], ct.Poly(1, 1)[0][0] = math.MaxUint64, math.MaxUint64, math.MaxUint64
	_, err := b.try(ckks.Validate, nil, nil, ct)
	require.Contains(t, requireCode(t, err, ckks.ResidueInvalid), "polynomial 1, batch member 0, prime id 2: index 7 holds")
	sparse := values[5]
	sparse.Implicit[sparse.Rows] = b.config.Modulus(0)
	_, err = b.try(ckks.Validate, nil, nil, sparse)
	require.Contains(t, requireCode(t, err, ckks.ResidueInvalid), "batch member 1, prime id 0: the implicit word")
	b.secret.Words[3] = 1 << 60
	_, err = b.try(ckks.Validate, nil, nil, b.secret)
	require.NotContains(t, requireCode(t, err, ckks.ResidueInvalid), "1152921504606846976")
	b.do(ckks.Validate, nil, nil, realMessage(1))
}
