//go:build amd64 && !purego

package kernel

import "golang.org/x/sys/cpu"

// Levels are those that this processor and build have, from the slowest.
func Levels() []Level {
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasPOPCNT {
		return []Level{Portable, AVX2}
	}
	return []Level{Portable}
}
