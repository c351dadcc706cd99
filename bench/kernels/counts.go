package main

import "fhelium/core/kernel"

// work is what a kernel has to do for an element, by its definition.
//
// The first four are vector instructions for each vector of float64; the last is
// 64-bit multiplications of the portable code. Loads, stores and the loop's own
// instructions have ports of their own and are not counted.
type work struct {
	products float64 // multiplications, fused ones too
	sums     float64 // additions and subtractions
	rounds   float64 // roundings to an integer
	bits     float64 // bit operations, integer sums, blends and shuffles

	words float64 // 64-bit multiplications at the portable level
}

func (w work) plus(all ...work) work {
	for _, x := range all {
		w.products, w.sums, w.rounds = w.products+x.products, w.sums+x.sums, w.rounds+x.rounds
		w.bits, w.words = w.bits+x.bits, w.words+x.words
	}
	return w
}

func (w work) times(by float64) work {
	return work{w.products * by, w.sums * by, w.rounds * by, w.bits * by, w.words * by}
}

// What kernels are made of.
var (
	// modular is a product modulo p: the quotient, its rounding, the leading part,
	// the rest, the multiple of p taken off and the sum. Portable: Shoup's three.
	modular = work{products: 4, sums: 1, rounds: 1, words: 3}
	// sum is one addition.
	sum = work{sums: 1}
	// reduced is a sum brought near 0: quotient, rounding, multiple taken off.
	reduced = work{products: 2, rounds: 1}
	// fromWords puts a word into the mantissa of 2^52 and takes 2^52 off.
	fromWords = work{sums: 1, bits: 1}
	// twoStages is two stages of butterflies for a number: two products for two
	// numbers, and a sum and a difference for each product.
	twoStages = modular.plus(sum, sum)
	// wide is what is left of a portable sum of 128-bit products: its reduction.
	wide = work{words: 5}
)

// toWords adds 2^52 and 2^52 + p, picks one by the sign and takes 2^52 off. AVX-512
// takes 2^52 + 2^51 off one sum, adds p, and the lesser is it.
func toWords(level kernel.Level) work {
	if level == kernel.AVX512 {
		return work{sums: 1, bits: 3}
	}
	return work{sums: 2, bits: 2}
}

// canonical compares with both ends of a range and adds or takes off p; without
// AVX-512 it chooses between that and 0 before.
func canonical(level kernel.Level) work {
	if level == kernel.AVX512 {
		return work{sums: 2, bits: 2}
	}
	return work{sums: 2, bits: 4}
}

// forwardWork is log2 N stages: a first pass of two or three, which reads its
// operand as it is, passes of two with a quarter reduced, and the last two among
// sixteens, all reduced, with a transposition of four vectors by eight shuffles
// before and after. AVX-512 does the last four stages at once, with eight shuffles of
// two vectors and two for their factors, and reduces part 0 of a first pass of three
// always. Portable: a stage multiplies half of the numbers, and at the end all are
// reduced by two multiplications.
func forwardWork(level kernel.Level, logN int, words bool) work {
	first, passes := radix(logN)
	w := twoStages.times(float64(first)/2).plus(
		twoStages.plus(reduced.times(1.0/4)).times(passes),
		twoStages, reduced, work{bits: 4},
	)
	if level == kernel.AVX512 {
		w = w.plus(reduced.times(-1.0/4), work{bits: 1})
		if words && first == 3 {
			w = w.plus(reduced.times(1.0 / 8))
		}
	}
	if words {
		w = w.plus(fromWords, toWords(level))
	} else {
		w = w.plus(reduced.times(1 / float64(int(1)<<first)))
	}
	w.words = 1.5*float64(logN) + 2
	return w
}

// inverseWork is forwardWork backwards; each path to a result meets 1/N once: a
// product more for one part of the last pass. AVX-512 has three shuffles for factors,
// and reduces as much. Portable: the last pass, of two stages or one, multiplies all
// numbers once in its last stage.
func inverseWork(level kernel.Level, logN int, words bool) work {
	last, passes := radix(logN)
	part := 1 / float64(int(1)<<last)
	w := twoStages.times(float64(last)/2).plus(
		modular.times(part), reduced,
		twoStages.plus(reduced.times(1.0/4)).times(passes+1), work{bits: 4},
	)
	if level == kernel.AVX512 {
		w = w.plus(work{bits: 1.5})
	}
	if last == 3 {
		w = w.plus(reduced.times(2 * part))
	}
	if words {
		w = w.plus(fromWords, toWords(level))
	}
	w.words = 1.5*float64(logN-1) + 3
	return w
}

// radix gives the stages of the outermost pass, 2 or 3, and how many passes of two
// stages lie between it and the two innermost stages.
func radix(logN int) (stages int, passes float64) {
	stages = 2 + logN&1
	return stages, float64(logN-stages-2) / 2
}

// stream is what a kernel reads and writes for an element, in bytes, where all
// that it works on takes size bytes.
type stream struct{ read, written, size float64 }

// transformStreams reads and writes the row once for each pass, of blocks that are
// a quarter of those before until they have leafWords; from there on the passes of
// one block stay in the first cache. AVX-512 has one pass less. The factors are read
// once.
func transformStreams(level kernel.Level, logN int, factors float64) []stream {
	const leafWords, word = 1024, 8
	first, passes := radix(logN)
	n := float64(int(1) << logN)
	streams := []stream{{factors, 0, (factors + word) * n}, {word, word, word * n}}
	block := n / float64(int(1)<<first)
	rest := int(passes) + 1
	if level == kernel.AVX512 {
		rest--
	}
	for range rest {
		streams = append(streams, stream{word, word, word * min(block, n)})
		if block > leafWords {
			block /= 4
		}
	}
	return streams
}
