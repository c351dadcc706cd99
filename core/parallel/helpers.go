package parallel

import (
	"sync/atomic"
	"time"
)

// How long a goroutine looks for what will come before it is put to sleep or ends. An
// operation has many short loops, one after another, and a caller makes one operation
// after another: to wake a thread takes as long as many loops do.
const (
	briefly = 50 * time.Microsecond
	patient = 200 * time.Microsecond
)

// helpers are the goroutines that work on loops beside those that call Each. They come
// with the first loop, look for the next one for a while, and end. No loop depends on
// them: they only make it shorter. All groups share them, so that they last from one
// operation to the next.
var helpers struct {
	current atomic.Pointer[loop]
	alive   atomic.Int64
}

// share has up to count helpers work on a loop, until withdraw. Of two loops that run
// at a time, helpers that become free go to the latter.
func (l *loop) share(count int) {
	l.room.Store(int64(count))
	helpers.current.Store(l)
	for have := int(helpers.alive.Load()); have < count; have++ {
		helpers.alive.Add(1)
		go help()
	}
}

// withdraw lets go of a loop that has ended, and of what it works on.
func (l *loop) withdraw() { helpers.current.CompareAndSwap(l, nil) }

// help works on one loop after another until none comes.
func help() {
	defer helpers.alive.Add(-1)
	var last *loop
	for {
		var l *loop
		if !soon(patient, func() bool { l = helpers.current.Load(); return l != nil && l != last }) {
			return
		}
		if last = l; l.room.Add(-1) >= 0 {
			l.work()
		}
	}
}

// soon looks whether something happens within a time.
func soon(wait time.Duration, happened func() bool) bool {
	var end time.Time
	for turn := 0; ; turn++ {
		if happened() {
			return true
		}
		if turn%64 != 0 {
			continue
		}
		switch now := time.Now(); {
		case turn == 0:
			end = now.Add(wait)
		case now.After(end):
			return false
		}
	}
}
