package linalg

import (
	"slices"

	"fhelium/ckks"
	"fhelium/core/refusal"
)

// Plan says how the diagonals of a matrix are shared out: diagonal r is baby
// step b plus giant step g. The baby rotations of the vector share one
// decomposition (hoisting), each giant rotation costs a whole key switch
// (Halevi and Shoup, CRYPTO 2014 and 2018).
type Plan struct {
	Babies []int    `json:"babies"` // distinct baby steps
	Giants []int    `json:"giants"` // distinct giant steps
	Terms  [][2]int `json:"terms"`  // for each diagonal, in the order given: indices of its giant and its baby
}

// hoistedCost is what a hoisted rotation costs, in single rotations.
const hoistedCost = 0.4

// NewPlan chooses the steps for a set of diagonals, which are rotation steps
// of a message of n slots. Equal diagonals modulo n are one diagonal, and must
// not be given twice.
func NewPlan(diagonals []int, n int) (*Plan, error) {
	if len(diagonals) == 0 {
		return nil, refusal.New(ckks.ArgumentInvalid, "a matrix without diagonals; a zero matrix needs one zero diagonal")
	}
	normal := make([]int, len(diagonals))
	unit := 0
	for i, r := range diagonals {
		normal[i] = ckks.NormalStep(int64(r), n)
		if slices.Contains(normal[:i], normal[i]) {
			return nil, refusal.New(ckks.ArgumentInvalid, "diagonal %d is given twice (modulo %d slots)", r, n)
		}
		unit = gcd(unit, normal[i])
	}
	unit = max(unit, 1)
	var best *Plan
	lowest := 0.0
	for width := unit; width <= n; width *= 2 {
		p := share(normal, width)
		if cost := p.cost(); best == nil || cost < lowest {
			best, lowest = p, cost
		}
	}
	return best, nil
}

// share splits each diagonal into a giant step, a multiple of width, and a
// baby step in [0, width).
func share(diagonals []int, width int) *Plan {
	p := &Plan{}
	for _, r := range diagonals {
		b := ((r % width) + width) % width
		p.Terms = append(p.Terms, [2]int{place(&p.Giants, r-b), place(&p.Babies, b)})
	}
	return p
}

// place gives the index of a step, adding it where it is new.
func place(steps *[]int, step int) int {
	if i := slices.Index(*steps, step); i >= 0 {
		return i
	}
	*steps = append(*steps, step)
	return len(*steps) - 1
}

func (p *Plan) cost() float64 {
	c := 0.0
	for _, b := range p.Babies {
		if b != 0 {
			c += hoistedCost
		}
	}
	for _, g := range p.Giants {
		if g != 0 {
			c++
		}
	}
	return c
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}
