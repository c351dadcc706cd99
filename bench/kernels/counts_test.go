package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/core/kernel"
)

// kinds are the instructions of the generated assembly that count, by kind.
var kinds = map[string]work{
	"VMULPD": {products: 1}, "VFMSUB213PD": {products: 1}, "VFNMADD213PD": {products: 1}, "VFNMADD231PD": {products: 1}, "VFMADD231PD": {products: 1},
	"VADDPD": {sums: 1}, "VSUBPD": {sums: 1}, "VROUNDPD": {rounds: 1}, "VRNDSCALEPD": {rounds: 1},
	"VORPD": {bits: 1}, "VXORPD": {bits: 1}, "VANDPD": {bits: 1}, "VPOR": {bits: 1}, "VBLENDVPD": {bits: 1}, "VCMPPD": {bits: 1},
	"VPADDQ": {bits: 1}, "VPSUBQ": {bits: 1}, "VPSRLQ": {bits: 1}, "VUNPCKLPD": {bits: 1}, "VUNPCKHPD": {bits: 1}, "VPERM2F128": {bits: 1},
	"VPMINUQ": {bits: 1}, "VSHUFF64X2": {bits: 1}, "VPERMT2PD": {bits: 1}, "VMOVDDUP": {bits: 1}, "VPERMILPD": {bits: 1},
	"VFMSUB231PD": {products: 1}, "VPSLLQ": {bits: 1}, "VANDNPD": {bits: 1}, "VMAXPD": {bits: 1}, "VPERMPD": {bits: 1},
}

// merged are loads that also choose between two vectors.
var merged = regexp.MustCompile(`^\s*VBROADCASTSD .*, K\d, `)

// loopOf counts the instructions from a label to the jump back to it, those of a
// loop inside it so many times.
func loopOf(t *testing.T, label, inner string, times float64) work {
	text, err := os.ReadFile("../../core/kernel/kernels_amd64.s")
	require.NoError(t, err)
	body := regexp.MustCompile(`(?s)\n` + label + `:\n(.*?)JNE\s+` + label + `\n`).FindStringSubmatch(string(text))
	require.NotNil(t, body, label)
	var out work
	by := 1.0
	for line := range strings.Lines(body[1]) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case fields[0] == inner+":":
			by = times
		case fields[0] == "JNE":
			by = 1
		case merged.MatchString(line):
			out.bits += by
		default:
			out = out.plus(kinds[fields[0]].times(by))
		}
	}
	return out
}

// perVector is a loop that takes some vectors at a time.
func perVector(t *testing.T, label string, vectors float64) work {
	return loopOf(t, label, "", 1).times(1 / vectors)
}

// requireWork compares all but the portable level's part.
func requireWork(t *testing.T, want, got work, name string) {
	want.words, got.words = 0, 0
	for _, pair := range [][2]float64{{want.products, got.products}, {want.sums, got.sums}, {want.rounds, got.rounds}, {want.bits, got.bits}} {
		require.InDelta(t, pair[0], pair[1], 1e-9, "%s: want %+v, got %+v", name, want, got)
	}
}

// What is counted from the definitions is what the assembly does. Mutants: five
// products for modular; radix without its odd case.
func TestCountsAreTheAssembly(t *testing.T) {
	for _, level := range kernel.Levels()[1:] {
		testCounts(t, level)
	}
}

func testCounts(t *testing.T, level kernel.Level) {
	// passes lie between the first and the last one, for 2^14 and 2^15.
	suffix, passes, quads, vectors := "", 5.0, "Quads", 4.0
	if level == kernel.AVX512 {
		suffix, passes, quads, vectors = "512", 4, "Sixteens", 8
	}
	loop := func(name string) work { return perVector(t, name+suffix+"Loop", 2) }
	slots := func(name string) work {
		two, four := perVector(t, name+"TwoColumn", 2), perVector(t, name+"FourColumn", 4)
		return two.plus(four.times(5), perVector(t, name+"QuadsLoop", 4))
	}
	byName := map[string]work{}
	for _, k := range rowJobs(level) {
		byName[k.name] = k.work
	}
	for name, want := range map[string]work{
		"add":                  loop("add"),
		"multiply":             loop("multiply"),
		"multiply scalar":      loop("scale"),
		"multiply scalar, add": loop("scaleAdd"),
		"dot pair, 4 digits":   loopOf(t, "dotPair"+suffix+"Loop", "dotPair"+suffix+"Rows", 4).plus(work{bits: -4}).times(1.0 / 2), // less what clears the sums
		"quotient":             loop("quotientFloats"),
		"integers to residues": loop("integers"),
		"digits of 2 primes":   loop("canonical").times(2).plus(loop("radixStep")),
		"combine 2 primes":     loop("combine2"),
		"floats to residues":   loop("fromFloats"),
		"equal residues":       loop("unequal"),
		"join 2 digits":        loop("join"),
		"round product":        perVector(t, "roundProductLoop", 4),
		"evaluate slots":       slots("evaluate"),
		"interpolate slots":    slots("interpolate"),
	} {
		requireWork(t, want, byName[name], level.String()+" "+name)
	}
	pass := func(name string, parts float64) work { return perVector(t, name+suffix+"Column", parts) }
	last := func(name string) work { return perVector(t, name+"Loop", vectors) }
	four, all := pass("forwardFour", 4), last("forward"+quads)
	requireWork(t, four.times(passes+1).plus(all), forwardWork(level, 14, false), "forward 2^14")
	requireWork(t, pass("forwardEight", 8).plus(four.times(passes), all), forwardWork(level, 15, false), "forward 2^15")
	four, all = four.times(passes-1), last("forward"+quads+"Words")
	requireWork(t, pass("forwardFourWords", 4).plus(four, all), forwardWork(level, 12, true), "forward 2^12, words")
	requireWork(t, pass("forwardEightWords", 8).plus(four, all), forwardWork(level, 13, true), "forward 2^13, words")
	four, all = pass("inverseFour", 4), last("inverse"+quads)
	requireWork(t, pass("inverseLastFour", 4).plus(four.times(passes), all), inverseWork(level, 14, false), "inverse 2^14")
	requireWork(t, pass("inverseLastEight", 8).plus(four.times(passes), all), inverseWork(level, 15, false), "inverse 2^15")
	four, all = four.times(passes-1), last("inverse"+quads+"Words")
	requireWork(t, pass("inverseLastFourWords", 4).plus(four, all), inverseWork(level, 12, true), "inverse 2^12, words")
}

// The model on numbers that are known by hand. Mutants: four products a cycle;
// wide vectors in one part on family 25.
func TestPorts(t *testing.T) {
	amd := &machine{vendor: "AuthenticAMD", family: "25"}
	next := &machine{vendor: "AuthenticAMD", family: "26"}
	other := &machine{vendor: "GenuineIntel", family: "6"}
	w := work{products: 8, sums: 2, rounds: 2, bits: 2, words: 7}
	for _, c := range []struct {
		*machine
		level kernel.Level
		want  float64
	}{
		{amd, kernel.AVX2, 1}, {amd, kernel.AVX512, 1}, {next, kernel.AVX512, 0.5},
		{other, kernel.AVX2, 14.0 / 2 / 4}, {other, kernel.AVX512, 16.0 / 2 / 8}, {amd, kernel.Portable, 7},
	} {
		got, _ := c.ports(w, c.level)
		require.InDelta(t, c.want, got, 1e-9)
	}
}

// A run has every kernel at every level, with a time and a limit, in both forms.
// Mutant: a level's jobs under another level.
func TestReport(t *testing.T) {
	r := measured(1)
	var text, page strings.Builder
	r.print(&text)
	r.document(&page)
	for _, level := range kernel.Levels() {
		require.Contains(t, text.String(), "\n"+level.String()+"\n")
		require.Contains(t, page.String(), "## "+level.String()+"\n")
		rows := r.rows(level)
		for i, k := range r.jobs[level] {
			limit, by := r.limit(k, level)
			require.Positive(t, limit, k.name)
			require.NotEmpty(t, by)
			require.Positive(t, k.times[0])
			require.Equal(t, k.name, rows[i][0])
			require.Contains(t, page.String(), "| "+strings.Join(rows[i], " | ")+" |")
		}
		if level == kernel.Portable {
			require.Len(t, rows, 5*2+10)
		} else {
			require.Len(t, rows, 5*4+15)
		}
	}
}
