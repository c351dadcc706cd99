package ckks

import "fhelium/core/ring"

// ModulusLimit is 2^50: every prime lies below it, so that sums of a few residues
// fit the 53 bits of a float64, and sums of many products fit two words.
const ModulusLimit = uint64(1) << ring.MaxBits
