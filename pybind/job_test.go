package pybind

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"fhelium/core/parallel"
	"fhelium/core/refusal"
)

const long = 1 << 20 // milliseconds that no test waits for

// untilStopped is work that only Cancel ends.
func untilStopped(g *parallel.Group) error {
	for g.Err() == nil {
		time.Sleep(100 * time.Microsecond)
	}
	return nil
}

func TestWorkWithinItsGrace(t *testing.T) {
	for _, wait := range []time.Duration{inline, time.Hour} {
		h, err := startOrRun(newGroup(), wait, func(*parallel.Group) error { return nil })
		require.NoError(t, err)
		require.Zero(t, h)
		_, err = startOrRun(newGroup(), wait, func(*parallel.Group) error { return errors.New("broken") })
		require.EqualError(t, guarded(func() error { return err }), "internal: broken")
		_, err = startOrRun(newGroup(), wait, func(g *parallel.Group) error { g.Cancel(); return g.Err() })
		require.Equal(t, parallel.Cancelled, refusal.CodeOf(err))
	}
}

func TestJobEnds(t *testing.T) {
	finish := make(chan error)
	h, err := startOrRun(newGroup(), 0, func(*parallel.Group) error { return <-finish })
	require.NoError(t, err)
	require.NotZero(t, h)
	done, err := JobWait(h, 0)
	require.NoError(t, err)
	require.Zero(t, done)
	finish <- nil
	done, err = JobWait(h, long)
	require.NoError(t, err)
	require.Equal(t, 1, done)
	_, err = JobWait(h, 0)
	require.Equal(t, CodeHandleInvalid, refusal.CodeOf(err), "an ended job is freed")
}

func TestJobFails(t *testing.T) {
	for want, f := range map[string]func(){
		"internal-panic": func() { panic("broken") },
		"internal":       func() {},
	} {
		begin := make(chan int)
		h, err := startOrRun(newGroup(), 0, func(*parallel.Group) error { <-begin; f(); return errors.New("broken") })
		require.NoError(t, err)
		close(begin)
		done, err := JobWait(h, long)
		require.Equal(t, 1, done)
		require.Equal(t, refusal.Code(want), refusal.CodeOf(err))
		require.ErrorContains(t, err, "broken")
	}
}

func TestJobCancelWaitsForTheWorkers(t *testing.T) {
	var inside atomic.Int64
	started := make(chan int)
	h, err := startOrRun(parallel.New(2), 0, func(g *parallel.Group) error {
		close(started)
		g.Each(1<<30, func(int) {
			inside.Add(1)
			time.Sleep(time.Millisecond)
			inside.Add(-1)
		})
		return nil
	})
	require.NoError(t, err)
	<-started
	finished, err := JobCancel(h)
	require.NoError(t, err)
	require.Zero(t, finished)
	require.Zero(t, inside.Load())
	_, err = JobCancel(h)
	require.Equal(t, CodeHandleInvalid, refusal.CodeOf(err))
}

func TestJobCancelTellsWhatHappened(t *testing.T) {
	done := put(&job{group: newGroup(), done: closed()})
	finished, err := JobCancel(done)
	require.NoError(t, err)
	require.Equal(t, 1, finished, "the job had ended well")
	failed := put(&job{group: newGroup(), done: closed(), err: errors.New("broken")})
	_, err = JobCancel(failed)
	require.ErrorContains(t, err, "broken")
}

func closed() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

func TestHandleFreeStopsAJob(t *testing.T) {
	ended := make(chan int)
	h, err := startOrRun(newGroup(), 0, func(g *parallel.Group) error { defer close(ended); return untilStopped(g) })
	require.NoError(t, err)
	_, err = HandleFree(h)
	require.NoError(t, err)
	select {
	case <-ended:
	default:
		t.Fatal("the job goes on")
	}
}

func TestWaitersOfOneJob(t *testing.T) {
	h, err := startOrRun(newGroup(), 0, untilStopped)
	require.NoError(t, err)
	answers := make(chan error)
	for range 4 {
		go func() { _, err := JobWait(h, long); answers <- err }()
	}
	_, err = JobCancel(h)
	require.NoError(t, err)
	for range 4 {
		// A waiter learns of the end, or comes too late for the job.
		require.Contains(t, []refusal.Code{parallel.Cancelled, CodeHandleInvalid}, refusal.CodeOf(<-answers))
	}
}

// outside stands for Python's memory: unlike a local variable it never moves.
var outside [4]int64

func TestProbeJobWritesOnlyAtItsEnd(t *testing.T) {
	out := outside[:1]
	address := uintptr(unsafe.Pointer(&out[0]))
	out[0] = 0
	h, err := ProbeJob(address, 0)
	require.NoError(t, err)
	require.Zero(t, h)
	require.EqualValues(t, 1, out[0])
	out[0] = 0
	h, err = ProbeJob(address, long)
	require.NoError(t, err)
	require.NotZero(t, h)
	_, err = JobCancel(h)
	require.NoError(t, err)
	require.Zero(t, out[0])
	_, err = ProbeJob(0, 0)
	require.Equal(t, CodeBufferInvalid, refusal.CodeOf(err))
}
