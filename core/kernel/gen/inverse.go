package main

import (
	. "github.com/mmcloughlin/avo/operand"
)

// inverse writes the passes of the inverse transform.
func inverse() {
	inverseFour()
	for _, words := range []bool{false, true} {
		inverseLastFour(words)
		inverseLastEight(words)
	}
}

// undo is an inverse butterfly of two parts.
func (p *pass) undo(x []vec, i, j int, w twiddle) []step {
	return p.inverseButterfly(&x[i], &x[j], func(d vec) []step { return p.with(d, w) })
}

func inverseFour() {
	p := beginPass("inverseFour", "inverseFour undoes two stages of blocks of 4 parts, and reduces part 0.", 4, false, false)
	root, left, right := broadcastTwiddle(p.w1, 0), broadcastTwiddle(p.w2, 0), broadcastTwiddle(p.w2, 1)
	p.beginColumns()
	x := make([]vec, 4)
	for i := range x {
		x[i] = load(p.part(i))
	}
	interleave(p.undo(x, 0, 1, left), p.undo(x, 2, 3, right))
	interleave(p.undo(x, 0, 2, root), p.undo(x, 1, 3, root))
	interleave(p.reduce(x[0]))
	for i := range x {
		store(x[i], p.part(i))
	}
	p.end()
}

// The last passes take their twiddles with 1/N in them, so that each path to a
// result meets it once. w1 is: the root, the root over N, 1/N.

// last reduces and writes two parts.
func (p *pass) last(x []vec, i, j int, words bool) {
	interleave(p.reduce(x[i]), p.reduce(x[j]))
	places := []Mem{p.part(i), p.part(j)}
	p.write([]vec{x[i], x[j]}, words, func(k int) Mem { return places[k] })
}

// lastName names a last pass and says what it leaves.
func lastName(name, doc string, words bool) (string, string) {
	if words {
		name += "Words"
		return name, name + doc + ", and leaves words in [0, p)."
	}
	return name, name + doc + ", and leaves |x| ≤ (p+1)/2."
}

func inverseLastFour(words bool) {
	name, doc := lastName("inverseLastFour", " undoes the first two stages and divides by N; w2 has 1/N in it", words)
	p := beginPass(name, doc, 4, false, words)
	root, left, right := broadcastTwiddle(p.w1, 0), broadcastTwiddle(p.w2, 0), broadcastTwiddle(p.w2, 1)
	p.beginColumns()
	x := make([]vec, 4)
	for i := range x {
		x[i] = load(p.part(i))
	}
	interleave(p.undo(x, 0, 1, left), p.undo(x, 2, 3, right))
	interleave(p.undo(x, 1, 3, root))
	p.last(x, 1, 3, words)
	interleave(p.undo(x, 0, 2, broadcastTwiddle(p.w1, 1)))
	interleave(p.with(x[0], broadcastTwiddle(p.w1, 2)))
	p.last(x, 0, 2, words)
	p.end()
}

func inverseLastEight(words bool) {
	name, doc := lastName("inverseLastEight",
		" undoes the first three stages and divides by N; w2 is the twiddles of two nodes, then both over N, and w4 has 1/N in it", words)
	p := beginPass(name, doc, 8, false, words)
	p.beginColumns()
	x := make([]vec, 8)
	for i := 0; i < 8; i += 2 {
		x[i], x[i+1] = load(p.part(i)), load(p.part(i+1))
		interleave(p.undo(x, i, i+1, broadcastTwiddle(p.w4, i/2)))
	}
	for i := 0; i < 2; i++ {
		interleave(p.undo(x, 4*i+1, 4*i+3, broadcastTwiddle(p.w2, i)))
		interleave(p.undo(x, 4*i, 4*i+2, broadcastTwiddle(p.w2, 2+i)))
	}
	interleave(p.reduce(x[0]), p.reduce(x[4]))
	root := broadcastTwiddle(p.w1, 0)
	for _, i := range []int{1, 3, 2} {
		interleave(p.undo(x, i, i+4, root))
		p.last(x, i, i+4, words)
	}
	interleave(p.undo(x, 0, 4, broadcastTwiddle(p.w1, 1)))
	interleave(p.with(x[0], broadcastTwiddle(p.w1, 2)))
	p.last(x, 0, 4, words)
	p.end()
}
