#!/bin/sh
# Prints the CPython that the virtual environment is made with, or says in one
# line which prerequisite is missing and how to get it.

fail() {
	echo "fhelium: $1" >&2
	exit 1
}

go_advice="install it from your system's packages or from go.dev/dl and put its bin folder on PATH"
command -v go >/dev/null || fail "Go 1.26 or newer is missing: $go_advice"
release=$(GOTOOLCHAIN=local go env GOVERSION)
minor=$(printf '%s' "$release" | sed -n 's/^go1\.\([0-9]*\).*/\1/p')
[ "${minor:-0}" -ge 26 ] || fail "Go 1.26 or newer is missing, PATH has $release: $go_advice"

compiler=$(GOTOOLCHAIN=local go env CC)
command -v "${compiler%% *}" >/dev/null || fail "a C compiler is missing (${compiler%% *} is not on PATH): install gcc or clang, with your C library's headers"

# Succeeds for a CPython that can make the environment and build the extension.
suits() {
	"$1" - >/dev/null 2>&1 <<-'END'
		import ensurepip, os, sys, sysconfig, venv
		headers = os.path.join(sysconfig.get_path("include"), "Python.h")
		sys.exit(not (sys.implementation.name == "cpython" and sys.version_info >= (3, 11) and os.path.exists(headers)))
	END
}

for python in ${PYTHON:+"$PYTHON"} python3 python3.11 python3.12 python3.13 python3.14; do
	if suits "$python"; then
		"$python" -c 'import sys; print(sys.executable)'
		exit
	fi
done
fail "CPython 3.11 or newer with its headers and its venv module is missing: install python3, python3-dev and python3-venv from your system's packages, or name one as PYTHON=/path/to/python3"
