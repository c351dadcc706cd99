//go:build amd64 && !purego

package kernel

// Digit sets y = x·w, |y| ≤ 0.63p, for reduced floats x, and adds y/p to sum.
func (c *Constants) Digit(y, sum, x []float64, w Factor) {
	n := len(y)
	mustFill(n)
	digit(&y[0], &sum[:n][0], words(x[:n]), n, &w.x, c.data())
}

// DigitWords is Digit for words x in [0, p).
func (c *Constants) DigitWords(y, sum []float64, x []uint64, w Factor) {
	n := len(y)
	mustFill(n)
	digitWords(&y[0], &sum[:n][0], &x[:n][0], n, &w.x, c.data())
}

// Round rounds sums to the nearest integers, and says whether one was further
// than near from its integer.
func Round(sum []float64, near float64) bool {
	mustFill(len(sum))
	return rounding(&sum[0], len(sum), &near)
}

const (
	// mostFactors is how many products of factors fit beside a multiple of a residue.
	mostFactors = 7
	// moreFactors is how many fit beside a reduced sum.
	moreFactors = 11
)

// Combine sets reduced floats dst = Σ y[k]·w[k] modulo p for the rows y[k] of
// len(dst) integers up to 2^50, one after another. The last row is of integers up
// to the number of the others.
func (c *Constants) Combine(dst, y []float64, w []Factor) {
	n := len(dst)
	mustFill(n)
	y = y[:n*len(w)]
	switch rows := len(w) - 1; {
	case rows == 1:
		combine1(words(dst), &y[0], n, &w[0].x, n, c.data())
		return
	case rows == 2:
		combine2(words(dst), &y[0], n, &w[0].x, n, c.data())
		return
	case rows == 3:
		combine3(words(dst), &y[0], n, &w[0].x, n, c.data())
		return
	case 1 <= rows && rows <= mostFactors:
		combine(words(dst), &y[0], n, &w[0].x, rows, n, c.data())
		return
	}
	clear(dst)
	for len(w) > 0 {
		rows := min(len(w), moreFactors)
		combineMany(words(dst), &y[0], n, &w[0].x, rows, n, c.data())
		y, w = y[n*rows:], w[rows:]
	}
}
