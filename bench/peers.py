"""The libraries that are compared, and how each gets an environment of its own below .venv-bench."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys

from .measure import OURS
from .runner import ROOT

ENVIRONMENTS = ROOT / ".venv-bench"
LATTIGO = ROOT / "_build" / "bench" / "lattigo"
NUMPY = "numpy==2.2.6"

# By library, what to install in which CPython, the first that there is: "" is the one that runs this.
PYTHON_PEERS = {
    "openfhe": {"3.10": "openfhe==1.6.1.0.22.4", "3.12": "openfhe==1.6.1.0.24.4"},
    "seal": {"": "seal-python==4.4.0"},
    "tenseal": {"": "tenseal==0.3.18"},
    "desilo": {"": "desilofhe==2.0.0"},
}
PEERS = ("lattigo", *PYTHON_PEERS)

# Only when asked for: it is built from its source distribution, against a torch of its own of 5 GB.
FHELIUM030 = "fhelium030"
FHELIUM030_TORCH = "torch==2.13.0"
FHELIUM030_BUILD = ("scikit-build-core==1.0.3", "cmake==4.4.5", "ninja==1.13.2")
FHELIUM030_SOURCE = "fhelium==0.30.0"


class Unavailable(Exception):
    """A library cannot be installed; the text says why."""


def command(library: str) -> list[str]:
    """What starts a library's runner, installed where it is not yet. Raises Unavailable."""
    if library == OURS:
        return [sys.executable, "-m", "bench.runners.ours"]
    if library == "lattigo":
        _run(["go", "build", "-C", "bench/lattigo", "-o", str(LATTIGO), "."])
        return [str(LATTIGO)]
    python = _fhelium030() if library == FHELIUM030 else _environment(library)
    return [str(python), "-m", f"bench.runners.{library}"]


def _environment(library: str) -> pathlib.Path:
    """The Python of a library's environment."""
    problems = []
    for version, requirement in PYTHON_PEERS[library].items():
        found = _interpreter(version)
        if found is None:
            problems.append(f"{requirement} needs CPython {version}, which is not here")
            continue
        try:
            return _install(ENVIRONMENTS / library, found, [requirement, NUMPY], library)
        except Unavailable as problem:
            problems.append(str(problem))
    raise Unavailable("; ".join(problems))


def _fhelium030() -> pathlib.Path:
    """The Python of FHElium 0.30's environment. Its import name is ours, so that nothing else is there."""
    base = _interpreter("3.12") or _interpreter("3.13")
    if base is None:
        raise Unavailable(f"{FHELIUM030_SOURCE} needs CPython 3.12 or 3.13, which is not here")
    folder = ENVIRONMENTS / FHELIUM030
    python, stamp, wanted = folder / "bin" / "python", folder / "installed", f"{base} {FHELIUM030_TORCH} {FHELIUM030_SOURCE}"
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    print(f"== set-up: {FHELIUM030_SOURCE} in {folder.relative_to(ROOT)} (several minutes)", flush=True)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    _run([base, "-m", "venv", "--clear", str(folder)])
    _run([*pip, FHELIUM030_TORCH, *FHELIUM030_BUILD])
    source = [*pip, "--no-build-isolation", "--no-cache-dir", f"--no-binary={FHELIUM030_SOURCE.split('=')[0]}", FHELIUM030_SOURCE]
    _run(source, CMAKE_ARGS="-DFHELIUM_NATIVE_BACKENDS=CPU")
    _run([str(python), "-c", "import fhelium"])
    stamp.write_text(wanted)
    return python


def _install(folder: pathlib.Path, base: str, requirements: list[str], library: str) -> pathlib.Path:
    """Makes an environment, unless it is there with the same packages. Its stamp is written last."""
    python, stamp, wanted = folder / "bin" / "python", folder / "installed", " ".join([base, *requirements])
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    print(f"== set-up: {requirements[0]} in {folder.relative_to(ROOT)}", flush=True)
    _run([base, "-m", "venv", "--clear", str(folder)])
    _run([str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--only-binary=:all:", *requirements])
    module = {"desilo": "desilofhe"}.get(library, library)
    _run([str(python), "-c", f"import {module}"])
    stamp.write_text(wanted)
    return python


def _interpreter(version: str) -> str | None:
    """A CPython of a version, on PATH or under pyenv."""
    if not version:
        return sys.executable
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"))
    candidates = [shutil.which(f"python{version}"), *sorted(map(str, pyenv.glob(f"versions/{version}.*/bin/python")))]
    for candidate in filter(None, candidates):
        # pyenv's own python3.12 exists but refuses to run unless that version is selected.
        if subprocess.run([candidate, "-c", "import ensurepip"], capture_output=True).returncode == 0:
            return candidate
    return None


def _run(arguments: list[str], **variables: str) -> None:
    """Runs a command; Unavailable with the last line of its errors where it fails."""
    environment = os.environ | {"GOWORK": "off", "PYTHONDONTWRITEBYTECODE": "1"} | variables
    try:
        done = subprocess.run(arguments, cwd=ROOT, env=environment, capture_output=True, text=True)
    except OSError as error:
        raise Unavailable(f"{arguments[0]}: {error.strerror}") from None
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise Unavailable(lines[-1] if lines else f"{arguments[0]} ended with status {done.returncode}")
