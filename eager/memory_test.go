package eager

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/ckks"
	"fhelium/core/parallel"
	"fhelium/core/scratch"
)

// shape is what the peaks depend on: degree, limbs of Q that are active, special
// limbs, digits, limbs that a rescale drops, and workers.
type shape struct{ n, limbs, special, digits, dropped, workers int }

// padded is the words of a row of package scratch.
func (s shape) padded() int { return s.n + 24 }

// each is a row for every worker that has one of some items.
func (s shape) each(items int) int { return min(s.workers, items) }

// decomposed is the words of a decomposition, of a polynomial in the NTT domain: its
// rows twice, and those of the digits, which lie together for each.
func (s shape) decomposed() int {
	return 2*s.limbs*s.padded() + s.limbs*s.n + 24*s.digits
}

// sums is the words of an inner product's two halves.
func (s shape) sums() int { return 2 * (s.limbs + s.special) * s.padded() }

// divided is the words of a division by some limbs: their digits, and a remainder
// for each worker. Dropped rows that may not be overwritten are transformed in rows
// of their own.
func (s shape) divided(dropped, kept int, copied bool) int {
	rows := dropped + s.each(kept)
	if copied {
		rows += dropped
	}
	return rows * s.n
}

// peaks are the formulas of docs/memory.md, in words of 8 bytes, and the calls that
// they are of, in the NTT domain. This is the table to change when an operation
// borrows otherwise.
var peaks = []struct {
	name  string
	words func(s shape) int
	run   func(o operands) *ckks.Value
}{
	{"multiply", func(shape) int { return 0 }, func(o operands) *ckks.Value {
		return o.do(ckks.Multiply, nil, nil, o.two, o.two)
	}},
	{"relinearize", func(s shape) int {
		return s.decomposed() + s.sums() + max(s.each(s.limbs+s.special)*s.digits*s.padded(), s.divided(s.special, s.limbs, false))
	}, func(o operands) *ckks.Value {
		return o.do(ckks.Relinearize, []int64{int64(ckks.NTT)}, nil, o.three, o.relinearization)
	}},
	{"multiply, relinearize, rescale", func(s shape) int {
		return s.decomposed() + s.sums() + s.each(s.limbs+s.special)*s.digits*s.padded()
	}, func(o operands) *ckks.Value {
		return o.do(ckks.MultiplyRelinearizeRescale, []int64{int64(ckks.NTT)}, nil, o.factor, o.factor, o.relinearization)
	}},
	{"rotate", func(s shape) int {
		return s.decomposed() + s.sums() + max(s.each(s.limbs+s.special)*s.digits*s.padded(), s.divided(s.special, s.limbs, false))
	}, func(o operands) *ckks.Value {
		return o.do(ckks.Rotate, []int64{int64(ckks.NTT)}, nil, o.two, o.rotation)
	}},
	{"rotate, hoisted", func(s shape) int {
		return s.decomposed() + s.digits*(s.limbs+s.special)*s.padded() + s.sums() + s.divided(s.special, s.limbs, false)
	}, func(o operands) *ckks.Value {
		return o.do(ckks.RotateMany, []int64{int64(ckks.NTT)}, nil, o.two, o.rotation, o.rotation, o.rotation)
	}},
	{"rescale", func(s shape) int { return s.divided(s.dropped, s.limbs-s.dropped, true) }, func(o operands) *ckks.Value {
		return o.do(ckks.Rescale, []int64{0}, nil, o.scaled)
	}},
	{"encrypt, public key", func(s shape) int {
		rows := max(2*s.each(s.special), s.each(s.limbs))
		return (3+2*s.special)*s.n + max(rows*s.n, s.n+s.divided(s.special, s.limbs, true))
	}, func(o operands) *ckks.Value {
		return o.do(ckks.Encrypt, []int64{int64(ckks.NTT)}, nil, o.plaintext, o.public)
	}},
	{"encrypt, secret key", func(s shape) int { return (1 + 2*s.each(s.limbs)) * s.n }, func(o operands) *ckks.Value {
		return o.do(ckks.EncryptSecret, nil, nil, o.plaintext, o.secret)
	}},
	{"decrypt", func(s shape) int { return s.limbs * s.n }, func(o operands) *ckks.Value {
		return o.do(ckks.Decrypt, nil, []float64{0}, o.two, o.secret)
	}},
	{"encode", func(s shape) int { return s.n }, func(o operands) *ckks.Value {
		return o.encoded(o.message, ckks.Q, ckks.NTT)
	}},
	{"decode", func(s shape) int { return s.n }, func(o operands) *ckks.Value {
		return o.do(ckks.Decode, []int64{0}, nil, o.coefficients)
	}},
	{"make a secret key", func(s shape) int { return s.n }, func(o operands) *ckks.Value { return o.newSecret(2) }},
	{"make a public key", func(s shape) int { return (1 + s.each(s.limbs+s.special)) * s.n }, func(o operands) *ckks.Value {
		return o.do(ckks.CreatePublic, []int64{int64(ckks.QP)}, nil, o.secret)
	}},
	{"make a key-switch key", func(s shape) int {
		rows := s.limbs + s.special
		return (rows + s.digits + s.each(s.digits*rows)) * s.n
	}, func(o operands) *ckks.Value { return o.do(ckks.CreateRelinearization, nil, nil, o.secret) }},
}

// operands are values at depth 0 for every call.
type operands struct {
	*bench
	two, three, scaled, factor, plaintext, message, coefficients, relinearization, rotation *ckks.Value
}

func newOperands(t *testing.T, c *ckks.Config) operands {
	o := operands{bench: newBench(t, c)}
	o.message = message(randomSlots(c.Slots(), 1), c.Slots())
	o.plaintext = o.encoded(o.message, ckks.Q, ckks.NTT)
	o.two = o.do(ckks.Encrypt, []int64{int64(ckks.NTT)}, nil, o.plaintext, o.public)
	o.three = o.do(ckks.Multiply, nil, nil, o.two, o.two)
	scaled := *o.two
	scaled.Scale = 0x1p90
	factor := *o.two
	factor.Scale = 0x1p68
	o.scaled, o.factor = &scaled, &factor
	o.coefficients = o.do(ckks.Decrypt, nil, []float64{0}, o.two, o.secret)
	o.relinearization = o.do(ckks.CreateRelinearization, nil, nil, o.secret)
	o.rotation = o.do(ckks.CreateRotation, []int64{1}, nil, o.secret)
	return o
}

func shapeOf(c *ckks.Config, workers int) shape {
	return shape{c.N(), c.NumQ(), c.NumP(), len(c.Digits()), c.GroupStart(1), workers}
}

// What an operation borrows at its peak is the formula with one worker, and between
// that and the formula with more, of whom not all need to be busy at once. All comes
// back. Mutants: a formula without its sums; a block that is not freed; Lent
// without the peak.
func TestPeakScratch(t *testing.T) {
	for _, c := range []*ckks.Config{testConfig(t, 10), testConfig(t, 11, []int{40, 40}, []int{40}, []int{30, 30, 30})} {
		o := newOperands(t, c)
		for _, p := range peaks {
			serial := 8 * p.words(shapeOf(c, 1))
			for _, workers := range []int{1, 2, 3, 16} {
				o.group = parallel.New(workers)
				before := scratch.Held()
				scratch.ResetPeak()
				p.run(o)
				found := int(scratch.Peak() - before)
				require.Equal(t, before, scratch.Held(), p.name)
				require.GreaterOrEqual(t, found, serial, "%s, %d workers", p.name, workers)
				require.LessOrEqual(t, found, 8*p.words(shapeOf(c, workers)), "%s, %d workers", p.name, workers)
			}
			o.group = nil
		}
	}
}

// docs/memory.md says what the formulas give. Mutant: a number in the page.
func TestMemoryPage(t *testing.T) {
	page, err := os.ReadFile("../docs/memory.md")
	require.NoError(t, err)
	for _, p := range peaks {
		var numbers []string
		for _, workers := range []int{1, 8} {
			words := p.words(shape{1 << 14, 8, 2, 4, 1, workers})
			numbers = append(numbers, fmt.Sprintf("%.2f", float64(8*words)/(1<<20)))
		}
		require.Regexp(t, `(?m)^\| `+p.name+` \|.*\| `+strings.Join(numbers, ` \| `)+` \|$`, string(page))
	}
}
