package pybind

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"fhelium/ckks"
)

const (
	// hugePage is the size of the pages that large results get.
	hugePage = 2 << 20
	// hugeResult is the least size, in bytes, of a result that gets them.
	hugeResult = 2 * hugePage
)

// adviseHuge asks the system for large pages where a large result will be written,
// which are made several times faster than as many bytes of small ones. It is
// advice: what holds the memory, and where, does not change.
func adviseHuge(out []*ckks.Value) {
	for _, v := range out {
		if 8*len(v.Words) < hugeResult {
			continue
		}
		page := uintptr(os.Getpagesize())
		begin := uintptr(unsafe.Pointer(unsafe.SliceData(v.Words)))
		skip := -begin % page
		bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v.Words))), 8*len(v.Words))
		whole := (uintptr(len(bytes)) - skip) / page * page
		_ = unix.Madvise(bytes[skip:skip+whole], unix.MADV_HUGEPAGE)
	}
}
