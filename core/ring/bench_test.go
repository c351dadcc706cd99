package ring

import (
	"fmt"
	"slices"
	"testing"
)

func benchmarkTable(b *testing.B, logN int) (*Table, []uint64) {
	table := testTables(b, logN)[0]
	return table, edgePatterns(table.Q, table.N())["random"]
}

func BenchmarkTransform(b *testing.B) {
	for _, logN := range []int{12, 13, 14, 16} {
		table, x := benchmarkTable(b, logN)
		b.Run(fmt.Sprintf("forward/logN=%d", logN), func(b *testing.B) {
			for b.Loop() {
				table.Forward(x)
			}
		})
		b.Run(fmt.Sprintf("inverse/logN=%d", logN), func(b *testing.B) {
			for b.Loop() {
				table.Inverse(x)
			}
		})
	}
}

func BenchmarkVector(b *testing.B) {
	m, x := benchmarkTable(b, 14)
	y, z := slices.Clone(x), slices.Clone(x)
	for name, f := range map[string]func(){
		"add":       func() { m.Add(z, x, y) },
		"mul":       func() { m.Mul(z, x, y) },
		"mulscalar": func() { m.MulScalar(z, x, 12345678901) },
		"reduce":    func() { m.Reduce(z, x) },
		"dot4":      func() { m.Dot(z, Rows{x, y, x, y}, Rows{x, y, y, x}) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
		})
	}
}

// 4 primes to 12 as in a key switch, and its division by 4.
func BenchmarkBasis(b *testing.B) {
	const logN = 14
	var tables []*Table
	var moduli []*Modulus
	for q := uint64(1 << 50); len(tables) < 16; {
		q, _ = NextPrime(q, 2<<logN, -1)
		table, err := NewTable(logN, q, level)
		if err != nil {
			b.Fatal(err)
		}
		tables, moduli = append(tables, table), append(moduli, table.Modulus)
	}
	rows := make(Rows, 16)
	for i, table := range tables {
		rows[i] = edgePatterns(table.Q, table.N())["random"]
	}
	conversion, err := NewConversion(moduli[:4], moduli[4:])
	if err != nil {
		b.Fatal(err)
	}
	division, err := NewDivision(moduli[:4], moduli[4:])
	if err != nil {
		b.Fatal(err)
	}
	automorphism, err := NewAutomorphism(logN, 5)
	if err != nil {
		b.Fatal(err)
	}
	works := NewWorks(emptyRows(12, 1<<logN))
	dividend := Dividend{Dropped: Source{Words: rows[:4]}, Kept: Source{Words: rows[4:]}}
	inNTT := dividend
	inNTT.NTT = &DivTables{tables[:4], tables[4:]}
	for name, f := range map[string]func(){
		"conversion":   func() { conversion.Apply(nil, works, dividend.Dropped, false) },
		"division":     func() { division.Apply(nil, rows[4:], dividend, false) },
		"divisionNTT":  func() { division.Apply(nil, rows[4:], inNTT, false) },
		"automorphism": func() { automorphism.NTT(tables[0].Modulus, rows[0], rows[1]) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
		})
	}
}
