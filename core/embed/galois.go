package embed

// RotationGalois gives the Galois element a of the automorphism X -> X^a that
// rolls the N/2 slots by step, out[j] = m[j-step], as torch.roll does. Slot j is
// the value at ζ^(generator^j), so a = generator^(-step) modulo 2N. Steps equal
// modulo N/2 give one element; step 0 gives 1.
func RotationGalois(logN int, generator uint64, step int) uint64 {
	slots := 1 << (logN - 1)
	exponent := (slots - step%slots) % slots
	mask := uint64(2)<<logN - 1
	a, power := uint64(1), generator
	for ; exponent > 0; exponent >>= 1 {
		if exponent&1 == 1 {
			a = a * power & mask
		}
		power = power * power & mask
	}
	return a
}

// ConjugationGalois gives 2N-1, the Galois element that conjugates every slot.
func ConjugationGalois(logN int) uint64 { return uint64(2)<<logN - 1 }
