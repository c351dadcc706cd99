package embed

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"fhelium/core/kernel"
	"fhelium/core/parallel"
	"fhelium/core/refusal"

	"github.com/stretchr/testify/require"
)

// primes gives the count largest primes below 2^bits.
func primes(bits, count int) []uint64 {
	var q []uint64
	for x := uint64(1)<<bits - 1; len(q) < count; x -= 2 {
		if new(big.Int).SetUint64(x).ProbablyPrime(0) {
			q = append(q, x)
		}
	}
	return q
}

func product(q []uint64) *big.Int {
	p := big.NewInt(1)
	for _, x := range q {
		p.Mul(p, new(big.Int).SetUint64(x))
	}
	return p
}

// mixed gives primes of sizes that alternate over the whole range.
func mixed(count int) []uint64 {
	var q []uint64
	pools := [][]uint64{primes(50, count), primes(20, count), primes(37, count)}
	for i := range count {
		q = append(q, pools[i%3][i])
	}
	return q
}

func residues(q []uint64, values []*big.Int) [][]uint64 {
	rows := makeRows(len(q), len(values))
	for i := range q {
		for k, v := range values {
			rows[i][k] = residue(v, q[i])
		}
	}
	return rows
}

// requireNearest reconstructs the integers and compares with math/big.
func requireNearest(t testing.TB, q []uint64, values []*big.Int) {
	t.Helper()
	r, err := NewReconstructor(q, level)
	require.NoError(t, err)
	rows, coef := residues(q, values), make([]float64, len(values))
	r.Apply(parallel.New(2), coef, rows)
	for k, v := range values {
		want, _ := new(big.Float).SetInt(v).Float64()
		if math.Float64bits(want) != math.Float64bits(coef[k]) {
			t.Fatalf("%v over %d moduli gives %g, not %g", v, len(q), coef[k], want)
		}
	}
}

// edges are the integers of |x| < Q/2 at which a digit, a word, a rounding or
// a sign changes.
func edges(q []uint64) []*big.Int {
	Q := product(q)
	half := new(big.Int).Rsh(Q, 1)
	values := []*big.Int{big.NewInt(0), half}
	add := func(x *big.Int) {
		for d := int64(-2); d <= 2; d++ {
			values = append(values, new(big.Int).Add(x, big.NewInt(d)))
		}
	}
	for bits := range Q.BitLen() {
		power := new(big.Int).Lsh(big.NewInt(1), uint(bits))
		add(power)
		if bits > 53 { // the middle between two floats, even and odd
			tie := new(big.Int).Lsh(big.NewInt(1), uint(bits-53))
			add(new(big.Int).Add(power, tie))
			add(new(big.Int).Add(power, tie.Mul(tie, big.NewInt(3))))
		}
	}
	for k := range q {
		add(product(q[:k]))
		add(new(big.Int).Rsh(product(q[:k]), 1))
	}
	add(half)
	var inside []*big.Int
	for _, v := range values {
		if v.CmpAbs(half) <= 0 {
			inside = append(inside, v, new(big.Int).Neg(v))
		}
	}
	return inside
}

func TestReconstructEdges(t *testing.T) {
	for _, q := range [][]uint64{{3}, {65537}, {1<<50 - 27}, {3, 5, 7}, primes(20, 2), primes(50, 2), primes(40, 5), mixed(7), mixed(26)} {
		requireNearest(t, q, edges(q))
	}
}

// TestReconstructTwoDigits has integers up to half the product of two moduli,
// which kernels find, and one beyond it at every place, which they leave. Mutants:
// digits that are not centred; Equals of the first vector alone; no Equals.
func TestReconstructTwoDigits(t *testing.T) {
	for _, q := range [][]uint64{{3}, {1<<50 - 27}, primes(50, 2), {1<<50 - 27, 3}, {3, 1<<50 - 27}, {3, 5, 7}, primes(50, 3), primes(40, 5), mixed(7), mixed(26)} {
		two := q[:min(2, len(q))]
		values := edges(two)
		for len(values)%kernel.Step != 0 {
			values = append(values, big.NewInt(0))
		}
		requireNearest(t, q, values)
		r, err := NewReconstructor(q, level)
		require.NoError(t, err)
		if level == kernel.Portable {
			continue
		}
		coef := make([]float64, min(len(values), fastTile)/kernel.Step*kernel.Step)
		require.True(t, r.fast.apply(coef, residues(q, values), 0))
		if len(q) == len(two) {
			continue
		}
		beyond := new(big.Int).Rsh(product(two), 1)
		beyond.Add(beyond, big.NewInt(1))
		values = values[:kernel.Step*2]
		for k := range values {
			before := values[k]
			for _, x := range []*big.Int{beyond, new(big.Int).Neg(beyond)} {
				values[k] = x
				requireNearest(t, q, values)
				require.False(t, r.fast.apply(coef[:len(values)], residues(q, values), 0))
			}
			values[k] = before
		}
	}
}

// TestReconstructLongChain has 110 primes of 50 bits: magnitudes pass the range
// of float64.
func TestReconstructLongChain(t *testing.T) {
	q := primes(50, 110)
	r := rand.New(rand.NewPCG(5, 5))
	var values []*big.Int
	for bits := 1; bits < 5498; bits += 13 {
		v := new(big.Int)
		for range bits/64 + 1 {
			v.Lsh(v, 64)
			v.Or(v, new(big.Int).SetUint64(r.Uint64()))
		}
		v.Rsh(v, uint(v.BitLen()-min(bits, v.BitLen())))
		values = append(values, v, new(big.Int).Neg(v))
	}
	limit := new(big.Int).Lsh(big.NewInt(1), 1024)
	for _, below := range []int64{0, 1 << 62} { // around the rounding to infinity
		v := new(big.Int).Sub(limit, new(big.Int).Lsh(big.NewInt(1), 970))
		v.Sub(v, big.NewInt(below))
		values = append(values, v, new(big.Int).Neg(v))
	}
	half := new(big.Int).Rsh(product(q), 1)
	values = append(values, half, new(big.Int).Neg(half))
	requireNearest(t, q, values)
}

// TestReconstructOneLarge hides one large coefficient at every place of a tile
// of small ones, and fills lengths around the tile's.
func TestReconstructOneLarge(t *testing.T) {
	q := primes(40, 6)
	large := new(big.Int).Rsh(product(q), 2)
	for _, n := range []int{1, tile - 1, tile, tile + 1, 2*tile + 1, fastTile} {
		for place := 0; place < n; place += 21 {
			values := make([]*big.Int, n)
			for k := range values {
				values[k] = big.NewInt(int64(k) - 40)
			}
			values[place] = large
			requireNearest(t, q, values)
		}
	}
	requireNearest(t, q, nil)
}

func TestNewReconstructorRefuses(t *testing.T) {
	for _, q := range [][]uint64{nil, {}, {1}, {2}, {4}, {0}, {1<<50 + 55}, {15, 21}, {7, 7}, make([]uint64, MaxModuli+1)} {
		_, err := NewReconstructor(q, level)
		require.Equal(t, ReconstructModuli, refusal.CodeOf(err), "%v", q)
	}
	r, err := NewReconstructor([]uint64{7, 11}, level)
	require.NoError(t, err)
	require.Panics(t, func() { r.Apply(nil, make([]float64, 2), makeRows(1, 2)) })
	require.Panics(t, func() { r.Apply(nil, make([]float64, 2), makeRows(2, 3)) })
}

// TestFitsIsExact: refusing a value that fits is as wrong as keeping one that
// does not.
func TestFitsIsExact(t *testing.T) {
	require.True(t, Fits(8, []uint64{17}))
	require.False(t, Fits(8.5, []uint64{17}))
	require.False(t, Fits(9, []uint64{17}))
	require.True(t, Fits(7, []uint64{16}))
	require.False(t, Fits(8, []uint64{16}))
	require.True(t, Fits(0, []uint64{3}))
	require.True(t, Fits(0.25, nil))
	require.False(t, Fits(0.5, nil))
	require.False(t, Fits(math.NaN(), []uint64{17}))
	require.False(t, Fits(math.Inf(1), primes(50, 110)))
	require.True(t, Fits(math.MaxFloat64, primes(50, 110)))
	for _, q := range [][]uint64{primes(50, 2), primes(50, 3), mixed(20)} {
		half := new(big.Float).SetInt(product(q))
		half.SetMantExp(half, -1)
		below, accuracy := half.Float64()
		if accuracy == big.Above {
			below = math.Nextafter(below, 0)
		}
		require.True(t, Fits(below, q))
		require.False(t, Fits(math.Nextafter(below, math.Inf(1)), q))
	}
}

// FuzzRoundTrip sends float64-held integers through residues and back, over
// chains whose product they fit and not.
func FuzzRoundTrip(f *testing.F) {
	chains := [][]uint64{primes(50, 1), primes(20, 4), mixed(9), primes(40, 30)}
	f.Add(uint64(0), uint8(0))
	f.Add(math.Float64bits(-0x1p63), uint8(1))
	f.Add(math.Float64bits(0x1.fffffffffffffp1000), uint8(3))
	f.Add(math.Float64bits(12345), uint8(2))
	f.Fuzz(func(t *testing.T, word uint64, choice uint8) {
		c := math.Trunc(math.Float64frombits(word))
		if math.IsNaN(c) || math.IsInf(c, 0) {
			return
		}
		q := chains[int(choice)%len(chains)]
		rows, back := makeRows(len(q), 1), []float64{0}
		toRows(t, rows, q, []float64{c})
		exact, _ := big.NewFloat(c).Int(nil)
		for i := range q {
			require.Equal(t, residue(exact, q[i]), rows[i][0])
		}
		r, err := NewReconstructor(q, level)
		require.NoError(t, err)
		r.Apply(nil, back, rows)
		if Fits(math.Abs(c), q) {
			require.Equal(t, c, back[0])
		}
		Q := product(q)
		exact.Mod(exact, Q)
		if exact.Cmp(new(big.Int).Rsh(Q, 1)) > 0 {
			exact.Sub(exact, Q)
		}
		want, _ := new(big.Float).SetInt(exact).Float64()
		require.Equal(t, want, back[0])
	})
}

func BenchmarkReconstruct(b *testing.B) {
	const n = 1 << 16
	q := primes(40, 35)
	r, _ := NewReconstructor(q, level)
	rows, coef, random := makeRows(len(q), n), make([]float64, n), rand.New(rand.NewPCG(1, 2))
	for k := range coef {
		coef[k] = float64(int64(random.Uint64()) >> 10)
	}
	toRows(b, rows, q, coef)
	b.Run("small", func(b *testing.B) {
		for b.Loop() {
			r.Apply(nil, coef, rows)
		}
	})
	for i := range rows {
		for k := range rows[i] {
			rows[i][k] = random.Uint64N(q[i])
		}
	}
	b.Run("random", func(b *testing.B) {
		for b.Loop() {
			r.Apply(nil, coef, rows)
		}
	})
}

// Per modulus the constants of its arithmetic, one inverse, and a word for each
// modulus up to it.
func TestReconstructorBytes(t *testing.T) {
	r, err := NewReconstructor([]uint64{3, 5, 7}, level)
	require.NoError(t, err)
	want := 3*8*(1+2*2+1) + 3*16 + 8*(1+2+3)
	if level != kernel.Portable {
		want += 136 + 3*512 + 2*16 // two digits; their kernels' constants; two factors of the third
	}
	require.Equal(t, want, r.Bytes())
}

// Scratch memory keeps no digits of a message. Mutant: give it back as it is.
func TestReconstructionIsWiped(t *testing.T) {
	r, err := NewReconstructor([]uint64{11, 13, 17}, level)
	require.NoError(t, err)
	s := &reconstruction{digits: make([]uint64, 3*tile)}
	r.scratch.New = func() any { return s }
	coef := make([]float64, 2)
	r.Apply(nil, coef, [][]uint64{{10, 7}, {12, 8}, {16, 9}})
	require.Equal(t, -1.0, coef[0])
	require.Equal(t, &reconstruction{digits: make([]uint64, 3*tile)}, s)
	if level == kernel.Portable {
		return
	}
	fast := new([3 * fastTile]float64)
	r.fast.scratch.New = func() any { return fast }
	values := make([]*big.Int, kernel.Step)
	for k := range values {
		values[k] = big.NewInt(60)
	}
	coef = make([]float64, kernel.Step)
	require.True(t, r.fast.apply(coef, residues([]uint64{11, 13, 17}, values), 0))
	require.Equal(t, 60.0, coef[0])
	require.Zero(t, *fast)
	values[0] = big.NewInt(502)
	require.False(t, r.fast.apply(coef, residues([]uint64{11, 13, 17}, values), 0))
	require.Zero(t, *fast)
}
