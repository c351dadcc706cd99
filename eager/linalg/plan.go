package linalg

import (
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
	var normal steps
	unit := 0
	for i, r := range diagonals {
		step := ckks.NormalStep(int64(r), n)
		if normal.place(step) < i {
			return nil, refusal.New(ckks.ArgumentInvalid, "diagonal %d is given twice (modulo %d slots)", r, n)
		}
		unit = gcd(unit, step)
	}
	unit = max(unit, 1)
	var best *Plan
	lowest := 0.0
	for width := unit; width <= n; width *= 2 {
		p := share(normal.list, width)
		if cost := p.cost(); best == nil || cost < lowest {
			best, lowest = p, cost
		}
	}
	return best, nil
}

// share splits each diagonal into a giant step, a multiple of width, and a
// baby step in [0, width).
func share(diagonals []int, width int) *Plan {
	var giants, babies steps
	terms := make([][2]int, len(diagonals))
	for i, r := range diagonals {
		b := ((r % width) + width) % width
		terms[i] = [2]int{giants.place(r - b), babies.place(b)}
	}
	return &Plan{babies.list, giants.list, terms}
}

// steps are distinct rotation steps in the order in which they came.
type steps struct {
	list []int
	at   map[int]int // the index of each
}

// place gives the index of a step, adding it where it is new.
func (s *steps) place(step int) int {
	if i, known := s.at[step]; known {
		return i
	}
	if s.at == nil {
		s.at = map[int]int{}
	}
	s.at[step] = len(s.list)
	s.list = append(s.list, step)
	return len(s.list) - 1
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
