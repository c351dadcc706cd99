package embed

import (
	"math"
	"math/big"
	"sync"
	"unsafe"

	"fhelium/core/kernel"
	"fhelium/core/parallel"
	"fhelium/core/refusal"
)

// MaxModuli is the longest chain of a Reconstructor. The longest that the
// security table allows, 3523 bits of primes above 2^18, has fewer than 200.
const MaxModuli = 256

// fastTile is how many coefficients a worker takes at a time, tile how many of
// them where kernels do not find them, and firstBits how large the product of the
// moduli is that is tried first then.
const (
	fastTile  = 1024
	tile      = 64
	firstBits = 64
)

// Reconstructor turns residues modulo a chain of coprime odd moduli into the
// centred integers that they stand for. It is immutable and safe for
// concurrent use.
//
// The method is Garner's mixed radix: x = Σ d_i M_i with 0 <= d_i < q_i and M_i
// the product of the first i moduli. The decryption of a long chain is far
// smaller than its modulus, so a tile is first reconstructed from the leading
// k moduli and the centred result compared with all other rows: where all
// agree it is the answer, by the Chinese remainder theorem; else k doubles.
// Kernels try two first, see twoDigits.
type Reconstructor struct {
	moduli  []modulus
	radix   [][]uint64 // radix[j][i] = M_i modulo q_j, i <= j
	inverse []factorOf // of M_j modulo q_j
	first   int        // the k tried first
	fast    *twoDigits // nil at the portable level
	scratch sync.Pool  // *reconstruction
}

// NewReconstructor prepares 1 to MaxModuli pairwise coprime odd moduli,
// 3 <= q < 2^50, and kernels of the given level.
func NewReconstructor(q []uint64, level kernel.Level) (*Reconstructor, error) {
	if len(q) < 1 || len(q) > MaxModuli {
		return nil, refusal.New(ReconstructModuli, "%d moduli; the number must be from 1 to %d", len(q), MaxModuli)
	}
	r := &Reconstructor{}
	for j, qj := range q {
		if qj < 3 || qj >= 1<<50 || qj%2 == 0 {
			return nil, refusal.New(ReconstructModuli, "modulus %d is %d; it must be odd, at least 3 and below 2^50", j, qj)
		}
		m := newModulus(qj)
		radix := make([]uint64, j+1)
		radix[0] = 1
		for i := range j {
			radix[i+1] = m.once(m.lazy(radix[i], m.factor(q[i]%qj)))
		}
		inv, ok := inverse(radix[j], qj)
		if !ok {
			return nil, refusal.New(ReconstructModuli, "modulus %d, %d, has a common divisor with an earlier one; they must be coprime", j, qj)
		}
		r.moduli, r.radix = append(r.moduli, m), append(r.radix, radix)
		r.inverse = append(r.inverse, m.factor(inv))
	}
	for bits := 0.0; r.first < len(q) && bits < firstBits; r.first++ {
		bits += math.Log2(float64(q[r.first]))
	}
	if level != kernel.Portable {
		r.fast = r.newTwoDigits(level)
	}
	r.scratch.New = func() any { return &reconstruction{digits: make([]uint64, tile*len(q))} }
	return r, nil
}

// Bytes is the memory of the constants.
func (r *Reconstructor) Bytes() int {
	total := len(r.moduli)*int(unsafe.Sizeof(modulus{})) + len(r.inverse)*int(unsafe.Sizeof(factorOf{}))
	for _, row := range r.radix {
		total += 8 * len(row)
	}
	if r.fast != nil {
		total += r.fast.bytes()
	}
	return total
}

// Apply writes to coef[k] the float64 nearest to the centred representative,
// |x| < Q/2, of the residues rows[i][k] in [0, q_i): correctly rounded, ties
// to even, +0 for zero, and ±Inf from the overflow of float64 on.
func (r *Reconstructor) Apply(g *parallel.Group, coef []float64, rows [][]uint64) {
	mustHoldChain(r, rows, len(coef))
	g.Each((len(coef)+fastTile-1)/fastTile, func(i int) {
		start, end := i*fastTile, min((i+1)*fastTile, len(coef))
		if r.fast != nil && r.fast.apply(coef[start:end], rows, start) {
			return
		}
		t := r.scratch.Get().(*reconstruction)
		for ; start < end; start += tile {
			r.applyTile(t, coef[start:min(start+tile, end)], rows, start)
		}
		t.wipe()
		r.scratch.Put(t)
	})
}

func mustHoldChain(r *Reconstructor, rows [][]uint64, n int) {
	if len(rows) != len(r.moduli) {
		panic("embed: the rows are not as many as the moduli")
	}
	for _, row := range rows {
		if len(row) != n {
			panic("embed: the rows are not as long as the coefficients")
		}
	}
}

// Fits tells exactly whether maxAbs < Q/2 for the product Q of the moduli, that
// is, whether integers up to ±maxAbs survive the reduction modulo Q.
func Fits(maxAbs float64, q []uint64) bool {
	if !(maxAbs <= math.MaxFloat64) {
		return false
	}
	product := big.NewInt(1)
	for _, qi := range q {
		product.Mul(product, new(big.Int).SetUint64(qi))
	}
	twice := big.NewFloat(maxAbs)
	twice.SetMantExp(twice, 1)
	return twice.Cmp(new(big.Float).SetInt(product)) < 0
}
