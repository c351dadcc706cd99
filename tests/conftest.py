"""What several test files share: the wheel, and the Pythons of this machine."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

PROJECT = pathlib.Path(__file__).resolve().parent.parent


def pip_wheel(source: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """Builds a wheel from a tree or a source distribution, without the network."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", str(folder), str(source)]
    subprocess.run(command, check=True, timeout=280)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def wheel(tmp_path_factory) -> pathlib.Path:
    """The wheel of this tree."""
    return pip_wheel(PROJECT, tmp_path_factory.mktemp("wheel"))


def interpreter(version: str) -> str | None:
    """The path of a CPython such as "3.12" on this machine: on PATH or under pyenv; None where there is none."""
    candidates = [shutil.which(f"python{version}")]
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"))
    candidates += sorted(map(str, pyenv.glob(f"versions/{version}.*/bin/python")), reverse=True)
    for candidate in filter(None, candidates):
        # pyenv's own python3.12 exists but refuses to run unless that version is selected.
        answer = subprocess.run([candidate, "-c", "import ensurepip, sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True)
        if answer.stdout.strip() == version:
            return candidate
    return None
