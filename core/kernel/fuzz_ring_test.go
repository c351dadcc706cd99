package kernel_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/core/kernel"
	"fhelium/core/ring"
)

// Transforms and conversions, whose kernels are meant to be called in turn, are
// fuzzed as package ring calls them.

// tables keeps what one process has made: a transform's constants cost more than
// the transform.
var tables = map[[3]uint64]*ring.Table{}

func table(t testing.TB, logN int, which uint8, level kernel.Level) *ring.Table {
	all := primes(logN)
	key := [3]uint64{uint64(logN), all[int(which)%len(all)], uint64(level)}
	if tables[key] == nil {
		made, err := ring.NewTable(logN, key[1], level)
		require.NoError(t, err)
		tables[key] = made
	}
	return tables[key]
}

// transform fuzzes one direction from words, from words to floats and of floats,
// for degrees below and above a block that stays in the first cache.
func transform(f *testing.F, words func(*ring.Table, []uint64), from func(*ring.Table, ring.Work, []uint64), floats func(*ring.Table, ring.Work)) {
	seeds(f, func(data []byte) {
		for _, logN := range []uint8{0, 3, 7, 9, 10} {
			f.Add(logN, uint8(0), data)
			f.Add(logN, uint8(20), data)
		}
	})
	f.Fuzz(func(t *testing.T, size, which uint8, data []byte) {
		for _, level := range fuzzed(t) {
			logN := ring.MinLogN + int(size)%11
			definition, m := table(t, logN, which, kernel.Portable), table(t, logN, which, level)
			x := residues(data, 0, m.N(), m.Q)
			want, got := slices.Clone(x), slices.Clone(x)
			words(definition, want)
			words(m, got)
			require.Equal(t, want, got, "%v, modulo %d", level, m.Q)
			w := workOf(m.Modulus, x)
			floats(m, w)
			requireTable(t, want, m, w, level)
			from(m, w, x)
			requireTable(t, want, m, w, level)
		}
	})
}

// requireTable is requireWords of a row that a table computes with: those of small
// degrees are words at every level.
func requireTable(t *testing.T, want []uint64, m *ring.Table, got ring.Work, level kernel.Level) {
	t.Helper()
	if m.LogN >= kernel.MinLogN {
		requireNear(t, m.Modulus, got, level.String())
	}
	out := make([]uint64, len(want))
	m.Write(out, got)
	require.Equal(t, want, out, "%v, modulo %d, floats", level, m.Q)
}

// Mutant: a pass that takes its twiddles one node late.
func FuzzForward(f *testing.F) {
	transform(f, (*ring.Table).Forward, (*ring.Table).ForwardFrom, (*ring.Table).ForwardWork)
}

// Mutant: sums that are not reduced between two passes.
func FuzzInverse(f *testing.F) {
	transform(f, (*ring.Table).Inverse, (*ring.Table).InverseFrom, (*ring.Table).InverseWork)
}

// basis is some primes at two levels, each once, and one row of residues for each,
// in both forms.
type basis struct {
	definition, moduli []*ring.Modulus
	words              ring.Rows
	works              []ring.Work
}

func newBasis(t testing.TB, first, count, n int, data []byte, level kernel.Level) *basis {
	all := primes(5)
	b := &basis{}
	for k := range min(count, len(all)) {
		q := all[(first+k)%len(all)]
		m := at(t, q, level)
		row := residues(data, k, n, q)
		b.definition, b.moduli = append(b.definition, at(t, q, kernel.Portable)), append(b.moduli, m)
		b.words, b.works = append(b.words, row), append(b.works, workOf(m, row))
	}
	return b
}

func empty(count, n int) (rows ring.Rows) {
	for range count {
		rows = append(rows, make([]uint64, n))
	}
	return rows
}

func basisSeeds(f *testing.F) {
	seeds(f, func(data []byte) {
		for _, dropped := range []uint8{0, 1, 2, 3, 7, 11, 22} {
			f.Add(uint8(0), dropped, uint8(9), dropped&1 == 0, dropped&2 == 0, data)
		}
	})
}

// From 1 … 24 primes to two others, of words and of floats: the digits and their
// combination. Mutants: a combination that is not reduced; a digit that is not
// canonical.
func FuzzConversion(f *testing.F) {
	basisSeeds(f)
	f.Fuzz(func(t *testing.T, first, dropped, length uint8, floor, floats bool, data []byte) {
		for _, level := range fuzzed(t) {
			n, count := steps(length), int(dropped)%24+1
			b := newBasis(t, int(first), count+2, n, data, level)
			definition, err := ring.NewConversion(b.definition[:count], b.definition[count:])
			require.NoError(t, err)
			c, err := ring.NewConversion(b.moduli[:count], b.moduli[count:])
			require.NoError(t, err)
			want, got := ring.NewWorks(empty(2, n)), ring.NewWorks(empty(2, n))
			source := ring.Source{Words: b.words[:count]}
			definition.Apply(nil, want, source, floor)
			if floats {
				source = ring.Source{Work: b.works[:count]}
			}
			c.Apply(nil, got, source, floor)
			for j, w := range got {
				requireWords(t, want[j].Memory(), b.moduli[count+j], w, level.String())
			}
		}
	})
}

// A division's quotients, of words and of floats, and with something added.
// Mutant: a quotient whose sum is not reduced.
func FuzzQuotient(f *testing.F) {
	basisSeeds(f)
	f.Fuzz(func(t *testing.T, first, dropped, length uint8, add, floats bool, data []byte) {
		for _, level := range fuzzed(t) {
			n, count := steps(length), int(dropped)%4+1
			b := newBasis(t, int(first), count+2, n, data, level)
			definition, err := ring.NewDivision(b.definition[:count], b.definition[count:])
			require.NoError(t, err)
			d, err := ring.NewDivision(b.moduli[:count], b.moduli[count:])
			require.NoError(t, err)
			x := ring.Dividend{Dropped: ring.Source{Words: b.words[:count]}, Kept: ring.Source{Words: b.words[count:]}}
			if add {
				x.Add = newBasis(t, int(first), count+2, n, append([]byte{7}, data...), level).words[count:]
			}
			want, got := empty(2, n), empty(2, n)
			definition.Apply(nil, want, x, false)
			if floats {
				x.Dropped, x.Kept = ring.Source{Work: b.works[:count]}, ring.Source{Work: b.works[count:]}
			}
			d.Apply(nil, got, x, false)
			require.Equal(t, want, got, "%v, modulo %d", level, b.moduli[count].Q)
			if !floats {
				d.Apply(nil, b.words[count:], x, false) // in place
				require.Equal(t, want, b.words[count:], "%v, in place", level)
			}
		}
	})
}

// An automorphism of values moves fours of words. Mutant: one order for every turn.
func FuzzPermute(f *testing.F) {
	seeds(f, func(data []byte) {
		for _, galois := range []uint16{1, 5, 0xffff, 0x1234} {
			f.Add(uint8(2), galois, data)
			f.Add(uint8(0), galois, data)
		}
	})
	f.Fuzz(func(t *testing.T, size uint8, galois uint16, data []byte) {
		for _, level := range fuzzed(t) {
			logN := ring.MinLogN + int(size)%9
			sigma, err := ring.NewAutomorphism(logN, uint64(galois)&(2<<logN-1)|1)
			require.NoError(t, err)
			definition, m := modulus(t, 0, level)
			x := residues(data, 0, 1<<logN, m.Q)
			want, got := make([]uint64, len(x)), make([]uint64, len(x))
			sigma.NTT(definition, want, x)
			sigma.NTT(m, got, x)
			require.Equal(t, want, got, "%v, %d modulo %d", level, sigma.Galois, 2<<logN)
		}
	})
}

// Division in the NTT domain, with an image: its last kernel moves what it writes.
// Mutant: the moves of another automorphism.
func FuzzPermutedQuotient(f *testing.F) {
	seeds(f, func(data []byte) {
		f.Add(uint8(0), uint16(5), true, data)
		f.Add(uint8(2), uint16(0xffff), false, data)
	})
	f.Fuzz(func(t *testing.T, size uint8, galois uint16, add bool, data []byte) {
		for _, level := range fuzzed(t) {
			logN := kernel.MinLogN + int(size)%4
			sigma, err := ring.NewAutomorphism(logN, uint64(galois)&(2<<logN-1)|1)
			require.NoError(t, err)
			var rows [2]ring.Rows
			for i, at := range []kernel.Level{kernel.Portable, level} {
				rows[i] = imageOfQuotient(t, logN, at, sigma, add, data)
			}
			require.Equal(t, rows[0], rows[1], "%v, %d modulo %d", level, sigma.Galois, 2<<logN)
		}
	})
}

// imageOfQuotient divides by one prime of three, from and to the NTT domain.
func imageOfQuotient(t *testing.T, logN int, level kernel.Level, sigma *ring.Automorphism, add bool, data []byte) ring.Rows {
	var all []*ring.Table
	var moduli []*ring.Modulus
	var works []ring.Work
	var words ring.Rows
	for k := range 3 {
		m := table(t, logN, uint8(k), level)
		row := residues(data, k, m.N(), m.Q)
		all, moduli, words, works = append(all, m), append(moduli, m.Modulus), append(words, row), append(works, workOf(m.Modulus, row))
	}
	d, err := ring.NewDivision(moduli[:1], moduli[1:])
	require.NoError(t, err)
	x := ring.Dividend{Dropped: ring.Source{Work: works[:1]}, Kept: ring.Source{Work: works[1:]}, Image: sigma}
	x.NTT = &ring.DivTables{Dropped: all[:1], Kept: all[1:]}
	if add {
		x.Add = words[1:]
	}
	out := empty(2, 1<<logN)
	d.Apply(nil, out, x, false)
	return out
}
