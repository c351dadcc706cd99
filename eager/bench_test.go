package eager

import (
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/ckks"
	"fhelium/core/parallel"
)

// steady runs calls into memory that is there already, as a caller's is.
type steady struct {
	*bench
	out map[*ckks.Op][]*ckks.Value
}

// benchmarkAt prepares N = 2^14 with 8 limbs of Q, or the preset that
// BENCH_PRESET names, and a random ciphertext.
func benchmarkAt(b *testing.B, components int) (*steady, *ckks.Value) {
	name := os.Getenv("BENCH_PRESET")
	if name == "" {
		name = "slots8192-scale40-depth7-int64"
	}
	c, err := ckks.PresetByName(name)
	require.NoError(b, err)
	e := newBench(b, c)
	e.group = parallel.New(runtime.GOMAXPROCS(0))
	s := e.whole(0, ckks.Q, ckks.NTT, components)
	s.Scale = c.DefaultScale()
	return &steady{e, map[*ckks.Op][]*ckks.Value{}}, e.filled(s, "random", 1)
}

// run performs a call; the result lives until the operation's next.
func (s *steady) run(a ckks.Call, in ...*ckks.Value) *ckks.Value {
	out, ok := s.out[a.Op]
	if !ok {
		states := make([]ckks.State, len(in))
		for i, v := range in {
			states[i] = v.State
		}
		planned, err := a.Plan(s.config, states)
		require.NoError(s.t, err)
		for _, state := range planned {
			out = append(out, ckks.NewValue(state))
		}
		s.out[a.Op] = out
	}
	require.NoError(s.t, s.Run(s.group, a, out, in))
	return out[0]
}

func BenchmarkMultiplyRelinearizeRescale(b *testing.B) {
	e, ct := benchmarkAt(b, 2)
	key := e.do(ckks.CreateRelinearization, nil, nil, e.secret)
	for b.Loop() {
		product := e.run(ckks.Relinearize.With(1), e.run(ckks.Multiply.With(), ct, ct), key)
		e.run(ckks.Rescale.With(0), product)
	}
}

func BenchmarkFusedMultiply(b *testing.B) {
	e, ct := benchmarkAt(b, 2)
	key := e.do(ckks.CreateRelinearization, nil, nil, e.secret)
	for b.Loop() {
		e.run(ckks.MultiplyRelinearizeRescale.With(1), ct, ct, key)
	}
}

func BenchmarkRotate(b *testing.B) {
	e, ct := benchmarkAt(b, 2)
	key := e.do(ckks.CreateRotation, []int64{1}, nil, e.secret)
	for b.Loop() {
		e.run(ckks.Rotate.With(1), ct, key)
	}
}

func BenchmarkRotateMany(b *testing.B) {
	e, ct := benchmarkAt(b, 2)
	in := []*ckks.Value{ct}
	for step := range int64(8) {
		in = append(in, e.do(ckks.CreateRotation, []int64{step + 1}, nil, e.secret))
	}
	for b.Loop() {
		e.run(ckks.RotateMany.With(1), in...)
	}
}

func BenchmarkCreateRotation(b *testing.B) {
	e, _ := benchmarkAt(b, 2)
	for b.Loop() {
		e.run(ckks.CreateRotation.With(1), e.secret)
	}
}

func BenchmarkEncrypt(b *testing.B) {
	e, _ := benchmarkAt(b, 2)
	pt := e.encoded(message(randomSlots(8192, 1), 8192), ckks.Q, ckks.Coefficient)
	for b.Loop() {
		e.run(ckks.Encrypt.With(0), pt, e.public)
	}
}
