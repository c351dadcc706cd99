package eager

import (
	"fhelium/core/keyswitch"
	"fhelium/core/ring"
)

// division gives the division by the product of one range of primes on the rows
// of another.
func (t *tables) division(dropped, kept span) *ring.Division {
	return once(t, &t.divisions, [2]span{dropped, kept}, func() (*ring.Division, error) {
		return ring.NewDivision(t.moduli(dropped), t.moduli(kept))
	})
}

// rescaling gives the division by P and the leading group of a depth, together.
func (t *tables) rescaling(depth int) *ring.Division {
	c := t.config
	first, next, end := c.GroupStart(depth), c.GroupStart(depth+1), c.NumQ()
	return once(t, &t.rescalings, depth, func() (*ring.Division, error) {
		dropped := append(t.moduli(span{first, next}), t.moduli(span{end, end + c.NumP()})...)
		return ring.NewDivision(dropped, t.moduli(span{next, end}))
	})
}

// moduli gives the arithmetic of a range of primes, which needs none of the
// tables that transforms need.
func (t *tables) moduli(s span) []*ring.Modulus {
	out := make([]*ring.Modulus, 0, s.end-s.first)
	for id := s.first; id < s.end; id++ {
		m, err := ring.NewModulus(t.config.Modulus(id), t.level)
		if err != nil {
			panic(err)
		}
		out = append(out, m)
	}
	return out
}

// switcher gives key switching at one depth.
func (t *tables) switcher(depth int) *keyswitch.Switcher {
	c := t.config
	start := c.GroupStart(depth)
	primes := t.primes(span{start, c.NumQ() + c.NumP()})
	return once(t, &t.switchers, depth, func() (*keyswitch.Switcher, error) {
		var digits [][2]int
		for _, d := range t.activeDigits(depth) {
			first := c.Digits()[d]
			digits = append(digits, [2]int{max(0, first[0]-start), first[1] - start})
		}
		return keyswitch.New(primes, c.NumQ()-start, digits)
	})
}

// activeDigits gives the indices of the digits that have rows at a depth.
func (t *tables) activeDigits(depth int) []int {
	var out []int
	for i, d := range t.config.Digits() {
		if d[1] > t.config.GroupStart(depth) {
			out = append(out, i)
		}
	}
	return out
}
