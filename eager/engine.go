// Package eager computes each operation at once. An Engine belongs to one
// process and one set of parameters, holds no keys and no values, and builds
// its tables when an operation first needs them.
package eager

import (
	"sync/atomic"

	"fhelium/ckks"
	"fhelium/core/kernel"
	"fhelium/core/parallel"
	"fhelium/core/refusal"
	"fhelium/core/sample"
)

// Engine runs operations under one Config. It may be used by many goroutines
// at once.
type Engine struct {
	config *ckks.Config
	seed   sample.Seed
	drawn  atomic.Uint64 // streams drawn from seed so far
	tables tables
}

// New makes an Engine whose randomness comes from the system's entropy, and
// which computes with kernels of the given level. No table is built.
func New(c *ckks.Config, level kernel.Level) (*Engine, error) {
	seed, err := sample.NewSeed()
	if err != nil {
		return nil, err
	}
	return NewInsecure(c, level, seed), nil
}

// NewInsecure makes an Engine whose randomness all grows from the given seed,
// for reproducible tests. Whoever knows the seed can decrypt everything.
func NewInsecure(c *ckks.Config, level kernel.Level, seed sample.Seed) *Engine {
	e := &Engine{config: c, seed: seed}
	e.tables.config, e.tables.level = c, level
	return e
}

// Config gives the engine's parameters.
func (e *Engine) Config() *ckks.Config { return e.config }

// Kernels is the level of the kernels that the engine computes with.
func (e *Engine) Kernels() kernel.Level { return e.tables.level }

// TableBytes is the memory of the tables built so far.
func (e *Engine) TableBytes() int { return e.tables.bytes() }

// NewKeyID draws the 128 random bits that name a secret key.
func (e *Engine) NewKeyID() (id ckks.ID, err error) {
	_, err = sample.NewSource(e.draw()).Read(id[:])
	return id, err
}

// draw gives a seed that no other call gets.
func (e *Engine) draw() sample.Seed {
	return e.seed.Derive("draw", e.drawn.Add(1))
}

// Job is one call of one operation while it runs. Its states are planned.
type Job struct {
	*Engine
	Group   *parallel.Group
	Call    ckks.Call
	In, Out []*ckks.Value
}

// Runner computes the results of a planned call.
type Runner func(*Job) error

var runners = map[*ckks.Op]Runner{}

// Implement says how an operation is computed. It is called while packages
// initialise.
func Implement(op *ckks.Op, run Runner) { runners[op] = run }

// Do plans a call, allocates its results and computes them. A nil group runs
// serially.
func (e *Engine) Do(g *parallel.Group, a ckks.Call, in ...*ckks.Value) ([]*ckks.Value, error) {
	states := make([]ckks.State, len(in))
	for i, v := range in {
		states[i] = v.State
	}
	planned, err := a.Plan(e.config, states)
	if err != nil {
		return nil, err
	}
	out := make([]*ckks.Value, len(planned))
	for i, s := range planned {
		out[i] = ckks.NewValue(s)
	}
	if err := e.Run(g, a, out, in); err != nil {
		return nil, err
	}
	return out, nil
}

// Run computes a planned call into out, whose states are the plan's. On an
// error, out's numbers are void. Out shares no memory with in.
func (e *Engine) Run(g *parallel.Group, a ckks.Call, out, in []*ckks.Value) error {
	run := runners[a.Op]
	if run == nil {
		return refusal.New(ckks.KindMismatch, "%s changes states only and computes nothing", a.Name)
	}
	if err := run(&Job{Engine: e, Group: g, Call: a, In: in, Out: out}); err != nil {
		return err
	}
	if err := g.Err(); err != nil {
		return err
	}
	if a.AllowTransparent {
		return nil
	}
	return checkSecret(a.Name, out)
}

// checkSecret refuses ciphertexts whose components beyond 0 are all zero:
// anyone can read those.
func checkSecret(name string, out []*ckks.Value) error {
	for _, v := range out {
		if v.Kind != ckks.Ciphertext {
			continue
		}
		for b := range v.BatchSize() {
			if isTransparent(v, b) {
				return refusal.New(ckks.Transparent,
					"the result of %s carries no secret in batch member %d, so anyone could read it; use encrypt_zero_like for a fresh zero, or pass allow_transparent", name, b)
			}
		}
	}
	return nil
}

func isTransparent(v *ckks.Value, b int) bool {
	for p := 1; p < v.Components; p++ {
		for _, row := range v.Poly(p, b) {
			for _, x := range row {
				if x != 0 {
					return false
				}
			}
		}
	}
	return true
}
