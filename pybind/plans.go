package pybind

import (
	"encoding/json"

	"fhelium/ckks"
	"fhelium/core/refusal"
	"fhelium/eager/linalg"
	"fhelium/eager/polynomial"
)

// LinearPlan shares diagonals, a JSON list of rotation steps of a message of n
// slots, out into baby and giant steps. It gives a linalg.Plan in JSON.
func LinearPlan(diagonals string, slots int) (plan string, err error) {
	defer guard(&err)
	var steps []int
	if err := json.Unmarshal([]byte(diagonals), &steps); err != nil {
		return "", refusal.New(ckks.ArgumentInvalid, "diagonals are a JSON list of integers: %v", err)
	}
	p, err := linalg.NewPlan(steps, slots)
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(p)
	return string(b), err
}

// InnerSumSteps gives the rotation steps that a sum of count slots needs, as a
// JSON list.
func InnerSumSteps(count, stride, slots int) (steps string, err error) {
	defer guard(&err)
	s, err := linalg.InnerSumSteps(int64(count), int64(stride), slots)
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(append([]int{}, s...))
	return string(b), err
}

// PolynomialDepth gives the levels that a polynomial of a degree takes.
func PolynomialDepth(degree int) (levels int, err error) {
	defer guard(&err)
	return polynomial.Depth(max(1, degree)), nil
}
