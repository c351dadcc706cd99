"""Where tensors are; and tensors that are nowhere, for want of memory or of numbers."""

import re

import torch

from ..errors import FHEliumError, refusal

# What torch and numpy say where memory does not suffice; they have no exception of its own for host memory.
_EXHAUSTED = re.compile(r"tried to allocate|unable to allocate|out of memory|overflow", re.IGNORECASE)


def place(device: object) -> torch.device:
    """A device by its name, its number or itself."""
    if isinstance(device, bool) or not isinstance(device, (torch.device, str, int)):
        raise refusal("argument-type", f"a {type(device).__name__} is not a device; a torch.device, its name or its number is needed")
    try:
        return torch.device(device)
    except (RuntimeError, ValueError, OverflowError) as error:
        raise refusal("argument-invalid", f"device {device!r:.80} does not exist: {_first_line(error)}") from None


def moved(tensor: torch.Tensor, target: torch.device, *, non_blocking: bool = False, copy: bool = False) -> torch.Tensor:
    """A tensor on a device; itself where it is there and no copy is asked for."""
    with named(f"a copy of {tensor.nbytes} bytes on {target}", "placement-mixed" if target.type == "cpu" else "device-unsupported"):
        return tensor.to(target, non_blocking=non_blocking, copy=copy)


def address(tensor: torch.Tensor) -> int:
    """Where the numbers of a tensor begin; refuses as `placement-mixed` where they are in no memory."""
    try:
        begin = tensor.data_ptr()
    except RuntimeError:  # as of the tensors of torch.func
        begin = 0
    if not begin:
        raise refusal(
            "placement-mixed",
            f"a {type(tensor).__name__} of shape {tuple(tensor.shape)} has no memory (a fake, meta or wrapped tensor, as FakeTensorMode and "
            "torch.func make them, or a freed storage?); give it its data first",
        )
    return begin


class named:
    """Names what torch raises while it makes something: `memory-exhausted`, or the code where there is no such place or are no numbers."""

    __slots__ = ("_code", "_what")

    def __init__(self, what: str, code: str = "placement-mixed") -> None:
        self._what, self._code = what, code

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, (RuntimeError, MemoryError, AssertionError, TypeError, ValueError)) and not isinstance(error, FHEliumError):
            raise cause(self._what, error, self._code) from None


def cause(what: str, error: Exception, code: str = "placement-mixed") -> FHEliumError:
    """The refusal of what could not be made."""
    if isinstance(error, (MemoryError, torch.OutOfMemoryError)) or _EXHAUSTED.search(str(error)):
        return refusal("memory-exhausted", f"there is no memory for {what} ({_first_line(error)}); work on fewer messages at a time, or free some")
    return refusal(code, f"torch cannot make {what}: {_first_line(error)}")


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
