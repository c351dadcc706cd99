"""Searches bytes for any part of a secret key.

The key is written in every form that a program might send: its residues in the
NTT domain and as coefficients, modulo each prime, and its ternary coefficients
as int64 and int8. Each form is cut into blocks of 256 bytes, and a rolling hash
(Karp and Rabin, IBM J. Res. Dev. 1987) looks for all blocks at every offset. So
any 511 bytes in a row of any form are found.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ..eager import Engine
from ..values import Plaintext, SecretKey

BLOCK = 256
_CHUNK = 1 << 16  # as much as the second cache holds, eight bytes a position
_BASE = 0x9E3779B97F4A7C15  # odd, so that it has an inverse modulo 2^64
_TOP = np.uint64(64 - 22)  # 22 bits of a hash address the filter


class Found(NamedTuple):
    """A block of the key in the bytes."""

    form: str
    message: int
    offset: int


def forms(engine: Engine, key: SecretKey) -> dict[str, bytes]:
    """The key's bytes in each form, little-endian."""
    moduli = engine.config.moduli
    rows = engine.config.num_q_primes
    plaintext = Plaintext(
        data=key.data[:rows], representation="rns", scale=1.0, prime_ids=key.prime_ids[:rows], polynomial_domain="ntt", modulus_basis="Q"
    )
    first = engine.ntt_domain_to_coefficient_domain(plaintext).data[0].numpy()
    ternary = np.where(first > 1, -1, first)
    if not np.isin(ternary, (-1, 0, 1)).all() or not (first == np.where(ternary < 0, moduli[0] - 1, ternary)).all():
        raise AssertionError("the secret key is not ternary")
    written = {f"residues modulo prime {i}, NTT": row for i, row in enumerate(key.data.numpy())}
    written |= {f"residues modulo prime {i}, coefficients": np.where(ternary < 0, q - 1, ternary) for i, q in enumerate(moduli)}
    written |= {"ternary coefficients, int64": ternary, "ternary coefficients, int8": ternary.astype(np.int8)}
    return {form: np.ascontiguousarray(row).astype(row.dtype.newbyteorder("<")).tobytes() for form, row in written.items()}


class KeyScan:
    """Looks for the blocks of a key's forms."""

    def __init__(self, secret: dict[str, bytes]) -> None:
        self._blocks = {row[i : i + BLOCK]: form for form, row in secret.items() for i in range(0, len(row) - BLOCK + 1, BLOCK)}
        powers = np.full(_CHUNK + BLOCK, _BASE, dtype=np.uint64)
        powers[0] = 1
        self._powers = np.cumprod(powers)
        inverse = np.full(_CHUNK, pow(_BASE, -1, 1 << 64), dtype=np.uint64)
        inverse[0] = 1
        self._inverses = np.cumprod(inverse)
        self._filter = np.zeros(1 << 22, dtype=bool)
        for block in self._blocks:
            self._filter[self._hashes(block) >> _TOP] = True

    def __call__(self, messages: Iterable[bytes]) -> list[Found]:
        """Every block of the key in the messages, each searched by itself."""
        found = []
        for number, message in enumerate(messages):
            for start in range(0, len(message) - BLOCK + 1, _CHUNK):
                chunk = message[start : start + _CHUNK + BLOCK - 1]
                near = np.flatnonzero(self._filter[self._hashes(chunk) >> _TOP])
                hits = ((int(i), self._blocks.get(chunk[i : i + BLOCK])) for i in near)
                found += [Found(form, number, start + i) for i, form in hits if form is not None]
        return found

    def _hashes(self, chunk: bytes) -> np.ndarray:
        """The hash of the 256 bytes from each offset on: the sum of byte j times _BASE^j, modulo 2^64."""
        windows = len(chunk) - BLOCK + 1
        sums = np.zeros(len(chunk) + 1, dtype=np.uint64)
        np.cumsum(np.frombuffer(chunk, dtype=np.uint8) * self._powers[: len(chunk)], out=sums[1:])
        return (sums[BLOCK:] - sums[:windows]) * self._inverses[:windows]


def plant(message: bytes, secret: bytes) -> bytes:
    """The message with 511 bytes of a form of the key written over its middle, at odd offsets of both."""
    piece = secret[len(secret) // 2 + 3 :][: 2 * BLOCK - 1]
    at = len(message) // 2 | 1
    return message[:at] + piece + message[at + len(piece) :]
