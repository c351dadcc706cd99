package pybind

import (
	"time"

	"fhelium/core/parallel"
	"fhelium/core/refusal"
)

// grace is how long a call waits for its work before it becomes a job: long
// enough that few operations do, short against the half second in which
// Ctrl-C must end one.
const grace = 15 * time.Millisecond

// inline as the grace of startOrRun runs the work in the caller's goroutine.
// It saves two thread switches, some 50 µs, and keeps the work of several threads on
// as many processors: a thread that is woken for it may be put behind the caller's.
const inline time.Duration = -1

// job is an operation that goes on after the call that began it. It borrows
// the caller's buffers until done is closed.
type job struct {
	group *parallel.Group
	done  chan struct{}
	err   error // set before done is closed
}

// run does the work on the job's goroutine.
func (j *job) run(f func(*parallel.Group) error) {
	defer close(j.done)
	defer guard(&j.err)
	j.err = f(j.group)
	if j.err == nil {
		j.err = j.group.Err()
	}
}

// release stops the job and returns when no worker touches its buffers.
func (j *job) release() {
	j.group.Cancel()
	<-j.done
}

// startOrRun runs f(g) and waits for it up to the given grace. It gives 0 when
// f has ended, with f's error, or else the handle of a job for JobWait and
// JobCancel. f may write a result in place only after g.Err() was nil for the
// last time, so that a stopped operation changes nothing.
func startOrRun(g *parallel.Group, wait time.Duration, f func(*parallel.Group) error) (int64, error) {
	if wait == inline {
		return 0, f(g)
	}
	j := &job{group: g, done: make(chan struct{})}
	go j.run(f)
	if ended(j, wait) {
		return 0, j.err
	}
	return put(j), nil
}

// ended waits for a job up to a time and tells whether it has ended.
func ended(j *job, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-j.done:
		return true
	case <-timer.C:
		return false
	}
}

// JobWait waits for a job up to a number of milliseconds. It gives 1 when the
// job has ended, with the job's error, and frees the job; 0 when it goes on.
func JobWait(handle int64, milliseconds int) (done int, err error) {
	defer guard(&err)
	j, err := get[*job](handle)
	if err != nil {
		return 0, err
	}
	if !ended(j, time.Duration(milliseconds)*time.Millisecond) {
		return 0, nil
	}
	drop(handle)
	return 1, j.err
}

// JobCancel stops a job, waits until no worker touches its buffers, and frees
// it. It gives 1 when the job had ended before it could be stopped, so that
// its results hold, and 0 when it was stopped and nothing was changed.
func JobCancel(handle int64) (finished int, err error) {
	defer guard(&err)
	j, err := get[*job](handle)
	if err != nil {
		return 0, err
	}
	j.release()
	drop(handle)
	switch {
	case j.err == nil:
		return 1, nil
	case refusal.CodeOf(j.err) == parallel.Cancelled:
		return 0, nil
	}
	return 0, j.err
}
