package kernel_test

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"fhelium/core/kernel"
	"fhelium/core/ring"
)

// Each kernel gives the words of package ring's portable code, its definition, at
// every level that is there, for inputs that a fuzzer makes.
//
// An input is numbers: which prime, which length or degree, which operand the
// result takes the place of, and bytes that residues are made of. The seeds alone
// find the mutant that each target names.

// primes are two of each of some widths that suit a degree, the largest, or the
// next ones where a width has none; made once.
func primes(logN int) []uint64 {
	if made[logN] != nil {
		return made[logN]
	}
	var out []uint64
	for _, width := range []int{50, 49, 48, 45, 41, 40, 33, 32, 31, 30, 27, 24, 20, 14} {
		q, step := uint64(1)<<width, uint64(2)<<logN
		for range 2 {
			p, ok := ring.NextPrime(q, step, -1)
			if q = p; !ok {
				q, _ = ring.NextPrime(1<<width, step, 1)
			}
			if !slices.Contains(out, q) {
				out = append(out, q)
			}
		}
	}
	made[logN] = out
	return out
}

var made = map[int][]uint64{}

// fuzzed are the levels other than the definition's.
func fuzzed(t testing.TB) []kernel.Level {
	levels := kernel.Levels()[1:]
	if len(levels) == 0 {
		t.Skip("this processor or build has portable kernels alone")
	}
	return levels
}

// residues makes n residues modulo p of bytes, from a place on, over and over.
// Words of which the last byte is 0xf0 or more name an edge by the first.
func residues(data []byte, place, n int, p uint64) []uint64 {
	edges := []uint64{0, 1, p - 1, p / 2, p/2 + 1, p - 2, 2, p / 3}
	out := make([]uint64, n)
	for i := range out {
		w := word(data, place+i)
		if w>>56 >= 0xf0 {
			out[i] = edges[w%8]
		} else {
			out[i] = w % p
		}
	}
	return out
}

// word is 8 bytes from a place on.
func word(data []byte, place int) uint64 {
	var b [8]byte
	for k := range b {
		if len(data) > 0 {
			b[k] = data[(8*place+k)%len(data)]
		}
	}
	return binary.LittleEndian.Uint64(b[:])
}

// seeds adds every edge alone, two in turn, and words of no pattern.
func seeds(f *testing.F, add func(data []byte)) {
	edge := func(k int) []byte { return []byte{byte(k), 0, 0, 0, 0, 0, 0, 0xf0} }
	add(nil)
	for k := range 8 {
		add(edge(k))
		add(append(edge(k), edge(2)...))
	}
	for _, place := range []int{3, 6, 16} { // one in seventeen
		add(append(append(make([]byte, 8*place), edge(2)...), make([]byte, 8*(16-place))...))
	}
	add([]byte("residues of no pattern, an odd number of bytes: 0123456789 abcde"))
}

// modulus gives a prime of the least degree at two levels.
func modulus(t testing.TB, which uint8, level kernel.Level) (definition, m *ring.Modulus) {
	all := primes(5)
	q := all[int(which)%len(all)]
	return at(t, q, kernel.Portable), at(t, q, level)
}

func at(t testing.TB, q uint64, level kernel.Level) *ring.Modulus {
	m, err := ring.NewModulus(q, level)
	require.NoError(t, err)
	return m
}

// pointwise fuzzes a function of rows of any length, of which the result may be
// the first or the second operand. Words beside the result stay.
func pointwise(f *testing.F, run func(m *ring.Modulus, dst, a, b []uint64, s uint64)) {
	seeds(f, func(data []byte) {
		for alias := range uint8(3) {
			f.Add(uint8(0), uint8(77), alias, data)
			f.Add(uint8(20), uint8(16), alias, data)
		}
	})
	f.Fuzz(func(t *testing.T, which, length, alias uint8, data []byte) {
		for _, level := range fuzzed(t) {
			definition, m := modulus(t, which, level)
			n, q := int(length), m.Q
			s := word(data, 3*n)
			a, b, d := residues(data, 0, n, q), residues(data, n, n, q), residues(data, 2*n, n+2, q)
			want := slices.Clone(d)
			run(definition, want[1:n+1], a, b, s)
			got := slices.Clone(d)
			dst := got[1 : n+1]
			switch alias % 3 {
			case 1:
				want = slices.Clone(d)
				copy(want[1:], a)
				run(definition, want[1:n+1], slices.Clone(a), b, s)
				copy(dst, a)
				a = dst
			case 2:
				want = slices.Clone(d)
				copy(want[1:], b)
				run(definition, want[1:n+1], a, slices.Clone(b), s)
				copy(dst, b)
				b = dst
			}
			run(m, dst, a, b, s)
			require.Equal(t, want, got, "%v, modulo %d, alias %d", level, q, alias%3)
		}
	})
}

// Mutant: a vector that is chosen by its neighbour's sign.
func FuzzAdd(f *testing.F) {
	pointwise(f, func(m *ring.Modulus, dst, a, b []uint64, _ uint64) { m.Add(dst, a, b) })
}

// Mutant: as in FuzzAdd.
func FuzzSub(f *testing.F) {
	pointwise(f, func(m *ring.Modulus, dst, a, b []uint64, _ uint64) { m.Sub(dst, a, b) })
}

// streaming runs what writes past the caches in a place that it takes.
func streaming(run func(m *ring.Modulus, dst, a, b []uint64)) func(m *ring.Modulus, dst, a, b []uint64, s uint64) {
	return func(m *ring.Modulus, dst, a, b []uint64, _ uint64) {
		memory := make([]uint64, len(dst)+8)
		row := memory[-uintptr(unsafe.Pointer(&memory[0]))%64/8:][:len(dst)]
		run(m, row, a, b)
		copy(dst, row)
	}
}

// Mutant: as in FuzzAdd.
func FuzzAddStreaming(f *testing.F) { pointwise(f, streaming((*ring.Modulus).AddStreaming)) }

// Mutant: as in FuzzAdd.
func FuzzSubStreaming(f *testing.F) { pointwise(f, streaming((*ring.Modulus).SubStreaming)) }

// Mutant: store without the correction of the sign.
func FuzzMul(f *testing.F) {
	pointwise(f, func(m *ring.Modulus, dst, a, b []uint64, _ uint64) { m.Mul(dst, a, b) })
}

// Mutant: a multiple of the modulus that is added.
func FuzzMulScalar(f *testing.F) {
	pointwise(f, func(m *ring.Modulus, dst, a, _ []uint64, s uint64) { m.MulScalar(dst, a, s) })
}

// The result's row is added to, a row of its own or that of the operand. Mutant:
// as in FuzzMul.
func FuzzMulScalarAdd(f *testing.F) {
	pointwise(f, func(m *ring.Modulus, dst, a, _ []uint64, s uint64) { m.MulScalarAdd(dst, a, s) })
}

// Mutant: as in FuzzMul.
func FuzzSubMulScalar(f *testing.F) {
	pointwise(f, func(m *ring.Modulus, dst, a, b []uint64, s uint64) { m.SubMulScalar(dst, a, b, s) })
}

// Sums of 1 … 24 products, fresh and added. Mutant: sums that are not reduced.
func FuzzDot(f *testing.F) {
	seeds(f, func(data []byte) {
		for _, rows := range []uint8{0, 7, 8, 23} {
			f.Add(uint8(0), uint8(33), rows, rows == 8, data)
		}
	})
	f.Fuzz(func(t *testing.T, which, length, rows uint8, add bool, data []byte) {
		for _, level := range fuzzed(t) {
			definition, m := modulus(t, which, level)
			n := int(length)
			a, b := many(data, int(rows)%24+1, n, m.Q)
			want := residues(data, 5, n, m.Q)
			got := slices.Clone(want)
			if add {
				definition.DotAdd(want, a, b)
				m.DotAdd(got, a, b)
			} else {
				definition.Dot(want, a, b)
				m.Dot(got, a, b)
			}
			require.Equal(t, want, got, "%v, modulo %d, %d rows", level, m.Q, len(a))
		}
	})
}

// many is two operands of some rows.
func many(data []byte, rows, n int, q uint64) (a, b ring.Rows) {
	for k := range rows {
		a, b = append(a, residues(data, k, n, q)), append(b, residues(data, k+1, n, q))
	}
	return a, b
}

// Integers of any size, of which those from 2^51 on are not the kernels'. Mutant:
// look at the last vector alone.
func FuzzFromInt64(f *testing.F) {
	seeds(f, func(data []byte) {
		for _, size := range []uint8{1, 50, 51, 52, 63} {
			f.Add(uint8(0), uint8(35), size, data)
			f.Add(uint8(25), uint8(16), size, data)
		}
	})
	f.Fuzz(func(t *testing.T, which, length, size uint8, data []byte) {
		for _, level := range fuzzed(t) {
			definition, m := modulus(t, which, level)
			src := make([]int64, length)
			for i := range src {
				src[i] = int64(word(data, i)) >> (63 - size%64)
			}
			want, got := make([]uint64, length), make([]uint64, length)
			definition.FromInt64(want, src)
			m.FromInt64(got, src)
			require.Equal(t, want, got, "%v, modulo %d", level, m.Q)
		}
	})
}

// steps is a length that rows of floats can have.
func steps(length uint8) int { return kernel.Step * (int(length)%16 + 1) }

// workOf is words in the form of a level.
func workOf(m *ring.Modulus, words []uint64) ring.Work {
	w := ring.NewWorks(ring.Rows{make([]uint64, len(words))})[0]
	m.Read(w, words)
	return w
}

// requireWords demands that a row is near 0, stands for words, and may be written
// over itself.
func requireWords(t *testing.T, want []uint64, m *ring.Modulus, got ring.Work, label string) {
	t.Helper()
	requireNear(t, m, got, label)
	out := make([]uint64, len(want))
	m.Write(out, got)
	require.Equal(t, want, out, "%s, modulo %d", label, m.Q)
	m.Write(got.Memory(), got)
	require.Equal(t, want, got.Memory(), "%s, modulo %d, in place", label, m.Q)
}

// requireNear demands |x| ≤ (q+1)/2.
func requireNear(t *testing.T, m *ring.Modulus, got ring.Work, label string) {
	t.Helper()
	for _, word := range got.Memory() {
		if x := math.Float64frombits(word); !(math.Abs(x) <= float64(m.Q/2+1)) {
			require.Fail(t, "a float is not reduced", "%v modulo %d, %s", x, m.Q, label)
		}
	}
}

// Mutant: read without the reduction, for words beyond half of the prime.
func FuzzReadWrite(f *testing.F) {
	seeds(f, func(data []byte) { f.Add(uint8(0), uint8(3), data); f.Add(uint8(27), uint8(0), data) })
	f.Fuzz(func(t *testing.T, which, length uint8, data []byte) {
		for _, level := range fuzzed(t) {
			_, m := modulus(t, which, level)
			x := residues(data, 0, steps(length), m.Q)
			requireWords(t, x, m, workOf(m, x), level.String())
		}
	})
}

// Mutant: a sum that is not reduced.
func FuzzMulScalarAddWork(f *testing.F) {
	seeds(f, func(data []byte) { f.Add(uint8(0), uint8(3), data); f.Add(uint8(27), uint8(0), data) })
	f.Fuzz(func(t *testing.T, which, length uint8, data []byte) {
		for _, level := range fuzzed(t) {
			definition, m := modulus(t, which, level)
			n := steps(length)
			want, a, s := residues(data, 0, n, m.Q), residues(data, 1, n, m.Q), word(data, 7)
			got := workOf(m, want)
			definition.MulScalarAdd(want, a, s)
			m.MulScalarAddWork(got, a, s)
			requireWords(t, want, m, got, level.String())
		}
	})
}

// Mutant: one right side for both sums.
func FuzzDotPair(f *testing.F) {
	seeds(f, func(data []byte) {
		for _, rows := range []uint8{0, 3, 10, 11, 23} {
			f.Add(uint8(0), uint8(2), rows, data)
		}
	})
	f.Fuzz(func(t *testing.T, which, length, rows uint8, data []byte) {
		for _, level := range fuzzed(t) {
			definition, m := modulus(t, which, level)
			n := steps(length)
			a, b := many(data, int(rows)%24+1, n, m.Q)
			_, d := many(data, len(a)+3, n, m.Q)
			d = d[3:]
			var left []ring.Work
			for _, row := range a {
				left = append(left, workOf(m, row))
			}
			x, y := make([]uint64, n), make([]uint64, n)
			definition.Dot(x, a, b)
			definition.Dot(y, a, d)
			works := ring.NewWorks(ring.Rows{make([]uint64, n), make([]uint64, n)})
			m.DotPair(works[0], works[1], left, b, d)
			requireWords(t, x, m, works[0], level.String())
			requireWords(t, y, m, works[1], level.String())
		}
	})
}

// Draws count the entries below the low 63 bits. Mutant: the top bit left in the
// comparison.
func FuzzDraws(f *testing.F) {
	f.Add(uint8(40), uint8(29), []byte("a table and words"))
	f.Add(uint8(16), uint8(1), []byte{0, 0, 0, 0, 0, 0, 0, 0x80})
	f.Add(uint8(31), uint8(3), []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Add(uint8(33), uint8(3), []byte{})
	f.Fuzz(func(t *testing.T, length, entries uint8, data []byte) {
		if len(fuzzed(t)) == 0 || entries == 0 {
			return
		}
		table := make([][4]int64, entries)
		for k := range table {
			x := int64(word(data, k) >> 1)
			table[k] = [4]int64{x, x, x, x}
		}
		var words []byte
		for i := range int(length) {
			words = binary.LittleEndian.AppendUint64(words, word(data, 3*i+1))
		}
		got := make([]int64, length)
		done := kernel.Draws(got, words, table)
		require.Equal(t, int(length)/kernel.Step*kernel.Step, done)
		for i, x := range got {
			want, w := int64(0), binary.LittleEndian.Uint64(words[8*i:])
			for k := range table {
				if i < done && table[k][0] < int64(w&(1<<63-1)) {
					want++
				}
			}
			if w>>63 == 1 {
				want = -want
			}
			require.Equal(t, want, x, "%x", w)
		}
	})
}

// Draws keep the words whose top bits are below q, in order, of as many as there is
// room for. Mutant: the order of the words of one set of lanes.
func FuzzUniform(f *testing.F) {
	f.Add(uint8(32), uint8(0), uint64(1<<50-27), []byte("random words, of which some are kept"))
	f.Add(uint8(16), uint8(16), uint64(1<<40+15), []byte{0xff, 0x80, 0, 0, 0, 0, 0, 0x40, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Add(uint8(255), uint8(3), uint64(3), []byte{0, 0, 0, 0, 0, 0, 0, 0xff, 0, 0, 0, 0, 0, 0, 0})
	f.Add(uint8(33), uint8(200), uint64(1)<<63-1, []byte{})
	f.Fuzz(func(t *testing.T, room, length uint8, q uint64, data []byte) {
		if len(fuzzed(t)) == 0 || q < 2 || q >= 1<<63 {
			return
		}
		var words []byte
		for i := range int(room/2) + int(length) {
			words = binary.LittleEndian.AppendUint64(words, word(data, i))
		}
		dst := make([]uint64, room)
		taken, kept := kernel.Uniform(dst, words, q)
		require.Equal(t, min(len(dst), len(words)/8)/kernel.Step*kernel.Step, taken)
		var want []uint64
		for i := range taken {
			if x := binary.LittleEndian.Uint64(words[8*i:]) >> (64 - bits.Len64(q-1)); x < q {
				want = append(want, x)
			}
		}
		require.Equal(t, len(want), kept)
		require.Equal(t, append([]uint64{}, want...), append([]uint64{}, dst[:kept]...))
	})
}

// Floats less integers of at most 2^51 in size. Mutant: a difference that is not
// reduced.
func FuzzSubIntegers(f *testing.F) {
	seeds(f, func(data []byte) {
		f.Add(uint8(0), uint8(3), uint8(51), data)
		f.Add(uint8(27), uint8(0), uint8(5), data)
	})
	f.Fuzz(func(t *testing.T, which, length, size uint8, data []byte) {
		for _, level := range fuzzed(t) {
			definition, m := modulus(t, which, level)
			x := residues(data, 0, steps(length), m.Q)
			a := make([]float64, len(x))
			for i := range a {
				a[i] = float64(int64(word(data, i+3)) >> (63 - size%52))
			}
			got := workOf(m, x)
			m.SubIntegers(got, a)
			definition.SubIntegers(ring.NewWorks(ring.Rows{x})[0], a)
			requireWords(t, x, m, got, level.String())
		}
	})
}
