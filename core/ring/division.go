package ring

import (
	"math/big"

	"fhelium/core/parallel"
	"fhelium/core/refusal"
)

// Division divides a polynomial by the product D of some of its moduli, which
// drop out: rescaling drops the leading group of a chain, ModDown the special
// primes. The quotient is (x - r)/D for the remainder r = x modulo D nearest to
// 0, which rounds x/D to nearest, or r in [0, D), which rounds down. Both are
// exact. It is immutable.
type Division struct {
	remainder *Conversion
	kept      []*Modulus
	inverse   []uint64 // 1/D modulo each kept prime
}

// Dividend is what a division takes, one row for each prime. In the NTT domain it
// needs the primes' transforms.
type Dividend struct {
	Dropped, Kept Source
	// Add is added to the quotient, in its domain; nil is nothing.
	Add Rows
	NTT *DivTables
	// Image is applied to the quotient and what was added, in the NTT domain; nil is none.
	Image *Automorphism
	// Lower changes the remainder modulo kept prime j, by its coefficients, before
	// it is subtracted, in the NTT domain; nil leaves it. The memory of changed
	// remainders is cleared.
	Lower func(j int, remainder Work)
}

// DivTables holds the transforms of a division's primes, in their order.
type DivTables struct{ Dropped, Kept []*Table }

// NewDivision takes the primes that drop out and those that stay.
func NewDivision(dropped, kept []*Modulus) (*Division, error) {
	remainder, err := NewConversion(dropped, kept)
	if err != nil {
		return nil, err
	}
	product := big.NewInt(1)
	for _, m := range dropped {
		product.Mul(product, new(big.Int).SetUint64(m.Q))
	}
	d := &Division{remainder: remainder, kept: kept}
	for _, m := range kept {
		inverse := m.inverseOf(product)
		if inverse == 0 {
			return nil, refusal.New(BasisInvalid, "kept modulus %d shares a factor with a dropped one; keep other primes", m.Q)
		}
		d.inverse = append(d.inverse, inverse)
	}
	return d, nil
}

// Bytes is the memory of the constants, without the moduli, which belong to the
// caller.
func (d *Division) Bytes() int { return d.remainder.Bytes() + 8*len(d.inverse) }

// Apply sets dst to the quotient plus what is to be added. Its rows may be the
// memory of the kept ones, and not that of the dropped ones. In the NTT domain
// only the dropped rows are transformed back, in place where they are Work; their
// remainders are transformed forward, for each kept prime. With an image the rows
// of dst may be no memory of x.
func (d *Division) Apply(g *parallel.Group, dst Rows, x Dividend, floor bool) {
	dst = dst[:len(d.kept)]
	if x.NTT != nil {
		d.applyNTT(g, dst, x, floor)
		return
	}
	c := d.remainder
	tiles(g, x.Dropped.n(), func(from, to int) {
		memory := borrow((to - from) * (c.Stride() + 1))
		r, digits := Work{(*memory)[:to-from]}, Digits{c, (*memory)[to-from:], to - from, floor}
		digits.cut(x.Dropped, from)
		for j := range d.kept {
			digits.combine(r, j)
			d.quotient(dst[j], x, r, j, from, to)
		}
		release(memory)
	})
}

func (d *Division) applyNTT(g *parallel.Group, dst Rows, x Dividend, floor bool) {
	c, n, count := d.remainder, x.Dropped.n(), len(d.remainder.from)
	rows := c.Stride()
	if x.Dropped.Work == nil {
		rows += count
	}
	memory := borrowRows(n * rows)
	defer releaseRows(memory)
	coefficients := x.Dropped.Work
	if coefficients == nil {
		for i := range count {
			coefficients = append(coefficients, Work{(*memory)[n*(c.Stride()+i):][:n]})
		}
	}
	g.Each(count, func(i int) {
		if x.Dropped.Work != nil {
			x.NTT.Dropped[i].InverseWork(coefficients[i])
		} else {
			x.NTT.Dropped[i].InverseFrom(coefficients[i], x.Dropped.Words[i])
		}
	})
	digits := c.Cut(g, (*memory)[:n*c.Stride()], Source{Work: coefficients}, floor)
	g.Each(len(d.kept), func(j int) {
		memory := borrowRows(n)
		r := Work{*memory}
		digits.Row(r, j)
		if x.Lower != nil {
			x.Lower(j, r)
		}
		x.NTT.Kept[j].ForwardWork(r)
		d.quotient(dst[j], x, r, j, 0, n)
		if x.Lower != nil {
			clear(*memory)
		}
		releaseRows(memory)
	})
}

// quotient sets dst = (x - r)/D modulo kept prime j, plus what is to be added, for
// some elements; r is these alone, and lost.
func (d *Division) quotient(dst []uint64, x Dividend, r Work, j, from, to int) {
	m, inverse := d.kept[j], d.inverse[j]
	dst = dst[from:to]
	var add []uint64
	if x.Add != nil {
		add = x.Add[j][from:to]
	}
	if image := x.Image; image != nil {
		if m.fast != nil && x.Kept.Work != nil {
			m.fast.PermutedQuotient(dst, x.Kept.Work[j].floats(), r.floats(), inverse, add, image.moves)
			return
		}
		x.Image = nil
		d.quotient(r.memory, x, r, j, from, to)
		image.NTT(m, dst, r.memory)
		return
	}
	switch kept := x.Kept; {
	case m.fast == nil && kept.Work != nil:
		m.SubMulScalar(dst, kept.Work[j].memory[from:to], r.memory, inverse)
	case m.fast == nil:
		m.SubMulScalar(dst, kept.Words[j][from:to], r.memory, inverse)
	case kept.Work != nil:
		m.fast.Quotient(dst, kept.Work[j].floats()[from:to], r.floats(), inverse, add)
		return
	default:
		m.fast.QuotientWords(dst, kept.Words[j][from:to], r.floats(), inverse)
	}
	if add != nil {
		m.Add(dst, dst, add)
	}
}
