//go:build amd64 && !purego

package kernel

// Moves say where fours of words go, in order of the fours that they come from.
type Moves struct {
	To    []uint32      // 4 times the number of the four it goes to, plus the turn
	Turns *[4][8]uint32 // of each turn, the halves of words in their new order
}

// Permute sets dst to the words of src, moved. dst may not overlap src.
func Permute(dst, src []uint64, m Moves) {
	n := len(src)
	mustFill(n)
	permute(&dst[:n][0], &src[0], &m.To[:n/4][0], &m.Turns[0][0], n)
}

// PermutedQuotient is Quotient, moved. dst may not overlap any of the rows.
func (c *Constants) PermutedQuotient(dst []uint64, a, b []float64, s uint64, add []uint64, m Moves) {
	n, f := len(dst), c.Factor(s)
	mustFill(n)
	to, turns := &m.To[:n/4][0], &m.Turns[0][0]
	if add == nil {
		permutedQuotient(&dst[0], words(a[:n]), words(b[:n]), to, turns, n, &f.x, c.data())
	} else {
		permutedQuotientAdd(&dst[0], words(a[:n]), words(b[:n]), &add[:n][0], to, turns, n, &f.x, c.data())
	}
}
