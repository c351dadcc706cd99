package main

import (
	"slices"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanes is the number of words that a vector register holds, and width that of its
// bytes, in the kernels that are being written: 4 for AVX2, 8 for AVX-512.
var lanes, width = 4, 32

// paired is set while kernels are written that have both widths.
var paired bool

// withLanes writes kernels of one width.
func withLanes(n int, families ...func()) {
	lanes, width = n, 8*n
	for _, write := range families {
		write()
	}
	lanes, width = 4, 32
}

// bothWidths writes kernels of four lanes, then the same of eight.
func bothWidths(families ...func()) {
	paired = true
	withLanes(4, families...)
	withLanes(8, families...)
	paired = false
}

// wide are the names of kernels for AVX-512.
func wide(name string) string { return name + "512" }

// Offsets in the Constants of package kernel.
const (
	offP       = 0
	offInverse = 64
	offShift   = 128
	offShiftP  = 192
	offQ       = 256
	offSigned  = 320
	offRange   = 384
	offWide    = 448
)

type vec = reg.VecVirtual

// step is one instruction of a chain.
type step func()

// interleave issues chains of dependent steps in lockstep.
func interleave(chains ...[]step) {
	for i := range slices.MaxFunc(chains, func(a, b []step) int { return len(a) - len(b) }) {
		for _, chain := range chains {
			if i < len(chain) {
				chain[i]()
			}
		}
	}
}

// function holds what most kernels keep in registers or near them.
type function struct {
	c    reg.Register // address of the Constants
	p    vec          // the modulus, as float64
	inv  vec          // its inverse; nil where it is read from memory
	kept map[int]vec  // other Constants that are in registers
	name string
}

// declare starts a function whose last argument is the Constants. Where the kernel
// has a second form for AVX-512, the first goes there if the Constants say so.
func declare(name, signature, doc string) *function {
	f := &function{name: name}
	if paired && lanes == 8 {
		f.name = wide(name)
		doc = f.name + " is " + name + " with AVX-512."
	}
	TEXT(f.name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(doc)
	f.c = Load(Param("c"), GP64())
	if paired && lanes == 4 {
		CMPQ(Mem{Base: f.c, Disp: offWide}, Imm(0))
		JEQ(LabelRef(name + "Narrow"))
		Instruction(&ir.Instruction{Opcode: "JMP", Operands: []Op{LabelRef("·" + wide(name) + "(SB)")}, IsTerminal: true})
		Label(name + "Narrow")
	}
	return f
}

// begin is declare for kernels on float64.
func begin(name, signature, doc string, withInverse bool) *function {
	f := declare(name, signature, doc)
	f.p = load(f.at(offP))
	if withInverse {
		f.inv = load(f.at(offInverse))
	}
	return f
}

func end() {
	VZEROUPPER()
	RET()
}

// keep puts Constants into registers, of which AVX-512 has twice as many.
func (f *function) keep(offsets ...int) {
	if lanes == 8 {
		f.kept = map[int]vec{}
		for _, offset := range offsets {
			f.kept[offset] = load(f.at(offset))
		}
	}
}

// keepWords keeps what words are read or written with.
func (f *function) keepWords(read, written bool) {
	var offsets []int
	if read {
		offsets = append(offsets, offShift)
	}
	if written {
		offsets = append(offsets, offSigned, offQ)
	}
	f.keep(offsets...)
}

// at is a row of the Constants, in memory or kept.
func (f *function) at(offset int) Op {
	if v, ok := f.kept[offset]; ok {
		return v
	}
	return Mem{Base: f.c, Disp: offset}
}

func at(base reg.Register, vectors int) Mem { return Mem{Base: base, Disp: width * vectors} }

// vector is a new register.
func vector() vec {
	if lanes == 8 {
		return ZMM()
	}
	return YMM()
}

func load(m Op) vec {
	v := vector()
	VMOVUPD(m, v)
	return v
}

func store(v vec, m Mem) { VMOVUPD(v, m) }

func broadcast(m Op) vec {
	v := vector()
	VBROADCASTSD(m, v)
	return v
}

// zero clears a register.
func zero(v vec) { VXORPD(v, v, v) }

// round rounds to the nearest integer.
func round(v vec) {
	if lanes == 8 {
		VRNDSCALEPD(U8(8), v, v)
	} else {
		VROUNDPD(U8(8), v, v)
	}
}

// testBits clears the zero flag where a bit is set.
func testBits(v vec) {
	if lanes == 8 {
		set := K()
		VPTESTMQ(v, v, set)
		KORTESTB(set, set)
	} else {
		VPTEST(v, v)
	}
}

// loadWords gives words below 2^52 as float64: their bits are the mantissa of
// 2^52 + x, from which 2^52 is taken off.
func (f *function) loadWords(m Mem, into *vec) []step {
	*into = vector()
	v := *into
	return []step{
		func() { VMOVUPD(m, v) },
		func() { VORPD(f.at(offShift), v, v) },
		func() { VSUBPD(f.at(offShift), v, v) },
	}
}

// reduce brings |x| ≤ 2^53 to |x| ≤ p/2 + 1/2.
func (f *function) reduce(x vec) []step {
	q := vector()
	return []step{
		func() { VMULPD(f.inverse(), x, q) },
		func() { round(q) },
		func() { VFNMADD231PD(f.p, q, x) },
	}
}

func (f *function) inverse() Op {
	if f.inv != nil {
		return f.inv
	}
	return f.at(offInverse)
}

// toWords makes words in [0, p) of |x| < p. The sign of x chooses between two
// words; AVX-512 takes the lesser of them, since a negative one is large.
func (f *function) toWords(x, out vec) []step {
	lifted := vector()
	if lanes == 8 {
		return []step{
			func() { VADDPD(f.at(offSigned), x, out) },
			func() { VPSUBQ(f.at(offSigned), out, out) },
			func() { VPADDQ(f.at(offQ), out, lifted) },
			func() { VPMINUQ(lifted, out, out) },
		}
	}
	return []step{
		func() { VADDPD(f.at(offShift), x, out) },
		func() { VADDPD(f.at(offShiftP), x, lifted) },
		func() { VBLENDVPD(x, lifted, out, out) },
		func() { VXORPD(f.at(offShift), out, out) },
	}
}

// storeWords writes |x| < p as words in [0, p).
func (f *function) storeWords(x vec, m Mem) []step {
	plain := vector()
	return append(f.toWords(x, plain), func() { store(plain, m) })
}

// notNegative sets out to an integer, or to the one above it where it is negative.
func notNegative(x, above, out vec) {
	if lanes == 8 {
		VPMINUQ(above, x, out)
	} else {
		VBLENDVPD(x, above, x, out)
	}
}

func unpackLow(a, b vec) vec {
	out := vector()
	VUNPCKLPD(b, a, out)
	return out
}

func unpackHigh(a, b vec) vec {
	out := vector()
	VUNPCKHPD(b, a, out)
	return out
}
