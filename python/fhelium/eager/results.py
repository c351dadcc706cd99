"""From the record of a result to its tensors, and from both to the value."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import torch

from ..values import (
    Ciphertext,
    CompressedPlaintext,
    ConjugationKey,
    KeySwitchKey,
    Plaintext,
    PublicKey,
    RelinearizationKey,
    RotationKey,
    SecretKey,
    SeededCiphertext,
)
from ..values.record import Dtype, Kind
from ..values.record import _identity as identity
from ..values.state import BASES, DOMAINS, LAYOUTS, consecutive

RECORD = struct.Struct("<3qd28q")

# The words of an unpacked record, by their places in ckks/record.go.
_KIND, _DTYPE, _DEPTH, SCALE, _DOMAIN, _BASIS, _FIRST, _ROWS, _COMPONENTS, _N, _UNIQUE, _LAYOUT, _STEP, _AXES = range(14)
ELEMENTS, _BATCH = 21, 24

_DTYPES = {Dtype.INT64: torch.int64, Dtype.FLOAT64: torch.float64, Dtype.COMPLEX128: torch.complex128}

# An IntEnum's member compares slowly with an int.
_MESSAGE, _CIPHERTEXT = int(Kind.MESSAGE), int(Kind.CIPHERTEXT)

_put = object.__setattr__

Words = tuple[Any, ...]
Tensors = tuple[torch.Tensor, torch.Tensor | None]


def allocate(w: Words, device: torch.device) -> Tensors:
    """Tensors for the result of a record: its own, uninitialised, and that of its implicit words, zeroed."""
    kind, rows, n = w[_KIND], w[_ROWS], w[_N]
    batch = w[_BATCH : _BATCH + w[_AXES]]
    if kind == _CIPHERTEXT:
        return torch.empty((w[_COMPONENTS], *batch, rows, n), dtype=torch.int64, device=device), None
    implicit = None
    shape: tuple[int, ...]
    if kind < Kind.PLAINTEXT:
        shape = (*batch, n)
    elif kind == Kind.COMPRESSED:
        shape = (*batch, rows, w[_UNIQUE])
        if LAYOUTS[w[_LAYOUT] - 1] == "strided_sparse":
            implicit = torch.zeros((*batch, rows), dtype=torch.int64, device=device)
    elif kind == Kind.SEEDED:
        shape, implicit = (*batch, rows, n), torch.empty(4, dtype=torch.int64, device=device)
    elif kind == Kind.PUBLIC_KEY:
        shape = (2, rows, n)
    elif kind >= Kind.SWITCH_KEY:
        shape = (w[_COMPONENTS], 2, rows, n)
    else:
        shape = (*batch, rows, n)
    return torch.empty(shape, dtype=_DTYPES[w[_DTYPE]], device=device), implicit


def wrap(w: Words, packed: bytes, tensors: Tensors) -> Any:
    """The value of a record and its tensors; a message is its tensor alone."""
    kind = w[_KIND]
    value = _WRAPS[kind](w, *tensors)
    if kind != _MESSAGE:
        _put(value, "_packed", packed)
        _put(value, "_vouched", value.parameters)
    return value


def parameters(w: Words) -> str | None:
    """The fingerprint in a record."""
    return identity(w[14], w[15])


def _rows(w: Words) -> dict[str, Any]:
    return {
        "prime_ids": consecutive(w[_FIRST], w[_ROWS]),
        "polynomial_domain": DOMAINS[w[_DOMAIN]],
        "modulus_basis": BASES[w[_BASIS]],
        "parameters": parameters(w),
    }


def _levels(w: Words) -> dict[str, Any]:
    return {"depth": w[_DEPTH], "scale": w[SCALE]}


def _ciphertext(w: Words, data: torch.Tensor, _: None) -> Ciphertext:
    # What Ciphertext._trusted does, for the result of most calls without its detour through dictionaries.
    value = object.__new__(Ciphertext)
    _put(value, "data", data)
    _put(value, "depth", w[_DEPTH])
    _put(value, "scale", w[SCALE])
    _put(value, "prime_ids", consecutive(w[_FIRST], w[_ROWS]))
    _put(value, "polynomial_domain", DOMAINS[w[_DOMAIN]])
    _put(value, "modulus_basis", BASES[w[_BASIS]])
    _put(value, "parameters", identity(w[14], w[15]))
    _put(value, "key_id", identity(w[16], w[17]))
    return value


def _seeded(w: Words, data: torch.Tensor, seed: torch.Tensor) -> SeededCiphertext:
    return SeededCiphertext._trusted(data=data, seed=seed, key_id=identity(w[16], w[17]), **_levels(w), **_rows(w))


def _plaintext(w: Words, data: torch.Tensor, _: None) -> Plaintext:
    return Plaintext._trusted(message=None, data=data, representation="rns", **_levels(w), **_rows(w))


def _coefficients(w: Words, data: torch.Tensor, _: None) -> Plaintext:
    representation = "integer_coefficients" if w[_KIND] == Kind.INTEGERS else "approximate_coefficients"
    absent = dict.fromkeys(("message", "polynomial_domain", "modulus_basis", "prime_ids"))
    return Plaintext._trusted(data=data, representation=representation, parameters=parameters(w), **absent, **_levels(w))


def _compressed(w: Words, data: torch.Tensor, implicit: torch.Tensor | None) -> CompressedPlaintext:
    layout = LAYOUTS[w[_LAYOUT] - 1]
    return CompressedPlaintext._trusted(
        data=data, implicit_data=implicit, ring_dimension=w[_N], compression_layout=layout, **_levels(w), **_rows(w)
    )


def _key(kind: Any) -> Callable[..., Any]:
    def wrap_key(w: Words, data: torch.Tensor, _: None) -> Any:
        fields = _rows(w) | {"key_id": identity(w[16], w[17]), "source_key_id": identity(w[18], w[19]), "rotation_step": w[_STEP]}
        return kind._trusted(data=data, **{name: field for name, field in fields.items() if name in kind._STATE})

    return wrap_key


_WRAPS: dict[int, Callable[..., Any]] = {
    Kind.MESSAGE: lambda _, data, __: data,
    Kind.INTEGERS: _coefficients,
    Kind.APPROXIMATE: _coefficients,
    Kind.PLAINTEXT: _plaintext,
    Kind.COMPRESSED: _compressed,
    Kind.CIPHERTEXT: _ciphertext,
    Kind.SEEDED: _seeded,
    Kind.SECRET_KEY: _key(SecretKey),
    Kind.PUBLIC_KEY: _key(PublicKey),
    Kind.SWITCH_KEY: _key(KeySwitchKey),
    Kind.RELINEARIZATION: _key(RelinearizationKey),
    Kind.ROTATION: _key(RotationKey),
    Kind.CONJUGATION: _key(ConjugationKey),
}
