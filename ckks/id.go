package ckks

import "encoding/binary"

// idOf joins the two halves in which an ID crosses into and out of a frame.
func idOf(high, low int64) ID {
	var id ID
	binary.BigEndian.PutUint64(id[:8], uint64(high))
	binary.BigEndian.PutUint64(id[8:], uint64(low))
	return id
}

func (id ID) halves() (high, low int64) {
	return int64(binary.BigEndian.Uint64(id[:8])), int64(binary.BigEndian.Uint64(id[8:]))
}
