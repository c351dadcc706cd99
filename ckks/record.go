package ckks

import (
	"math"

	"fhelium/core/refusal"
)

// A state crosses the binding as RecordWords int64 words:
//
//	 0 kind        1 dtype       2 depth        3 scale (binary64 bits)
//	 4 domain      5 basis       6 first prime  7 rows
//	 8 components  9 N          10 unique      11 layout
//	12 step       13 batch axes 14–15 params   16–17 key   18–19 source
//	20 address of the tensor            21 its number of elements
//	22 address of the implicit words    23 their number
//	24–31 batch axes, outermost first
//
// IDs are two big-endian halves. The addresses belong to the binding.
const (
	RecordWords    = 32
	RecordAddress  = 20
	RecordImplicit = 22
	recordBatch    = 24
	// MaxBatchAxes bounds the batch axes of a value.
	MaxBatchAxes = RecordWords - recordBatch
)

// maxElements bounds what one axis, and a whole tensor, may count, so that no
// product of axes overflows.
const maxElements = 1 << 40

// Record writes the state into w, leaving the addresses 0.
func (s State) Record(w []int64) {
	clear(w[:RecordWords])
	ints := [...]int{int(s.Kind), int(s.Dtype), s.Depth, 0, int(s.Domain), int(s.Basis), s.First, s.Rows,
		s.Components, s.N, s.Unique, int(s.Layout), s.Step, len(s.Batch)}
	for i, x := range ints {
		w[i] = int64(x)
	}
	w[3] = int64(math.Float64bits(s.Scale))
	w[14], w[15] = s.Params.halves()
	w[16], w[17] = s.Key.halves()
	w[18], w[19] = s.Source.halves()
	w[21], w[23] = int64(s.Elements()), int64(s.ImplicitElements())
	for i, b := range s.Batch {
		w[recordBatch+i] = int64(b)
	}
}

// StateOf reads a state, refusing what no tensor could have.
func StateOf(w []int64) (State, error) {
	rank := w[13]
	if rank < 0 || rank > MaxBatchAxes {
		return State{}, refusal.New(BatchMismatch, "%d batch axes; at most %d are possible", rank, MaxBatchAxes)
	}
	for _, i := range [...]int{2, 4, 5, 6, 7, 8, 9, 10, 11} {
		if w[i] < 0 || w[i] > 1<<30 || w[4] > 1 || w[5] > 1 || w[1] < 0 || w[1] > 2 {
			return State{}, refusal.New(FrameInvalid, "word %d of a state is %d", i, w[i])
		}
	}
	s := State{Kind: Kind(w[0]), Dtype: Dtype(w[1]), Depth: int(w[2]), Scale: math.Float64frombits(uint64(w[3])),
		Domain: Domain(w[4]), Basis: Basis(w[5]), First: int(w[6]), Rows: int(w[7]), Components: int(w[8]), N: int(w[9]),
		Unique: int(w[10]), Layout: Layout(w[11]), Step: int(w[12]),
		Params: idOf(w[14], w[15]), Key: idOf(w[16], w[17]), Source: idOf(w[18], w[19])}
	for _, b := range w[recordBatch : recordBatch+rank] {
		s.Batch = append(s.Batch, int(b))
	}
	if s.oversized() {
		return State{}, refusal.New(FrameInvalid, "a tensor of more than %d elements", int64(maxElements))
	}
	return s, nil
}

// oversized says whether the product of a state's axes is negative or passes
// maxElements.
func (s State) oversized() bool {
	axes := append([]int{2 * max(1, s.Components), max(1, s.Rows), max(1, s.N, s.Unique)}, s.Batch...)
	size := 1
	for _, x := range axes {
		if x < 0 || x > maxElements/max(1, size) {
			return true
		}
		size *= x
	}
	return false
}
