package pybind

import (
	"sync"

	"fhelium/core/refusal"
)

// handles holds every Go value that Python keeps between calls. A handle is
// never used twice, so that a stale one is always found out.
var handles = table{live: map[int64]any{}}

type table struct {
	mu   sync.RWMutex
	live map[int64]any
	last int64
}

// releaser is a value that has something to stop before it is forgotten.
type releaser interface{ release() }

// put keeps v alive and gives its handle, which is positive.
func put(v any) int64 {
	handles.mu.Lock()
	defer handles.mu.Unlock()
	handles.last++
	handles.live[handles.last] = v
	return handles.last
}

// get finds the value of a handle, which must be of type T.
func get[T any](h int64) (T, error) {
	handles.mu.RLock()
	v, live := handles.live[h]
	handles.mu.RUnlock()
	t, right := v.(T)
	switch {
	case !live:
		return t, refusal.New(CodeHandleInvalid, "handle %d is not alive: the object was closed or freed, or belongs to another process", h)
	case !right:
		return t, refusal.New(CodeHandleInvalid, "handle %d names a %T where a %T was expected", h, v, t)
	}
	return t, nil
}

// drop forgets a handle and tells whether it was alive.
func drop(h int64) (any, bool) {
	handles.mu.Lock()
	defer handles.mu.Unlock()
	v, live := handles.live[h]
	delete(handles.live, h)
	return v, live
}

// HandleFree forgets a handle; a job is stopped first. It gives 1.
func HandleFree(handle int64) (freed int, err error) {
	defer guard(&err)
	v, live := drop(handle)
	if !live {
		return 0, refusal.New(CodeHandleInvalid, "handle %d is not alive, so it cannot be freed", handle)
	}
	if r, ok := v.(releaser); ok {
		r.release()
	}
	return 1, nil
}

// HandleCount gives the number of live handles.
func HandleCount() (count int, err error) {
	defer guard(&err)
	handles.mu.RLock()
	defer handles.mu.RUnlock()
	return len(handles.live), nil
}
