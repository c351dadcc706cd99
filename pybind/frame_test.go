package pybind

import (
	"math"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"fhelium/ckks"
	"fhelium/core/refusal"
)

// frameOf writes a call as Python does, with room for the given number of results.
func frameOf(call ckks.Call, in []ckks.State, results int) []int64 {
	w := []int64{int64(call.Code()), int64(len(in)), int64(results), int64(len(call.Ints)), int64(len(call.Floats)), 0}
	w = append(w, call.Ints...)
	for _, x := range call.Floats {
		w = append(w, int64(math.Float64bits(x)))
	}
	record := make([]int64, ckks.RecordWords)
	for _, s := range in {
		s.Record(record)
		w = append(w, record...)
	}
	return append(w, make([]int64, results*ckks.RecordWords)...)
}

func addressOf(w []int64) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(w))) }

// testEngine is the smallest insecure engine, and a ciphertext of its own.
func testEngine(t testing.TB) (int64, ckks.State) {
	c, err := ckks.PresetByName("slots1024-scale60-depth2-int64-insecure")
	require.NoError(t, err)
	engine, err := EngineNew(string(c.JSON()), "", "auto")
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := HandleFree(engine)
		require.NoError(t, err)
	})
	return engine, ckks.State{Kind: ckks.Ciphertext, Scale: 0x1p40, Domain: ckks.NTT, Rows: c.NumQ(), Components: 2, N: c.N(),
		Params: c.Fingerprint(), Key: ckks.ID{1}}
}

// A planned frame holds the states that the call gives, and running it without
// memory is refused.
func TestFrame(t *testing.T) {
	engine, x := testEngine(t)
	w := frameOf(ckks.Multiply.With(), []ckks.State{x, x}, 1)
	n, err := Plan(engine, addressOf(w), len(w))
	require.NoError(t, err)
	require.Equal(t, 1, n)
	s, err := ckks.StateOf(w[len(w)-ckks.RecordWords:])
	require.NoError(t, err)
	require.Equal(t, []float64{3, 0x1p80}, []float64{float64(s.Components), s.Scale})
	_, err = Run(engine, addressOf(w), len(w))
	require.Equal(t, CodeBufferInvalid, refusal.CodeOf(err))
	small := frameOf(ckks.Multiply.With(), []ckks.State{x, x}, 0)
	_, err = Plan(engine, addressOf(small), len(small))
	require.Equal(t, ckks.FrameInvalid, refusal.CodeOf(err))
	_, err = Plan(engine, addressOf(w), len(w)-1)
	require.Equal(t, ckks.FrameInvalid, refusal.CodeOf(err))
}

// Whatever a frame holds, it is planned or refused by name: no word of it makes
// Go panic or reach beyond it.
func FuzzFrame(f *testing.F) {
	engine, x := testEngine(f)
	var frames [][]int64
	plain := x
	plain.Kind, plain.Components, plain.Key = ckks.Plaintext, 1, ckks.ID{}
	batch := x
	batch.Batch = []int{2}
	message := ckks.State{Kind: ckks.Message, Dtype: ckks.Float64, N: 8, Components: 1, Batch: []int{2}}
	for _, call := range []struct {
		ckks.Call
		in []ckks.State
	}{
		{ckks.Add.With().At(0), []ckks.State{x, x}},
		{ckks.SumPlaintextProducts.With(0, 1), []ckks.State{x, plain}},
		{ckks.EncodeRows.With(0, 8, 0, 1).At(0x1p40), []ckks.State{message}},
		{ckks.EncodeCompressed.With(0, 0, 1).At(0x1p40), []ckks.State{message}},
		{ckks.ModSwitch.With(1), []ckks.State{x}},
		{ckks.SumBatch.With(0), []ckks.State{batch}},
	} {
		w := frameOf(call.Call, call.in, 1)
		_, err := Plan(engine, addressOf(w), len(w))
		require.NoError(f, err, call.Name)
		frames = append(frames, w)
		for i := range w {
			for _, v := range []int64{-1, 0, 3, 1 << 20, math.MinInt64, math.MaxInt64} {
				f.Add(uint(len(frames)-1), uint(i), v, uint(i+1), v)
			}
		}
	}
	f.Fuzz(func(t *testing.T, which, i uint, a int64, j uint, b int64) {
		w := append([]int64(nil), frames[which%uint(len(frames))]...)
		w[i%uint(len(w))], w[j%uint(len(w))] = a, b
		_, err := Plan(engine, addressOf(w), len(w))
		require.NotContains(t, []refusal.Code{CodeInternal, CodeInternalPanic}, refusal.CodeOf(err))
		runtime.KeepAlive(w)
	})
}
