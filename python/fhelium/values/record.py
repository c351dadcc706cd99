"""A value's state as the 256 bytes that cross into the Go core; the layout is that of ckks/record.go."""

import struct
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

WORDS = 32
"""int64 words in a record."""
BYTES = 8 * WORDS

_LAYOUT = struct.Struct("<3qd28q")
_UNSIGNED = (1 << 64) - 1


class Kind(IntEnum):
    """What a value is, in the order of ckks/kind.go."""

    MESSAGE = 0
    INTEGERS = 1
    APPROXIMATE = 2
    PLAINTEXT = 3
    COMPRESSED = 4
    CIPHERTEXT = 5
    SEEDED = 6
    SECRET_KEY = 7
    PUBLIC_KEY = 8
    SWITCH_KEY = 9
    RELINEARIZATION = 10
    ROTATION = 11
    CONJUGATION = 12


class Dtype(IntEnum):
    """The element type of a value's tensor, in the order of ckks/kind.go."""

    INT64 = 0
    FLOAT64 = 1
    COMPLEX128 = 2


class Record(NamedTuple):
    """The fields of a record but the addresses. Domain, basis and layout are numbers, in the order of their names in `state`, layout from 1."""

    kind: int
    dtype: int = Dtype.INT64
    depth: int = 0
    scale: float = 0.0
    domain: int = 0
    basis: int = 0
    first: int = 0
    rows: int = 0
    components: int = 1
    ring: int = 0
    unique: int = 0
    layout: int = 0
    step: int = 0
    batch: tuple[int, ...] = ()
    parameters: str | None = None
    key: str | None = None
    source: str | None = None
    elements: int = 0
    implicit: int = 0

    def pack(self) -> bytes:
        """The record's bytes, with addresses of 0."""
        batch = self.batch + (0,) * (8 - len(self.batch))
        return _LAYOUT.pack(
            self.kind, self.dtype, self.depth, self.scale, self.domain, self.basis, self.first, self.rows, self.components, self.ring,
            self.unique, self.layout, self.step, len(self.batch), *_halves(self.parameters), *_halves(self.key), *_halves(self.source),
            0, self.elements, 0, self.implicit, *batch,
        )  # fmt: skip


@lru_cache(maxsize=256)
def _halves(identity: str | None) -> tuple[int, int]:
    """An identity as two signed big-endian halves; 0, 0 is unknown."""
    return (0, 0) if identity is None else struct.unpack(">2q", bytes.fromhex(identity))


@lru_cache(maxsize=256)
def _identity(high: int, low: int) -> str | None:
    """The identity of two halves."""
    return f"{high & _UNSIGNED:016x}{low & _UNSIGNED:016x}" if high or low else None
