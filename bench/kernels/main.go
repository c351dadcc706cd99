// Command kernels measures every kernel at every level that this processor has,
// beside what the processor's ports and memory allow, so that a kernel that got
// slower shows.
//
//	go run ./bench/kernels [--rounds 40] [--write-docs] [--levels]
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"time"

	"fhelium/core/kernel"
)

// slice is how long a kernel runs at a time.
const slice = 500 * time.Microsecond

func main() {
	rounds := flag.Int("rounds", 40, "rounds over all kernels and levels")
	docs := flag.Bool("write-docs", false, "write docs/kernels.md")
	levels := flag.Bool("levels", false, "print the levels of this processor, from the slowest, and measure nothing")
	flag.Parse()
	if *levels {
		for _, level := range kernel.Levels() {
			fmt.Println(level)
		}
		return
	}
	if *rounds < 1 {
		fmt.Fprintln(os.Stderr, "--rounds is at least 1")
		os.Exit(2)
	}
	if busy := load(); busy > 0.3 {
		fmt.Printf("the load average is %.1f: other work runs here, which makes times longer\n", busy)
	}
	r := measured(*rounds)
	r.print(os.Stdout)
	if !*docs {
		return
	}
	var text bytes.Buffer
	r.document(&text)
	if err := os.WriteFile("docs/kernels.md", text.Bytes(), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("written: docs/kernels.md")
}

// report is one run.
type report struct {
	*machine
	date   time.Time
	load   float64
	rounds int
	levels []kernel.Level
	jobs   map[kernel.Level][]job
}

// measured runs all kernels in turn, round by round, so that what slows the
// machine down slows all alike; the clock and the memory too.
func measured(rounds int) *report {
	r := &report{machine: newMachine(), date: time.Now().UTC(), load: load(), rounds: rounds, levels: kernel.Levels(), jobs: map[kernel.Level][]job{}}
	for _, level := range r.levels {
		r.jobs[level] = jobs(level)
	}
	memory := make([]byte, int(r.memory[len(r.memory)-1].size))
	for i := range memory {
		memory[i] = 1
	}
	for range rounds {
		r.calibrate(memory)
		for _, level := range r.levels {
			for i := range r.jobs[level] {
				r.jobs[level][i].measure()
			}
		}
	}
	return r
}

// measure adds one time: of as many runs as fit the slice, after one that is not
// counted and brings the rows near.
func (k *job) measure() {
	repeat := max(1, int(float64(slice.Nanoseconds())/elapsed(1, k.run)))
	k.times = append(k.times, elapsed(repeat, k.run)/float64(int(1)<<k.logN))
}
