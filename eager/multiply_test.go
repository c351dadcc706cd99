package eager

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/ckks"
)

// One division gives what relinearizing and rescaling give one after the other, to
// one unit, the same from three components as from two ciphertexts, and in both
// domains. Mutants: lift by P+1; leave out a cross product; drop the wrong group.
func TestMultiplyRelinearizeRescale(t *testing.T) {
	for _, leading := range [][]int{{40}, {30, 31}} {
		b := newBench(t, testConfig(t, 10, leading, []int{40}, []int{40, 45}))
		key := b.do(ckks.CreateRelinearization, nil, nil, b.secret)
		for depth := range 2 {
			s := b.whole(depth, ckks.Q, ckks.NTT, 2, 2)
			s.Scale = 0x1p36
			x, y := b.filled(s, "random", 1), b.filled(s, "random", 2)
			product := b.do(ckks.Multiply, nil, nil, x, y)
			want := b.do(ckks.Rescale, []int64{0}, nil, b.do(ckks.Relinearize, []int64{0}, nil, product, key))
			got := b.do(ckks.MultiplyRelinearizeRescale, []int64{0}, nil, x, y, key)
			require.Equal(t, want.State, got.State)
			require.LessOrEqual(t, b.distance(want, got), int64(1))
			require.Equal(t, got, b.do(ckks.RelinearizeRescale, []int64{0}, nil, product, key))
			ntt := b.do(ckks.MultiplyRelinearizeRescale, []int64{1}, nil, x, y, key)
			require.Equal(t, b.do(ckks.ToNTT, nil, nil, got), ntt)
		}
		last := b.whole(2, ckks.Q, ckks.NTT, 2)
		last.Scale = 0x1p20
		x := b.filled(last, "random", 3)
		_, err := b.try(ckks.MultiplyRelinearizeRescale, []int64{0}, nil, x, x, key)
		requireCode(t, err, ckks.LevelsExhausted)
	}
}

// distance is the largest difference of two ciphertexts' coefficients.
func (b *bench) distance(x, y *ckks.Value) int64 {
	largest := int64(0)
	whole := big.NewInt(1)
	for _, q := range b.moduli(x.State) {
		whole.Mul(whole, new(big.Int).SetUint64(q))
	}
	for p := range x.Components {
		for member := range x.BatchSize() {
			left, right := x.Poly(p, member), y.Poly(p, member)
			for i := range x.N {
				sum := new(big.Int)
				for r, q := range b.moduli(x.State) {
					modulus := new(big.Int).SetUint64(q)
					cofactor := new(big.Int).Div(whole, modulus)
					d := new(big.Int).SetUint64(left[r][i] + q - right[r][i])
					d.Mul(d, new(big.Int).ModInverse(cofactor, modulus)).Mod(d, modulus)
					sum.Add(sum, d.Mul(d, cofactor))
				}
				sum.Mod(sum, whole)
				if new(big.Int).Lsh(sum, 1).Cmp(whole) > 0 {
					sum.Sub(whole, sum)
				}
				if !sum.IsInt64() {
					return 1 << 62
				}
				largest = max(largest, sum.Int64())
			}
		}
	}
	return largest
}
