"""What `make` says, in one line, where something that it needs is missing."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from conftest import PROJECT

SCRIPT = PROJECT / "buildtools" / "prerequisites.sh"
PROGRAMS = {
    "go": '[ "$2" = CC ] && echo cc || echo go1.26.3',
    "cc": "cat >/dev/null",
    "python3": f'exec "{sys.executable}" "$@"',
}


def answer(folder: pathlib.Path, **programs: str | None) -> subprocess.CompletedProcess:
    """Runs the script where the programs alone are on PATH, beside sed; a program may be other text, or None."""
    for name, text in (PROGRAMS | programs).items():
        if text is not None:
            (folder / name).write_text(f"#!/bin/sh\n{text}\n")
            (folder / name).chmod(0o755)
    for name in ("sed", "cat"):
        (folder / name).symlink_to(shutil.which(name))
    return subprocess.run([str(SCRIPT)], env={"PATH": str(folder)}, capture_output=True, text=True, timeout=60)


def test_names_the_python_that_suits(tmp_path):
    done = answer(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert os.path.samefile(done.stdout.strip(), sys.executable)


def test_passes_over_a_python_that_does_not_suit(tmp_path):
    # Mutant: take the first Python without asking it.
    done = answer(tmp_path, python3="echo is only 3.9", **{"python3.13": PROGRAMS["python3"]})
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("programs", "said"),
    [
        ({"go": None}, "Go 1.26 or newer is missing: install"),
        ({"go": "echo go1.25.9"}, "Go 1.26 or newer is missing, PATH has go1.25.9: install"),
        ({"cc": None}, "a C compiler is missing (cc is not on PATH): install"),
        ({"cc": "exit 1"}, "headers are missing (cc finds no stdlib.h): install"),
        ({"python3": None}, "(there is no python3): install"),
        ({"python3": "echo is only 3.10"}, "(python3 is only 3.10): install"),
        ({"python3": "exit 1"}, "(python3 does not run): install"),
        ({"python3": "true"}, "(python3 does not run): install"),
    ],
)
def test_names_what_is_missing_in_one_line(tmp_path, programs, said):
    done = answer(tmp_path, **programs)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("fhelium: ")
    assert said in done.stderr
