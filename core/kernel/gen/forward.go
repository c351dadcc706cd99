package main

import (
	. "github.com/mmcloughlin/avo/operand"
)

// forward writes the passes of the forward transform.
func forward() {
	forwardFour("forwardFour", "forwardFour does two stages of blocks of 4 parts; part 0 is reduced first.", false)
	forwardFour("forwardFourWords", "forwardFourWords does two stages of one block of 4 parts, from words in [0, p) at src.", true)
	forwardEight("forwardEight", "forwardEight does three stages of blocks of 8 parts; part 0 is reduced first.", false)
	forwardEight("forwardEightWords", "forwardEightWords does three stages of one block of 8 parts, from words in [0, p) at src.", true)
}

// read loads the parts in an order in which they are needed.
func (p *pass) read(x []vec, words bool, order ...int) {
	for i := 0; i < len(order); i += 2 {
		a, b := order[i], order[i+1]
		if words {
			interleave(p.loadWords(p.part(a), &x[a]), p.loadWords(p.part(b), &x[b]))
		} else {
			x[a], x[b] = load(p.part(a)), load(p.part(b))
		}
	}
	if !words || len(x) == 8 && lanes == 8 {
		interleave(p.reduce(x[0]))
	}
}

func (p *pass) do(x []vec, i, j int, w twiddle) []step {
	return p.butterfly(&x[i], &x[j], p.with(x[j], w))
}

func forwardFour(name, doc string, words bool) {
	p := beginPass(name, doc, 4, words, false)
	root, left, right := broadcastTwiddle(p.w1, 0), broadcastTwiddle(p.w2, 0), broadcastTwiddle(p.w2, 1)
	p.beginColumns()
	x := make([]vec, 4)
	p.read(x, words, 2, 3, 0, 1)
	interleave(p.do(x, 0, 2, root), p.do(x, 1, 3, root))
	interleave(p.do(x, 0, 1, left), p.do(x, 2, 3, right))
	for i := range x {
		store(x[i], p.result(i))
	}
	p.end()
}

func forwardEight(name, doc string, words bool) {
	p := beginPass(name, doc, 8, words, false)
	p.beginColumns()
	x := make([]vec, 8)
	p.read(x, words, 4, 5, 6, 7, 0, 1, 2, 3)
	root := broadcastTwiddle(p.w1, 0)
	interleave(p.do(x, 0, 4, root), p.do(x, 1, 5, root))
	interleave(p.do(x, 2, 6, root), p.do(x, 3, 7, root))
	for i := 0; i < 8; i += 4 {
		w := broadcastTwiddle(p.w2, i/4)
		interleave(p.do(x, i, i+2, w), p.do(x, i+1, i+3, w))
	}
	for i := 0; i < 8; i += 2 {
		interleave(p.do(x, i, i+1, broadcastTwiddle(p.w4, i/2)))
		store(x[i], p.result(i))
		store(x[i+1], p.result(i+1))
	}
	p.end()
}

// write stores reduced values as words or as they are.
func (f *function) write(x []vec, words bool, place func(i int) Mem) {
	for i := 0; i < len(x); i += 2 {
		if words {
			interleave(f.storeWords(x[i], place(i)), f.storeWords(x[i+1], place(i+1)))
		} else {
			store(x[i], place(i))
			store(x[i+1], place(i+1))
		}
	}
}
