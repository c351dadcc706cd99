package ckks

import "math/big"

// ModulusLimit is 2^50: every prime lies below it, so that the hot loops can use
// products of 53-bit floating-point hardware.
const ModulusLimit = uint64(1) << 50

// IsPrime decides primality exactly: below 2^64 the Baillie-PSW test has no
// counterexample (checked exhaustively by Feitsma and Galway, 2013).
func IsPrime(m uint64) bool { return new(big.Int).SetUint64(m).ProbablyPrime(0) }
