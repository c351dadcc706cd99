package eager

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"fhelium/ckks"
)

// benchmarkAt prepares N = 2^14 with 8 limbs of Q, and a random ciphertext.
func benchmarkAt(b *testing.B, components int) (*bench, *ckks.Value) {
	name := os.Getenv("BENCH_PRESET")
	if name == "" {
		name = "slots8192-scale40-depth7-int64"
	}
	c, err := ckks.PresetByName(name)
	require.NoError(b, err)
	e := newBench(b, c)
	s := e.whole(0, ckks.Q, ckks.NTT, components)
	s.Scale = c.DefaultScale()
	return e, e.filled(s, "random", 1)
}

func BenchmarkMultiplyRelinearizeRescale(b *testing.B) {
	e, ct := benchmarkAt(b, 2)
	key := e.do(ckks.CreateRelinearization, nil, nil, e.secret)
	for b.Loop() {
		product := e.do(ckks.Relinearize, []int64{1}, nil, e.do(ckks.Multiply, nil, nil, ct, ct), key)
		e.do(ckks.Rescale, []int64{0}, nil, product)
	}
}

func BenchmarkRotate(b *testing.B) {
	e, ct := benchmarkAt(b, 2)
	key := e.do(ckks.CreateRotation, []int64{1}, nil, e.secret)
	for b.Loop() {
		e.do(ckks.Rotate, []int64{1}, nil, ct, key)
	}
}

func BenchmarkEncrypt(b *testing.B) {
	e, _ := benchmarkAt(b, 2)
	pt := e.encoded(message(randomSlots(8192, 1), 8192), ckks.Q, ckks.Coefficient)
	for b.Loop() {
		e.do(ckks.Encrypt, []int64{0}, nil, pt, e.public)
	}
}
