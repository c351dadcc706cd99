package main

import (
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanes is the number of words that a vector register holds.
const (
	lanes = 4
	width = 8 * lanes // bytes
)

// Offsets in the Constants of package kernel.
const (
	offP       = 0
	offInverse = 64
	offShift   = 128
	offShiftP  = 192
	offQ       = 256
	offSigned  = 320
	offRange   = 384
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
	name string
}

// begin starts a function whose last argument is the Constants.
func begin(name, signature, doc string, withInverse bool) *function {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(doc)
	f := &function{name: name, c: Load(Param("c"), GP64())}
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

// at is a row of the Constants in memory.
func (f *function) at(offset int) Mem { return Mem{Base: f.c, Disp: offset} }

func at(base reg.Register, vectors int) Mem { return Mem{Base: base, Disp: width * vectors} }

func load(m Op) vec {
	v := YMM()
	VMOVUPD(m, v)
	return v
}

func broadcast(m Op) vec {
	v := YMM()
	VBROADCASTSD(m, v)
	return v
}

// loadWords gives words below 2^52 as float64: their bits are the mantissa of
// 2^52 + x, from which 2^52 is taken off.
func (f *function) loadWords(m Mem, into *vec) []step {
	*into = YMM()
	v := *into
	return []step{
		func() { VMOVUPD(m, v) },
		func() { VORPD(f.at(offShift), v, v) },
		func() { VSUBPD(f.at(offShift), v, v) },
	}
}

// reduce brings |x| ≤ 2^53 to |x| ≤ p/2 + 1/2.
func (f *function) reduce(x vec) []step {
	q := YMM()
	return []step{
		func() { VMULPD(f.inverse(), x, q) },
		func() { VROUNDPD(U8(8), q, q) },
		func() { VFNMADD231PD(f.p, q, x) },
	}
}

func (f *function) inverse() Op {
	if f.inv != nil {
		return f.inv
	}
	return f.at(offInverse)
}

// storeWords writes |x| < p as words in [0, p).
func (f *function) storeWords(x vec, m Mem) []step {
	plain, lifted := YMM(), YMM()
	return []step{
		func() { VADDPD(f.at(offShift), x, plain) },
		func() { VADDPD(f.at(offShiftP), x, lifted) },
		func() { VBLENDVPD(x, lifted, plain, plain) },
		func() { VXORPD(f.at(offShift), plain, plain) },
		func() { VMOVUPD(plain, m) },
	}
}

// transpose exchanges rows and columns of 4×4 words.
func transpose(v [4]vec) [4]vec {
	var a, out [4]vec
	for i := range a {
		a[i], out[i] = YMM(), YMM()
	}
	VUNPCKLPD(v[1], v[0], a[0])
	VUNPCKHPD(v[1], v[0], a[1])
	VUNPCKLPD(v[3], v[2], a[2])
	VUNPCKHPD(v[3], v[2], a[3])
	VPERM2F128(U8(0x20), a[2], a[0], out[0])
	VPERM2F128(U8(0x20), a[3], a[1], out[1])
	VPERM2F128(U8(0x31), a[2], a[0], out[2])
	VPERM2F128(U8(0x31), a[3], a[1], out[3])
	return out
}
