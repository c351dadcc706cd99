//go:build amd64 && !purego

package kernel

import "unsafe"

// The functions below work on words in [0, p) and give such. They do a multiple
// of Step words from the first on and return how many; what is left, fewer than
// that, is for the caller. dst may be any of the operands; it may not overlap one
// by a shift.

func whole(n int) int { return n &^ (Step - 1) }

// Add sets dst = a + b.
func (c *Constants) Add(dst, a, b []uint64) int {
	n := whole(len(dst))
	if n > 0 {
		a, b = a[:n], b[:n]
		add(&dst[0], &a[0], &b[0], n, c.data())
	}
	return n
}

// Sub sets dst = a - b.
func (c *Constants) Sub(dst, a, b []uint64) int {
	n := whole(len(dst))
	if n > 0 {
		a, b = a[:n], b[:n]
		subtract(&dst[0], &a[0], &b[0], n, c.data())
	}
	return n
}

// AddStreaming is Add that writes past the caches, for rows that nothing reads soon.
// It does nothing where dst starts at no multiple of 64 bytes.
func (c *Constants) AddStreaming(dst, a, b []uint64) int {
	n := whole(len(dst))
	if n == 0 || uintptr(unsafe.Pointer(&dst[0]))%64 != 0 {
		return 0
	}
	a, b = a[:n], b[:n]
	addStreaming(&dst[0], &a[0], &b[0], n, c.data())
	return n
}

// SubStreaming is Sub in the same way.
func (c *Constants) SubStreaming(dst, a, b []uint64) int {
	n := whole(len(dst))
	if n == 0 || uintptr(unsafe.Pointer(&dst[0]))%64 != 0 {
		return 0
	}
	a, b = a[:n], b[:n]
	subtractStreaming(&dst[0], &a[0], &b[0], n, c.data())
	return n
}

// Mul sets dst = a·b.
func (c *Constants) Mul(dst, a, b []uint64) int {
	n := whole(len(dst))
	if n > 0 {
		a, b = a[:n], b[:n]
		multiply(&dst[0], &a[0], &b[0], n, c.data())
	}
	return n
}

// MulScalar sets dst = a·s.
func (c *Constants) MulScalar(dst, a []uint64, s uint64) int {
	n := whole(len(dst))
	if n > 0 {
		a, f := a[:n], c.Factor(s)
		scale(&dst[0], &a[0], n, &f.x, c.data())
	}
	return n
}

// MulScalarAdd sets dst = dst + a·s.
func (c *Constants) MulScalarAdd(dst, a []uint64, s uint64) int {
	n := whole(len(dst))
	if n > 0 {
		a, f := a[:n], c.Factor(s)
		scaleAdd(&dst[0], &a[0], n, &f.x, c.data())
	}
	return n
}

// SubMulScalar sets dst = (a - b)·s.
func (c *Constants) SubMulScalar(dst, a, b []uint64, s uint64) int {
	n := whole(len(dst))
	if n > 0 {
		a, b, f := a[:n], b[:n], c.Factor(s)
		quotient(&dst[0], &a[0], &b[0], n, &f.x, c.data())
	}
	return n
}

// FromInt64 sets dst to integers modulo p. It gives 0 where one of them is not
// below 2^51 in size, and whatever was written to dst is of no use then.
func (c *Constants) FromInt64(dst []uint64, src []int64) int {
	n := whole(len(dst))
	if n > 0 && integers(&dst[0], (*uint64)(unsafe.Pointer(&src[:n][0])), n, c.data()) {
		return 0
	}
	return n
}

// FromFloats sets dst to integers held in float64 modulo p. It gives 0 where one of
// them is above 2^51 in size, or not finite, and whatever was written to dst is of
// no use then.
func (c *Constants) FromFloats(dst []uint64, src []float64) int {
	n := whole(len(dst))
	if n > 0 && fromFloats(&dst[0], words(src[:n]), n, c.data()) {
		return 0
	}
	return n
}

// mostProducts is how many products a sum holds before it has to be reduced.
const mostProducts = 8

// Dot sets dst = Σ a[k]·b[k] over at least one row, or adds that to dst, which
// may be none of the rows.
func (c *Constants) Dot(dst []uint64, a, b [][]uint64, add bool) int {
	n := whole(len(dst))
	if n == 0 {
		return 0
	}
	var left, right [mostProducts]*uint64
	for len(a) > 0 {
		rows := min(len(a), mostProducts)
		for k := range rows {
			left[k], right[k] = &a[k][:n][0], &b[k][:n][0]
		}
		if add {
			dotAdd(&dst[0], &left[0], &right[0], rows, n, c.data())
		} else {
			dot(&dst[0], &left[0], &right[0], rows, n, c.data())
		}
		a, b, add = a[rows:], b[rows:], true
	}
	return n
}
