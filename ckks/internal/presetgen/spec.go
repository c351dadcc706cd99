package main

import "fmt"

// spec asks for one preset. Widths are bits: a prime of width w is one of the
// largest below 2^w. P chooses first, then the base, then the chain.
type spec struct {
	logN      int
	scaleBits int
	depth     int
	base      []int // the terminal group
	special   []int // P
	insecure  bool  // wider than the budget: for tests alone
}

// P is as wide as the budget allows with primes of 50 bits, unless fewer give as few
// digits; the base has 10 bits of room above the scale, or more where that costs no
// row.
var specs = []spec{
	{logN: 11, scaleBits: 40, depth: 3, base: []int{50}, special: repeat(50, 2), insecure: true},
	{logN: 11, scaleBits: 60, depth: 2, base: []int{35, 35}, special: repeat(50, 2), insecure: true},
	{logN: 12, scaleBits: 30, depth: 1, base: []int{20, 20}, special: []int{34}},
	{logN: 12, scaleBits: 40, depth: 4, base: []int{50}, special: repeat(50, 2), insecure: true},
	{logN: 13, scaleBits: 30, depth: 3, base: []int{40}, special: repeat(40, 2)},
	{logN: 13, scaleBits: 40, depth: 2, base: []int{30, 30}, special: repeat(30, 2)},
	{logN: 14, scaleBits: 30, depth: 9, base: []int{50}, special: repeat(50, 2)},
	{logN: 14, scaleBits: 40, depth: 7, base: []int{50}, special: repeat(50, 2)},
	{logN: 14, scaleBits: 50, depth: 5, base: []int{30, 30}, special: repeat(50, 2)},
	{logN: 15, scaleBits: 30, depth: 21, base: []int{50}, special: repeat(50, 3)},
	{logN: 15, scaleBits: 40, depth: 16, base: []int{50}, special: repeat(50, 3)},
	{logN: 15, scaleBits: 50, depth: 12, base: []int{30, 30}, special: repeat(50, 4)},
	{logN: 16, scaleBits: 30, depth: 45, base: []int{50}, special: repeat(50, 6)},
	{logN: 16, scaleBits: 40, depth: 34, base: []int{50}, special: repeat(50, 6)},
	{logN: 16, scaleBits: 50, depth: 27, base: []int{30, 30}, special: repeat(50, 6)},
	{logN: 16, scaleBits: 50, depth: 29, base: []int{30, 30}, special: repeat(50, 4)},
	{logN: 17, scaleBits: 30, depth: 95, base: []int{50}, special: repeat(50, 12)},
	{logN: 17, scaleBits: 40, depth: 72, base: []int{50}, special: repeat(50, 11)},
	{logN: 17, scaleBits: 50, depth: 58, base: []int{30, 30}, special: repeat(50, 11)},
}

func repeat(width, times int) []int {
	widths := make([]int, times)
	for i := range widths {
		widths[i] = width
	}
	return widths
}

// name is the dashed name: slots, default scale, depth, width of the residues.
func (s spec) name() string {
	name := fmt.Sprintf("slots%d-scale%d-depth%d-int64", 1<<(s.logN-1), s.scaleBits, s.depth)
	if s.insecure {
		name += "-insecure"
	}
	return name
}
