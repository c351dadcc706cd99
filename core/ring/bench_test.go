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
		"muladd":    func() { m.MulAdd(z, x, y) },
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
