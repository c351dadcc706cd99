package ring

// The inverse transform undoes the forward stages in reverse order
// (Gentleman-Sande), again two at a time and depth first, with 1/N in the last
// pass.
//
// Bounds. A stage maps (a, b) to (a + b, (b - a + lift)·r), where r is minus the
// inverse root, lift = 2^11·q, and the product is lazy, in [0, 2q). Only sums
// grow: a leaf of n ≤ 1024 words takes [0, q) to [0, n·q), the bound met by n
// equal words q-1. Passes above the leaf read words below 2^10·q, and reduce
// the quarter that holds sums, so that they leave words below 4q. The sums of
// the first stage of a pass are below 2^11·q, so b - a + lift is positive and
// below 2^12·q < 2^62. The last pass multiplies every word, its sums below
// 2^12·q too.

const liftBits = 11

// Inverse transforms in place, from values in bit-reversed order to
// coefficients in natural order; x has N words in [0, q), in and out.
func (t *Table) Inverse(x []uint64) {
	if t.fast != nil {
		t.fast.Inverse(x)
		return
	}
	x = x[:t.N()]
	t.inverseLazy(x)
	if t.LogN&1 == 0 {
		inverseLastFour(x, t.roots[3], t.roots[2], t.scale, t.scaleRoot, t.Q)
	} else {
		inverseLastTwo(x, t.scale, t.scaleRoot, t.Q)
	}
}

// inverseLazy is Inverse without its last pass; its words are below 2^10·q.
func (t *Table) inverseLazy(x []uint64) {
	parts := 4 >> (t.LogN & 1)
	n := len(x) / parts
	for k := range parts {
		t.inverseBlock(x[k*n:(k+1)*n], 2*parts-1-k)
	}
}

// inverseBlock undoes the stages of one block, len(x) = 4^k; x is below q in
// and below 2^10·q out. The node, numbered as for forwardBlock, is the one whose
// root is minus the inverse of the block's: the mirror image on its level.
func (t *Table) inverseBlock(x []uint64, node int) {
	if len(x) <= leafSize {
		t.inverseLeaf(x, node)
		return
	}
	n := len(x) / 4
	for k := range 4 {
		t.inverseBlock(x[k*n:(k+1)*n], 4*node+3-k)
	}
	inverseFour(x, t.roots[node], t.roots[2*node+1], t.roots[2*node], t.Q)
	t.Reduce(x[:n], x[:n])
}

// inverseLeaf is inverseBlock one pass after the other; x is below q in and
// below len(x)·q out.
func (t *Table) inverseLeaf(x []uint64, node int) {
	count := len(x) / 4
	first, end := node*count, (node+1)*count
	inverseQuads(x, t.roots[first:end], t.roots[2*first:2*end], t.Q)
	for n := 16; n <= len(x); n *= 4 {
		count = len(x) / n
		for k := range count {
			j := (node+1)*count - 1 - k
			inverseFour(x[k*n:(k+1)*n], t.roots[j], t.roots[2*j+1], t.roots[2*j], t.Q)
		}
	}
}

// inverseQuads is the first two stages, of len(outer) blocks of four words; the
// roots are read backwards.
func inverseQuads(x []uint64, outer, inner []twiddle, q uint64) {
	lift := q << liftBits
	for k := range outer {
		j := len(outer) - 1 - k
		v, w, w1 := (*[4]uint64)(x[4*k:]), (*[2]twiddle)(inner[2*j:]), outer[j]
		s, r := v[0]+v[1], v[2]+v[3]
		d, e := mulLazy(v[1]-v[0]+lift, w[1], q), mulLazy(v[3]-v[2]+lift, w[0], q)
		v[0], v[1], v[2], v[3] = s+r, d+e, mulLazy(r-s+lift, w1, q), mulLazy(e-d+lift, w1, q)
	}
}

// inverseFour undoes two stages of one block: w2 and w3 are for the quarters of
// its halves, w1 for the halves.
func inverseFour(x []uint64, w1, w2, w3 twiddle, q uint64) {
	n := len(x) / 4
	a, b, c, d := x[:n], x[n:2*n], x[2*n:3*n], x[3*n:4*n]
	b, c, d = b[:len(a)], c[:len(a)], d[:len(a)]
	lift := q << liftBits
	for j := range a {
		s, r := a[j]+b[j], c[j]+d[j]
		e, f := mulLazy(b[j]-a[j]+lift, w2, q), mulLazy(d[j]-c[j]+lift, w3, q)
		a[j], b[j] = s+r, e+f
		c[j], d[j] = mulLazy(r-s+lift, w1, q), mulLazy(f-e+lift, w1, q)
	}
}

// inverseLastFour is inverseFour on the whole of x, times 1/N, canonical out;
// scaleRoot is w1/N.
func inverseLastFour(x []uint64, w2, w3, scale, scaleRoot twiddle, q uint64) {
	n := len(x) / 4
	a, b, c, d := x[:n], x[n:2*n], x[2*n:3*n], x[3*n:4*n]
	b, c, d = b[:len(a)], c[:len(a)], d[:len(a)]
	lift := q << liftBits
	for j := range a {
		s, r := a[j]+b[j], c[j]+d[j]
		e, f := mulLazy(b[j]-a[j]+lift, w2, q), mulLazy(d[j]-c[j]+lift, w3, q)
		a[j], b[j] = once(mulLazy(s+r, scale, q), q), once(mulLazy(e+f, scale, q), q)
		c[j], d[j] = once(mulLazy(r-s+lift, scaleRoot, q), q), once(mulLazy(f-e+lift, scaleRoot, q), q)
	}
}

// inverseLastTwo undoes the first stage, times 1/N, canonical out.
func inverseLastTwo(x []uint64, scale, scaleRoot twiddle, q uint64) {
	a, b := x[:len(x)/2], x[len(x)/2:]
	b = b[:len(a)]
	lift := q << liftBits
	for j := range a {
		s, d := a[j]+b[j], b[j]-a[j]+lift
		a[j], b[j] = once(mulLazy(s, scale, q), q), once(mulLazy(d, scaleRoot, q), q)
	}
}
