package pybind

import (
	"runtime"
	"sync/atomic"

	"fhelium/core/parallel"
	"fhelium/core/refusal"
)

// maxWorkers bounds SetWorkers; more goroutines than that never help.
const maxWorkers = 1 << 12

// workers is the process-wide number of goroutines of one operation. Python
// keeps it equal to torch.get_num_threads().
var workers atomic.Int64

func init() { workers.Store(int64(runtime.GOMAXPROCS(0))) }

// newGroup makes the Group of one operation.
func newGroup() *parallel.Group { return parallel.New(int(workers.Load())) }

// SetWorkers sets how many goroutines an operation uses, 1 … 4096, and gives
// the number before. Results never depend on it.
func SetWorkers(count int) (before int, err error) {
	defer guard(&err)
	if count < 1 || count > maxWorkers {
		return 0, refusal.New(CodeWorkersInvalid, "%d workers asked for; the number lies between 1 and %d", count, maxWorkers)
	}
	return int(workers.Swap(int64(count))), nil
}

// Workers gives how many goroutines an operation uses.
func Workers() (count int, err error) {
	defer guard(&err)
	return int(workers.Load()), nil
}
