package pybind

import (
	"time"

	"fhelium/core/parallel"
)

// The probes let the tests reach from Python what no correct operation shows:
// a panic, and a job of a known length.

// ProbePanic panics, in a worker goroutine if asked. It never gives a value.
func ProbePanic(worker bool) (never int, err error) {
	defer guard(&err)
	if !worker {
		panic("the probe was asked to fail")
	}
	parallel.New(2).Each(2, func(i int) {
		if i == 1 {
			panic("the probe was asked to fail")
		}
	})
	return 0, nil
}

// ProbeJob works for a number of milliseconds on all workers, unless it is
// stopped, and then writes 1 to the int64 at the address: it behaves like an
// operation in place. It gives 0 or a job's handle.
func ProbeJob(out uintptr, milliseconds int) (handle int64, err error) {
	defer guard(&err)
	result, err := i64(out, 1)
	if err != nil {
		return 0, err
	}
	return startOrRun(newGroup(), grace, func(g *parallel.Group) error {
		end := time.Now().Add(time.Duration(milliseconds) * time.Millisecond)
		for time.Now().Before(end) && g.Err() == nil {
			g.Each(g.Workers(), func(int) { time.Sleep(time.Millisecond) })
		}
		if g.Err() == nil {
			result[0] = 1
		}
		return nil
	})
}
