package ring

import (
	"sync"

	"fhelium/core/scratch"
)

// free keeps working memory between operations, so that a long computation
// does not allocate rows for each of them.
var free sync.Pool

// borrow gives n words of any content; give them back with release.
func borrow(n int) *[]uint64 {
	if b, ok := free.Get().(*[]uint64); ok && cap(*b) >= n {
		*b = (*b)[:n]
		return b
	}
	b := make([]uint64, n)
	return &b
}

func release(b *[]uint64) { free.Put(b) }

// borrowRows is borrow of rows, which are counted; give them back with releaseRows.
func borrowRows(n int) *[]uint64 {
	scratch.Lent(8 * n)
	return borrow(n)
}

func releaseRows(b *[]uint64) {
	scratch.Back(8 * len(*b))
	release(b)
}
