//go:build amd64 && !purego

package kernel

import (
	"fmt"
	"testing"
)

// One pass over 1024 words in the fastest cache.
func BenchmarkPass(b *testing.B) {
	for _, level := range fast {
		b.Run(level.String(), func(b *testing.B) { benchmarkPass(b, level) })
	}
}

func benchmarkPass(b *testing.B, level Level) {
	f := newTransformer(level, 14, prime(1<<50, 14))
	x := edges(f.p, 1<<14)["random"]
	w := &f.forward
	forwardFourWords(&x[0], &x[0], 1, len(x)/4, w.at(1), w.at(2), f.data())
	passes := []int{1, 4, 16, 64}
	if f.isWide() {
		passes = passes[:3] // the last stages are four
	}
	for _, blocks := range passes {
		b.Run(fmt.Sprint("forwardFour/", 1024/blocks/4), func(b *testing.B) {
			for b.Loop() {
				forwardFour(&x[0], blocks, 1024/blocks/4, w.at(blocks*16), w.at(2*blocks*16), f.data())
			}
		})
	}
	b.Run("forward, last stages", func(b *testing.B) {
		for b.Loop() {
			if f.isWide() {
				forwardSixteens(&x[0], 64, w.at(1024), w.at(2048), w.ofSixteens(1024), f.data())
			} else {
				forwardQuads(&x[0], 64, w.ofSixteens(1024), f.data())
			}
		}
	})
	for _, blocks := range passes {
		b.Run(fmt.Sprint("inverseFour/", 1024/blocks/4), func(b *testing.B) {
			for b.Loop() {
				inverseFour(&x[0], blocks, 1024/blocks/4, w.at(blocks*16), w.at(2*blocks*16), f.data())
			}
		})
	}
	b.Run("inverse, last stages", func(b *testing.B) {
		for b.Loop() {
			if f.isWide() {
				inverseSixteens(&x[0], 64, w.at(1024), w.at(2048), w.ofSixteens(1024), f.data())
			} else {
				inverseQuads(&x[0], 64, w.ofSixteens(1024), f.data())
			}
		}
	})
}
