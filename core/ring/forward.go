package ring

// The forward transform is the Cooley-Tukey NTT with the powers of psi merged
// into its roots (P. Longa and M. Naehrig, CANS 2016), taken two stages at a
// time, depth first so that blocks of leafSize words stay in the fastest cache.
//
// Bounds. A stage maps (a, b) to (a + w·b, a - w·b + 2q), where w·b is lazy and
// in [0, 2q) for any word b. So a stage adds at most 2q to the largest value: s
// stages take [0, q) to [0, (1+2s)q), which is below 35q < 2^56 for 17 stages.
// Nothing is reduced before the last stage; then one Barrett step makes each
// word canonical. A stage meets its bound at b = 0.

// leafSize is the block, in words, that a transform finishes before the next:
// 8 KiB, beside 16 KiB of roots.
const leafSize = 1024

// Forward transforms in place, from coefficients in natural order to values in
// bit-reversed order; x has N words in [0, q), in and out.
func (t *Table) Forward(x []uint64) {
	if t.fast != nil {
		t.fast.Forward(x)
		return
	}
	t.forwardLazy(x)
	t.Reduce(x, x)
}

// forwardLazy is Forward without its last reduction: its words are congruent to
// the result, and at most q-1 + 2q·LogN.
func (t *Table) forwardLazy(x []uint64) {
	x = x[:t.N()]
	if t.LogN&1 == 0 {
		t.forwardBlock(x, 1)
		return
	}
	half := len(x) / 2
	forwardTwo(x, t.roots[1], t.Q)
	t.forwardBlock(x[:half], 2)
	t.forwardBlock(x[half:], 3)
}

// forwardBlock does the remaining stages of one block, len(x) = 4^k. Blocks are
// numbered as the nodes of a heap: the whole is node 1, the halves of a node j
// are 2j and 2j+1, and roots[j] multiplies the second half of node j.
func (t *Table) forwardBlock(x []uint64, node int) {
	if len(x) <= leafSize {
		t.forwardLeaf(x, node)
		return
	}
	forwardFour(x, t.roots[node], t.roots[2*node], t.roots[2*node+1], t.Q)
	n := len(x) / 4
	for k := range 4 {
		t.forwardBlock(x[k*n:(k+1)*n], 4*node+k)
	}
}

// forwardLeaf is forwardBlock one pass after the other.
func (t *Table) forwardLeaf(x []uint64, node int) {
	for n := len(x); n > 4; n /= 4 {
		for k := range len(x) / n {
			forwardFour(x[k*n:(k+1)*n], t.roots[node+k], t.roots[2*(node+k)], t.roots[2*(node+k)+1], t.Q)
		}
		node *= 4
	}
	end := node + len(x)/4
	forwardQuads(x, t.roots[node:end], t.roots[2*node:2*end], t.Q)
}

// forwardTwo is one stage of one block.
func forwardTwo(x []uint64, w twiddle, q uint64) {
	a, b := x[:len(x)/2], x[len(x)/2:]
	b = b[:len(a)]
	for j := range a {
		p := mulLazy(b[j], w, q)
		a[j], b[j] = a[j]+p, a[j]+2*q-p
	}
}

// forwardFour is two stages of one block: w1 multiplies its second half, w2 and
// w3 the second quarter of each half.
func forwardFour(x []uint64, w1, w2, w3 twiddle, q uint64) {
	n := len(x) / 4
	a, b, c, d := x[:n], x[n:2*n], x[2*n:3*n], x[3*n:4*n]
	b, c, d = b[:len(a)], c[:len(a)], d[:len(a)]
	for j := range a {
		x, p := a[j], mulLazy(c[j], w1, q)
		a0, c0 := x+p, x+2*q-p
		y, r := b[j], mulLazy(d[j], w1, q)
		b0, d0 := y+r, y+2*q-r
		p = mulLazy(b0, w2, q)
		a[j], b[j] = a0+p, a0+2*q-p
		r = mulLazy(d0, w3, q)
		c[j], d[j] = c0+r, c0+2*q-r
	}
}

// forwardQuads is the last two stages, of len(outer) blocks of four words.
func forwardQuads(x []uint64, outer, inner []twiddle, q uint64) {
	for k, w1 := range outer {
		v, w := (*[4]uint64)(x[4*k:]), (*[2]twiddle)(inner[2*k:])
		p, r := mulLazy(v[2], w1, q), mulLazy(v[3], w1, q)
		a0, c0 := v[0]+p, v[0]+2*q-p
		b0, d0 := v[1]+r, v[1]+2*q-r
		p, r = mulLazy(b0, w[0], q), mulLazy(d0, w[1], q)
		v[0], v[1], v[2], v[3] = a0+p, a0+2*q-p, c0+r, c0+2*q-r
	}
}
