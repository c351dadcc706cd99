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
	"VADDPD": {sums: 1}, "VSUBPD": {sums: 1}, "VROUNDPD": {rounds: 1},
	"VORPD": {bits: 1}, "VXORPD": {bits: 1}, "VANDPD": {bits: 1}, "VPOR": {bits: 1}, "VBLENDVPD": {bits: 1}, "VCMPPD": {bits: 1},
	"VPADDQ": {bits: 1}, "VPSUBQ": {bits: 1}, "VPSRLQ": {bits: 1}, "VUNPCKLPD": {bits: 1}, "VUNPCKHPD": {bits: 1}, "VPERM2F128": {bits: 1},
}

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
	byName := map[string]work{}
	for _, k := range rowJobs(kernel.Portable) {
		byName[k.name] = k.work
	}
	for name, want := range map[string]work{
		"add":                  perVector(t, "addLoop", 2),
		"multiply":             perVector(t, "multiplyLoop", 2),
		"multiply scalar":      perVector(t, "scaleLoop", 2),
		"multiply scalar, add": perVector(t, "scaleAddLoop", 2),
		"dot pair, 4 digits":   loopOf(t, "dotPairLoop", "dotPairRows", 4).plus(work{bits: -4}).times(1.0 / 2), // less what clears the sums
		"quotient":             perVector(t, "quotientFloatsLoop", 2),
		"integers to residues": perVector(t, "integersLoop", 2),
		"digits of 2 primes":   perVector(t, "canonicalLoop", 2).times(2).plus(perVector(t, "radixStepLoop", 2)),
		"combine 2 primes":     perVector(t, "combine2Loop", 2),
	} {
		requireWork(t, want, byName[name], name)
	}
	four, eight := perVector(t, "forwardFourColumn", 4), perVector(t, "forwardEightColumn", 8)
	quads := perVector(t, "forwardQuadsLoop", 4)
	requireWork(t, four.times(6).plus(quads), forwardWork(14, false), "forward 2^14")
	requireWork(t, eight.plus(four.times(5), quads), forwardWork(15, false), "forward 2^15")
	requireWork(t, perVector(t, "forwardFourWordsColumn", 4).plus(four.times(4), perVector(t, "forwardQuadsWordsLoop", 4)), forwardWork(12, true), "forward 2^12, words")
	four, quads = perVector(t, "inverseFourColumn", 4), perVector(t, "inverseQuadsLoop", 4)
	requireWork(t, perVector(t, "inverseLastFourColumn", 4).plus(four.times(5), quads), inverseWork(14, false), "inverse 2^14")
	requireWork(t, perVector(t, "inverseLastEightColumn", 8).plus(four.times(5), quads), inverseWork(15, false), "inverse 2^15")
	requireWork(t, perVector(t, "inverseLastFourWordsColumn", 4).plus(four.times(4), perVector(t, "inverseQuadsWordsLoop", 4)), inverseWork(12, true), "inverse 2^12, words")
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
			require.Len(t, rows, 5*2+9)
		} else {
			require.Len(t, rows, 5*4+9)
		}
	}
}
