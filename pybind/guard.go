package pybind

import (
	"fmt"
	"path"
	"regexp"
	"runtime/debug"
	"strings"

	"fhelium/core/refusal"
)

// guard is the first deferred call of every exported function and of every
// goroutine that one starts: it turns a panic into an error, and makes every
// error's text "code: detail", which Python splits at the first colon.
func guard(err *error) {
	if r := recover(); r != nil {
		*err = panicError(r, string(debug.Stack()))
		return
	}
	if *err != nil && refusal.CodeOf(*err) == "" {
		*err = refusal.New(CodeInternal, "%s", (*err).Error())
	}
	if *err != nil {
		*err = coded(*err)
	}
}

// coded brings the code of a wrapped refusal to the front of the text.
func coded(err error) error {
	code := refusal.CodeOf(err)
	text := err.Error()
	if strings.HasPrefix(text, string(code)+": ") {
		return err
	}
	return refusal.New(code, "%s", strings.Replace(text, string(code)+": ", "", 1))
}

// numbers finds every number in a panic's text. One of them may be an index or
// an operand that depends on a secret.
var numbers = regexp.MustCompile(`0x[0-9a-fA-F]+|[0-9]+`)

// panicError describes a panic by its kind and by the place where it began.
// The numbers in its text and the stack's arguments stay out of the message,
// because they may hold secrets.
func panicError(r any, stack string) error {
	text := fmt.Sprint(r)
	kind, nested, _ := strings.Cut(text, "\n")
	// A worker's panic arrives as text with the worker's own stack.
	place := origin(nested)
	if place == "" {
		place = origin(stack)
	}
	return refusal.New(CodeInternalPanic, "%s in %s; this is a bug of fhelium, and nothing can be said about the results of this call",
		numbers.ReplaceAllString(kind, "#"), place)
}

// origin gives "function (file:line)" of the innermost frame of ours below the
// last panic of a stack, or "" where there is none.
func origin(stack string) string {
	lines := strings.Split(stack, "\n")
	begin := 0
	for i, line := range lines {
		if strings.HasPrefix(line, "panic(") {
			begin = i + 1
		}
	}
	for i := begin; i+1 < len(lines); i++ {
		name, _, found := strings.Cut(lines[i], "(")
		if !found || !strings.HasPrefix(name, "fhelium/") {
			continue
		}
		// A method's receiver is in the first pair of brackets.
		if strings.HasSuffix(name, ".") {
			receiver, rest, _ := strings.Cut(lines[i][len(name):], ")")
			method, _, _ := strings.Cut(rest, "(")
			name += receiver + ")" + method
		}
		file, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " ")
		return name + " (" + path.Base(file) + ")"
	}
	return ""
}
