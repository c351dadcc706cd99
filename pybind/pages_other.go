//go:build !linux

package pybind

import "fhelium/ckks"

// adviseHuge is for Linux alone.
func adviseHuge([]*ckks.Value) {}
