package ring

import "sync"

// scratch keeps working memory between operations, so that a long computation
// does not allocate rows for each of them.
var scratch sync.Pool

// borrow gives n words of any content; give them back with release.
func borrow(n int) *[]uint64 {
	if b, ok := scratch.Get().(*[]uint64); ok && cap(*b) >= n {
		*b = (*b)[:n]
		return b
	}
	b := make([]uint64, n)
	return &b
}

func release(b *[]uint64) { scratch.Put(b) }
