package parallel

import (
	"fmt"
	"runtime/debug"
	"sync/atomic"
)

// loop is one Each that is under way.
type loop struct {
	n        int
	f        func(i int)
	stop     *atomic.Bool
	room     atomic.Int64 // how many helpers may still join
	next     atomic.Int64 // the item to begin next
	done     atomic.Int64 // how many have ended
	failed   atomic.Pointer[string]
	finished chan struct{} // closed with the last item's end
}

// work does items until none is left to begin.
func (l *loop) work() {
	for {
		i := int(l.next.Add(1)) - 1
		if i >= l.n {
			return
		}
		ended := 1
		if l.stop.Load() || l.failed.Load() != nil {
			ended += max(0, l.n-int(l.next.Swap(int64(l.n)))) // nobody begins another
		} else {
			l.item(i)
		}
		if int(l.done.Add(int64(ended))) == l.n {
			close(l.finished)
		}
	}
}

// item keeps the text of a panic.
func (l *loop) item(i int) {
	defer func() {
		if r := recover(); r != nil {
			text := fmt.Sprintf("%v\n%s", r, debug.Stack())
			l.failed.CompareAndSwap(nil, &text)
		}
	}()
	l.f(i)
}

// wait returns when all items have ended.
func (l *loop) wait() {
	if !soon(briefly, func() bool { return int(l.done.Load()) == l.n }) {
		<-l.finished
	}
}
