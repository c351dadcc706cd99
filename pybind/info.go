package pybind

import (
	"encoding/json"
	"fmt"
	"runtime"

	"fhelium/core/kernel"
	"fhelium/eager"
)

// version is the version of the package; pyproject.toml says the same.
const version = "0.1.0"

// Version gives the version of the package.
func Version() (text string, err error) {
	defer guard(&err)
	return version, nil
}

// Kernels lists the kernels that this machine can run, from the slowest, as JSON.
func Kernels() (names string, err error) {
	defer guard(&err)
	var list []string
	for _, level := range kernel.Levels() {
		list = append(list, level.String())
	}
	b, err := json.Marshal(list)
	return string(b), err
}

// EngineKernels names the kernels that an engine computes with.
func EngineKernels(engine int64) (name string, err error) {
	defer guard(&err)
	e, err := get[*eager.Engine](engine)
	if err != nil {
		return "", err
	}
	return e.Kernels().String(), nil
}

// BuildInfo names the version, the Go release and the machine that the
// extension was built with and for, in one line.
func BuildInfo() (text string, err error) {
	defer guard(&err)
	return fmt.Sprintf("fhelium %s, %s, %s/%s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH), nil
}
