package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// quads writes the last two stages with four lanes; with eight, sixteens does four.
func quads() {
	forwardQuads("forwardQuads", "forwardQuads does the last two stages of count sixteens, and leaves |x| ≤ (p+1)/2.", false)
	forwardQuads("forwardQuadsWords", "forwardQuadsWords does the last two stages of count sixteens, and leaves words in [0, p).", true)
	inverseQuads("inverseQuads", "inverseQuads undoes the last two stages of count sixteens of |x| ≤ p.", false)
	inverseQuads("inverseQuadsWords", "inverseQuadsWords undoes the last two stages of count sixteens, from words in [0, p) at src.", true)
}

// forwardQuads does the last two stages, of four blocks of four words at a time,
// one in each lane after a transposition.
func forwardQuads(name, doc string, words bool) {
	f := begin(name, "func(x *uint64, count int, w *float64, c *float64)", doc, true)
	base, count, w := Load(Param("x"), GP64()), Load(Param("count"), GP64()), Load(Param("w"), GP64())
	Label(name + "Loop")
	var x [4]vec
	for i := range x {
		x[i] = load(at(base, i))
	}
	x = transpose(x)
	outer := load(at(w, 0))
	interleave(
		f.butterfly(&x[0], &x[2], f.timesAny(x[2], outer)),
		f.butterfly(&x[1], &x[3], f.timesAny(x[3], outer)),
	)
	interleave(
		f.butterfly(&x[0], &x[1], f.timesAny(x[1], load(at(w, 1)))),
		f.butterfly(&x[2], &x[3], f.timesAny(x[3], load(at(w, 2)))),
	)
	interleave(f.reduce(x[0]), f.reduce(x[1]), f.reduce(x[2]), f.reduce(x[3]))
	x = transpose(x)
	f.write(x[:], words, func(i int) Mem { return at(base, i) })
	ADDQ(U32(4*uint32(width)), base)
	ADDQ(Imm(3*uint64(width)), w)
	DECQ(count)
	JNE(LabelRef(name + "Loop"))
	end()
}

func inverseQuads(name, doc string, words bool) {
	rows := "x *uint64"
	if words {
		rows = "x, src *uint64"
	}
	f := begin(name, "func("+rows+", count int, w *float64, c *float64)", doc, true)
	base, count, w := Load(Param("x"), GP64()), Load(Param("count"), GP64()), Load(Param("w"), GP64())
	src := base
	if words {
		src = Load(Param("src"), GP64())
	}
	Label(name + "Loop")
	var x [4]vec
	for i := 0; i < 4; i += 2 {
		if words {
			interleave(f.loadWords(at(src, i), &x[i]), f.loadWords(at(src, i+1), &x[i+1]))
		} else {
			x[i], x[i+1] = load(at(src, i)), load(at(src, i+1))
		}
	}
	x = transpose(x)
	by := func(w vec) func(vec) []step { return func(d vec) []step { return f.timesAny(d, w) } }
	interleave(
		f.inverseButterfly(&x[0], &x[1], by(load(at(w, 1)))),
		f.inverseButterfly(&x[2], &x[3], by(load(at(w, 2)))),
	)
	outer := load(at(w, 0))
	interleave(
		f.inverseButterfly(&x[0], &x[2], by(outer)),
		f.inverseButterfly(&x[1], &x[3], by(outer)),
	)
	interleave(f.reduce(x[0]))
	x = transpose(x)
	for i := range x {
		store(x[i], at(base, i))
	}
	ADDQ(U32(4*uint32(width)), base)
	if words {
		ADDQ(U32(4*uint32(width)), src)
	}
	ADDQ(Imm(3*uint64(width)), w)
	DECQ(count)
	JNE(LabelRef(name + "Loop"))
	end()
}

// transpose exchanges rows and columns of 4×4 words.
func transpose(v [4]vec) [4]vec {
	a := [4]vec{unpackLow(v[0], v[1]), unpackHigh(v[0], v[1]), unpackLow(v[2], v[3]), unpackHigh(v[2], v[3])}
	var out [4]vec
	for i := range out {
		out[i] = vector()
		VPERM2F128(U8(0x20+0x11*(i/2)), a[2+i%2], a[i%2], out[i])
	}
	return out
}
