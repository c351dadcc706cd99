package polynomial

// choose sets how long a linear combination of powers may be: of the powers of
// two, the one with which the evaluation needs the fewest products of
// ciphertexts. Longer combinations save products in the recursion and cost
// some for the powers.
func (e *evaluator) choose(p []float64, depth int) {
	best, fewest := 0, 0
	for baby := 2; best == 0 || baby < 2*len(p); baby *= 2 {
		e.baby = baby
		count := &counter{evaluator: e, powers: map[int]bool{1: true}}
		count.raw(p, depth)
		if n := count.products + len(count.powers) - 1; best == 0 || n < fewest {
			best, fewest = baby, n
		}
	}
	e.baby = best
}

// counter walks the recursion of raw without computing.
type counter struct {
	*evaluator
	powers   map[int]bool
	products int
}

func (c *counter) raw(p []float64, depth int) {
	if c.linear(p, depth) {
		for k, x := range p {
			if x != 0 && k > 1 {
				c.power(k)
			}
		}
		return
	}
	g := topPower(len(p) - 1)
	c.power(g)
	q, r := split(p, g, c.basis)
	if len(q) > 1 {
		c.products++
		c.raw(q, depth-1)
	}
	c.raw(r, depth)
}

func (c *counter) power(k int) {
	if k == 0 || c.powers[k] {
		return
	}
	c.powers[k] = true
	a := topPower(k - 1)
	c.power(a)
	c.power(k - a)
	if c.basis == Chebyshev {
		c.power(2*a - k)
	}
}
