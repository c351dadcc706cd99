"""A25: the wheel as a stranger meets it, in environments that share only torch with ours."""

import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig

import pytest
from conftest import interpreter

SMOKE = pathlib.Path(__file__).with_name("smoke.py")
OURS = sysconfig.get_path("purelib")


class Environment:
    """A virtual environment, and commands that see neither Go, nor a compiler, nor our tree."""

    def __init__(self, python: str, folder: pathlib.Path) -> None:
        subprocess.run([python, "-m", "venv", folder], check=True, timeout=100)
        self.folder = folder
        self.bin = folder / "bin"
        (self.site,) = folder.glob("lib/python*/site-packages")

    def run(self, *command: str, cwd: pathlib.Path | None = None) -> subprocess.CompletedProcess:
        """Runs the environment's Python with an empty environment of variables."""
        variables = {"PATH": str(self.bin), "HOME": str(self.folder), "LANG": "C.UTF-8"}
        return subprocess.run([str(self.bin / "python"), *command], env=variables, cwd=cwd or self.folder, capture_output=True, text=True, timeout=200)

    def pip(self, *arguments: str) -> subprocess.CompletedProcess:
        return self.run("-m", "pip", "--disable-pip-version-check", *arguments)

    def files(self) -> dict[str, int]:
        return {str(p.relative_to(self.site)): p.stat().st_mtime_ns for p in self.site.rglob("*") if p.is_file()}


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Environment:
    """The wheel in an environment of this Python. Our torch is lent to it, so that nothing is downloaded."""
    environment = Environment(sys.executable, tmp_path_factory.mktemp("installed"))
    (environment.site / "lent.pth").write_text(OURS + "\n")
    assert environment.pip("install", "--no-index", "--no-deps", str(wheel)).returncode == 0
    return environment


@pytest.mark.parametrize("order", ["import fhelium, torch", "import torch, fhelium"])
def test_imports_before_and_after_torch(installed, order):
    where = installed.run("-c", f"{order}; from fhelium import _binding; print(fhelium.__file__)")
    assert where.stderr == ""
    assert pathlib.Path(where.stdout.strip()).is_relative_to(installed.site), "the installed package, not our tree's"


def test_works_elsewhere_with_read_only_site_packages(installed, tmp_path):
    """Its files stay as they are, with their folder closed for writing (which root would not notice)."""
    folder = installed.site / "fhelium"
    before = installed.files()
    folder.chmod(0o555)
    try:
        answer = installed.run(str(SMOKE), cwd=tmp_path)
    finally:
        folder.chmod(0o755)
    assert (answer.returncode, answer.stderr) == (0, ""), answer
    assert {n: t for n, t in installed.files().items() if n.startswith("fhelium")} == {n: t for n, t in before.items() if n.startswith("fhelium")}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not shutil.which("ldd"), reason="ldd is not installed")
def test_every_shared_object_resolves(installed):
    for path in (installed.site / "fhelium").rglob("*.so"):
        text = subprocess.run(["ldd", path], capture_output=True, text=True, check=True, env={"PATH": os.defpath}).stdout
        assert "not found" not in text
        assert "python" not in text, "an extension that links libpython works with that one alone"


def test_a_second_installation_and_an_uninstall(wheel, tmp_path):
    environment = Environment(sys.executable, tmp_path / "environment")
    before = set(environment.files())
    for extra in ([], ["--force-reinstall"]):
        answer = environment.pip("install", "--no-index", "--no-deps", *extra, str(wheel))
        assert answer.returncode == 0, answer.stderr
    assert (environment.site / "fhelium" / "_fhgo.abi3.so").exists()
    environment.run("-c", "import fhelium")
    assert environment.pip("uninstall", "--yes", "fhelium").returncode == 0
    left = {name for name in set(environment.files()) - before if "fhelium" in name}
    assert not left
    assert not (environment.site / "fhelium").exists()


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_one_wheel_serves_every_python(wheel, tmp_path, version):
    """The stable ABI holds what it promises. Where that Python has no torch, a stand-in counts its threads."""
    python = interpreter(version)
    if python is None:
        pytest.skip(f"CPython {version} is not on this machine")
    environment = Environment(python, tmp_path / "environment")
    answer = environment.pip("install", "--no-index", "--no-deps", str(wheel))
    assert answer.returncode == 0, answer.stderr
    answer = environment.run(str(SMOKE), "without-torch")
    assert (answer.returncode, answer.stderr) == (0, ""), answer


def test_an_older_python_is_refused_by_pip(wheel, tmp_path):
    python = interpreter("3.10") or interpreter("3.9")
    if python is None:
        pytest.skip("no CPython older than 3.11 is on this machine")
    answer = Environment(python, tmp_path / "environment").pip("install", "--no-index", "--no-deps", str(wheel))
    assert answer.returncode != 0
    assert "not a supported wheel" in answer.stderr or "requires a different Python" in answer.stderr
