//go:build amd64 && !purego

package kernel

// Draws sets dst to draws from a distribution, one for each 8 bytes of random
// words: the number of entries of the table below the low 63 bits of the word, with
// the sign of its top bit. An entry is four equal words in [0, 2^63). Does a
// multiple of Step draws, says how many, and takes no branch on a word.
func Draws(dst []int64, words []byte, table [][4]int64) int {
	n := whole(len(dst))
	if n > 0 {
		words = words[:8*n]
		draws(&dst[0], &words[0], n, &table[0][0], len(table))
	}
	return n
}
