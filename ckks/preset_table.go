package ckks

var presetTable []Literal
