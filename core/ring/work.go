package ring

import "unsafe"

// Work is a row between the steps of an operation, in the form that its level
// computes in: words in [0, q) at the portable level, and with kernels float64
// near 0, |x| ≤ (q+1)/2. Only a Modulus or Table of that level reads and writes
// it. With kernels its length is a multiple of kernel.Step.
type Work struct{ memory []uint64 }

// NewWorks makes rows of memory of any content.
func NewWorks(rows Rows) []Work {
	out := make([]Work, len(rows))
	for i, row := range rows {
		out[i] = Work{row}
	}
	return out
}

// Memory gives the memory of a row, for words that take its place.
func (w Work) Memory() []uint64 { return w.memory }

func (w Work) tile(from, to int) Work { return Work{w.memory[from:to]} }

func (w Work) floats() []float64 { return asFloats(w.memory) }

// asFloats is the same memory, to hold float64.
func asFloats(words []uint64) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(words))), len(words))
}

// Read sets a row to words in [0, q).
func (m *Modulus) Read(dst Work, src []uint64) {
	if m.fast != nil {
		m.fast.Read(dst.floats(), src)
		return
	}
	copy(dst.memory, src[:len(dst.memory)])
}

// Write sets words in [0, q) to a row, whose memory they may take.
func (m *Modulus) Write(dst []uint64, src Work) {
	if m.fast != nil {
		m.fast.Write(dst, src.floats())
		return
	}
	copy(dst, src.memory[:len(dst)])
}

// MulScalarAddWork sets dst = dst + a·s for words a in [0, q) and any word s.
func (m *Modulus) MulScalarAddWork(dst Work, a []uint64, s uint64) {
	if m.fast != nil {
		m.fast.MulScalarAddFloats(dst.floats(), a, s%m.Q)
		return
	}
	m.MulScalarAdd(dst.memory, a, s)
}

// SubIntegers sets dst = dst - a for integers |a| ≤ 2^51.
func (m *Modulus) SubIntegers(dst Work, a []float64) {
	if m.fast != nil {
		m.fast.SubFloats(dst.floats(), a)
		return
	}
	row := dst.memory[:len(a)]
	for i, x := range a {
		y := int64(x) % int64(m.Q)
		y += int64(m.Q) & (y >> 63)
		z := row[i] - uint64(y)
		row[i] = z + m.Q&-(z>>63)
	}
}

// DotPair sets x = Σ a[k]·b[k] and y = Σ a[k]·d[k] over at least one row, of words
// b and d in [0, q). x and y are none of the rows.
func (m *Modulus) DotPair(x, y Work, a []Work, b, d Rows) {
	if m.fast != nil {
		left := make([][]float64, len(a))
		for k := range a {
			left[k] = a[k].floats()
		}
		m.fast.DotPair(x.floats(), y.floats(), left, b, d)
		return
	}
	left := make(Rows, len(a))
	for k := range a {
		left[k] = a[k].memory
	}
	m.Dot(x.memory, left, b)
	m.Dot(y.memory, left, d)
}

// ForwardFrom sets a row to the transform of words in [0, q).
func (t *Table) ForwardFrom(dst Work, src []uint64) {
	if t.fast != nil {
		t.fast.ForwardFrom(dst.floats(), src)
		return
	}
	copy(dst.memory, src[:t.N()])
	t.Forward(dst.memory)
}

// ForwardWork transforms a row in place.
func (t *Table) ForwardWork(x Work) {
	if t.fast != nil {
		t.fast.ForwardFloats(x.floats())
		return
	}
	t.Forward(x.memory)
}

// InverseFrom sets a row to the inverse transform of words in [0, q).
func (t *Table) InverseFrom(dst Work, src []uint64) {
	if t.fast != nil {
		t.fast.InverseFrom(dst.floats(), src)
		return
	}
	copy(dst.memory, src[:t.N()])
	t.Inverse(dst.memory)
}

// InverseWork transforms a row back in place.
func (t *Table) InverseWork(x Work) {
	if t.fast != nil {
		t.fast.InverseFloats(x.floats())
		return
	}
	t.Inverse(x.memory)
}
