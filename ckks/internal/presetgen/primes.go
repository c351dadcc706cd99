package main

import (
	"math"

	"fhelium/ckks"
	"fhelium/core/ring"
)

// below gives the largest prime under bound that is 1 modulo order and not taken,
// and takes it.
func below(bound, order uint64, taken map[uint64]bool) uint64 {
	m := bound - order + 1 // bound is a multiple of order
	for taken[m] || !isPrime(m) {
		m -= order
	}
	taken[m] = true
	return m
}

// near gives the count primes closest to center among those that are 1 modulo
// order, below 2^50 and not taken, nearest first.
func near(center float64, order uint64, count int, taken map[uint64]bool) []uint64 {
	high := uint64(center) - (uint64(center)-1)%order + order
	low := high - order
	var primes []uint64
	for len(primes) < count {
		m := low
		if high < ckks.ModulusLimit && float64(high)-center < center-float64(low) {
			m = high
			high += order
		} else {
			low -= order
		}
		if !taken[m] && isPrime(m) {
			primes = append(primes, m)
		}
	}
	return primes
}

// offset is log2(divisor / scale) for values that are close to each other,
// without the cancellation of two logarithms.
func offset(divisor, scale float64) float64 {
	return math.Log1p((divisor-scale)/scale) / math.Ln2
}

var primality = map[uint64]bool{}

// isPrime remembers, since the searches overlap.
func isPrime(m uint64) bool {
	prime, known := primality[m]
	if !known {
		prime = ring.IsPrime(m)
		primality[m] = prime
	}
	return prime
}
