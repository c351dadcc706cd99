//go:build amd64 && !purego

package kernel

// The functions below work on rows of a multiple of Step elements. Floats are
// reduced, |x| ≤ (p+1)/2, in and out.

// mustFill demands a length that the loops end at.
func mustFill(n int) {
	if n == 0 || n%Step != 0 {
		panic("kernel: a row of floats is no multiple of Step long")
	}
}

// Read sets floats to words in [0, p).
func (c *Constants) Read(dst []float64, src []uint64) {
	mustFill(len(dst))
	read(words(dst), &src[:len(dst)][0], len(dst), c.data())
}

// Write sets words in [0, p) to floats; they may share memory.
func (c *Constants) Write(dst []uint64, src []float64) {
	mustFill(len(dst))
	write(&dst[0], words(src[:len(dst)]), len(dst), c.data())
}

// MulScalarAddFloats sets dst = dst + a·s for words a and s in [0, p).
func (c *Constants) MulScalarAddFloats(dst []float64, a []uint64, s uint64) {
	mustFill(len(dst))
	f := c.Factor(s)
	liftAdd(words(dst), &a[:len(dst)][0], len(dst), &f.x, c.data())
}

// SubFloats sets dst = dst - a for |a| ≤ 2^51.
func (c *Constants) SubFloats(dst, a []float64) {
	mustFill(len(dst))
	lower(words(dst), words(a[:len(dst)]), len(dst), c.data())
}

// mostPairs is how many rows of each operand DotPair reads at a time, of the 10 that
// it could: rows start at the same place of the first cache, which keeps eight of them
// apart.
const mostPairs = 4

// DotPair sets x = Σ a[k]·b[k] and y = Σ a[k]·d[k] over at least one row of floats
// a and words b and d. x and y are none of the rows.
func (c *Constants) DotPair(x, y []float64, a [][]float64, b, d [][]uint64) {
	n := len(x)
	mustFill(n)
	y = y[:n]
	var left, one, two [mostPairs]*uint64
	for add := false; len(a) > 0; add = true {
		passes := (len(a) + mostPairs - 1) / mostPairs
		rows := (len(a) + passes - 1) / passes
		for k := range rows {
			left[k], one[k], two[k] = words(a[k][:n]), &b[k][:n][0], &d[k][:n][0]
		}
		if add {
			dotPairAdd(words(x), words(y), &left[0], &one[0], &two[0], rows, n, c.data())
		} else {
			dotPair(words(x), words(y), &left[0], &one[0], &two[0], rows, n, c.data())
		}
		a, b, d = a[rows:], b[rows:], d[rows:]
	}
}

// Quotient sets words dst = (a - b)·s, plus add where there is one, for floats a
// and b, words add, and s in [0, p). dst may share memory with any of them.
func (c *Constants) Quotient(dst []uint64, a, b []float64, s uint64, add []uint64) {
	n, f := len(dst), c.Factor(s)
	mustFill(n)
	if add == nil {
		quotientFloats(&dst[0], words(a[:n]), words(b[:n]), n, &f.x, c.data())
	} else {
		quotientFloatsAdd(&dst[0], words(a[:n]), words(b[:n]), &add[:n][0], n, &f.x, c.data())
	}
}

// QuotientWords is Quotient for words a, without anything to add.
func (c *Constants) QuotientWords(dst, a []uint64, b []float64, s uint64) {
	n, f := len(dst), c.Factor(s)
	mustFill(n)
	quotientWords(&dst[0], &a[:n][0], words(b[:n]), n, &f.x, c.data())
}

// Equals tells whether words x in [0, p) are the floats a, |a| < p, of which none is
// -0.
func (c *Constants) Equals(x []uint64, a []float64) bool {
	n := len(x)
	mustFill(n)
	return !unequal(&x[0], words(a[:n]), n, c.data())
}

// Join sets dst = low + high·p, rounded to the nearest float64, ties to even, for
// integers below 2^50 in size. dst may be either.
func (c *Constants) Join(dst, low, high []float64) {
	n := len(dst)
	mustFill(n)
	join(&dst[0], &low[:n][0], &high[:n][0], n, c.data())
}
