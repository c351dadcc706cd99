package parallel

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fhelium/core/refusal"

	"github.com/stretchr/testify/require"
)

// groups are all ways to run a loop; a nil group is serial.
func groups() map[string]*Group {
	return map[string]*Group{"nil": nil, "none": New(0), "one": New(1), "four": New(4), "many": New(100)}
}

// Every item runs once, for fewer and more items than workers.
func TestEachRunsEveryItemOnce(t *testing.T) {
	for name, g := range groups() {
		for _, n := range []int{0, 1, 3, 4, 1000} {
			counts := make([]atomic.Int32, n)
			g.Each(n, func(i int) { counts[i].Add(1) })
			for i := range counts {
				require.EqualValues(t, 1, counts[i].Load(), "%s: item %d of %d", name, i, n)
			}
		}
		require.NoError(t, g.Err())
	}
}

func TestWorkers(t *testing.T) {
	for name, want := range map[string]int{"nil": 1, "none": 1, "one": 1, "four": 4, "many": 100} {
		require.Equal(t, want, groups()[name].Workers(), name)
	}
}

// No more items run at once than there are workers, and two do meet.
func TestEachRunsSideBySide(t *testing.T) {
	var running, most atomic.Int32
	var met sync.WaitGroup
	met.Add(2)
	New(2).Each(8, func(i int) {
		now := running.Add(1)
		for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
		}
		if i < 2 { // each of the first two waits for the other
			met.Done()
			met.Wait()
		}
		running.Add(-1)
	})
	require.EqualValues(t, 2, most.Load())
}

// After Cancel, items that have not begun are skipped, in this loop and later
// ones, and Err says so.
func TestCancel(t *testing.T) {
	for _, workers := range []int{1, 4} {
		g := New(workers)
		var ran atomic.Int32
		g.Each(1000, func(int) {
			if ran.Add(1) == 5 {
				g.Cancel()
			}
		})
		require.GreaterOrEqual(t, ran.Load(), int32(5))
		require.LessOrEqual(t, ran.Load(), int32(5+workers))
		g.Each(10, func(int) { t.Error("an item ran after Cancel") })
		require.Equal(t, Cancelled, refusal.CodeOf(g.Err()))
	}
}

// Loops inside an item stop with the loop around them; Serial of nil is nil.
func TestSerialStopsWithItsGroup(t *testing.T) {
	g := New(4)
	inner := g.Serial()
	require.Equal(t, 1, inner.Workers())
	var ran atomic.Int32
	inner.Each(10, func(int) {
		if ran.Add(1) == 2 {
			g.Cancel()
		}
	})
	require.EqualValues(t, 2, ran.Load())
	require.Equal(t, Cancelled, refusal.CodeOf(inner.Err()))
	require.Nil(t, (*Group)(nil).Serial())
}

// A worker's panic reaches the caller with its text, and the rest is skipped.
func TestPanicIsForwarded(t *testing.T) {
	for name, g := range groups() {
		var ran atomic.Int32
		message := func() (text string) {
			defer func() {
				switch r := recover().(type) {
				case string:
					text = r
				case error:
					text = r.Error()
				}
			}()
			g.Each(1_000_000, func(i int) {
				ran.Add(1)
				if i == 3 {
					panic("limb 3 is broken")
				}
			})
			return "no panic"
		}()
		require.Contains(t, message, "limb 3 is broken", name)
		require.Less(t, ran.Load(), int32(1_000_000), name)
		if g.Workers() > 1 {
			require.Contains(t, message, "parallel_test.go", "the worker's stack")
		}
	}
}

// As many helpers as there are join no loop that has room for fewer. Mutant: leave room
// out.
func TestHelpersLeaveSmallLoopsAlone(t *testing.T) {
	New(8).Each(64, func(int) { time.Sleep(100 * time.Microsecond) })
	for range 50 {
		var running, most atomic.Int32
		New(2).Each(40, func(int) {
			now := running.Add(1)
			for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
			}
			time.Sleep(5 * time.Microsecond)
			running.Add(-1)
		})
		require.LessOrEqual(t, most.Load(), int32(2))
	}
}

// Loops of several goroutines run side by side, and loops within loops end. Mutant: wait
// for a helper.
func TestLoopsAtATime(t *testing.T) {
	var total atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			g := New(3)
			for range 50 {
				g.Each(20, func(int) { g.Each(3, func(int) { total.Add(1) }) })
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 4*50*20*3, total.Load())
}

// Helpers end when nothing comes, and nothing is kept of what they worked on. Mutants:
// no end of patience; no withdraw.
func TestHelpersEnd(t *testing.T) {
	New(6).Each(100, func(int) { time.Sleep(time.Microsecond) })
	require.Nil(t, helpers.current.Load())
	require.Eventually(t, func() bool { return helpers.alive.Load() == 0 }, 5*time.Second, time.Millisecond)
}
