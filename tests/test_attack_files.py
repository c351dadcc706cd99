"""Paths that are none, or that the system refuses: each a named refusal, and no file is left."""

from __future__ import annotations

import os
import pathlib
from typing import Any

import pytest
import torch
from fhelium import TensorResident, inspect_value, load_value, save_value
from fhelium.errors import FHEliumError
from samples import ciphertext

CALLS: dict[str, Any] = {
    "save": lambda path: save_value(ciphertext(), path),
    "overwrite": lambda path: save_value(ciphertext(), path, overwrite=True),
    "load": lambda path: load_value(path),
    "inspect": lambda path: inspect_value(path),
}
calls = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


def refused(code, call):
    with pytest.raises(FHEliumError) as caught:
        call()
    assert caught.value.code == code, caught.value
    return caught.value


class Named:
    """A PathLike of any name."""

    def __init__(self, name: Any) -> None:
        self.name = name

    def __fspath__(self) -> Any:
        return self.name


@calls
@pytest.mark.parametrize("bad", [None, 3, 0, True, b"v", ["v"], object(), torch.zeros(2), Named(b"v")], ids=repr)
def test_what_is_no_path(call, bad, tmp_path, monkeypatch):
    # Fault: a TypeError of pathlib, for a path of bytes.
    monkeypatch.chdir(tmp_path)
    assert isinstance(refused("argument-type", lambda: call(bad)), TypeError)
    assert not list(tmp_path.iterdir())


@calls
@pytest.mark.parametrize("bad", ["", Named(""), "a\0b"], ids=["empty", "empty PathLike", "null"])
def test_what_names_no_file(call, bad, tmp_path, monkeypatch):
    # Faults: "" meant the folder; the ValueError of a null byte.
    monkeypatch.chdir(tmp_path)
    refused("argument-invalid", lambda: call(bad))
    assert not list(tmp_path.iterdir())


@calls
@pytest.mark.parametrize("bad", [".", "..", "folder", "folder/", pathlib.Path("folder"), "link", "x" * 300, "folder/" * 2000 + "v", "\ud800"], ids=lambda bad: ascii(str(bad)[:12]))
def test_what_the_system_refuses(call, bad, tmp_path, monkeypatch):
    # Faults: IsADirectoryError, a name too long, UnicodeEncodeError. Mutant: rename onto a folder.
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    error = refused("file-unusable", lambda: call(bad))
    assert isinstance(error, OSError)
    assert sorted(os.listdir(tmp_path)) == ["folder", "link"] and not os.listdir(tmp_path / "folder")


@pytest.mark.parametrize("call", [CALLS["load"], CALLS["inspect"]], ids=["load", "inspect"])
@pytest.mark.timeout(20)
def test_what_is_no_regular_file(call, tmp_path):
    # Fault: opening a pipe waits for its writer for ever.
    os.mkfifo(tmp_path / "pipe")
    refused("file-unusable", lambda: call(tmp_path / "pipe"))
    refused("file-unusable", lambda: call("/dev/zero"))


def test_a_file_beside_a_file(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    for call in (CALLS["load"], CALLS["inspect"]):
        refused("file-unusable", lambda call=call: call(tmp_path / "file" / "v"))
    refused("file-absent", lambda: CALLS["save"](tmp_path / "file" / "v"))


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_what_is_forbidden(tmp_path):
    save_value(ciphertext(), tmp_path / "v")
    (tmp_path / "v").chmod(0)
    refused("file-unusable", lambda: load_value(tmp_path / "v"))
    tmp_path.chmod(0o500)
    refused("file-unusable", lambda: save_value(ciphertext(), tmp_path / "w"))


@pytest.mark.parametrize("when", ["write", "read"])
def test_what_fails_half_way(when, tmp_path, monkeypatch):
    # Mutant: leave the part that was written.
    save_value(ciphertext(), tmp_path / "v")

    def fails(*_):
        raise OSError(5, "Input/output error")

    name, call = {"write": ("fsync", lambda: save_value(ciphertext(), tmp_path / "w")), "read": ("stat", lambda: load_value(tmp_path / "v"))}[when]
    with monkeypatch.context() as patch:
        patch.setattr(os, name, fails)
        error = refused("file-unusable", call)
    assert "Input/output error" in error.detail and error.__cause__.errno == 5
    assert os.listdir(tmp_path) == ["v"]


@pytest.mark.parametrize("bad", [int, None, "Ciphertext", object, torch.Tensor, ciphertext()], ids=lambda bad: repr(bad)[:20])
def test_what_is_no_type_of_value(bad, tmp_path):
    # Fault: a TypeError of issubclass, for bytes.
    from fhelium.serialization import from_bytes

    save_value(ciphertext(), tmp_path / "v")
    refused("argument-type", lambda: load_value(tmp_path / "v", expected_type=bad))
    refused("argument-type", lambda: from_bytes(ciphertext().to_bytes(), bad))
    assert isinstance(load_value(tmp_path / "v", expected_type=TensorResident), TensorResident)
