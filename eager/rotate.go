package eager

import (
	"fhelium/ckks"
	"fhelium/core/embed"
	"fhelium/core/ring"
)

func init() {
	rotate := func(j *Job) error { return j.switchEach(j.rotation) }
	Implement(ckks.Rotate, rotate)
	Implement(ckks.RotateMany, rotate)
	Implement(ckks.Conjugate, func(j *Job) error {
		return j.switchEach(func(*ckks.Value) *ring.Automorphism { return j.tables.galois(embed.ConjugationGalois(j.config.LogN())) })
	})
}

// rotation gives the automorphism of a rotation key, X -> X^g. The key leads
// from s to the inverse image of s, so that the automorphism comes last and
// leads back to s.
func (j *Job) rotation(key *ckks.Value) *ring.Automorphism {
	return j.tables.galois(embed.RotationGalois(j.config.LogN(), j.config.GaloisGenerator(), key.Step))
}
