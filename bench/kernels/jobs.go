package main

import (
	"math"
	"math/rand/v2"
	"unsafe"

	"fhelium/core/kernel"
	"fhelium/core/ring"
)

// job is a kernel at one level and degree.
type job struct {
	name    string
	note    string // what it does
	logN    int
	run     func()
	work    work
	streams []stream
	times   []float64 // nanoseconds an element, by round
}

// rowsLogN is the degree at which kernels on rows are measured, and digits what
// key switching has there: four, of two primes each.
const rowsLogN, digits, digitPrimes = 14, 4, 2

// jobs are all kernels at one level.
func jobs(level kernel.Level) []job {
	var out []job
	for logN := 12; logN <= 16; logN++ {
		out = append(out, transforms(level, logN)...)
	}
	return append(out, rowJobs(level)...)
}

// tables are those of the largest primes.
func tables(level kernel.Level, logN, count int) []*ring.Table {
	var out []*ring.Table
	for q := uint64(1 << ring.MaxBits); len(out) < count; {
		q, _ = ring.NextPrime(q, 2<<logN, -1)
		t, err := ring.NewTable(logN, q, level)
		if err != nil {
			panic(err)
		}
		out = append(out, t)
	}
	return out
}

// random is a row of residues modulo every prime of tables, or larger.
func random(logN int) []uint64 {
	r := rand.New(rand.NewPCG(1, 2))
	row := make([]uint64, 1<<logN)
	for i := range row {
		row[i] = r.Uint64N(1 << (ring.MaxBits - 1))
	}
	return row
}

func transforms(level kernel.Level, logN int) []job {
	t := tables(level, logN, 1)[0]
	row, floats := random(logN), ring.NewWorks(ring.Rows{random(logN)})[0]
	t.Read(floats, row)
	factors := 10.0 // bytes of one direction, by element
	if level == kernel.Portable {
		factors = 16
	}
	streams := transformStreams(level, logN, factors)
	out := []job{
		{name: "forward, words", note: "transform, of words to words", run: func() { t.Forward(row) }, work: forwardWork(level, logN, true)},
		{name: "inverse, words", note: "transform back, of words to words", run: func() { t.Inverse(row) }, work: inverseWork(level, logN, true)},
		{name: "forward, floats", note: "the same between float64, as inside an operation", run: func() { t.ForwardWork(floats) }, work: forwardWork(level, logN, false)},
		{name: "inverse, floats", note: "the same between float64", run: func() { t.InverseWork(floats) }, work: inverseWork(level, logN, false)},
	}
	if level == kernel.Portable {
		out = out[:2] // its rows are words inside operations too
	}
	for i := range out {
		out[i].logN, out[i].streams = logN, streams
	}
	return out
}

// rowJobs are the kernels on whole rows, and those of a conversion.
func rowJobs(level kernel.Level) []job {
	all := tables(level, rowsLogN, digitPrimes+1)
	m, n := all[0], 1<<rowsLogN
	a, b, c := random(rowsLogN), random(rowsLogN), random(rowsLogN)
	var rows ring.Rows
	for range 3*digits + 2 {
		rows = append(rows, random(rowsLogN))
	}
	works := ring.NewWorks(rows)
	for k := range digits + 2 {
		m.Read(works[k], a)
	}
	integers := make([]int64, n)
	for i := range integers {
		integers[i] = int64(a[i]%64) - 32
	}
	whole := make([]float64, n)
	for i := range whole {
		whole[i] = float64(int64(a[i]%(1<<41)) - 1<<40)
	}
	const scalar = 12345678901
	operands := works[2:][:digits]
	left, right := rows[digits+2:][:digits], rows[2*digits+2:]
	out := []job{
		{name: "add", note: "a + b", run: func() { m.Add(c, a, b) },
			work: work{bits: 3}, streams: rowStreams(2, 1)},
		{name: "multiply", note: "a·b", run: func() { m.Mul(c, a, b) },
			work: fromWords.plus(fromWords, modular, toWords(level), work{words: 1}), streams: rowStreams(2, 1)},
		{name: "multiply scalar", note: "a·s", run: func() { m.MulScalar(c, a, scalar) },
			work: fromWords.plus(modular, toWords(level)), streams: rowStreams(1, 1)},
		{name: "multiply scalar, add", note: "c + a·s", run: func() { m.MulScalarAdd(c, a, scalar) },
			work: fromWords.plus(fromWords, modular, sum, reduced, toWords(level)), streams: rowStreams(2, 1)},
		{name: "dot pair, 4 digits", note: "both halves of a key switch's inner product",
			run:  func() { m.DotPair(works[0], works[1], operands, left, right) },
			work: dotWork(), streams: rowStreams(3*digits, 2)},
		quotient(level, m, c, works, b),
		{name: "integers to residues", note: "small signed integers, reduced", run: func() { m.FromInt64(c, integers) },
			work: work{sums: 1, bits: 4, words: 2}.plus(reduced, toWords(level)), streams: rowStreams(1, 1)},
		{name: "floats to residues", note: "integers held in float64, reduced", run: func() { m.FromFloats(c, whole) },
			work: work{bits: 4, words: 2}.plus(reduced, toWords(level)), streams: rowStreams(1, 1)},
	}
	out = append(out, conversion(level, all)...)
	if level != kernel.Portable {
		out = append(out, embedding(level, m.Q)...)
	}
	for i := range out {
		if out[i].logN == 0 {
			out[i].logN = rowsLogN
		}
	}
	return out
}

// embedding are the kernels between messages and integers, which have no portable
// form of their own. An element of a transform is a complex number.
func embedding(level kernel.Level, q uint64) []job {
	n, slots := 1<<rowsLogN, 1<<(rowsLogN-1)
	memory := make([]float64, 3*n)
	low, high, sum := memory[:n], memory[n:2*n], memory[2*n:]
	angles := make([]float64, 2*slots)
	for k := range slots {
		angles[k], angles[slots+k] = math.Cos(float64(k)), math.Sin(float64(k))
	}
	roots, c := kernel.NewRoots(angles[:slots], angles[slots:], level), kernel.New(q, level)
	same := make([]uint64, n)
	clock := func(run func(re, im []float64)) func() {
		re, im := make([]float64, slots), make([]float64, slots) // zeros stay zeros
		return func() { run(re, im) }
	}
	return []job{
		{name: "evaluate slots", note: "the canonical embedding: coefficients to values", run: clock(roots.Evaluate),
			work: embeddingWork(), streams: embeddingStreams(), logN: rowsLogN - 1},
		{name: "interpolate slots", note: "the same back", run: clock(roots.Interpolate),
			work: embeddingWork(), streams: embeddingStreams(), logN: rowsLogN - 1},
		{name: "round product", note: "a·s rounded to integers, their largest size", run: func() { kernel.RoundProduct(sum, 1) },
			work: work{products: 1, sums: 2, rounds: 1, bits: 3}, streams: rowStreams(1, 1)},
		{name: "equal residues", note: "whether floats are given words", run: func() { c.Equals(same, low) },
			work: toWords(level).plus(work{bits: 2}), streams: rowStreams(2, 0)},
		{name: "join 2 digits", note: "the integer of two digits, rounded", run: func() { c.Join(sum, low, high) },
			work: work{products: 2, sums: 2}, streams: rowStreams(2, 1)},
	}
}

// embeddingWork is log2 of the slots stages, of a product and two sums of complex
// numbers for each two of them, and for the last two stages the shuffles of a
// transposition before and after, and of the roots.
func embeddingWork() work {
	return work{products: 2, sums: 3}.times(rowsLogN - 1).plus(work{bits: 10})
}

// embeddingStreams is the first stage and passes of two, each of which reads and
// writes what a block holds, down to what stays in the first cache; and the roots.
func embeddingStreams() []stream {
	const number, leafNumbers, slots = 16, 1024, 1 << (rowsLogN - 1)
	out := []stream{{number, 0, 2 * number * slots}, {number, number, number * slots}}
	for block := slots / 2; block >= 16; block /= 4 {
		out = append(out, stream{number, number, number * float64(max(block, leafNumbers))})
	}
	return append(out, stream{number, number, number * leafNumbers})
}

// rowStreams is rows that are read and written, all different.
func rowStreams(read, written float64) []stream {
	return []stream{{8 * read, 8 * written, 8 * (read + written) * (1 << rowsLogN)}}
}

// dotWork reads two words a digit, and reduces two sums at the end. Portable: a
// product of two words a term.
func dotWork() work {
	w := fromWords.plus(modular, sum).times(2*digits).plus(reduced, reduced)
	w.words = 2*digits + 2*wide.words
	return w
}

// quotient is (a - b)·s of floats; portable, of words.
func quotient(level kernel.Level, m *ring.Table, dst []uint64, works []ring.Work, words []uint64) job {
	const scalar = 12345678901
	run := func() { m.SubMulScalar(dst, works[0].Memory(), words, scalar) }
	if level != kernel.Portable {
		fast, a, b := kernel.New(m.Q, level), floatsOf(works[0]), floatsOf(works[1])
		run = func() { fast.Quotient(dst, a, b, scalar, nil) }
	}
	return job{name: "quotient", note: "(a - b)·s, the end of a division", run: run, work: sum.plus(modular, toWords(level)), streams: rowStreams(2, 1)}
}

// floatsOf is the memory of a row that kernels compute with.
func floatsOf(w ring.Work) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(w.Memory()))), len(w.Memory()))
}

// conversion is from the primes of one digit to one other prime: the digits of all
// coefficients, then their sum.
func conversion(level kernel.Level, all []*ring.Table) []job {
	var moduli []*ring.Modulus
	var works []ring.Work
	for _, t := range all {
		moduli = append(moduli, t.Modulus)
		w := ring.NewWorks(ring.Rows{random(rowsLogN)})[0]
		t.Read(w, random(rowsLogN))
		works = append(works, w)
	}
	c, err := ring.NewConversion(moduli[:digitPrimes], moduli[digitPrimes:])
	if err != nil {
		panic(err)
	}
	memory := make([]uint64, c.Stride()<<rowsLogN)
	source := ring.Source{Work: works[:digitPrimes]}
	cut := c.Cut(nil, memory, source, false)
	combined := modular.plus(sum).times(digitPrimes - 1).plus(reduced)
	combined.words = digitPrimes + wide.words
	return []job{
		{name: "digits of 2 primes", note: "mixed-radix digits: one canonical, one less the first, over its prime, canonical",
			run:  func() { c.Cut(nil, memory, source, false) },
			work: canonical(level).times(digitPrimes).plus(sum, modular), streams: rowStreams(digitPrimes, digitPrimes)},
		{name: "combine 2 primes", note: "the digits' sum modulo another prime",
			run:  func() { cut.Row(works[digitPrimes], 0) },
			work: combined, streams: rowStreams(digitPrimes, 1)},
	}
}
