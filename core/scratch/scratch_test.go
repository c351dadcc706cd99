package scratch

import (
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// Rows have the asked width, cannot grow into each other, and lie apart by more
// than their width. Mutant: pad = 0.
func TestRowsAreApart(t *testing.T) {
	b := NewBlock(3, 1024)
	defer b.Free()
	require.Len(t, b.Rows, 3)
	for i, row := range b.Rows {
		require.Len(t, row, 1024)
		require.Equal(t, 1024, cap(row))
		for j := range row {
			row[j] = uint64(i)
		}
	}
	for i, row := range b.Rows {
		require.Equal(t, uint64(i), row[0])
		require.Equal(t, uint64(i), row[1023])
	}
	gap := uintptr(unsafe.Pointer(&b.Rows[1][0])) - uintptr(unsafe.Pointer(&b.Rows[0][0]))
	require.Equal(t, uintptr(8*1024+192), gap)
}

// Two borrowers at one time never share memory. Mutant: Put in NewBlock.
func TestBorrowersAreAlone(t *testing.T) {
	var group sync.WaitGroup
	for worker := range uint64(4) {
		group.Go(func() {
			for range 100 {
				b := NewBlock(2, 64)
				for i := range b.Rows[1] {
					b.Rows[1][i] = worker
				}
				for _, x := range b.Rows[1] {
					if x != worker {
						t.Errorf("worker %d finds %d", worker, x)
					}
				}
				b.Free()
			}
		})
	}
	group.Wait()
}

// Free twice, and Free of nothing, give no memory away twice. Mutant: leave
// memory set in Free.
func TestFreeTwice(t *testing.T) {
	var none *Block
	none.Free()
	b := NewBlock(1, 37)
	b.Free()
	b.Free()
	x, y := NewBlock(1, 37), NewBlock(1, 37)
	require.NotSame(t, &x.Rows[0][0], &y.Rows[0][0])
}
