// Package scratch lends memory for the rows of intermediate polynomials, and
// takes it back for the next operation of the same shape.
//
// What is lent holds whatever its last user left there, so no secret key may be
// written into it.
package scratch

import "sync"

// pad is added to every row's length, in words: three cache lines. Rows whose
// distance is a power of two would share the same few lines of the first cache.
const pad = 24

// pools holds a *sync.Pool of []uint64 for each size in words.
var pools sync.Map

// Block is a number of rows of equal width, borrowed until Free.
type Block struct {
	Rows   [][]uint64
	memory *[]uint64
}

// NewBlock lends count rows of width words each, of any content.
func NewBlock(count, width int) *Block {
	size := count * (width + pad)
	memory, _ := pool(size).Get().(*[]uint64)
	if memory == nil {
		fresh := make([]uint64, size)
		memory = &fresh
	}
	Lent(8 * size)
	b := &Block{Rows: make([][]uint64, count), memory: memory}
	for i := range b.Rows {
		at := i * (width + pad)
		b.Rows[i] = (*memory)[at : at+width : at+width]
	}
	return b
}

// Free takes the memory back. The rows must not be used again. A nil Block has
// nothing to take.
func (b *Block) Free() {
	if b == nil || b.memory == nil {
		return
	}
	Back(8 * len(*b.memory))
	pool(len(*b.memory)).Put(b.memory)
	b.memory, b.Rows = nil, nil
}

func pool(size int) *sync.Pool {
	if p, ok := pools.Load(size); ok {
		return p.(*sync.Pool)
	}
	p, _ := pools.LoadOrStore(size, new(sync.Pool))
	return p.(*sync.Pool)
}
