package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"fhelium/core/kernel"
)

var heads = []string{"kernel", "N", "ns", "median", "cycles", "limit", "by", "ratio"}

// rows are the table of one level.
func (r *report) rows(level kernel.Level) [][]string {
	var out [][]string
	for _, k := range r.jobs[level] {
		slices.Sort(k.times)
		least, median := k.times[0], k.times[len(k.times)/2]
		cycles := least / r.cycle
		limit, by := r.limit(k, level)
		out = append(out, []string{
			k.name, fmt.Sprintf("2^%d", k.logN), fmt.Sprintf("%.3f", least), fmt.Sprintf("%.3f", median),
			fmt.Sprintf("%.2f", cycles), fmt.Sprintf("%.2f", limit), by, fmt.Sprintf("%.2f", cycles/limit),
		})
	}
	return out
}

// facts says what was measured where.
func (r *report) facts() string {
	return fmt.Sprintf("Measured on %s: %s, load %.1f, %d rounds, core clock %.2f GHz.",
		r.date.Format("2006-01-02 15:04:05"), r.name, r.load, r.rounds, 1/r.cycle)
}

// spans is the table of the memory: gigabytes a second.
func (r *report) spans() [][]string {
	var out [][]string
	for _, s := range r.memory {
		out = append(out, []string{fmt.Sprintf("%d KiB", int(s.size)>>10), fmt.Sprintf("%.0f", 1/s.read), fmt.Sprintf("%.0f", 1/s.copied)})
	}
	return out
}

var spanHeads = []string{"memory", "read, GB/s", "copied, GB/s read and written"}

// print writes everything as text.
func (r *report) print(w io.Writer) {
	fmt.Fprintln(w, r.facts())
	for _, level := range r.levels {
		fmt.Fprintf(w, "\n%v\n", level)
		columns(w, heads, r.rows(level))
	}
	fmt.Fprintln(w)
	columns(w, spanHeads, r.spans())
}

func columns(w io.Writer, heads []string, rows [][]string) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{heads}, rows...) {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	_ = t.Flush()
}

const head = `# Kernels

How long each kernel takes for one element, beside the least that the processor allows, all interleaved in one run on one thread.

- **ns**, **median**: nanoseconds an element, the least and the median of all rounds. **cycles**: the least, in cycles of the core.
- **core clock**: from a chain of integer operations that wait for each other, one a cycle, in the same run. The time-stamp counter has another clock.
- **limit**: the cycles that the arithmetic keeps the busiest kind of port for, or the memory, whichever is more; **by** says which. Operations are counted from the kernels' definitions in bench/kernels/counts.go, where the model of the ports is too, in machine.go. Memory is as fast as it was read or copied in this run, the faster of the two, for rows of this size.
- **ratio**: cycles over limit. 1 cannot be passed where the model is right; a ratio that has grown is a kernel that got slower.

Written by ` + "`make bench-kernels BENCH=--write-docs`" + `.

`

// document writes everything as a page.
func (r *report) document(w io.Writer) {
	fmt.Fprint(w, head, r.facts(), "\n")
	for _, level := range r.levels {
		fmt.Fprintf(w, "\n## %v\n", level)
		table(w, heads, r.rows(level))
	}
	fmt.Fprint(w, "\n## Memory\n")
	table(w, spanHeads, r.spans())
	fmt.Fprint(w, "\n## What the names mean\n")
	var notes [][]string
	for _, k := range r.jobs[r.levels[len(r.levels)-1]] {
		if note := []string{k.name, k.note}; !slices.ContainsFunc(notes, func(n []string) bool { return n[0] == k.name }) {
			notes = append(notes, note)
		}
	}
	table(w, []string{"kernel", "what"}, notes)
}

func table(w io.Writer, heads []string, rows [][]string) {
	for _, row := range append([][]string{heads, slices.Repeat([]string{"---"}, len(heads))}, rows...) {
		fmt.Fprintf(w, "| %s |\n", strings.Join(row, " | "))
	}
}
