"""Writes the type stubs of the extension from the facade's Go source.

The facade has one shape, which its own test enforces, so that a line such as
`func JobWait(handle int64, milliseconds int) (done int, err error) {` says all
there is to know.
"""

import pathlib
import re

FUNCTION = re.compile(r"(?m)((?:^//.*\n)*)^func ([A-Z]\w*)\((.*?)\) \((\w+) (\w+), err error\) \{")
PYTHON_TYPE = {"int": "int", "int64": "int", "uint64": "int", "uintptr": "int", "float64": "float", "bool": "bool", "string": "str"}

HEADER = '''"""The functions of the Go core, as gopy binds them. Generated from pybind/*.go by buildtools/stubs.py.

Every function may raise RuntimeError with a text `code: detail`; fhelium._binding turns it into the exception of that code.
"""
'''


def write_stubs(facade: pathlib.Path, target: pathlib.Path) -> None:
    """Writes the stubs of a facade's folder, unless the very same are there."""
    text = stubs(facade)
    if not target.exists() or target.read_text() != text:
        target.write_text(text)


def stubs(facade: pathlib.Path) -> str:
    """The text of the stubs, one function after the other in the order of their names."""
    functions = {}
    for path in sorted(facade.glob("*.go")):
        if not path.name.endswith("_test.go"):
            for comment, name, arguments, _, result in FUNCTION.findall(path.read_text()):
                functions[name] = f'def pybind_{name}({parameters(arguments)}) -> {PYTHON_TYPE[result]}:\n    """{document(comment)}"""\n'
    return HEADER + "".join("\n" + functions[name] for name in sorted(functions))


def parameters(arguments: str) -> str:
    """The Python form of a Go parameter list; `a, b int` is two ints. gopy takes them by position."""
    named = []
    kind = ""
    for argument in reversed([a.strip() for a in arguments.split(",") if a.strip()]):
        name, _, own = argument.partition(" ")
        kind = own or kind
        named.append(f"{name}: {PYTHON_TYPE[kind]}")
    return ", ".join(reversed(named)) + (", /" if named else "")


def document(comment: str) -> str:
    """A Go comment as the inside of a docstring."""
    lines = [line.removeprefix("//").removeprefix(" ") for line in comment.splitlines()]
    return "\n    ".join(lines).replace("\\", "\\\\").replace('"""', "'''")
