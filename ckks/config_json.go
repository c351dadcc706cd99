package ckks

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"fhelium/core/refusal"
)

// maxConfigBytes bounds what ParseJSON reads; the longest chain that a Config may
// have takes a tenth of it.
const maxConfigBytes = 1 << 16

// JSON is the canonical text of the parameters: one line, exact values, keys in
// the order of Literal's fields. ParseJSON gives an equal Config back.
func (c *Config) JSON() []byte {
	text, err := json.Marshal(c.literal)
	if err != nil {
		panic(err) // a checked literal holds finite numbers only
	}
	return text
}

// ParseJSON makes a Config of one JSON object with the keys of Literal. It is
// strict: keys are spelled exactly, known, given once and not null; logN,
// q_depth_groups, p_moduli and default_scale are required, the others default as
// in DefaultLiteral. Nothing may follow the object.
func ParseJSON(text []byte) (*Config, error) {
	if len(text) > maxConfigBytes {
		return nil, refusal.New(ConfigJSONInvalid, "the text has %d bytes; at most %d are read", len(text), maxConfigBytes)
	}
	l := DefaultLiteral()
	fields := map[string]any{
		"preset": &l.Preset, "logN": &l.LogN, "q_depth_groups": &l.QDepthGroups, "p_moduli": &l.PModuli,
		"default_scale": &l.DefaultScale, "sigma": &l.Sigma, "security_bits": &l.SecurityBits,
		"enforce_security_budget": &l.EnforceSecurityBudget, "galois_generator": &l.GaloisGenerator,
	}
	given, err := decodeObject(text, fields)
	if err != nil {
		return nil, err
	}
	for _, key := range []string{"logN", "q_depth_groups", "p_moduli", "default_scale"} {
		if !given[key] {
			return nil, refusal.New(ConfigJSONInvalid, "key %q is missing", key)
		}
	}
	return New(l)
}

// decodeObject fills the fields from a JSON object and says which were given. The
// standard decoder would match keys in any case, take repeated keys and read null
// as an absent value, so the object's level is read by tokens. Nesting is bounded
// by the decoder (10000) and by the fields' types.
func decodeObject(text []byte, fields map[string]any) (map[string]bool, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return nil, refusal.New(ConfigJSONInvalid, "the text does not start with a JSON object")
	}
	given := make(map[string]bool, len(fields))
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, refusal.New(ConfigJSONInvalid, "after %d keys: %v", len(given), err)
		}
		key := token.(string) // the decoder admits nothing else here
		field, known := fields[key]
		if !known {
			return nil, refusal.New(ConfigJSONInvalid, "key %.64q is not known", key)
		}
		if given[key] {
			return nil, refusal.New(ConfigJSONInvalid, "key %q is given twice", key)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, refusal.New(ConfigJSONInvalid, "key %q: %v", key, err)
		}
		if bytes.Equal(value, []byte("null")) {
			return nil, refusal.New(ConfigJSONInvalid, "key %q is null; leave it out for its default", key)
		}
		if err := json.Unmarshal(value, field); err != nil {
			return nil, refusal.New(ConfigJSONInvalid, "key %q: %v", key, err)
		}
		given[key] = true
	}
	if _, err := d.Token(); err != nil {
		return nil, refusal.New(ConfigJSONInvalid, "the object does not end: %v", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, refusal.New(ConfigJSONInvalid, "something follows the object")
	}
	return given, nil
}
