"""Bytes and files: what goes in comes out, and damage is always found. No engine is needed."""

import hashlib
import json
import os
import pathlib
import re
import stat
import subprocess
import sys
import time
import tracemalloc

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import samples
from fhelium import _container, errors, inspect_value, load_value, save_value, serialization
from fhelium.values import Ciphertext, EvaluationKeySet, Plaintext, RotationKeySet, SecretKey, TensorResident
from fhelium.values.parameters import is_insecure, mark_insecure
from samples import KEYS, N, assert_equal, ciphertext, residues, rotation_key

PUBLIC = samples.public_values()
ALL = PUBLIC | {"secret key": samples.secret_key()}
every = pytest.mark.parametrize("value", ALL.values(), ids=ALL)
BYTES = ciphertext().to_bytes()


def export(value) -> bytes:
    return value.to_bytes(allow_secret=isinstance(value, SecretKey))


def refuses(data, kind=TensorResident) -> errors.FHEliumError:
    """The library's own error for bytes that are not a value."""
    with pytest.raises(errors.ValueBytesError) as caught:
        kind.from_bytes(data)
    return caught.value


def sealed(data: bytes | bytearray) -> bytes:
    """The bytes with the digest that belongs to them, as a hostile writer would make it."""
    zeroed = re.sub(rb'"fhelium\.digest":"[0-9a-f]{64}"', b'"fhelium.digest":"' + b"0" * 64 + b'"', bytes(data), count=1)
    return zeroed.replace(b"0" * 64, hashlib.sha256(zeroed).hexdigest().encode(), 1)


def crafted(header: str, payload: bytes = b"") -> bytes:
    """Bytes with any header, whose length and digest are right."""
    text = header.encode()
    text += b" " * (-len(text) % 8)
    return sealed(len(text).to_bytes(8, "little") + text + payload)


def spelled(manifest: object, entries: str = "", version: str = "1") -> str:
    """A header as the writer spells it."""
    metadata = {"fhelium.digest": "0" * 64, "fhelium.format": "value", "fhelium.manifest": manifest, "fhelium.schema_version": version}
    return '{"__metadata__":' + json.dumps(metadata, separators=(",", ":")) + entries + "}"


# There and back.


@every
@pytest.mark.parametrize("form", [bytes, bytearray, memoryview])
def test_there_and_back(value, form):
    # Case A14. row 002-18: compressed plaintexts too. Mutant: leave a field out of the state, or write the scale with %g.
    data = export(value)
    back = type(value).from_bytes(form(data))
    assert_equal(back, value)
    assert_equal(TensorResident.from_bytes(data), value)
    assert export(back) == data, "one value, one spelling"
    assert not {t.data_ptr() for t in back._tensors()} & {t.data_ptr() for t in value._tensors()}


@every
def test_a_file_is_the_bytes(value, tmp_path):
    # row 002-30: a value forgets its path. Mutant: keep the path in a field.
    path = tmp_path / "some-unlikely-name.fhelium"
    save_value(value, path, allow_secret=isinstance(value, SecretKey))
    assert path.read_bytes() == export(value)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    back = load_value(path, expected_type=type(value))
    assert_equal(back, value)
    assert "some-unlikely-name" not in repr(back) + str(samples.fields_of(back)) and b"some-unlikely-name" not in export(back)
    assert [p.name for p in tmp_path.iterdir()] == [path.name], "no part is left"


def test_views_are_saved_alone():
    member = ciphertext(64).select_batch(3)
    assert not member.data.is_contiguous() and len(member.to_bytes()) < member.nbytes + 1000
    assert_equal(Ciphertext.from_bytes(member.to_bytes()), member)


def test_loading_needs_no_engine_and_no_core(tmp_path):
    # row 002-42. Mutant: import fhelium.eager, or the extension, in serialization.
    save_value(PUBLIC["evaluation keys"], tmp_path / "keys")
    program = (
        "import sys, fhelium; from fhelium.values import TensorResident\n"
        "keys = fhelium.load_value(sys.argv[1]); assert TensorResident.from_bytes(keys.to_bytes()).nbytes == keys.nbytes > 0\n"
        "bad = [m for m in sys.modules if m.startswith(('fhelium._fhgo', 'fhelium._binding', 'fhelium.eager', 'torch.distributed.fhelium'))]\n"
        "assert not bad, bad"
    )
    source = str(pathlib.Path(serialization.__file__).parent.parent)
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "keys")], check=True, timeout=120, env=os.environ | {"PYTHONPATH": source})


def test_other_readers_of_safetensors_can_read_it(tmp_path):
    safetensors = pytest.importorskip("safetensors")
    for name in ("strided_sparse", "evaluation keys", "no keys"):
        save_value(PUBLIC[name], tmp_path / "v", overwrite=True)
        with safetensors.safe_open(tmp_path / "v", "pt") as file:
            assert sorted(file.metadata()) == ["fhelium.digest", "fhelium.format", "fhelium.manifest", "fhelium.schema_version"]
            tensors = [file.get_tensor(key) for key in sorted(file.keys())]
        assert len(tensors) == len(list(PUBLIC[name]._tensors()))
        assert all(any(torch.equal(t, own) for own in PUBLIC[name]._tensors()) for t in tensors)


# Secrets.


def test_a_secret_key_needs_an_explicit_word(tmp_path):
    # Case A16. row 002-54 (values). Mutant: default allow_secret to True, or test its truth.
    secret = SecretKey(residues(3, N) ^ 0x5A5A5, **KEYS)
    for word in ({}, {"allow_secret": False}, {"allow_secret": 1}, {"allow_secret": "yes"}):
        with pytest.raises(PermissionError) as caught:
            secret.to_bytes(**word)
        with pytest.raises(PermissionError):
            save_value(secret, tmp_path / "secret", **word)
        assert caught.value.code == "secret-key-export"
    assert not list(tmp_path.iterdir())
    body = secret.data.numpy().tobytes()
    for name, value in PUBLIC.items():
        assert body not in export(value), name


def test_insecure_parameters_are_marked(tmp_path):
    # Mutant: leave the mark out of the manifest.
    marked = ciphertext(parameters="99" * 16)
    assert b"99" * 16 in marked.to_bytes() and not inspected(marked, tmp_path).insecure
    mark_insecure("99" * 16)
    assert inspected(marked, tmp_path).insecure and not inspected(ciphertext(), tmp_path).insecure
    program = "import sys, fhelium; v = fhelium.load_value(sys.argv[1]); assert 'INSECURE' in repr(v), v"
    source = str(pathlib.Path(serialization.__file__).parent.parent)
    save_value(marked, tmp_path / "v", overwrite=True)
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "v")], check=True, timeout=120, env=os.environ | {"PYTHONPATH": source})
    assert is_insecure("99" * 16)


def inspected(value, folder):
    save_value(value, folder / "inspected", overwrite=True, allow_secret=True)
    return inspect_value(folder / "inspected")


# Inspection.


@every
def test_inspection_tells_the_state(value, tmp_path):
    found = inspected(value, tmp_path)
    assert found.value_type == type(value).__name__ and found.nbytes == value.nbytes and found.schema_version == 1
    for name in ("parameters", "key_id", "scale", "depth", "prime_ids"):
        if hasattr(value, name):
            assert found.state[name] == getattr(value, name)
    if not isinstance(value, RotationKeySet | EvaluationKeySet):
        assert found.members[0].shapes == {n: tuple(getattr(value, n).shape) for n in value._TENSORS if getattr(value, n) is not None}


def test_inspection_reads_no_payload(tmp_path, monkeypatch):
    # Mutant: read the tensors in inspect_value.
    save_value(ciphertext(), tmp_path / "v")
    monkeypatch.setattr(_container, "read_tensors", None)
    assert inspect_value(tmp_path / "v").state["scale"] == 2.0**40
    data = bytearray(BYTES)
    data[-1] ^= 1
    (tmp_path / "v").write_bytes(data)
    assert inspect_value(tmp_path / "v").value_type == "Ciphertext"


# Files.


def test_files_refuse(tmp_path):
    value = ciphertext()
    save_value(value, tmp_path / "v")
    with pytest.raises(FileExistsError) as caught:
        save_value(value, tmp_path / "v")
    assert caught.value.code == "file-exists"
    save_value(samples.plaintext(), tmp_path / "v", overwrite=True)
    assert isinstance(load_value(tmp_path / "v"), Plaintext)
    for call in (lambda: save_value(value, tmp_path / "no" / "v"), lambda: load_value(tmp_path / "w"), lambda: inspect_value(tmp_path / "w")):
        with pytest.raises(FileNotFoundError):
            call()
    with pytest.raises(TypeError) as caught:
        load_value(tmp_path / "v", expected_type=Ciphertext)
    assert caught.value.code == "bytes-type" and "Plaintext" in caught.value.detail and "Ciphertext" in caught.value.detail
    for call in (lambda: save_value(3, tmp_path / "x"), lambda: save_value(value, 3), lambda: load_value(tmp_path / "v", expected_type=int), lambda: load_value(None)):
        with pytest.raises(TypeError):
            call()
    assert load_value(tmp_path / "v", "meta").device.type == "meta"


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    # Mutant: write to the file itself.
    save_value(ciphertext(), tmp_path / "v")
    before = (tmp_path / "v").read_bytes()

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        save_value(samples.plaintext(), tmp_path / "v", overwrite=True)
    assert (tmp_path / "v").read_bytes() == before and len(list(tmp_path.iterdir())) == 1


def test_the_second_of_two_writers_is_refused(tmp_path, monkeypatch):
    # Mutant: rename without looking again.
    monkeypatch.setattr(os.path, "lexists", lambda _: False)
    save_value(ciphertext(), tmp_path / "v")
    with pytest.raises(FileExistsError):
        save_value(samples.plaintext(), tmp_path / "v")
    assert isinstance(load_value(tmp_path / "v"), Ciphertext)


def test_a_file_that_shrinks(tmp_path):
    (tmp_path / "v").write_bytes(BYTES[:-8])
    with pytest.raises(errors.ValueBytesError):
        load_value(tmp_path / "v")


# Damage: case A15 and mistake 7.


def test_any_flipped_bit_is_found():
    # Mutant: leave the header, or the length before it, out of the digest.
    small = Plaintext(data=residues(1, 2), prime_ids=(0,), scale=2.0).to_bytes()
    for i in range(len(small)):
        for bit in range(8):
            damaged = bytearray(small)
            damaged[i] ^= 1 << bit
            assert refuses(damaged).code in ("bytes-damaged", "bytes-version")
    assert TensorResident.from_bytes(small).scale == 2.0, "the next good load works"


def test_any_cut_is_found():
    for length in range(len(BYTES)):
        assert refuses(BYTES[:length]).code == "bytes-damaged"


@pytest.mark.parametrize("tail", [b"\0", b" ", b"\0" * 8, BYTES])
def test_trailing_bytes_are_found(tail):
    assert refuses(BYTES + tail).code == "bytes-damaged"
    assert refuses(sealed(BYTES + tail)).code == "bytes-damaged"


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_damage_at_random(data):
    # Several bytes anywhere, with and without a digest that fits.
    damaged = bytearray(data.draw(st.sampled_from([export(v) for v in ALL.values()])))
    original = bytes(damaged)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    if damaged != original:
        refuses(damaged)
        try:
            TensorResident.from_bytes(sealed(damaged))  # a hostile writer's value may be a valid one
        except errors.ValueBytesError:
            pass


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_at_all(data):
    refuses(data)
    refuses(len(data).to_bytes(8, "little") + data)


@every
def test_bytes_of_another_type(value):
    for other in (Ciphertext, Plaintext, SecretKey, EvaluationKeySet):
        if not isinstance(value, other):
            error = refuses(export(value), other)
            assert error.code == "bytes-type" and isinstance(error, TypeError)


def test_a_raised_version():
    # Mutant: compare the digest first, so that a newer release's bytes are called damaged.
    raised = BYTES.replace(b'"fhelium.schema_version":"1"', b'"fhelium.schema_version":"2"')
    for data in (raised, sealed(raised)):
        error = refuses(data)
        assert error.code == "bytes-version" and "2" in error.detail and "1" in error.detail


@pytest.mark.parametrize("length", [0, 7, 8, 1 << 24, 1 << 40, (1 << 63) - 1, (1 << 64) - 1])
def test_any_length_field(length):
    assert refuses(length.to_bytes(8, "little") + BYTES[8:]).code == "bytes-damaged"


def test_sizes_that_are_not_there():
    # Mutant: allocate before comparing with the length of the bytes.
    begin = BYTES.index(b',"0.data"')
    entry = BYTES[begin : BYTES.index(b"}}", begin) + 1].decode()
    manifest = json.loads(re.search(rb'manifest":("(?:[^"\\]|\\.)*")', BYTES)[1])
    payload = BYTES[-2 * 3 * N * 8 :]
    assert_equal(TensorResident.from_bytes(crafted(spelled(manifest, entry), payload)), ciphertext())
    for old, new in [
        ("[0,768]", "[0,1099511627776]"), ("[0,768]", "[8,776]"), ("[0,768]", "[768,0]"), ("[2,3,16]", "[2,3,1099511627776]"), ("[2,3,16]", "[2,3,-16]"),
        ("[2,3,16]", "[2,3,16,]"), ("[2,3,16]", "[2,3,016]"), ("[2,3,16]", "[2,3,1e1]"), ("[2,3,16]", "[96]"), ("[2,3,16]", "[16,3,2]"),
        ("[2,3,16]", "[" + "1," * 40 + "96]"), ("[2,3,16]", "[" + "9" * 5000 + "]"), ("[2,3,16]", "[]"), ("I64", "I32"), ("I64", "F64"), ("0.data", "1.data"),
        ("0.data", "data"), ("0.data", "0.colour"), ("0.data", "0.data.complex"), ("0.data", "0.__class__"), (entry, entry + entry), (entry, ""),
        ('"dtype":"I64"', '"dtype":"I64","dtype":"I64"'), ('{"data', '{ "data'),
    ]:  # fmt: skip
        assert entry.count(old) == 1
        assert refuses(crafted(spelled(manifest, entry.replace(old, new)), payload)).code == "bytes-damaged", (old, new)


def test_tensors_that_overlap():
    # Mutant: do not compare a tensor's beginning with the end of the one before.
    whole = samples.compressed("strided_sparse").to_bytes()
    begin = whole.index(b',"0.data"')
    assert whole.count(b"[0,96]") == whole.count(b"[96,120]") == 1
    overlapping = whole[:-24].replace(b"[96,120]", b"[72,96] ")
    for data in (overlapping, sealed(overlapping)):
        assert refuses(data).code == "bytes-damaged"
    manifest = json.loads(re.search(rb'manifest":("(?:[^"\\]|\\.)*")', whole)[1])
    entries = whole[begin : whole.rindex(b"}}") + 1].decode()
    payload = whole[-120:]
    assert_equal(TensorResident.from_bytes(crafted(spelled(manifest, entries), payload)), samples.compressed("strided_sparse"))
    assert refuses(crafted(spelled(manifest, entries.replace("[96,120]", "[80,104]")), payload[:104])).code == "bytes-damaged"


def test_hostile_manifests():
    begin = BYTES.index(b',"0.data"')
    entry = BYTES[begin : BYTES.index(b"}}", begin) + 1].decode()
    good = json.loads(json.loads(re.search(rb'manifest":("(?:[^"\\]|\\.)*")', BYTES)[1]))
    payload = BYTES[-2 * 3 * N * 8 :]
    state = good["values"][0]["state"]

    def manifests():
        for field, bad in [
            ("scale", "-0x1p+3"), ("scale", "nan"), ("scale", "1" * 400), ("scale", 3.5), ("scale", None), ("depth", 1 << 70), ("depth", "1"), ("depth", True),
            ("prime_ids", [1, 1 << 40]), ("prime_ids", [1]), ("prime_ids", [0, 3]), ("prime_ids", [1.5, 3]), ("prime_ids", "13"), ("prime_ids", {}),
            ("polynomial_domain", "fourier"), ("parameters", "z" * 32), ("data", 3), ("engine", None), ("_packed", None),
            ("residue_representation", "standard"),
        ]:  # fmt: skip
            yield good | {"values": [{"type": "Ciphertext", "state": state | {field: bad}}]}
        for field in state:
            yield good | {"values": [{"type": "Ciphertext", "state": {k: v for k, v in state.items() if k != field}}]}
        yield good | {"type": "Plaintext"}
        yield good | {"type": "RotationKeySet"}
        yield good | {"type": "EvaluationKeySet"}
        yield good | {"type": "Value"}
        yield good | {"type": []}
        yield good | {"insecure": 1}
        yield good | {"values": []}
        yield good | {"values": good["values"] * 2}
        yield good | {"values": [[]]}
        yield good | {"values": [{"type": "Ciphertext", "state": list(state.items())}]}
        yield good | {"values": [{"type": {}, "state": state}]}
        yield good | {"more": 1}
        yield []
        yield None

    texts = [json.dumps(m, separators=(",", ":"), sort_keys=True) for m in manifests()]
    first = json.dumps(good, separators=(",", ":"), sort_keys=True)
    texts += ["", " ", first + " ", first[:-1] + ',"type":"Ciphertext"}', "[" * 100_000, "{" * 100_000, '{"type":' * 50_000, "9" * 100_000, "NaN", '"\ud800"', "\0"]
    texts += [first.replace('"depth":1', '"depth":01'), first.replace('"depth":1', '"depth":1,"depth":1'), first.replace("Ciphertext", "Ciphertex\\u0074")]
    for text in texts:
        assert refuses(crafted(spelled(text, entry), payload)).code == "bytes-damaged", text[:80]
    assert_equal(TensorResident.from_bytes(crafted(spelled(first, entry), payload)), ciphertext())


@pytest.mark.parametrize("number", [-1, 1 << 50, -(1 << 63)])
def test_residues_that_no_prime_has(number):
    # Mutant: leave out the look at the residues.
    data = ciphertext().data.clone()
    data[1, 2, 3] = number
    assert refuses(sealed(ciphertext().with_data(data).to_bytes())).code == "bytes-damaged"
    kept = Plaintext(data=torch.tensor([number, 0]), representation="integer_coefficients", scale=1.0)
    assert_equal(Plaintext.from_bytes(kept.to_bytes()), kept)


def test_a_set_with_a_key_twice():
    two = RotationKeySet([rotation_key(1), rotation_key(2)]).to_bytes()
    twice = two.replace(rb"\"rotation_step\":2", rb"\"rotation_step\":1")
    assert twice != two and refuses(sealed(twice)).code == "bytes-damaged"


def test_not_bytes():
    for bad in ("text", None, 3, [1], memoryview(BYTES)[::2], torch.zeros(3)):
        with pytest.raises(TypeError) as caught:
            Ciphertext.from_bytes(bad)
        assert caught.value.code == "argument-type"
    for bad in (None, 3, torch.zeros(2)):
        with pytest.raises(TypeError):
            serialization.to_bytes(bad)
    refuses(memoryview(b""))


def big() -> SecretKey:
    return SecretKey(torch.arange(1 << 21).reshape(1 << 5, 1 << 16), range(32), modulus_basis="QP", **{k: v for k, v in KEYS.items() if k != "prime_ids"})


HOSTILE = {
    "deep": lambda size: crafted(spelled("[" * (size // 2))),
    "lists": lambda size: crafted(
        spelled("[" + "[]," * (size // 20) + "[]]", f',"0.data":{{"data_offsets":[0,{size}],"dtype":"I64","shape":[{size // 8}]}}'), bytes(size)
    ),
    "wide": lambda size: crafted(spelled("[" + "1," * (size // 4) + "1]")),
    "quotes": lambda size: crafted(spelled('"' * (size // 2))),
    "entries": lambda size: crafted(spelled("", ',"a":{"data_offsets":[0,8],"dtype":"I64","shape":[1]}' * (size // 56))),
    "spaces": lambda size: crafted(" " * size),
    "braces": lambda size: crafted("{" * size),
    "backslashes": lambda size: crafted('{"__metadata__":{"fhelium.digest":"' + "0" * 64 + '","fhelium.format":"value","fhelium.manifest":"' + "\\\\" * (size // 2)),
    "flipped": lambda size: big().to_bytes(allow_secret=True)[:-1] + b"\1",
    "cut": lambda size: big().to_bytes(allow_secret=True)[:-1],
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_bytes_cost_little(name):
    # Mistake 7: within a second, and with less memory than twice the bytes. Python's own memory is traced; tensors are counted apart.
    data = HOSTILE[name](1 << 20)
    tracemalloc.start()
    begin = time.process_time()
    refuses(data)
    spent = time.process_time() - begin
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2 * len(data) + (1 << 18) and spent < 5  # far above what it takes; a hang or a square law is found
