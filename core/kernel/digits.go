//go:build amd64 && !purego

package kernel

// Bounds are the least and the largest of p consecutive integers.
type Bounds struct{ least, most float64 }

// Range gives those from the given one on, which is in (-p, 0].
func (c *Constants) Range(least int64) Bounds {
	return Bounds{float64(least), float64(least) + c.p[0] - 1}
}

// Canonical sets dst to the representatives in b of floats |x| < p; dst may be x.
func (c *Constants) Canonical(dst, x []float64, b Bounds) {
	n := len(dst)
	mustFill(n)
	canonical(&dst[0], words(x[:n]), n, &b.least, c.data())
}

// CanonicalWords is Canonical for words in [0, p).
func (c *Constants) CanonicalWords(dst []float64, x []uint64, b Bounds) {
	n := len(dst)
	mustFill(n)
	canonicalWords(&dst[0], &x[:n][0], n, &b.least, c.data())
}

// RadixStep sets dst = (x - d)·w, |dst| ≤ 0.75p, for floats |x| ≤ p and integers
// |d| ≤ 2^50; dst may be x.
func (c *Constants) RadixStep(dst, x, d []float64, w Factor) {
	n := len(dst)
	mustFill(n)
	radixStep(&dst[0], words(x[:n]), &d[:n][0], n, &w.x, c.data())
}

// RadixStepWords is RadixStep for words x in [0, p).
func (c *Constants) RadixStepWords(dst []float64, x []uint64, d []float64, w Factor) {
	n := len(dst)
	mustFill(n)
	radixStepWords(&dst[0], &x[:n][0], &d[:n][0], n, &w.x, c.data())
}

// moreFactors is how many products of factors fit beside a reduced sum.
const moreFactors = 11

// Combine sets reduced floats dst = y[0] + Σ y[k]·w[k] modulo p for the rows y[k]
// of len(dst) integers up to 2^50 in size, one after another. w[0] is 1, and is not
// looked at.
func (c *Constants) Combine(dst, y []float64, w []Factor) {
	n := len(dst)
	mustFill(n)
	y = y[:n*len(w)]
	few := min(len(w), 4)
	switch few {
	case 1:
		combine1(words(dst), &y[0], n, &w[0].x, n, c.data())
	case 2:
		combine2(words(dst), &y[0], n, &w[0].x, n, c.data())
	case 3:
		combine3(words(dst), &y[0], n, &w[0].x, n, c.data())
	default:
		combine4(words(dst), &y[0], n, &w[0].x, n, c.data())
	}
	for y, w = y[n*few:], w[few:]; len(w) > 0; {
		rows := min(len(w), moreFactors)
		combineMore(words(dst), &y[0], n, &w[0].x, rows, n, c.data())
		y, w = y[n*rows:], w[rows:]
	}
}
