package refusal

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

const scale Code = "state-scale-mismatch"

func TestTextIsCodeAndDetail(t *testing.T) {
	err := New(scale, "left 2^%d, right 2^%d: rescale one", 30, 60)
	require.EqualError(t, err, "state-scale-mismatch: left 2^30, right 2^60: rescale one")
	var r *Refusal
	require.ErrorAs(t, err, &r)
	require.Equal(t, "left 2^30, right 2^60: rescale one", r.Detail)
}

// The code is found through wrapping, and is empty where there is none.
func TestCodeOf(t *testing.T) {
	err := New(scale, "detail")
	require.Equal(t, scale, CodeOf(err))
	require.Equal(t, scale, CodeOf(fmt.Errorf("encode: %w", err)))
	require.Equal(t, scale, CodeOf(errors.Join(errors.New("first"), err)))
	require.Empty(t, CodeOf(errors.New("state-scale-mismatch: only text")))
	require.Empty(t, CodeOf(nil))
}
