package eager

import (
	"errors"
	"sync"
	"unsafe"

	"fhelium/ckks"
	"fhelium/core/parallel"
	"fhelium/core/refusal"
	"fhelium/core/scratch"
)

// pool lends memory for what is secret: numbers that belong to the holder of a
// key, and randomness. What comes back is cleared.
type pool[T any] struct{ free sync.Pool }

var (
	words pool[uint64]  // residues
	ints  pool[int64]   // secrets and errors before they are reduced
	reals pool[float64] // coefficients
)

// take lends n zeros.
func (p *pool[T]) take(n int) []T {
	scratch.Lent(n * p.size())
	if s, ok := p.free.Get().(*[]T); ok && cap(*s) >= n {
		return (*s)[:n]
	}
	return make([]T, n)
}

// give takes memory back and clears it.
func (p *pool[T]) give(s []T) {
	clear(s)
	scratch.Back(len(s) * p.size())
	p.free.Put(&s)
}

// size is the bytes of one number.
func (p *pool[T]) size() int { return int(unsafe.Sizeof(*new(T))) }

// takeRows lends a polynomial of the given number of rows of n words, and the
// memory to give back.
func takeRows(rows, n int) ([][]uint64, []uint64) {
	memory := words.take(rows * n)
	out := make([][]uint64, rows)
	for r := range out {
		out[r] = memory[r*n : (r+1)*n : (r+1)*n]
	}
	return out, memory
}

// members runs f for each of n batch members and gives the error of the first
// that fails, whatever the order of the work. Where there are enough members to
// keep all workers busy they run in parallel, and f's loops over rows get a
// serial group that stops with g; else they run one after another, and f's
// loops get g. So the number of workers bounds the scratch memory, and f gives
// the same result either way.
func members(g *parallel.Group, n int, f func(b int, rows *parallel.Group) error) error {
	if n >= g.Workers() {
		serial := g.Serial()
		return firstError(g, n, func(b int) error { return f(b, serial) })
	}
	for b := 0; b < n && g.Err() == nil; b++ {
		if err := f(b, g); err != nil {
			return err
		}
	}
	return nil
}

// firstError runs check for 0 … n-1 and gives the error of the lowest index.
func firstError(g *parallel.Group, n int, check func(i int) error) error {
	var mu sync.Mutex
	var first error
	at := n
	g.Each(n, func(i int) {
		if err := check(i); err != nil {
			mu.Lock()
			defer mu.Unlock()
			if i < at {
				at, first = i, err
			}
		}
	})
	return first
}

// inMember names the batch member that an error belongs to, where there is more
// than one.
func inMember(s ckks.State, b int, err error) error {
	var r *refusal.Refusal
	if len(s.Batch) == 0 || !errors.As(err, &r) {
		return err
	}
	return refusal.New(r.Code, "batch member %d: %s", b, r.Detail)
}
