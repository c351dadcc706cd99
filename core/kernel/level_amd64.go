//go:build amd64 && !purego

package kernel

import "golang.org/x/sys/cpu"

// Levels are those that this processor and build have, from the slowest.
func Levels() []Level {
	x := &cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasFMA || !x.HasPOPCNT:
		return []Level{Portable}
	case !x.HasAVX512F || !x.HasAVX512DQ || !x.HasAVX512VL:
		return []Level{Portable, AVX2}
	}
	return []Level{Portable, AVX2, AVX512}
}
