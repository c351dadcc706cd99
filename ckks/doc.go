// Package ckks holds the nouns that every other package speaks: parameters
// (Config, Preset), the state of a value (State), a value (State plus borrowed
// memory) and the table of operations, which is the one definition of what
// each operation does to a state. It computes no residues.
//
// The scheme is CKKS (Cheon, Kim, Kim, Song, ASIACRYPT 2017) in its RNS form
// (Cheon, Han, Kim, Kim, Song, SAC 2018) with hybrid key switching (Han, Ki,
// CT-RSA 2020).
package ckks
