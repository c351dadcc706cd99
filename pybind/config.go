package pybind

import (
	"encoding/hex"
	"encoding/json"
	"math"

	"fhelium/ckks"
)

// security is an answer of the security table in JSON; a budget of 0 bits
// means that the table has no row.
type security struct {
	RingDimension int     `json:"ring_dimension"`
	ModulusBits   int     `json:"modulus_bits"`
	BudgetBits    int     `json:"budget_bits"`
	TargetBits    int     `json:"target_bits"`
	Secret        string  `json:"secret_distribution"`
	Sigma         float64 `json:"error_stddev"`
	Status        string  `json:"status"`
	Reason        string  `json:"reason"`
}

// facts is what follows from a configuration.
type facts struct {
	Config       json.RawMessage `json:"config"`
	Fingerprint  string          `json:"fingerprint"`
	Digits       [][2]int        `json:"digits"`
	GroupStarts  []int           `json:"group_starts"`
	Security     security        `json:"security"`
	Insecure     bool            `json:"insecure"`
	HeadroomBits float64         `json:"headroom_bits"`
}

func describe(a ckks.Assessment) security {
	return security{a.RingDimension, a.ModulusBits, a.BudgetBits, a.TargetBits, string(a.Secret), a.Sigma, string(a.Status), a.Reason}
}

func marshal(v any) (string, error) {
	text, err := json.Marshal(v)
	return string(text), err
}

// ConfigCheck checks a configuration in JSON and gives its canonical form and
// what follows from it, in JSON.
func ConfigCheck(config string) (described string, err error) {
	defer guard(&err)
	c, err := ckks.ParseJSON([]byte(config))
	if err != nil {
		return "", err
	}
	fingerprint := c.Fingerprint()
	f := facts{Config: c.JSON(), Fingerprint: hex.EncodeToString(fingerprint[:]), Digits: c.Digits(),
		Security: describe(c.Security()), Insecure: c.Insecure(), HeadroomBits: c.Log2Q(c.MaxDepth()) - math.Log2(c.DefaultScale())}
	for d := range c.MaxDepth() + 1 {
		f.GroupStarts = append(f.GroupStarts, c.GroupStart(d))
	}
	return marshal(f)
}

// PresetNames gives the dashed names of all presets as a JSON list, smallest
// ring first.
func PresetNames() (names string, err error) {
	defer guard(&err)
	return marshal(ckks.PresetNames())
}

// PresetConfig gives the configuration of a preset, by its dashed name, in JSON.
func PresetConfig(name string) (config string, err error) {
	defer guard(&err)
	c, err := ckks.PresetByName(name)
	if err != nil {
		return "", err
	}
	return string(c.JSON()), nil
}

// AssessSecurity looks up the security of a ring dimension and a modulus of a
// bit length, and gives the answer in JSON.
func AssessSecurity(ringDimension, modulusBits, targetBits int, secret string, sigma float64) (answer string, err error) {
	defer guard(&err)
	a, err := ckks.AssessSecurity(ringDimension, modulusBits, targetBits, ckks.Secret(secret), sigma)
	if err != nil {
		return "", err
	}
	return marshal(describe(a))
}
