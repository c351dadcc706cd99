// Package pybind is the flat facade that gopy binds for Python.
//
// Every exported function takes only int, int64, uint64, uintptr, float64,
// bool and string, returns one value of those types and an error, and begins
// with the deferred guard. gopy handles exactly this shape without leaks,
// crashes or slow conversions; facade_test.go holds the package to it.
//
// Memory belongs to Python: a tensor crosses as its address and its length,
// and is borrowed until the call or the job that it started has ended. Go
// values that live longer than a call cross as handles.
package pybind
