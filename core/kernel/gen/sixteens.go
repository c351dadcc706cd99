package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sixteens writes the last four stages with eight lanes, of blocks of 16 words.
func sixteens() {
	forwardSixteens("forwardSixteens", "forwardSixteens does the last four stages of count sixteens, and leaves |x| ≤ (p+1)/2.", false)
	forwardSixteens("forwardSixteensWords", "forwardSixteensWords does the last four stages of count sixteens, and leaves words in [0, p).", true)
	inverseSixteens("inverseSixteens", "inverseSixteens undoes the last four stages of count sixteens of |x| ≤ (p+1)/2, and leaves |x| ≤ 2p.", false)
	inverseSixteens("inverseSixteensWords", "inverseSixteensWords undoes the last four stages of count sixteens, from words in [0, p) at src.", true)
}

// together is how many blocks are worked on at a time, each of two vectors.
const together = 4

// blocks is a pass over sixteens. Words change places between the stages, so that the
// two of a butterfly are in the same lane of the two vectors. With A0 … A3 for the
// fours of a block, and A0.01 for the first two words of A0, the vectors have
//
//	stage 0   A0, A1                                 and  A2, A3
//	stage 1   A0, A2                                 and  A1, A3
//	stage 2   A0.01, A2.01, A1.01, A3.01             and  the same of 23
//	stage 3   A0.0, A0.2, A2.0, A2.2, A1.0 … A3.2    and  the same of 1 and 3
//
// and backwards the same, but for stage 1 A0.01, A2.01, A0.23, A2.23.
type blocks struct {
	*function
	x, src, count, w1, w2, w reg.Register

	backwards bool
	right     reg.Register // the lanes of A2 and A3 in stage 1
	orders    [2]vec       // from the places of stage 3 to those in memory, or from there
}

// pair is the two vectors of a block.
type pair [2]vec

// beginBlocks reads the arguments: the words, the number of sixteens, a multiple of
// 4, the twiddles of stages 0 and 1, with quotients, and those of 2 and 3, without.
// Two sixteens have theirs of stage 2 in turn, and then each its own of stage 3.
func beginBlocks(name, doc string, backwards, words bool) *blocks {
	rows := "x *uint64"
	if backwards && words {
		rows = "x, src *uint64"
	}
	b := &blocks{function: begin(name, "func("+rows+", count int, w1, w2, w *float64, c *float64)", doc, true), backwards: backwards}
	b.keepWords(backwards && words, words && !backwards)
	b.x, b.count = Load(Param("x"), GP64()), Load(Param("count"), GP64())
	b.w1, b.w2, b.w = Load(Param("w1"), GP64()), Load(Param("w2"), GP64()), Load(Param("w"), GP64())
	b.src = b.x
	if backwards && words {
		b.src = Load(Param("src"), GP64())
	}
	right := uint32(0xf0)
	b.orders = [2]vec{order("lower", 0, 8, 1, 9, 4, 12, 5, 13), order("upper", 2, 10, 3, 11, 6, 14, 7, 15)}
	if backwards {
		right = 0xcc
		b.orders = [2]vec{order("even", 0, 2, 8, 10, 4, 6, 12, 14), order("odd", 1, 3, 9, 11, 5, 7, 13, 15)}
	}
	mask := GP32()
	b.right = K()
	MOVL(U32(right), mask)
	KMOVB(mask, b.right)
	Label(b.name + "Loop")
	return b
}

func (b *blocks) end() {
	ADDQ(U32(together*128), b.x)
	if b.src != b.x {
		ADDQ(U32(together*128), b.src)
	}
	ADDQ(U32(together*16), b.w1)
	ADDQ(U32(together*32), b.w2)
	ADDQ(U32(together*96), b.w)
	SUBQ(U32(together), b.count)
	JNE(LabelRef(b.name + "Loop"))
	end()
}

// each issues one chain a block in lockstep.
func each(chain func(k int) []step) {
	var chains [][]step
	for k := range together {
		chains = append(chains, chain(k))
	}
	interleave(chains...)
}

func forwardSixteens(name, doc string, words bool) {
	b := beginBlocks(name, doc, false, words)
	var x [together]pair
	for k := range x {
		x[k] = pair{load(at(b.x, 2*k)), load(at(b.x, 2*k+1))}
	}
	for stage := range 4 {
		each(func(k int) []step {
			x[k] = b.forth(x[k], stage)
			return b.butterfly(&x[k][0], &x[k][1], b.by(stage, k)(x[k][1]))
		})
	}
	for i := range 2 {
		each(func(k int) []step { return b.reduce(x[k][i]) })
	}
	for k := range x {
		x[k] = b.reorder(x[k])
		b.write(x[k][:], words, func(i int) Mem { return at(b.x, 2*k+i) })
	}
	b.end()
}

func inverseSixteens(name, doc string, words bool) {
	b := beginBlocks(name, doc, true, words)
	var x [together]pair
	for k := range x {
		if words {
			interleave(b.loadWords(at(b.src, 2*k), &x[k][0]), b.loadWords(at(b.src, 2*k+1), &x[k][1]))
		} else {
			x[k] = pair{load(at(b.x, 2*k)), load(at(b.x, 2*k+1))}
		}
		x[k] = b.reorder(x[k])
	}
	for stage := 3; stage >= 0; stage-- {
		each(func(k int) []step { return b.inverseButterfly(&x[k][0], &x[k][1], b.by(stage, k)) })
		if stage == 1 {
			each(func(k int) []step { return b.reduce(x[k][0]) })
		}
		for k := range x {
			x[k] = b.back(x[k], stage)
		}
	}
	for k := range x {
		store(x[k][0], at(b.x, 2*k))
		store(x[k][1], at(b.x, 2*k+1))
	}
	b.end()
}

// by is the product by the factors of block k in a stage.
func (b *blocks) by(stage, k int) func(y vec) []step {
	row := 3 * (k / 2) // of two blocks
	any := func(w vec) func(vec) []step { return func(y vec) []step { return b.timesAny(y, w) } }
	switch stage {
	case 0:
		w := broadcastTwiddle(b.w1, k)
		return func(y vec) []step { return b.with(y, w) }
	case 1:
		if !b.backwards {
			return any(b.ofHalves(32 * k))
		}
		w := twiddle{b.ofHalves(32 * k), b.ofHalves(32*k + 8)}
		return func(y vec) []step { return b.with(y, w) }
	case 2:
		w := vector()
		if k%2 == 0 {
			VMOVDDUP(at(b.w, row), w) // the even lanes twice
		} else {
			VPERMILPD(U8(0xff), at(b.w, row), w) // the odd ones
		}
		return any(w)
	}
	return any(load(at(b.w, row+1+k%2)))
}

// ofHalves has a factor of stage 1 in the lanes of A0 and A1, and the next in those
// of A2 and A3.
func (b *blocks) ofHalves(place int) vec {
	v := broadcast(Mem{Base: b.w2, Disp: place})
	VBROADCASTSD(Mem{Base: b.w2, Disp: place + 16}, b.right, v)
	return v
}

// forth places words for a stage.
func (b *blocks) forth(x pair, stage int) pair {
	switch stage {
	case 0:
		return x
	case 1:
		return pair{quarters(x, 0x44), quarters(x, 0xee)}
	case 2:
		return pair{quarters(x, 0x88), quarters(x, 0xdd)}
	}
	return pair{unpackLow(x[0], x[1]), unpackHigh(x[0], x[1])}
}

// back places words after a stage.
func (b *blocks) back(x pair, stage int) pair {
	switch stage {
	case 0:
		return x
	case 1:
		return pair{quarters(x, 0x88), quarters(x, 0xdd)}
	case 2:
		return pair{quarters(x, 0x44), quarters(x, 0xee)}
	}
	return pair{unpackLow(x[0], x[1]), unpackHigh(x[0], x[1])}
}

// quarters takes two quarters of each vector.
func quarters(x pair, which uint8) vec {
	out := vector()
	VSHUFF64X2(U8(which), x[1], x[0], out)
	return out
}

func (b *blocks) reorder(x pair) pair {
	first := vector()
	VMOVAPD(x[0], first)
	VPERMT2PD(x[1], b.orders[0], first)
	VPERMT2PD(x[1], b.orders[1], x[0])
	return pair{first, x[0]}
}

// order has for each lane the word that it takes of two vectors.
func order(name string, words ...uint64) vec {
	if _, ok := orders[name]; !ok {
		orders[name] = GLOBL(name, RODATA|NOPTR)
		for i, word := range words {
			DATA(8*i, U64(word))
		}
	}
	return load(orders[name])
}

var orders = map[string]Mem{}
