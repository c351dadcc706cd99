"""How an operation reaches the machine that computes it, for each type of device."""

from __future__ import annotations

import functools
import struct
from array import array
from collections.abc import Sequence
from typing import Any, Protocol

import torch

from .. import _binding
from ..values.placement import address, cause, named
from ..values.record import BYTES, WORDS, Dtype
from ..values.state import flag
from . import results
from .messages import Message

# The words of a frame before its arguments: operation, operands, room for
# results, integers, floats, flags.
_HEADER = struct.Struct("<6q")
_ADDRESS, _IMPLICIT = 20, 22
_TRANSPARENT = 1

_COMPLEX = int(Dtype.COMPLEX128)  # an IntEnum's member compares slowly with an int

# The operation that looks at every residue.
_VALIDATE = "validate"


class Implementation(Protocol):
    """Computes operations on one device, for one engine. It is made when an operand first lives there."""

    def __init__(self, engine: _binding.Handle, device: torch.device) -> None: ...

    def run(
        self, name: str, operands: Sequence[Any], ints: Sequence[int], floats: Sequence[float], room: int, allow_transparent: bool
    ) -> list[Any]:
        """Checks a call, computes it and gives its results, at most `room`."""

    def plan(self, name: str, operands: Sequence[Any], ints: Sequence[int], floats: Sequence[float], room: int) -> list[results.Words]:
        """Checks a call and gives the records of its results; computes nothing."""


class Cpu:
    """The Go core, on tensors in host memory. It borrows them for the length of a call.

    Residues that no engine of these parameters has computed or looked at are
    checked when they first come here.
    """

    __slots__ = ("_device", "_engine", "_parameters")

    def __init__(self, engine: _binding.Handle, device: torch.device) -> None:
        _keep_memory()
        self._engine = engine
        self._device = device
        self._parameters: str | None = None  # the engine's fingerprint, once a value had to be looked at

    def plan(self, name: str, operands: Sequence[Any], ints: Sequence[int], floats: Sequence[float], room: int) -> list[results.Words]:
        frame = _frame(name, operands, ints, floats, room, False)
        first = _HEADER.size + 8 * (len(ints) + len(floats)) + BYTES * len(operands)
        count = _binding.call(_binding.go.pybind_Plan, self._engine.__index__(), frame.buffer_info()[0], len(frame))
        return [results.RECORD.unpack_from(frame, first + BYTES * i) for i in range(count)]

    def run(
        self, name: str, operands: Sequence[Any], ints: Sequence[int], floats: Sequence[float], room: int, allow_transparent: bool
    ) -> list[Any]:
        engine = self._engine.__index__()
        frame = _frame(name, operands, ints, floats, room, allow_transparent)
        start, words = frame.buffer_info()
        place = 6 + len(ints) + len(floats)
        # `borrowed` keeps contiguous copies alive until the call has ended.
        borrowed = [_lend(frame, place + WORDS * i, value) for i, value in enumerate(operands)]
        count = _binding.call(_binding.go.pybind_Plan, engine, start, words)
        for value in operands:
            if value._vouched != self._parameters:
                self._vouch(name, value)
        first = place + WORDS * len(operands)
        planned = []
        for at in range(first, first + WORDS * count, WORDS):
            packed = frame[at : at + WORDS].tobytes()
            record = results.RECORD.unpack(packed)
            try:
                tensors = results.allocate(record, self._device)
            except (RuntimeError, MemoryError) as error:
                raise cause(f"a result of {8 * record[results.ELEMENTS]} bytes", error) from None
            frame[at + _ADDRESS] = address(tensors[0])
            if tensors[1] is not None:
                frame[at + _IMPLICIT] = address(tensors[1])
            planned.append((record, packed, tensors))
        _binding.run(_binding.go.pybind_Run, engine, start, words)
        del borrowed
        if name == _VALIDATE:
            object.__setattr__(operands[0], "_vouched", self._parameters)
        return [results.wrap(*result) for result in planned]

    def _vouch(self, name: str, value: Any) -> None:
        """Refuses a residue that is not below its prime, of a value that nobody vouches for; vouches for it otherwise."""
        if self._parameters is None:
            # The state of any value that the engine could make says its fingerprint.
            self._parameters = results.parameters(self.plan("create_secret_key", (), (0, 0, 1), (), 1)[0])
        if name != _VALIDATE and value._vouched != self._parameters and not isinstance(value, Message):
            self.run(_VALIDATE, (value,), (), (), 1, False)


@functools.cache
def _keep_memory() -> None:
    """Lets freed results of some MiB serve later ones.

    glibc gives large blocks back to the system when they are freed, and the next
    result pays for their pages again: as much time as many operations take. What it
    holds to be large grows with the largest block freed so far, up to 32 MiB, and it
    keeps at most twice that. This block is never touched, so that it costs nothing.
    """
    torch.empty((32 << 20) - (64 << 10), dtype=torch.uint8)


# The one table that says what computes on which type of device.
IMPLEMENTATIONS: dict[str, type[Implementation]] = {"cpu": Cpu}


@functools.cache
def _code(name: str) -> int:
    """The number of an operation in this build."""
    return _binding.call(_binding.go.pybind_OpCode, name)


def _frame(
    name: str, operands: Sequence[Any], ints: Sequence[int], floats: Sequence[float], room: int, allow_transparent: bool
) -> array[int]:
    """A call in int64 words, its operands' addresses still 0; the layout is that of pybind/frame.go."""
    flags = _TRANSPARENT if allow_transparent is not False and flag(allow_transparent, "allow_transparent") else 0
    parts = [_HEADER.pack(_code(name), len(operands), room, len(ints), len(floats), flags)]
    if ints:
        parts.append(struct.pack(f"<{len(ints)}q", *ints))
    if floats:
        parts.append(struct.pack(f"<{len(floats)}d", *floats))
    parts += [value._record() for value in operands]
    parts.append(bytes(BYTES * room))
    return array("q", b"".join(parts))


def _lend(frame: array[int], at: int, value: Any) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Writes the addresses and sizes of an operand's tensors into its record, and gives the tensors."""
    data = value.data
    if not data.is_contiguous():
        with named(f"a contiguous copy of {data.nbytes} bytes"):
            data = data.contiguous()
    # Counted from the bytes, for the dtype of a tensor can be changed behind a value.
    frame[at + _ADDRESS], frame[at + _ADDRESS + 1] = address(data), data.nbytes >> (4 if frame[at + 1] == _COMPLEX else 3)
    implicit = None
    if (beside := value._BESIDE) is not None and (implicit := getattr(value, beside)) is not None:
        implicit = implicit.contiguous()
        frame[at + _IMPLICIT], frame[at + _IMPLICIT + 1] = address(implicit), implicit.nbytes >> 3
    return data, implicit
