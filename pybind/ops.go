package pybind

import (
	"encoding/hex"

	"fhelium/ckks"
	"fhelium/core/kernel"
	"fhelium/core/parallel"
	"fhelium/core/refusal"
	"fhelium/core/sample"
	"fhelium/eager"
)

// EngineNew makes an engine of a configuration in JSON and gives its handle.
// No table is built. An insecure seed of 64 hex digits makes all randomness
// reproducible; "" is the system's entropy. kernels is a name that Kernels gives,
// or "auto".
func EngineNew(config, insecureSeed, kernels string) (handle int64, err error) {
	defer guard(&err)
	c, err := ckks.ParseJSON([]byte(config))
	if err != nil {
		return 0, err
	}
	level, err := kernel.Named(kernels)
	if err != nil {
		return 0, err
	}
	if insecureSeed == "" {
		e, err := eager.New(c, level)
		if err != nil {
			return 0, err
		}
		return put(e), nil
	}
	var seed sample.Seed
	if b, err := hex.DecodeString(insecureSeed); err != nil || copy(seed[:], b) != len(seed) || len(b) != len(seed) {
		return 0, refusal.New(ckks.ArgumentInvalid, "an insecure seed is 64 hex digits")
	}
	return put(eager.NewInsecure(c, level, seed)), nil
}

// EngineTableBytes gives the memory of the tables an engine has built so far.
func EngineTableBytes(engine int64) (bytes int, err error) {
	defer guard(&err)
	e, err := get[*eager.Engine](engine)
	if err != nil {
		return 0, err
	}
	return e.TableBytes(), nil
}

// EngineKeyID draws the random identity of a secret key, as 32 hex digits.
func EngineKeyID(engine int64) (id string, err error) {
	defer guard(&err)
	e, err := get[*eager.Engine](engine)
	if err != nil {
		return "", err
	}
	key, err := e.NewKeyID()
	return hex.EncodeToString(key[:]), err
}

// OpCode gives the number of an operation in this build.
func OpCode(name string) (code int, err error) {
	defer guard(&err)
	op, err := ckks.OpByName(name)
	if err != nil {
		return 0, err
	}
	return op.Code(), nil
}

// planned is a frame's call with the states of its operands and results.
type planned struct {
	*eager.Engine
	frame
	inStates, outStates []ckks.State
}

func plan(engine int64, address uintptr, words int) (p planned, err error) {
	if p.Engine, err = get[*eager.Engine](engine); err != nil {
		return p, err
	}
	if p.frame, err = readFrame(address, words); err != nil {
		return p, err
	}
	if p.inStates, err = states(p.in); err != nil {
		return p, err
	}
	if p.outStates, err = p.call.Plan(p.Config(), p.inStates); err != nil {
		return p, err
	}
	if len(p.outStates) > len(p.out) {
		return p, refusal.New(ckks.FrameInvalid, "%s has %d results, the frame has room for %d", p.call.Name, len(p.outStates), len(p.out))
	}
	return p, nil
}

// Plan checks the call in a frame, writes the records of its results and gives
// their number. It computes no residues.
func Plan(engine int64, frame uintptr, words int) (results int, err error) {
	defer guard(&err)
	p, err := plan(engine, frame, words)
	if err != nil {
		return 0, err
	}
	for i, s := range p.outStates {
		if len(s.Batch) > ckks.MaxBatchAxes {
			return 0, refusal.New(ckks.BatchMismatch, "%s: the result has %d batch axes; at most %d are possible", p.call.Name, len(s.Batch), ckks.MaxBatchAxes)
		}
		s.Record(p.out[i])
	}
	return len(p.outStates), nil
}

// Run computes the call of a planned frame into its results' memory. It gives
// 0 when done, or a job for JobWait and JobCancel. The frame itself is read
// before Run returns; the tensors must live until the job has ended.
func Run(engine int64, frame uintptr, words int) (handle int64, err error) {
	defer guard(&err)
	// Planning again costs little and makes the memory that is written a
	// function of checked states alone.
	p, err := plan(engine, frame, words)
	if err != nil {
		return 0, err
	}
	in, err := values(p.in, p.inStates)
	if err != nil {
		return 0, err
	}
	out, err := values(p.out[:len(p.outStates)], p.outStates)
	if err != nil {
		return 0, err
	}
	adviseHuge(out)
	wait, group := grace, newGroup()
	switch size := work(in) + work(out); {
	case size < serialElements:
		wait, group = inline, group.Serial()
	case size < inlineElements:
		wait = inline
	}
	return startOrRun(group, wait, func(g *parallel.Group) error {
		return p.Engine.Run(g, p.call, out, in)
	})
}

// inlineElements is the number of words below which a call works on the caller's
// thread: every operation ends within 0.2 s there, which Ctrl-C has to wait, and most
// within 10 ms.
const inlineElements = 1 << 22

// serialElements is the number of words below which it works there alone: what
// another worker would take over is less than what calling it takes.
const serialElements = 1 << 16

func work(vs []*ckks.Value) int {
	n := 0
	for _, v := range vs {
		n += v.Elements()
	}
	return n
}
