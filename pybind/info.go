package pybind

import (
	"fmt"
	"runtime"
)

// version is the version of the package; pyproject.toml says the same.
const version = "0.1.0"

// Version gives the version of the package.
func Version() (text string, err error) {
	defer guard(&err)
	return version, nil
}

// BuildInfo names the version, the Go release and the machine that the
// extension was built with and for, in one line.
func BuildInfo() (text string, err error) {
	defer guard(&err)
	return fmt.Sprintf("fhelium %s, %s, %s/%s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH), nil
}
