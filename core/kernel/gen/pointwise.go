package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// loop is a kernel over rows, `vectors` of each row at a time.
type loop struct {
	*function
	vectors int
	i, n    reg.Register
	rows    map[string]reg.Register
}

// beginLoop reads the rows' addresses and their length, a multiple of
// vectors·lanes words.
func beginLoop(f *function, vectors int, rows ...string) *loop {
	l := &loop{function: f, vectors: vectors, i: GP64(), n: Load(Param("n"), GP64()), rows: map[string]reg.Register{}}
	for _, name := range rows {
		l.rows[name] = Load(Param(name), GP64())
	}
	SHLQ(Imm(3), l.n)
	XORQ(l.i, l.i)
	Label(f.name + "Loop")
	return l
}

func (l *loop) row(name string, vector int) Mem {
	return Mem{Base: l.rows[name], Index: l.i, Scale: 1, Disp: width * vector}
}

// next turns the loop.
func (l *loop) next() {
	ADDQ(Imm(uint64(width*l.vectors)), l.i)
	CMPQ(l.i, l.n)
	JNE(LabelRef(l.name + "Loop"))
}

func (l *loop) end() {
	l.next()
	end()
}

// each issues one chain a vector in lockstep.
func (l *loop) each(chain func(vector int) []step) {
	chains := make([][]step, l.vectors)
	for v := range chains {
		chains[v] = chain(v)
	}
	interleave(chains...)
}

func pointwise() {
	add(false)
	subtract(false)
	add(true)
	subtract(true)
	multiply()
	multiplyFactor("scale", "scale sets dst = a·w for the factor of w: w and its quotient by p.", false)
	multiplyFactor("scaleAdd", "scaleAdd sets dst = dst + a·w.", true)
	dot("dot", "dot sets dst = Σ a[k]·b[k] over 1 … 8 rows.", false)
	dot("dotAdd", "dotAdd sets dst = dst + Σ a[k]·b[k] over 1 … 8 rows.", true)
	quotient("quotient", "quotient sets dst = (a - b)·w for the factor of w.", true, true, false)
	integers()
	read()
	write()
	liftAdd()
	lower()
	dotPair("dotPair", "dotPair sets x = Σ a[k]·b[k] and y = Σ a[k]·c[k] over 1 … 11 rows, for floats |a| ≤ (p+1)/2.", false)
	dotPair("dotPairAdd", "dotPairAdd sets x = x + Σ a[k]·b[k] and y = y + Σ a[k]·c[k] over 1 … 10 rows.", true)
	quotient("quotientWords", "quotientWords sets dst = (a - b)·w for words a and floats b.", true, false, false)
	quotient("quotientFloats", "quotientFloats sets dst = (a - b)·w for floats a and b.", false, false, false)
	quotient("quotientFloatsAdd", "quotientFloatsAdd sets dst = (a - b)·w + add for floats a and b.", false, false, true)
}

// words is a kernel on integers, without the float64 constants. A streaming one
// writes past the caches, to places that are a multiple of 64 bytes apart from 0.
func words(name, doc string, streaming bool, operate func(l *loop, q vec, v int) (vec, []step)) {
	put := store
	if streaming {
		name += "Streaming"
		doc = name + doc + ", past the caches."
		put = func(v vec, m Mem) { VMOVNTDQ(v, m) }
	} else {
		doc = name + doc + "."
	}
	f := declare(name, "func(dst, a, b *uint64, n int, c *float64)", doc)
	q := load(f.at(offQ))
	l := beginLoop(f, 2, "dst", "a", "b")
	l.each(func(v int) []step {
		result, steps := operate(l, q, v)
		return append(steps, func() { put(result, l.row("dst", v)) })
	})
	l.next()
	if streaming {
		SFENCE()
	}
	end()
}

func add(streaming bool) {
	words("add", " sets dst = a + b", streaming, func(l *loop, q vec, v int) (vec, []step) {
		sum, less := vector(), vector()
		return less, []step{
			func() { VMOVUPD(l.row("a", v), sum) },
			func() { VPADDQ(l.row("b", v), sum, sum) },
			func() { VPSUBQ(q, sum, less) },
			func() { notNegative(less, sum, less) },
		}
	})
}

func subtract(streaming bool) {
	words("subtract", " sets dst = a - b", streaming, func(l *loop, q vec, v int) (vec, []step) {
		difference, more := vector(), vector()
		return difference, []step{
			func() { VMOVUPD(l.row("a", v), difference) },
			func() { VPSUBQ(l.row("b", v), difference, difference) },
			func() { VPADDQ(q, difference, more) },
			func() { notNegative(difference, more, difference) },
		}
	})
}

// multiply needs no reduction before the words are written: for factors below p
// the product is within 0.875p of 0.
func multiply() {
	f := begin("multiply", "func(dst, a, b *uint64, n int, c *float64)", "multiply sets dst = a·b.", true)
	f.keepWords(true, true)
	l := beginLoop(f, 2, "dst", "a", "b")
	l.each(func(v int) []step {
		var x, y vec
		steps := append(f.loadWords(l.row("a", v), &x), f.loadWords(l.row("b", v), &y)...)
		steps = append(steps, f.timesAny(x, y)...)
		return append(steps, f.storeWords(x, l.row("dst", v))...)
	})
	l.end()
}

func multiplyFactor(name, doc string, accumulate bool) {
	f := begin(name, "func(dst, a *uint64, n int, factor *float64, c *float64)", doc, accumulate && lanes == 8)
	f.keepWords(true, true)
	w := broadcastTwiddle(Load(Param("factor"), GP64()).(reg.Register), 0)
	l := beginLoop(f, 2, "dst", "a")
	l.each(func(v int) []step {
		var x, y vec
		steps := append(f.loadWords(l.row("a", v), &x), f.with(x, w)...)
		if accumulate {
			steps = append(steps, f.loadWords(l.row("dst", v), &y)...)
			steps = append(steps, func() { VADDPD(y, x, x) })
			steps = append(steps, f.reduce(x)...)
		}
		return append(steps, f.storeWords(x, l.row("dst", v))...)
	})
	l.end()
}

// dot sums at most 8 products, each within 0.875p of 0, and a word below p.
func dot(name, doc string, accumulate bool) {
	f := begin(name, "func(dst *uint64, a, b **uint64, rows, n int, c *float64)", doc, true)
	f.keepWords(true, true)
	a, b, rows := Load(Param("a"), GP64()), Load(Param("b"), GP64()), Load(Param("rows"), GP64())
	l := beginLoop(f, 2, "dst")
	k, at := GP64(), GP64()
	sums := []vec{vector(), vector()}
	if accumulate {
		l.each(func(v int) []step {
			var x vec
			return append(f.loadWords(l.row("dst", v), &x), func() { VMOVAPD(x, sums[v]) })
		})
	} else {
		for _, sum := range sums {
			zero(sum)
		}
	}
	XORQ(k, k)
	Label(f.name + "Rows")
	var x, y [2]vec
	operand := func(rows reg.Register, to *[2]vec) {
		MOVQ(Mem{Base: rows, Index: k, Scale: 8}, at)
		interleave(
			f.loadWords(Mem{Base: at, Index: l.i, Scale: 1}, &to[0]),
			f.loadWords(Mem{Base: at, Index: l.i, Scale: 1, Disp: width}, &to[1]),
		)
	}
	operand(a, &x)
	operand(b, &y)
	l.each(func(v int) []step {
		return append(f.timesAny(x[v], y[v]), func() { VADDPD(x[v], sums[v], sums[v]) })
	})
	INCQ(k)
	CMPQ(k, rows)
	JNE(LabelRef(f.name + "Rows"))
	l.each(func(v int) []step { return append(f.reduce(sums[v]), f.storeWords(sums[v], l.row("dst", v))...) })
	l.end()
}

// take reads a vector of words or floats.
func (l *loop) take(name string, v int, words bool, into *vec) []step {
	if words {
		return l.loadWords(l.row(name, v), into)
	}
	*into = vector()
	x := *into
	return []step{func() { VMOVUPD(l.row(name, v), x) }}
}

// quotient is what is left of a division once the remainder is known: for
// |a - b| ≤ 2p the product is within 0.75p of 0.
func quotient(name, doc string, aWords, bWords, add bool) {
	rows := []string{"dst", "a", "b"}
	signature := "func(dst, a, b *uint64, n int, factor *float64, c *float64)"
	if add {
		rows = append(rows, "add")
		signature = "func(dst, a, b, add *uint64, n int, factor *float64, c *float64)"
	}
	f := begin(name, signature, doc, add && lanes == 8)
	f.keepWords(aWords || bWords || add, true)
	w := broadcastTwiddle(Load(Param("factor"), GP64()).(reg.Register), 0)
	l := beginLoop(f, 2, rows...)
	l.each(func(v int) []step {
		var x, y, z vec
		steps := append(l.take("a", v, aWords, &x), l.take("b", v, bWords, &y)...)
		steps = append(steps, func() { VSUBPD(y, x, x) })
		steps = append(steps, f.with(x, w)...)
		if add {
			steps = append(steps, l.take("add", v, true, &z)...)
			steps = append(steps, func() { VADDPD(z, x, x) })
			steps = append(steps, f.reduce(x)...)
		}
		return append(steps, f.storeWords(x, l.row("dst", v))...)
	})
	l.end()
}

// integers makes words of signed integers below 2^51 in size: added to the bits of
// 2^52 + 2^51 they are its mantissa. It says whether one was larger.
func integers() {
	f := begin("integers", "func(dst, a *uint64, n int, c *float64) (large bool)",
		"integers sets words dst = signed integers a modulo p, and says whether one was not below 2^51 in size.", lanes == 8)
	f.keep(offRange, offSigned, offQ)
	large := vector()
	zero(large)
	l := beginLoop(f, 2, "dst", "a")
	l.each(func(v int) []step {
		x, high := vector(), vector()
		steps := []step{
			func() { VMOVUPD(l.row("a", v), x) },
			func() { VPADDQ(f.at(offRange), x, high) },
			func() { VPADDQ(f.at(offSigned), x, x) },
			func() { VPSRLQ(Imm(52), high, high) },
			func() { VSUBPD(f.at(offSigned), x, x) },
			func() { VORPD(high, large, large) },
		}
		steps = append(steps, f.reduce(x)...)
		return append(steps, f.storeWords(x, l.row("dst", v))...)
	})
	l.next()
	answer(large)
}

// read makes floats of words.
func read() {
	f := begin("read", "func(dst, a *uint64, n int, c *float64)", "read sets floats dst = words a, reduced.", true)
	f.keepWords(true, false)
	l := beginLoop(f, 2, "dst", "a")
	l.each(func(v int) []step {
		var x vec
		steps := append(f.loadWords(l.row("a", v), &x), f.reduce(x)...)
		return append(steps, func() { VMOVUPD(x, l.row("dst", v)) })
	})
	l.end()
}

// lower takes floats from floats.
func lower() {
	f := begin("lower", "func(dst, a *uint64, n int, c *float64)", "lower sets floats dst = dst - a, reduced, for |a| ≤ 2^51.", true)
	l := beginLoop(f, 2, "dst", "a")
	l.each(func(v int) []step {
		x := vector()
		steps := append([]step{
			func() { VMOVUPD(l.row("dst", v), x) },
			func() { VSUBPD(l.row("a", v), x, x) },
		}, f.reduce(x)...)
		return append(steps, func() { VMOVUPD(x, l.row("dst", v)) })
	})
	l.end()
}

// write makes words of floats.
func write() {
	f := begin("write", "func(dst, a *uint64, n int, c *float64)", "write sets words dst = floats a, |a| < p.", false)
	f.keepWords(false, true)
	l := beginLoop(f, 2, "dst", "a")
	l.each(func(v int) []step {
		x := vector()
		return append([]step{func() { VMOVUPD(l.row("a", v), x) }}, f.storeWords(x, l.row("dst", v))...)
	})
	l.end()
}

// liftAdd is scaleAdd on floats.
func liftAdd() {
	f := begin("liftAdd", "func(dst, a *uint64, n int, factor *float64, c *float64)", "liftAdd sets floats dst = dst + a·w for words a, reduced.", lanes == 8)
	f.keepWords(true, false)
	w := broadcastTwiddle(Load(Param("factor"), GP64()).(reg.Register), 0)
	l := beginLoop(f, 2, "dst", "a")
	l.each(func(v int) []step {
		var x vec
		steps := append(f.loadWords(l.row("a", v), &x), f.with(x, w)...)
		steps = append(steps, func() { VADDPD(l.row("dst", v), x, x) })
		steps = append(steps, f.reduce(x)...)
		return append(steps, func() { VMOVUPD(x, l.row("dst", v)) })
	})
	l.end()
}

// dotPair sums at most 11 products of a word and a reduced float, each within
// 0.69p of 0, for two right sides.
func dotPair(name, doc string, accumulate bool) {
	f := begin(name, "func(x, y *uint64, a, b, c2 **uint64, rows, n int, c *float64)", doc, true)
	f.keepWords(true, false)
	a, rows := Load(Param("a"), GP64()), Load(Param("rows"), GP64())
	right := []reg.Register{Load(Param("b"), GP64()), Load(Param("c2"), GP64())}
	l := beginLoop(f, 2, "x", "y")
	outs := []string{"x", "y"}
	k, at := GP64(), GP64()
	var sums [2][2]vec
	for h := range sums {
		for v := range sums[h] {
			if accumulate {
				sums[h][v] = load(l.row(outs[h], v))
				continue
			}
			sums[h][v] = vector()
			zero(sums[h][v])
		}
	}
	XORQ(k, k)
	Label(f.name + "Rows")
	MOVQ(Mem{Base: a, Index: k, Scale: 8}, at)
	left := []vec{load(Mem{Base: at, Index: l.i, Scale: 1}), load(Mem{Base: at, Index: l.i, Scale: 1, Disp: width})}
	for h := range sums {
		MOVQ(Mem{Base: right[h], Index: k, Scale: 8}, at)
		l.each(func(v int) []step {
			var y vec
			steps := f.loadWords(Mem{Base: at, Index: l.i, Scale: 1, Disp: width * v}, &y)
			steps = append(steps, f.timesAny(y, left[v])...)
			sum := sums[h][v]
			return append(steps, func() { VADDPD(y, sum, sum) })
		})
	}
	INCQ(k)
	CMPQ(k, rows)
	JNE(LabelRef(f.name + "Rows"))
	for h := range sums {
		interleave(f.reduce(sums[h][0]), f.reduce(sums[h][1]))
		store(sums[h][0], l.row(outs[h], 0))
		store(sums[h][1], l.row(outs[h], 1))
	}
	l.end()
}
