package eager

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/ckks"
)

// Ties go to the even integer, products are exact beyond 2^63 and below 1.
// Mutant: compare with side >= 0.
func TestScaledInteger(t *testing.T) {
	for _, c := range []struct {
		x, scale float64
		want     string
	}{
		{0.5, 1, "0"}, {1.5, 1, "2"}, {2.5, 1, "2"}, {-0.5, 1, "0"}, {-1.5, 1, "-2"}, {-2.5, 1, "-2"}, {-3.5, 1, "-4"},
		{0, 0x1p40, "0"}, {math.SmallestNonzeroFloat64, 1, "0"}, {math.SmallestNonzeroFloat64, 0x1p1023, "0"},
		{math.Nextafter(0.5, 1), 1, "1"}, {-math.Nextafter(0.5, 1), 1, "-1"}, {math.Nextafter(2.5, 0), 1, "2"},
		{1, 0x1p80, "1208925819614629174706176"}, {-1, 0x1p80, "-1208925819614629174706176"},
		{0x1p53 + 2, 0x1p53 + 2, "81129638414606717724586024108036"}, // 2^106 + 2^55 + 4
		{0x1p52 + 1, 1 + 0x1p-52, "4503599627370498"},                // 2^52 + 2 + 2^-52
		{0x1p52 + 1, 0.5, "2251799813685248"},                        // a tie, 2^51 is even
		{0x1p52 + 3, 0.5, "2251799813685250"},                        // a tie, 2^51 + 1 is odd
	} {
		want, ok := new(big.Int).SetString(c.want, 10)
		require.True(t, ok)
		require.Zero(t, want.Cmp(scaledInteger(c.x, c.scale)), "%v·%v: %v", c.x, c.scale, scaledInteger(c.x, c.scale))
	}
}

// A constant reaches coefficient 0, or every value in the NTT domain, of
// component 0 alone. Mutant: add to dst[:2].
func TestAddScalar(t *testing.T) {
	b := newBench(t, testConfig(t, 10))
	for _, domain := range []ckks.Domain{ckks.Coefficient, ckks.NTT} {
		for pattern := range patterns {
			s := b.whole(0, ckks.QP, domain, 2, 2)
			s.Scale = 0x1p80
			in := b.filled(s, pattern, 1)
			for _, x := range []float64{1, -1, 3.25, -0x1p-60, 0} {
				a := ckks.AddConstant
				if domain == ckks.Coefficient {
					a = ckks.AddScalar
				}
				integer := new(big.Rat).SetFloat64(x * 0x1p80).Num()
				equalRows(t, b.rowLocal(a.With().At(x, 0x1p80), in), b, func(q uint64, p, m, r, i int) uint64 {
					y := row(in, p, m, r)[i]
					if p > 0 || domain == ckks.Coefficient && i > 0 {
						return y
					}
					modulus := new(big.Int).SetUint64(q)
					return (y + modulus.Mod(integer, modulus).Uint64()) % q
				})
			}
		}
	}
}

// Both multiplications are by an integer, exactly. Mutant: the absolute value.
func TestMultiplyByNumbers(t *testing.T) {
	b := newBench(t, testConfig(t, 10))
	for _, pattern := range []string{"largest", "random"} {
		in := b.filled(b.whole(1, ckks.QP, ckks.Coefficient, 3, 2), pattern, 1)
		for _, x := range []int64{1, -1, 3, math.MaxInt64, math.MinInt64} {
			by := func(q uint64, p, m, r, i int) uint64 {
				modulus := new(big.Int).SetUint64(q)
				return times(row(in, p, m, r)[i], modulus.Mod(big.NewInt(x), modulus).Uint64(), q)
			}
			equalRows(t, b.rowLocal(ckks.MultiplyInteger.With(x), in), b, by)
			if x > -100 && x < 100 {
				out := b.rowLocal(ckks.MultiplyScalar.With().At(float64(x)/0x1p30, 0x1p30), in)
				require.Equal(t, in.Scale*0x1p30, out.Scale)
				equalRows(t, out, b, by)
			}
		}
	}
}
