package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sixteens are the blocks of 16 words that the last four stages work on, four
// vectors at a time: one block of four vectors, or two blocks A and B of two. Words
// change places between the stages, so that the two of a butterfly are in the same
// lane of two vectors.
//
// With four lanes a block is transposed before stage 2. With eight, its fours A0 … A3
// are placed anew for each stage, A0.01 being the first two words of A0:
//
//	stage 0   A0, A1                                  and  A2, A3
//	stage 1   A0, A2                                  and  A1, A3
//	stage 2   A0.01, A2.01, A1.01, A3.01              and  the same of 23
//	stage 3   A0.0, A0.2, A2.0, A2.2, A1.0, …, A3.2   and  the same of 1 and 3
//
// and backwards the same, but for stage 1: A0.01, A2.01, A0.23, A2.23.
type sixteens struct {
	*function
	x, src, count, w1, w2, w reg.Register

	backwards bool
	now       twiddle      // of the pair that is worked on
	right     reg.Register // the lanes of A2 and A3 in stage 1
	orders    [2]vec       // from stage 3 to the order in memory, or from there
}

// beginSixteens reads the arguments: the words, the number of sixteens, which is even
// for eight lanes, the twiddles of stages 0 and 1, with quotients, and those of 2 and
// 3, without.
func beginSixteens(name, doc string, backwards, words bool) *sixteens {
	rows := "x *uint64"
	if backwards && words {
		rows = "x, src *uint64"
	}
	s := &sixteens{function: begin(name, "func("+rows+", count int, w1, w2, w *float64, c *float64)", doc, true), backwards: backwards}
	s.keepWords(backwards && words, words && !backwards)
	s.x, s.count = Load(Param("x"), GP64()), Load(Param("count"), GP64())
	s.w1, s.w2, s.w = Load(Param("w1"), GP64()), Load(Param("w2"), GP64()), Load(Param("w"), GP64())
	if backwards && words {
		s.src = Load(Param("src"), GP64())
	}
	if lanes == 8 {
		lanesOfRight := uint64(0xf0)
		s.orders = [2]vec{order("lower", 0, 8, 1, 9, 4, 12, 5, 13), order("upper", 2, 10, 3, 11, 6, 14, 7, 15)}
		if backwards {
			lanesOfRight = 0xcc
			s.orders = [2]vec{order("even", 0, 2, 8, 10, 4, 6, 12, 14), order("odd", 1, 3, 9, 11, 5, 7, 13, 15)}
		}
		mask := GP64()
		s.right = K()
		MOVQ(U32(lanesOfRight), mask)
		KMOVB(mask.As32(), s.right)
	}
	Label(s.name + "Loop")
	return s
}

func (s *sixteens) end() {
	together := uint32(lanes / 4)
	ADDQ(U32(4*uint32(width)), s.x)
	if s.src != nil {
		ADDQ(U32(4*uint32(width)), s.src)
	}
	ADDQ(U32(16*together), s.w1)
	ADDQ(U32(32*together), s.w2)
	ADDQ(U32(96*together), s.w)
	SUBQ(U32(together), s.count)
	JNE(LabelRef(s.name + "Loop"))
	end()
}

// pairs are the vectors of the butterflies of a stage.
func (s *sixteens) pairs(stage int) [2][2]int {
	if lanes == 4 && stage&1 == 0 {
		return [2][2]int{{0, 2}, {1, 3}}
	}
	return [2][2]int{{0, 1}, {2, 3}}
}

// factor is the product by the twiddles of a pair.
func (s *sixteens) factor(stage, pair int) func(y vec) []step {
	if lanes == 4 && stage&1 == 0 && pair == 1 {
		pair = 0 // has the same
	} else {
		s.now = s.twiddle(stage, pair)
	}
	w := s.now
	return func(y vec) []step {
		if w.quotient == nil {
			return s.timesAny(y, w.w)
		}
		return s.with(y, w)
	}
}

func (s *sixteens) twiddle(stage, pair int) twiddle {
	switch {
	case stage == 0:
		return broadcastTwiddle(s.w1, pair)
	case stage == 1 && lanes == 4:
		return broadcastTwiddle(s.w2, pair)
	case stage == 1 && s.backwards:
		return twiddle{s.ofHalves(32 * pair), s.ofHalves(32*pair + 8)}
	case stage == 1:
		return twiddle{w: s.ofHalves(32 * pair)}
	case stage == 3:
		return twiddle{w: load(at(s.w, 1+pair))}
	case lanes == 4:
		return twiddle{w: load(at(s.w, 0))}
	}
	w := vector() // the even lanes of a row twice, or the odd ones
	if pair == 0 {
		VMOVDDUP(at(s.w, 0), w)
	} else {
		VPERMILPD(U8(0xff), at(s.w, 0), w)
	}
	return twiddle{w: w}
}

// ofHalves has a factor of stage 1 in the lanes of the left half of a block, and the
// next in those of the right one.
func (s *sixteens) ofHalves(place int) vec {
	v := broadcast(Mem{Base: s.w2, Disp: place})
	VBROADCASTSD(Mem{Base: s.w2, Disp: place + 16}, s.right, v)
	return v
}

// forwards places words for a stage.
func (s *sixteens) forwards(x [4]vec, stage int) [4]vec {
	switch {
	case lanes == 4 && stage == 2:
		return transpose(x)
	case lanes == 4 || stage == 0:
		return x
	case stage == 1:
		return eachPair(x, shuffle(0x44), shuffle(0xee))
	case stage == 2:
		return eachPair(x, shuffle(0x88), shuffle(0xdd))
	}
	return eachPair(x, unpackLow, unpackHigh)
}

// back places words for the stage before, or for memory.
func (s *sixteens) back(x [4]vec, stage int) [4]vec {
	switch {
	case lanes == 4 && stage == 2:
		return transpose(x)
	case lanes == 4 || stage == 0:
		return x
	case stage == 1:
		return eachPair(x, shuffle(0x88), shuffle(0xdd))
	case stage == 2:
		return eachPair(x, shuffle(0x44), shuffle(0xee))
	}
	return eachPair(x, unpackLow, unpackHigh)
}

// reorder goes from the places of stage 3 to those in memory, or from there.
func (s *sixteens) reorder(x [4]vec) [4]vec {
	if lanes == 4 {
		return transpose(x)
	}
	return eachPair(x, s.choose(0), s.choose(1))
}

func (s *sixteens) choose(i int) func(a, b vec) vec {
	return func(a, b vec) vec {
		out := vector()
		VMOVAPD(a, out)
		VPERMT2PD(b, s.orders[i], out)
		return out
	}
}

// eachPair makes two vectors of two.
func eachPair(x [4]vec, first, second func(a, b vec) vec) [4]vec {
	return [4]vec{first(x[0], x[1]), second(x[0], x[1]), first(x[2], x[3]), second(x[2], x[3])}
}

// shuffle takes two quarters of each vector.
func shuffle(which uint8) func(a, b vec) vec {
	return func(a, b vec) vec {
		out := vector()
		VSHUFF64X2(U8(which), b, a, out)
		return out
	}
}

func unpackLow(a, b vec) vec {
	out := vector()
	VUNPCKLPD(b, a, out)
	return out
}

func unpackHigh(a, b vec) vec {
	out := vector()
	VUNPCKHPD(b, a, out)
	return out
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

// transpose exchanges rows and columns of 4×4 words.
func transpose(v [4]vec) [4]vec {
	a, out := eachPair(v, unpackLow, unpackHigh), [4]vec{}
	for i := range out {
		out[i] = YMM()
		VPERM2F128(U8(0x20+0x11*(i/2)), a[2+i%2], a[i%2], out[i])
	}
	return out
}
