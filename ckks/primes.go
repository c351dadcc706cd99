package ckks

import "fhelium/core/ring"

// ModulusLimit is 2^50: every prime lies below it, so that sums of lazily reduced
// residues and of their products fit one and two words.
const ModulusLimit = uint64(1) << ring.MaxBits
