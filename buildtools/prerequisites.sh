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
echo '#include <stdlib.h>' | $compiler -E - >/dev/null 2>&1 || fail "the C library's headers are missing ($compiler finds no stdlib.h): install libc6-dev, glibc-devel or the like"

# Says why a Python cannot make the environment or build the extension, or "none".
flaw() {
	"$1" - 2>/dev/null <<-'END' || echo "does not run"
		import os, sys, sysconfig
		def has(module):
		    try:
		        __import__(module)
		    except ImportError:
		        return False
		    return True
		if sys.implementation.name != "cpython":
		    print("is no CPython")
		elif sys.version_info < (3, 11):
		    print("is only %d.%d" % sys.version_info[:2])
		elif not (has("venv") and has("ensurepip")):
		    print("has no venv module, which python3-venv brings on Debian and Ubuntu")
		elif not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")):
		    print("has no headers, which python3-dev or python3-devel brings")
		else:
		    print("none")
	END
}

python_advice="install python3, python3-dev and python3-venv from your system's packages, or name another one as PYTHON=/path/to/python3"
if [ -n "$PYTHON" ]; then
	set -- "$PYTHON"
else
	set -- python3 python3.11 python3.12 python3.13 python3.14
fi
flaws=
for python; do
	command -v "$python" >/dev/null || continue
	flaw=$(flaw "$python")
	if [ "$flaw" = none ]; then
		"$python" -c 'import sys; print(sys.executable)'
		exit
	fi
	flaws="$flaws, $python ${flaw:-does not run}"
done
flaws=${flaws:-, there is no $1}
fail "CPython 3.11 or newer with headers and venv module is missing (${flaws#, }): $python_advice"
