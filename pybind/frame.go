package pybind

import (
	"math"

	"fhelium/ckks"
	"fhelium/core/refusal"
)

// A frame carries one call in int64 words: operation, operand count, room for
// results, integer and float argument counts, flags, then the arguments, the
// operands' records and the results' records (see ckks.State.Record).
const (
	frameHeader      = 6
	flagTransparent  = 1
	maxFrameOperands = 1 << 20
)

type frame struct {
	call    ckks.Call
	in, out [][]int64 // records
}

// readFrame checks a frame's counts against its length. The arguments are
// copied; records alias the frame.
func readFrame(address uintptr, words int) (frame, error) {
	w, err := i64(address, words)
	if err != nil {
		return frame{}, err
	}
	if words < frameHeader {
		return frame{}, refusal.New(ckks.FrameInvalid, "a frame of %d words", words)
	}
	for _, n := range w[1:5] {
		if n < 0 || n > maxFrameOperands {
			return frame{}, refusal.New(ckks.FrameInvalid, "counts %v of a frame", w[1:5])
		}
	}
	in, out, ints, floats := int(w[1]), int(w[2]), int(w[3]), int(w[4])
	if need := frameHeader + ints + floats + (in+out)*ckks.RecordWords; need != words {
		return frame{}, refusal.New(ckks.FrameInvalid, "a frame of %d words where its counts need %d", words, need)
	}
	op, err := ckks.OpByCode(w[0])
	if err != nil {
		return frame{}, err
	}
	f := frame{call: ckks.Call{Op: op, AllowTransparent: w[5]&flagTransparent != 0}}
	rest := w[frameHeader:]
	f.call.Ints = append(f.call.Ints, rest[:ints]...)
	for _, bits := range rest[ints : ints+floats] {
		f.call.Floats = append(f.call.Floats, math.Float64frombits(uint64(bits)))
	}
	rest = rest[ints+floats:]
	for i := range in + out {
		record := rest[i*ckks.RecordWords : (i+1)*ckks.RecordWords]
		if i < in {
			f.in = append(f.in, record)
		} else {
			f.out = append(f.out, record)
		}
	}
	return f, nil
}

// states reads the states of records.
func states(records [][]int64) ([]ckks.State, error) {
	out := make([]ckks.State, len(records))
	for i, r := range records {
		s, err := ckks.StateOf(r)
		if err != nil {
			return nil, err
		}
		out[i] = s
	}
	return out, nil
}

// borrow makes a value of a state and the memory its record points to.
func borrow(s ckks.State, record []int64) (*ckks.Value, error) {
	elements, implicit := int(record[ckks.RecordAddress+1]), int(record[ckks.RecordImplicit+1])
	if elements != s.Elements() || implicit != s.ImplicitElements() {
		return nil, refusal.New(CodeBufferInvalid, "a %v needs %d elements and %d implicit words, its tensors have %d and %d",
			s.Kind, s.Elements(), s.ImplicitElements(), elements, implicit)
	}
	v := &ckks.Value{State: s}
	var err error
	address := uintptr(record[ckks.RecordAddress])
	switch s.Dtype {
	case ckks.Int64:
		v.Words, err = u64(address, elements)
	case ckks.Float64:
		v.Floats, err = f64(address, elements)
	case ckks.Complex128:
		v.Slots, err = c128(address, elements)
	}
	if err != nil {
		return nil, err
	}
	v.Implicit, err = u64(uintptr(record[ckks.RecordImplicit]), implicit)
	return v, err
}

// values borrows the memory of all records.
func values(records [][]int64, states []ckks.State) ([]*ckks.Value, error) {
	out := make([]*ckks.Value, len(records))
	for i, s := range states {
		v, err := borrow(s, records[i])
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}
