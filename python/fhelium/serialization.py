"""Values as bytes and files: one safetensors blob each, with the whole state.

The bytes hold tensors and state, and the mark of insecure parameters; no path,
no engine, no history. They are not encrypted. A digest finds damage by chance;
it is no signature, and who may write the bytes may write others. Loading needs
no engine and makes every value by its checking constructor.
"""

import io
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import torch

from . import _container as container
from . import _files as files
from .errors import FHEliumError, refusal
from .values import ConjugationKey, EvaluationKeySet, Plaintext, RelinearizationKey, RotationKey, RotationKeySet, SecretKey
from .values.parameters import is_insecure, mark_insecure
from .values.placement import named, place
from .values.resident import TYPES, TensorResident, Value
from .values.state import consecutive, flag

T = TypeVar("T", bound=TensorResident)

# Every prime lies below; see ckks/primes.go.
_RESIDUE_LIMIT = 1 << 50

# Residues that are looked at between two chances for Ctrl-C.
_PART = 1 << 23


@dataclass(frozen=True)
class MemberMetadata:
    """One value of a file: its type's name, its state, and the shapes of its tensors."""

    value_type: str
    state: Mapping[str, Any]
    shapes: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class ValueFileMetadata:
    """What a file says about itself; the tensors were not read, and the digest was not compared with them."""

    value_type: str
    """The name of the value's type."""
    members: tuple[MemberMetadata, ...]
    """The value itself, or the keys of a set."""
    insecure: bool
    """Whether the parameters are for tests alone."""
    schema_version: int
    nbytes: int
    """Bytes of all tensors."""
    digest: str
    """SHA-256 of the file with these 64 digits as zeros."""

    @property
    def state(self) -> Mapping[str, Any]:
        """The state of the value, or of a set's first key."""
        return self.members[0].state if self.members else {}

    @property
    def parameters(self) -> str | None:
        """The fingerprint of the parameters."""
        return self.state.get("parameters")

    @property
    def key_id(self) -> str | None:
        """The identity of the secret key that the value belongs to."""
        return self.state.get("key_id")


def to_bytes(value: TensorResident, *, allow_secret: bool = False) -> bytes:
    """A value as bytes. A secret key refuses as `secret-key-export` unless allow_secret is True."""
    pieces, _ = _pieces(value, allow_secret)
    whole = io.BytesIO()
    with named(f"the {sum(map(len, pieces))} bytes of a value"):
        for piece in pieces:
            for part in container.parts(piece):
                whole.write(part)
        return whole.getvalue()


def from_bytes(data: bytes | bytearray | memoryview, expected_type: type[T] = TensorResident) -> T:  # type: ignore[assignment]
    """The value of bytes; its tensors are copies in host memory."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise refusal("argument-type", f"a {type(data).__name__} holds no value; bytes, a bytearray or a memoryview are needed")
    view = memoryview(data)
    if not view.c_contiguous:
        raise refusal("argument-type", "the memoryview has gaps; a contiguous one is needed")
    return _read(_View(view.cast("B") if view.nbytes else memoryview(b"")), expected_type)


def save_value(value: TensorResident, path: str | os.PathLike[str], *, allow_secret: bool = False, overwrite: bool = False) -> None:
    """Writes a value to a file that only the user may read.

    The file appears whole or not at all, and is on the disk when this returns.
    Refuses as `file-exists` unless overwrite is True, as `file-absent` where
    the folder is missing, as `file-unusable` where the system refuses, and as
    `secret-key-export` as `to_bytes` does.
    """
    replaces = flag(overwrite, "overwrite")
    pieces, _keep = _pieces(value, allow_secret)
    files.write_whole(path, pieces, overwrite=replaces)


def load_value(path: str | os.PathLike[str], device: torch.device | str = "cpu", expected_type: type[T] = TensorResident) -> T:  # type: ignore[assignment]
    """The value of a file, on a device. It keeps nothing of the file."""
    target = place(device)
    with files.File(path) as source:
        loaded = _read(source, expected_type)
    return loaded.to(target)


def inspect_value(path: str | os.PathLike[str]) -> ValueFileMetadata:
    """What a file says about itself, without reading its tensors."""
    with files.File(path) as source:
        header = container.read_header(source)
    name, insecure, members = _manifest(header)
    shapes: list[dict[str, tuple[int, ...]]] = [{} for _ in members]
    for entry in header.entries:
        index, field, is_complex = _split(entry.name, len(members))
        shapes[index][field] = entry.shape[:-1] if is_complex else entry.shape
    described = tuple(MemberMetadata(kind, state, shape) for (kind, state), shape in zip(members, shapes, strict=True))
    nbytes = header.entries[-1].end if header.entries else 0
    return ValueFileMetadata(name, described, insecure, container.SCHEMA_VERSION, nbytes, header.digest)


# Writing.


def _members(value: TensorResident) -> list[Value]:
    """The values that a value is made of: the keys of a set, or itself."""
    if isinstance(value, RotationKeySet):
        return list(value.values())
    if isinstance(value, EvaluationKeySet):
        return list(value._members())
    if isinstance(value, Value):
        return [value]
    raise refusal("argument-type", f"a {type(value).__name__} is no value; a Ciphertext, a key or the like is needed")


def _pieces(value: TensorResident, allow_secret: bool) -> tuple[list[bytes | memoryview], list[torch.Tensor]]:
    """The bytes of a value in pieces, and the tensors that the pieces view."""
    members = _members(value)
    if allow_secret is not True and any(isinstance(member, SecretKey) for member in members):
        raise refusal("secret-key-export", "a secret key leaves the process only with allow_secret=True; the bytes are not encrypted")
    flag(allow_secret, "allow_secret")
    tensors: dict[str, torch.Tensor] = {}
    for i, member in enumerate(members):
        for name in member._TENSORS:
            tensor = getattr(member, name)
            if tensor is None:
                continue
            if tensor.is_complex():
                tensor, name = torch.view_as_real(tensor), name + ".complex"
            with named(f"a contiguous copy of {tensor.nbytes} bytes in host memory"):
                tensors[f"{i}.{name}"] = tensor.cpu().contiguous()
    manifest = {
        "type": type(value).__name__,
        "insecure": any(is_insecure(getattr(member, "parameters", None)) for member in members),
        "values": [{"type": type(member).__name__, "state": _state_to_json(member)} for member in members],
    }
    return container.write(_spell(manifest), tensors), list(tensors.values())


def _state_to_json(member: Value) -> dict[str, Any]:
    state = {name: getattr(member, name) for name in member._STATE}
    if "scale" in state:
        state["scale"] = state["scale"].hex()  # exact in every reader
    if state.get("prime_ids") is not None:
        state["prime_ids"] = [state["prime_ids"][0], len(state["prime_ids"])]
    return state


def _spell(manifest: Any) -> str:
    return json.dumps(manifest, separators=(",", ":"), sort_keys=True)


# Reading.


def _read(source: container.Source, expected_type: type[T]) -> T:
    if not (isinstance(expected_type, type) and issubclass(expected_type, TensorResident)):
        raise refusal("argument-type", f"expected_type is a {type(expected_type).__name__}; a type of value such as Ciphertext is needed")
    header = container.read_header(source)
    name, insecure, members = _manifest(header)
    if not issubclass(TYPES[name], expected_type):
        raise refusal("bytes-type", f"the bytes hold a {name}, and a {expected_type.__name__} was asked for")
    tensors = container.read_tensors(source, header)
    fields: list[dict[str, torch.Tensor]] = [{} for _ in members]
    for key, tensor in tensors.items():
        index, field, is_complex = _split(key, len(members))
        if is_complex:
            if tensor.dtype != torch.float64 or tensor.shape[-1:] != (2,):
                raise container.damaged(f"tensor {key!r} holds no complex numbers")
            tensor = torch.view_as_complex(tensor)
        fields[index][field] = tensor
    try:
        values = [_value(kind, state, given) for (kind, state), given in zip(members, fields, strict=True)]
        whole: Any = _assemble(TYPES[name], values)
    except (FHEliumError, TypeError) as error:
        raise container.damaged(f"the state does not fit the tensors ({error})") from None
    if insecure:
        for _, state in members:
            if state["parameters"] is not None:
                mark_insecure(state["parameters"])
    found: T = whole
    return found


def _manifest(header: container.Header) -> tuple[str, bool, list[tuple[str, dict[str, Any]]]]:
    """The type, the mark of insecure parameters, and the type and state of each member."""
    text = header.manifest
    if text.count("[") + text.count("{") > 16 + len(text) // 32:
        raise container.damaged("the manifest is nested as no value is")
    try:
        manifest = json.loads(text)
        name, insecure, values = manifest["type"], manifest["insecure"], manifest["values"]
        members = [(value["type"], _state_from_json(value["state"])) for value in values]
        spelled = _spell({"type": name, "insecure": insecure, "values": values})
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError):
        raise container.damaged("the manifest is not that of a value") from None
    known = all(isinstance(kind, str) and kind in TYPES for kind in (name, *(kind for kind, _ in members)))
    if spelled != text or type(insecure) is not bool or not known:
        raise container.damaged("the manifest names no type of value that this release knows")
    return name, insecure, members


def _state_from_json(state: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(state, dict):
        raise TypeError("a state is an object")
    state = dict(state)
    if "scale" in state:
        state["scale"] = float.fromhex(state["scale"])
    if state.get("prime_ids") is not None:
        first, count = state["prime_ids"]
        if not (0 <= first < 1 << 20 and 0 < count < 1 << 12):
            raise ValueError("prime ids")
        state["prime_ids"] = consecutive(first, count)
    return state


def _split(key: str, members: int) -> tuple[int, str, bool]:
    """The member, the field, and whether pairs of numbers are complex ones, of a tensor's name."""
    number, _, field = key.partition(".")
    field, _, suffix = field.partition(".")
    if not number.isdecimal() or int(number) >= members or suffix not in ("", "complex"):
        raise container.damaged(f"tensor {key[:40]!r} belongs to no value")
    return int(number), field, suffix == "complex"


def _value(name: str, state: dict[str, Any], tensors: dict[str, torch.Tensor]) -> Value:
    """One value by its constructor, of its own fields and with residues that a prime can have."""
    kind = TYPES[name]
    if not issubclass(kind, Value):
        raise refusal("state-kind-mismatch", f"a {name} inside a value")
    if state.keys() != set(kind._STATE) or not tensors.keys() <= set(kind._TENSORS):
        raise refusal("state-kind-mismatch", f"the fields are not those of a {name}")
    made = kind(**state, **tensors)
    if not isinstance(made, Plaintext) or made.is_rns:
        for field, tensor in tensors.items():
            if field != "seed":
                for part in tensor.reshape(-1).split(_PART):
                    low, high = torch.aminmax(part)
                    if low < 0 or high >= _RESIDUE_LIMIT:
                        raise refusal("residue-out-of-range", f"a residue outside 0 … 2^50 - 1 in {field}")
    return made


def _assemble(kind: type[TensorResident], values: list[Any]) -> TensorResident:
    """The value of its members."""
    if kind in (RotationKeySet, EvaluationKeySet):
        single = {type(value): value for value in values}
        rotations = RotationKeySet(value for value in values if isinstance(value, RotationKey))
        whole = EvaluationKeySet(rotations, single.get(RelinearizationKey), single.get(ConjugationKey))
        if len(list(whole._members())) != len(values) or (kind is RotationKeySet and len(rotations) != len(values)):
            raise refusal("state-kind-mismatch", f"a {kind.__name__} that holds another value than its keys, or one key twice")
        return rotations if kind is RotationKeySet else whole
    if len(values) != 1 or type(values[0]) is not kind:
        raise refusal("state-kind-mismatch", f"{len(values)} values where one {kind.__name__} is said to be")
    only: TensorResident = values[0]
    return only


class _View:
    """Bytes in memory."""

    def __init__(self, view: memoryview) -> None:
        self._view = view
        self.size = len(view)

    def read_into(self, target: memoryview) -> None:
        for part in container.parts(target):
            part[:] = self._view[: len(part)]
            self._view = self._view[len(part) :]
