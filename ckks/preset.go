package ckks

import (
	"reflect"
	"slices"

	"fhelium/core/refusal"
)

// PresetNames lists the presets by their dashed names, smallest ring first.
func PresetNames() []string {
	names := make([]string, len(presetTable))
	for i, p := range presetTable {
		names[i] = p.Preset
	}
	return names
}

// PresetByName makes the Config of a preset, given its dashed name.
func PresetByName(name string) (*Config, error) {
	i := slices.IndexFunc(presetTable, func(l Literal) bool { return l.Preset == name })
	if i < 0 {
		return nil, refusal.New(PresetUnknown, "there is no preset %.64q; the presets are %v", name, PresetNames())
	}
	return New(presetTable[i])
}

// checkPreset refuses a preset's name on parameters that are not the preset's.
func (l Literal) checkPreset() error {
	if l.Preset == "" {
		return nil
	}
	i := slices.IndexFunc(presetTable, func(p Literal) bool { return p.Preset == l.Preset })
	if i < 0 {
		return refusal.New(PresetUnknown, "the parameters name preset %.64q, which does not exist; leave the name out", l.Preset)
	}
	if !reflect.DeepEqual(l, presetTable[i]) {
		return refusal.New(PresetMismatch,
			"the parameters name preset %q and differ from it (fingerprint %x, the preset's %x); leave the name out",
			l.Preset, l.fingerprint(), presetTable[i].fingerprint())
	}
	return nil
}
