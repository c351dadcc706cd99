package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"regexp"
	"runtime"
	"strings"
	"time"

	"fhelium/core/kernel"
)

// machine is the processor, and what was measured of it in this run.
type machine struct {
	name, vendor, family string

	cycle  float64 // the least nanoseconds of a cycle
	memory []span  // by size, ascending
}

// span is the least nanoseconds a byte, read or written, of memory of one size:
// where all is read, and where half is copied to the other half.
type span struct{ size, read, copied float64 }

// byte is the less of the two.
func (s span) byte() float64 { return min(s.read, s.copied) }

func newMachine() *machine {
	m := &machine{name: runtime.GOARCH, cycle: math.Inf(1)}
	info, _ := os.ReadFile("/proc/cpuinfo")
	for key, to := range map[string]*string{"model name": &m.name, "vendor_id": &m.vendor, "cpu family": &m.family} {
		if found := regexp.MustCompile(`(?m)^` + key + `\s*: *(.+)$`).FindSubmatch(info); found != nil {
			*to = string(found[1])
		}
	}
	for size := 16 << 10; size <= 64<<20; size *= 4 {
		m.memory = append(m.memory, span{float64(size), math.Inf(1), math.Inf(1)})
	}
	return m
}

// load is the average number of waiting processes over the last minute, or 0
// where the system does not tell.
func load() (average float64) {
	text, _ := os.ReadFile("/proc/loadavg")
	_, _ = fmt.Sscan(string(text), &average)
	return average
}

// calibrate measures once more, and keeps what is less than before.
func (m *machine) calibrate(memory []byte) {
	for range 5 {
		m.cycle = min(m.cycle, chain())
	}
	for i := range m.memory {
		s := &m.memory[i]
		half := int(s.size) / 2
		a, b := memory[:half], memory[half:2*half]
		repeat := max(1, 1<<20/half)
		copy(b, a) // brings it near
		s.copied = min(s.copied, elapsed(repeat, func() { copy(b, a) })/s.size)
		s.read = min(s.read, elapsed(repeat, func() {
			if !bytes.Equal(a, b) {
				panic("bench: a copy differs")
			}
		})/s.size)
	}
}

// last keeps the chain's result, so that it is computed.
var last uint64

// chain is the nanoseconds of one integer operation in a chain of such that need
// each other's results, one a cycle: the time-stamp counter has another clock.
func chain() float64 {
	const rounds = 20_000
	x, a, b := last, uint64(time.Now().UnixNano()), uint64(rounds)
	start := time.Now()
	for range rounds {
		x = (x ^ a) + b
		x = (x ^ a) + b
		x = (x ^ a) + b
		x = (x ^ a) + b
		x = (x ^ a) + b
	}
	took := time.Since(start)
	last = x
	return float64(took.Nanoseconds()) / (10 * rounds)
}

// elapsed is the nanoseconds of one of some runs.
func elapsed(repeat int, f func()) float64 {
	start := time.Now()
	for range repeat {
		f()
	}
	return float64(time.Since(start).Nanoseconds()) / float64(repeat)
}

// limit is the least cycles an element that the processor's ports or its memory
// allow, and which of them it is.
func (m *machine) limit(k job, level kernel.Level) (cycles float64, by string) {
	cycles, by = m.ports(k.work, level)
	traffic := 0.0
	for _, s := range k.streams {
		traffic += (s.read + s.written) * m.at(s.size).byte()
	}
	if traffic /= m.cycle; traffic > cycles {
		return traffic, "memory"
	}
	return cycles, by
}

// at is the memory of the largest measured size that is not above the given one:
// it is as fast or faster.
func (m *machine) at(size float64) span {
	found := m.memory[0]
	for _, s := range m.memory {
		if s.size <= size {
			found = s
		}
	}
	return found
}

// ports is the limit of the ports alone. The model, of vectors of float64:
//
//   - AMD: two pipes multiply, two others add and round, and all four do the rest.
//     Up to family 25 a pipe takes 32 bytes a cycle, wider vectors in two parts.
//   - Others, as Intel: two ports multiply and add, and round in two steps; three
//     do the rest, but two where vectors have 64 bytes.
//
// At the portable level one port multiplies words.
func (m *machine) ports(w work, level kernel.Level) (float64, string) {
	if level == kernel.Portable {
		return w.words, "multiplier"
	}
	lanes := 4.0
	if level == kernel.AVX512 {
		lanes = 8
	}
	if m.amd() {
		if m.family != "26" {
			lanes = 4
		}
		return largest(lanes, map[string]float64{
			"multipliers": w.products / 2,
			"adders":      (w.sums + w.rounds) / 2,
			"pipes":       (w.products + w.sums + w.rounds + w.bits) / 4,
		})
	}
	floats, ports := w.products+w.sums+2*w.rounds, 3.0
	if lanes == 8 {
		ports = 2
	}
	return largest(lanes, map[string]float64{"arithmetic": floats / 2, "ports": (floats + w.bits) / ports})
}

func (m *machine) amd() bool { return strings.Contains(m.vendor, "AMD") }

// largest is the largest of some limits a vector, by element, and its name.
func largest(lanes float64, limits map[string]float64) (cycles float64, by string) {
	for name, x := range limits {
		if x > cycles || x == cycles && name < by {
			cycles, by = x, name
		}
	}
	return cycles / lanes, by
}
