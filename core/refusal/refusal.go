// Package refusal is the form of every error that bad input can cause: a
// stable kebab-case code and a sentence with both sides' values and the way
// out. The text "code: detail" is what crosses into Python, which splits it at
// the first colon.
package refusal

import (
	"errors"
	"fmt"
)

// Code names one kind of refusal. Codes are stable; each package lists its own
// in errors.go.
type Code string

// Refusal is an error with a code. Nothing was changed when it is returned.
type Refusal struct {
	Code   Code
	Detail string
}

// New makes a Refusal whose detail is formatted as by fmt.Sprintf.
func New(code Code, format string, args ...any) error {
	return &Refusal{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// Error gives "code: detail".
func (r *Refusal) Error() string { return string(r.Code) + ": " + r.Detail }

// CodeOf finds the code of an error, or "" where it carries none.
func CodeOf(err error) Code {
	var r *Refusal
	if errors.As(err, &r) {
		return r.Code
	}
	return ""
}
