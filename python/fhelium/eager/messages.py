"""Reads what a user calls a message: one tensor of slots, checked.

A message is a torch tensor, a numpy array, a (nested) sequence or a number. Its
last axis counts slots and all axes before it are batch axes; see
`fhelium.values.message` for the element types.
"""

from __future__ import annotations

import math
import sys
import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import torch

from ..errors import refusal
from ..values.message import message_tensor
from ..values.placement import named
from ..values.record import Dtype, Kind, Record

# Relative step of float64: what lies this far below the largest value of a
# message drowns in the rounding of its transform.
_STEP = 2.0**-52


class PrecisionWarning(UserWarning):
    """Part of a message was lost to double precision."""


@dataclass(frozen=True, slots=True)
class Message:
    """Slots [*batch, n], contiguous float64 or complex128, all finite.

    `fill` marks a single number that is meant for every slot; n is 1 then.
    """

    data: torch.Tensor
    fill: bool
    largest: float
    _vouched: ClassVar[None] = None  # nobody need vouch for numbers that are no residues
    _BESIDE: ClassVar[None] = None

    def _record(self) -> bytes:
        """The state as the Go core sees it."""
        dtype = Dtype.COMPLEX128 if self.data.is_complex() else Dtype.FLOAT64
        shape = tuple(self.data.shape)
        if len(shape) > 9:
            raise refusal("state-batch-mismatch", f"{len(shape) - 1} batch axes; at most 8 are possible, flatten some of them")
        return Record(Kind.MESSAGE, dtype, ring=shape[-1], batch=shape[:-1], elements=self.data.numel()).pack()

    def warn_if_lost(self, scale: float) -> None:
        """Warns when a value that the scale could hold drowns beside a larger one."""
        if self.largest * scale * _STEP < 1:
            return
        parts = torch.view_as_real(self.data) if self.data.is_complex() else self.data
        sizes = parts.abs()
        lost = (sizes > 0) & (sizes * scale >= 1) & (sizes < self.largest * _STEP)
        if lost.any():
            index = tuple(lost.nonzero()[0].tolist())[: self.data.ndim]
            warnings.warn(
                f"{_slot(index)} holds {self.data[index].item()} beside a value of size {self.largest:.3g}: double precision "
                "keeps 52 bits below the largest value of a message, so the smaller one is lost; encrypt them apart",
                PrecisionWarning,
                stacklevel=_stacklevel(),
            )

    def where_largest(self) -> str:
        """Names the first of the largest values and its slot, for messages."""
        index = tuple(int(i) for i in torch.unravel_index(self.data.abs().argmax(), self.data.shape))
        return f"the largest value is {self.data[index].item()} in {_slot(index)}"


def read(source: Any, device: torch.device) -> Message:
    """Reads a message to a device.

    A value that is not finite is refused as `message-invalid`, naming the
    first one's slot.
    """
    data = message_tensor(source, device)
    with named(f"a contiguous message of {data.nbytes} bytes and its largest value"):
        data = data.contiguous()
        if fill := data.ndim == 0:
            data = data.reshape(1)
        largest = _largest(data)
    if not math.isfinite(largest):
        _require_finite(data)
    return Message(data, fill, largest)


def _largest(data: torch.Tensor) -> float:
    """The largest size; NaN where a value is one."""
    if data.is_complex():
        return float(data.abs().amax())
    least, most = torch.aminmax(data)
    return max(-float(least), float(most))


def _require_finite(data: torch.Tensor) -> None:
    # The size of a huge complex number can be infinite though its parts are not.
    bad = (~torch.isfinite(data)).nonzero()
    if len(bad):
        index = tuple(bad[0].tolist())
        raise refusal(
            "message-invalid",
            f"{_slot(index)} holds {data[index].item()}; {len(bad)} of {data.numel()} values are not finite, and all must be",
        )


def _stacklevel() -> int:
    """The level of the user's call, for a warning of the caller of this."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals["__name__"].startswith("fhelium."):
        frame, level = frame.f_back, level + 1
    return level


def _slot(index: tuple[int, ...]) -> str:
    return f"slot {index[-1]}" if len(index) == 1 else f"slot {index[-1]} of batch member {index[:-1]}"
