// Package parallel spreads independent work items over a bounded number of
// goroutines, and carries the one signal that stops a long operation.
package parallel

import (
	"sync/atomic"

	"fhelium/core/refusal"
)

// Cancelled says that the caller stopped the operation; its results are void.
const Cancelled refusal.Code = "cancelled"

// Panic is the code of a worker's panic, which is a bug of ours.
const Panic refusal.Code = "internal-panic"

// Group runs the loops of one operation. A nil *Group runs them serially.
// After Cancel every Each skips what is left, so that no numerical routine has
// to return an error: the operation asks Err once, at its end.
type Group struct {
	workers int
	stop    *atomic.Bool // shared with serial groups made of this one
}

// New makes a Group of at most the given number of workers.
func New(workers int) *Group { return &Group{workers: max(1, workers), stop: new(atomic.Bool)} }

// Serial is a group of one worker that stops when g does: for loops inside an
// item of a parallel loop.
func (g *Group) Serial() *Group {
	if g == nil {
		return nil
	}
	return &Group{workers: 1, stop: g.stop}
}

// Workers is the largest number of goroutines that Each uses.
func (g *Group) Workers() int {
	if g == nil {
		return 1
	}
	return g.workers
}

// Cancel makes all loops skip their remaining items.
func (g *Group) Cancel() { g.stop.Store(true) }

// Err is non-nil once the group was cancelled.
func (g *Group) Err() error {
	if g != nil && g.stop.Load() {
		return refusal.New(Cancelled, "the operation was stopped before it finished; no result was kept")
	}
	return nil
}

// Each calls f for 0 … n-1, each item once, in any order, and returns when all
// are done. Items must not depend on one another. A panic in a worker is
// raised again in the caller, with the worker's stack.
func (g *Group) Each(n int, f func(i int)) {
	w := min(g.Workers(), n)
	if w <= 1 {
		for i := 0; i < n && (g == nil || !g.stop.Load()); i++ {
			f(i)
		}
		return
	}
	l := &loop{n: n, f: f, stop: g.stop, finished: make(chan struct{})}
	l.share(w - 1)
	l.work()
	l.wait()
	l.withdraw()
	if text := l.failed.Load(); text != nil {
		panic(*text)
	}
}
