//go:build amd64 && !purego

package kernel

import (
	"math/bits"
	"unsafe"
)

// leaf is the block, in words, that a transform finishes before the next.
const leaf = 1024

// Transform holds the twiddles of the transforms of one degree and prime, 20N
// bytes.
type Transform struct {
	*Constants
	logN     int
	forward  twiddles
	inverse  twiddles
	last     [6]float64 // the inverse root, it over N, 1/N, each with its quotient by p
	lastTwo  [8]float64 // the inverse roots of nodes 2 and 3, then both over N
	lastFour [8]float64 // the inverse roots of nodes 4 … 7 over N
}

// twiddles are the roots of one direction. Blocks are numbered as the nodes of a
// heap: the whole is node 1, the halves of a node j are 2j and 2j+1.
type twiddles struct {
	nodes []float64 // root and quotient of node j at 2j, for j below N/4
	quads []float64 // of each sixteen: the roots of its 4 quads and of their halves, see quadRoots
}

// NewTransform takes the roots psi^brv(j) of all nodes j, and 1/N, in [0, p). The
// inverse of the root of place i among the m nodes of a level is minus that of
// place m-1-i.
func (c *Constants) NewTransform(logN int, roots []uint64, overN uint64) *Transform {
	p := c.words[0]
	inverse := func(node int) uint64 {
		level := 1 << (bits.Len(uint(node)) - 1)
		return p - roots[3*level-1-node]
	}
	over := func(node int) uint64 {
		hi, lo := bits.Mul64(inverse(node), overN)
		_, rest := bits.Div64(hi, lo, p)
		return rest
	}
	t := &Transform{Constants: c, logN: logN}
	t.forward, t.inverse = c.twiddles(logN, func(node int) uint64 { return roots[node] }), c.twiddles(logN, inverse)
	c.put(t.last[:], inverse(1), over(1), overN)
	c.put(t.lastTwo[:], inverse(2), inverse(3), over(2), over(3))
	c.put(t.lastFour[:], over(4), over(5), over(6), over(7))
	return t
}

// Bytes is the memory of the twiddles and constants.
func (t *Transform) Bytes() int {
	words := len(t.forward.nodes) + len(t.forward.quads) + len(t.inverse.nodes) + len(t.inverse.quads)
	return 8*words + int(unsafe.Sizeof(*t)+unsafe.Sizeof(*t.Constants))
}

// put writes factors and their quotients by p.
func (c *Constants) put(dst []float64, factors ...uint64) {
	for i, w := range factors {
		f := c.Factor(w)
		dst[2*i], dst[2*i+1] = f.x, f.quotient
	}
}

func (c *Constants) twiddles(logN int, root func(node int) uint64) twiddles {
	n := 1 << logN
	t := twiddles{nodes: make([]float64, n/2), quads: make([]float64, 12*n/16)}
	for j := 1; j < n/4; j++ {
		c.put(t.nodes[2*j:], root(j))
	}
	for s := range n / 16 {
		for i := range 4 {
			quad, half := places(s, i, c.isWide())
			t.quads[quad] = c.centred(root(n/4 + 4*s + i))
			for h, place := range half {
				t.quads[place] = c.centred(root(n/2 + 8*s + 2*i + h))
			}
		}
	}
	return t
}

// places are where the factors of quad i of sixteen s and of its halves are. With
// four lanes a sixteen has its quads, all first halves and all second halves. With
// eight, two sixteens have their quads in turn, then each its halves; the quads stand
// in the order 0, 2, 1, 3.
func places(s, i int, wide bool) (quad int, half [2]int) {
	if !wide {
		row := 12 * s
		return row + i, [2]int{row + 4 + i, row + 8 + i}
	}
	row, odd := 24*(s/2), s%2
	i = [4]int{0, 2, 1, 3}[i]
	first := row + 8 + 8*odd + 2*i
	return row + 2*i + odd, [2]int{first, first + 1}
}

// at gives the twiddles of nodes from the given one on.
func (t *twiddles) at(node int) *float64 { return &t.nodes[2*node] }

// ofSixteens gives the twiddles of the quads below the node of a sixteen and below
// those after it.
func (t *twiddles) ofSixteens(node int) *float64 { return &t.quads[12*node-len(t.quads)] }

// Forward transforms N words in [0, p) in place.
func (t *Transform) Forward(x []uint64) {
	t.forwardFirst(&x[:1<<t.logN][0], &x[0])
	t.forwardParts(&x[0], true)
}

// ForwardFrom sets N floats, |x| ≤ (p+1)/2, to the transform of words in [0, p).
func (t *Transform) ForwardFrom(dst []float64, src []uint64) {
	x := words(dst[:1<<t.logN])
	t.forwardFirst(x, &src[:1<<t.logN][0])
	t.forwardParts(x, false)
}

// ForwardFloats transforms N floats, |x| ≤ (p+1)/2, in place.
func (t *Transform) ForwardFloats(x []float64) {
	row, n, w := words(x[:1<<t.logN]), 1<<t.logN, &t.forward
	if t.logN&1 == 1 {
		forwardEight(row, 1, n/8, w.at(1), w.at(2), w.at(4), t.data())
	} else {
		forwardFour(row, 1, n/4, w.at(1), w.at(2), t.data())
	}
	t.forwardParts(row, false)
}

func (t *Transform) forwardFirst(dst, src *uint64) {
	n, w := 1<<t.logN, &t.forward
	if t.logN&1 == 1 {
		forwardEightWords(dst, src, 1, n/8, w.at(1), w.at(2), w.at(4), t.data())
	} else {
		forwardFourWords(dst, src, 1, n/4, w.at(1), w.at(2), t.data())
	}
}

// radix is the number of blocks that the outermost pass leaves.
func (t *Transform) radix() int { return 4 << (t.logN & 1) }

// forwardParts does the stages after the first pass, and leaves words or floats.
func (t *Transform) forwardParts(x *uint64, words bool) {
	n, radix := 1<<t.logN/t.radix(), t.radix()
	if n*radix <= leaf {
		t.forwardLeaf(x, radix, n, radix, words)
		return
	}
	for k := range radix {
		t.forwardBlock(part(x, k*n), n, radix+k, words)
	}
}

// part is the place i words on.
func part(x *uint64, i int) *uint64 {
	return (*uint64)(unsafe.Add(unsafe.Pointer(x), 8*i))
}

func words(x []float64) *uint64 { return (*uint64)(unsafe.Pointer(&x[0])) }

// forwardBlock does the remaining stages of one block of n = 4^k ≥ 16.
func (t *Transform) forwardBlock(x *uint64, n, node int, words bool) {
	w := &t.forward
	if n > leaf {
		forwardFour(x, 1, n/4, w.at(node), w.at(2*node), t.data())
		for k := range 4 {
			t.forwardBlock(part(x, k*n/4), n/4, 4*node+k, words)
		}
		return
	}
	t.forwardLeaf(x, 1, n, node, words)
}

// forwardLeaf does the remaining stages of blocks of n = 4^k ≥ 16, from a node on.
func (t *Transform) forwardLeaf(x *uint64, blocks, n, node int, words bool) {
	w := &t.forward
	for ; n > 16; n, blocks, node = n/4, 4*blocks, 4*node {
		forwardFour(x, blocks, n/4, w.at(node), w.at(2*node), t.data())
	}
	quads := w.ofSixteens(node)
	if t.isWide() {
		if words {
			forwardSixteensWords(x, blocks, w.at(node), w.at(2*node), quads, t.data())
		} else {
			forwardSixteens(x, blocks, w.at(node), w.at(2*node), quads, t.data())
		}
		return
	}
	forwardFour(x, blocks, 4, w.at(node), w.at(2*node), t.data())
	if words {
		forwardQuadsWords(x, blocks, quads, t.data())
	} else {
		forwardQuads(x, blocks, quads, t.data())
	}
}

// Inverse transforms N words in [0, p) in place.
func (t *Transform) Inverse(x []uint64) {
	row, n := &x[:1<<t.logN][0], 1<<t.logN
	t.inverseParts(row, row)
	if t.logN&1 == 1 {
		inverseLastEightWords(row, 1, n/8, &t.last[0], &t.lastTwo[0], &t.lastFour[0], t.data())
	} else {
		inverseLastFourWords(row, 1, n/4, &t.last[0], &t.lastTwo[4], t.data())
	}
}

// InverseFrom sets N floats, |x| ≤ (p+1)/2, to the inverse transform of words in
// [0, p).
func (t *Transform) InverseFrom(dst []float64, src []uint64) {
	row := words(dst[:1<<t.logN])
	t.inverseParts(row, &src[:1<<t.logN][0])
	t.inverseLast(row)
}

// InverseFloats transforms N floats, |x| ≤ (p+1)/2, in place.
func (t *Transform) InverseFloats(x []float64) {
	row := words(x[:1<<t.logN])
	t.inverseParts(row, nil)
	t.inverseLast(row)
}

func (t *Transform) inverseLast(x *uint64) {
	n := 1 << t.logN
	if t.logN&1 == 1 {
		inverseLastEight(x, 1, n/8, &t.last[0], &t.lastTwo[0], &t.lastFour[0], t.data())
	} else {
		inverseLastFour(x, 1, n/4, &t.last[0], &t.lastTwo[4], t.data())
	}
}

// inverseParts undoes all stages but those of the last pass, of words at src, or
// of floats in place where src is nil.
func (t *Transform) inverseParts(x, src *uint64) {
	n, radix := 1<<t.logN/t.radix(), t.radix()
	if n*radix <= leaf {
		t.inverseLeaf(x, src, radix, n, radix)
		return
	}
	for k := range radix {
		from := src
		if src != nil {
			from = part(src, k*n)
		}
		t.inverseBlock(part(x, k*n), from, n, radix+k)
	}
}

// inverseBlock undoes the stages of one block of n = 4^k ≥ 16.
func (t *Transform) inverseBlock(x, src *uint64, n, node int) {
	w := &t.inverse
	if n > leaf {
		for k := range 4 {
			from := src
			if src != nil {
				from = part(src, k*n/4)
			}
			t.inverseBlock(part(x, k*n/4), from, n/4, 4*node+k)
		}
		inverseFour(x, 1, n/4, w.at(node), w.at(2*node), t.data())
		return
	}
	t.inverseLeaf(x, src, 1, n, node)
}

// inverseLeaf undoes the stages of blocks of n = 4^k ≥ 16, from a node on.
func (t *Transform) inverseLeaf(x, src *uint64, blocks, n, node int) {
	w := &t.inverse
	sixteens, first := blocks*n/16, node*n/16
	quads := w.ofSixteens(first)
	switch {
	case t.isWide() && src == nil:
		inverseSixteens(x, sixteens, w.at(first), w.at(2*first), quads, t.data())
	case t.isWide():
		inverseSixteensWords(x, src, sixteens, w.at(first), w.at(2*first), quads, t.data())
	case src == nil:
		inverseQuads(x, sixteens, quads, t.data())
	default:
		inverseQuadsWords(x, src, sixteens, quads, t.data())
	}
	if !t.isWide() {
		inverseFour(x, sixteens, 4, w.at(first), w.at(2*first), t.data())
	}
	for k := n / 64; k > 0; k /= 4 {
		inverseFour(x, blocks*k, n/k/4, w.at(node*k), w.at(2*node*k), t.data())
	}
}
