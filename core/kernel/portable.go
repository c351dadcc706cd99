//go:build !amd64 || purego

package kernel

// Levels are those that this processor and build have, from the slowest.
func Levels() []Level { return []Level{Portable} }

// MinRoots is of no use without kernels.
const MinRoots = 16

// Constants, Transform, Factor and Roots do not exist in this build: New gives nil, and
// nothing else is ever called.
type (
	Constants struct{}
	Transform struct{}
	Factor    struct{}
	Bounds    struct{}
	Roots     struct{}
	Moves     struct {
		To    []uint32
		Turns *[4][8]uint32
	}
)

const absent = "kernel: this build has none"

// New gives nil: there are no kernels.
func New(uint64, Level) *Constants { return nil }

func (*Constants) NewTransform(int, []uint64, uint64) *Transform             { panic(absent) }
func (*Constants) Factor(uint64) Factor                                      { panic(absent) }
func (*Constants) Add(_, _, _ []uint64) int                                  { panic(absent) }
func (*Constants) Sub(_, _, _ []uint64) int                                  { panic(absent) }
func (*Constants) AddStreaming(_, _, _ []uint64) int                         { panic(absent) }
func (*Constants) SubStreaming(_, _, _ []uint64) int                         { panic(absent) }
func (*Constants) Mul(_, _, _ []uint64) int                                  { panic(absent) }
func (*Constants) MulScalar(_, _ []uint64, _ uint64) int                     { panic(absent) }
func (*Constants) MulScalarAdd(_, _ []uint64, _ uint64) int                  { panic(absent) }
func (*Constants) SubMulScalar(_, _, _ []uint64, _ uint64) int               { panic(absent) }
func (*Constants) Dot(_ []uint64, _, _ [][]uint64, _ bool) int               { panic(absent) }
func (*Constants) FromInt64([]uint64, []int64) int                           { panic(absent) }
func (*Constants) Read(_ []float64, _ []uint64)                              { panic(absent) }
func (*Constants) Write(_ []uint64, _ []float64)                             { panic(absent) }
func (*Constants) MulScalarAddFloats(_ []float64, _ []uint64, _ uint64)      { panic(absent) }
func (*Constants) SubFloats(_, _ []float64)                                  { panic(absent) }
func (*Constants) DotPair(_, _ []float64, _ [][]float64, _, _ [][]uint64)    { panic(absent) }
func (*Constants) Quotient(_ []uint64, _, _ []float64, _ uint64, _ []uint64) { panic(absent) }
func (*Constants) QuotientWords(_, _ []uint64, _ []float64, _ uint64)        { panic(absent) }
func (*Constants) Range(int64) Bounds                                        { panic(absent) }
func (*Constants) Canonical(_, _ []float64, _ Bounds)                        { panic(absent) }
func (*Constants) CanonicalWords(_ []float64, _ []uint64, _ Bounds)          { panic(absent) }
func (*Constants) RadixStep(_, _, _ []float64, _ Factor)                     { panic(absent) }
func (*Constants) RadixStepWords(_ []float64, _ []uint64, _ []float64, _ Factor) {
	panic(absent)
}
func (*Constants) FromFloats([]uint64, []float64) int { panic(absent) }
func (*Constants) Equals([]uint64, []float64) bool    { panic(absent) }
func (*Constants) Join(_, _, _ []float64)             { panic(absent) }
func (*Constants) Combine(_, _ []float64, _ []Factor) { panic(absent) }
func (*Transform) Bytes() int                         { panic(absent) }
func (*Transform) Forward([]uint64)                   { panic(absent) }
func (*Transform) ForwardFrom([]float64, []uint64)    { panic(absent) }
func (*Transform) ForwardFloats([]float64)            { panic(absent) }
func (*Transform) Inverse([]uint64)                   { panic(absent) }
func (*Transform) InverseFrom([]float64, []uint64)    { panic(absent) }
func (*Transform) InverseFloats([]float64)            { panic(absent) }

func (*Constants) PermutedQuotient(_ []uint64, _, _ []float64, _ uint64, _ []uint64, _ Moves) {
	panic(absent)
}

// NewRoots gives nil: there are no kernels.
func NewRoots(_, _ []float64, _ Level) *Roots { return nil }

func (*Roots) Evaluate(_, _ []float64)    { panic(absent) }
func (*Roots) Interpolate(_, _ []float64) { panic(absent) }

// RoundProduct is not there either.
func RoundProduct([]float64, float64) float64 { panic(absent) }

// Permute is not there either.
func Permute(_, _ []uint64, _ Moves) { panic(absent) }

// Uniform is not there either.
func Uniform([]uint64, []byte, uint64) (taken, kept int) { panic(absent) }

// Draws is not there either.
func Draws([]int64, []byte, [][4]int64) int { panic(absent) }
