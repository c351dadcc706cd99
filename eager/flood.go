package eager

import (
	"math"

	"fhelium/ckks"
	"fhelium/core/embed"
	"fhelium/core/parallel"
	"fhelium/core/refusal"
	"fhelium/core/sample"
)

const (
	// floodTail is how many standard deviations of a slot's noise fit into 2^-b.
	floodTail = 6.5
	// floodMargin is the least ratio of that noise to the noise of a fresh
	// encryption.
	floodMargin = 2
	// floodSlack covers the rounding of float64 where wrapped results are found.
	floodSlack = 1 + 0x1p-48
)

// flood is noise that is added to a decryption before it is shared, so that
// what is shared does not show the noise of the ciphertext.
//
// Sharing at b bits adds to every coefficient, exactly and before anything is
// rounded, an independent integer from a Gaussian of standard deviation
//
//	sigma = 2^-b/6.5 · scale/√N.
//
// A slot is the sum of N coefficients times complex numbers of size 1, divided
// by the scale, so its noise z is complex Gaussian with E|z|² = N·sigma²/scale²
// = (2^-b/6.5)², and |z| > 2^-b has probability exp(-6.5²) < 2^-60. Together
// with the noise of a fresh encryption, at most half of it, a slot is off by
// more than 2^-b with probability exp(-6.5²/1.25) < 2^-48. Noise that
// computing has added to the ciphertext comes on top.
//
// What this gives. Of Gaussian flooding Li, Micciancio, Schultz and Sorrell
// (CRYPTO 2022) prove that κ bits of security for τ shared results need noise
// above that of the ciphertext by a factor that grows as √τ·2^(κ/2). Only a
// factor of 2 over a fresh encryption is enforced here: the caller's b decides
// it, each bit less doubles it, and no bound on κ is promised. Sharing τ
// decryptions of one ciphertext divides the noise by √τ. The draws are not
// constant-time.
type flood struct {
	*Job
	seed  sample.Seed
	sigma float64
	q     []uint64 // the ciphertext's primes
}

// newFlood plans the noise for sharing at the given bits; 0 bits is none. It
// refuses bits at which sigma would be lost in the noise of a fresh encryption,
// and so few that sigma passes what can be drawn.
func (j *Job) newFlood(ct *ckks.Value, bits float64) (*flood, error) {
	if bits == 0 {
		return nil, nil
	}
	unit := ct.Scale / (floodTail * math.Sqrt(float64(ct.N))) // sigma at 0 bits
	sigma := unit * math.Exp2(-bits)
	if least := floodMargin * j.freshNoise(); sigma < least {
		return nil, refusal.New(ckks.ArgumentInvalid,
			"share_bits %v needs noise of deviation %.4g, below %g times that of a fresh encryption, %.4g; at scale 2^%.2f and N %d at most %.1f bits can be shared: ask for fewer, or use a larger scale",
			bits, sigma, float64(floodMargin), least/floodMargin, math.Log2(ct.Scale), ct.N, math.Floor(10*math.Log2(unit/least))/10)
	}
	if sigma > sample.WideLimit {
		return nil, refusal.New(ckks.ArgumentInvalid, "share_bits %v needs noise of deviation %.4g, above the 2^70 that is possible; at scale 2^%.2f ask for at least %.1f bits",
			bits, sigma, math.Log2(ct.Scale), math.Ceil(10*math.Log2(unit/sample.WideLimit))/10)
	}
	return &flood{Job: j, seed: j.draw(), sigma: sigma, q: j.moduli(ct.State)}, nil
}

// share adds noise to the coefficients in rows, rebuilds them into dst, and
// refuses where message and noise together have reached half the modulus: the
// difference of dst and the noise is then the message wrapped past Q/2.
func (f *flood) share(g *parallel.Group, b int, rows [][]uint64, rebuilder *embed.Reconstructor, dst []float64) error {
	n := len(dst)
	noise := reals.take(2 * n)
	defer reals.give(noise)
	high, low := noise[:n], noise[n:]
	sample.NewSource(f.seed.Derive("flood", uint64(b))).WideGaussianPair(high, low, f.sigma)
	f.add(g, rows, high)
	f.add(g, rows, low)
	rebuilder.Apply(g, dst, rows)
	if err := f.Group.Err(); err != nil {
		return err
	}
	largest := 0.0
	for k, x := range dst {
		largest = max(largest, math.Abs(x-(high[k]+low[k])))
	}
	if embed.Fits(largest*floodSlack, f.q) {
		return nil
	}
	return refusal.New(ckks.DecryptOverflow, "message and noise together reach half the modulus at share_bits %v; ask for more bits, or decrypt at a smaller depth",
		f.Call.Floats[0])
}

// add adds integers to the rows.
func (f *flood) add(g *parallel.Group, rows [][]uint64, x []float64) {
	primes := f.tables.primes(spanOf(f.In[0].State))
	g.Each(len(rows), func(r int) {
		residues := words.take(len(x))
		defer words.give(residues)
		primes[r].FromFloats(residues, x)
		primes[r].Add(rows[r], rows[r], residues)
	})
}
