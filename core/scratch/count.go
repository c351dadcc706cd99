package scratch

import "sync/atomic"

// All pools of rows count what they have lent, so that a test can compare the peak
// of an operation with its formula. Tiles of some coefficients, a few KiB for each
// worker, are not counted: they come and go too often.
var held, peak atomic.Int64

// Lent counts bytes that a pool has lent. Those that NewBlock lends are counted.
func Lent(bytes int) {
	now := held.Add(int64(bytes))
	for most := peak.Load(); now > most && !peak.CompareAndSwap(most, now); {
		most = peak.Load()
	}
}

// Back counts bytes that a pool has taken back.
func Back(bytes int) { held.Add(-int64(bytes)) }

// Held is the bytes that are lent now.
func Held() int64 { return held.Load() }

// Peak is the most that was lent at one time since ResetPeak.
func Peak() int64 { return peak.Load() }

// ResetPeak forgets all peaks but what is lent now.
func ResetPeak() { peak.Store(held.Load()) }
