package ckks

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// sample is an admissible state of each kind, but for its dtype.
func sample(c *Config, k Kind) State {
	rows := c.NumQ() + c.NumP()
	s := State{Kind: k, Scale: 0x1p40, Domain: NTT, Basis: QP, Rows: rows, Components: 1, N: c.N(), Params: c.Fingerprint(), Key: ID{1}}
	switch {
	case k == Message:
		s.N = 3
	case k == Ciphertext:
		s.Components = 2
	case k == Compressed:
		s.Unique, s.Layout = 4, Contiguous
	case k.IsSwitch():
		s.Components = len(c.Digits())
	}
	return s
}

// Memory is read by its dtype, so each kind admits its own alone. Mutant: leave
// out any line of Kind.dtypes.
func TestAdmitDtype(t *testing.T) {
	c := testConfig(t)
	for k := Message; k < kinds; k++ {
		want := "int64"
		switch k {
		case Message:
			want = "float64 complex128"
		case Integers:
			want = "int64 float64"
		case Approximate:
			want = "float64"
		}
		got := []Dtype{}
		for d := Int64; d <= Complex128+1; d++ {
			s := sample(c, k)
			s.Dtype = d
			err := c.Admit(s)
			if err == nil {
				got = append(got, d)
				continue
			}
			require.ErrorContains(t, err, string(DtypeInvalid)+": the numbers of the "+k.String()+" are "+d.String())
		}
		require.Equal(t, "["+want+"]", fmt.Sprint(got), k)
	}
}

// No result counts more elements than a record can name. Mutant: multiply the
// axes without a bound, which gives 0 elements here.
func TestResultsAreBounded(t *testing.T) {
	c := testConfig(t)
	m := State{Kind: Message, Dtype: Float64, N: 1, Components: 1, Batch: []int{1 << 39}}
	require.False(t, m.oversized())
	_, err := EncodeRows.With(0, 0, 0, 0).At(0x1p40).Plan(c, []State{m})
	require.ErrorContains(t, err, string(BatchMismatch)+": encode_rows: the result would have more than 1099511627776 elements")
}
