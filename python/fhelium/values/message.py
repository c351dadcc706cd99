"""Cleartext messages as tensors of double precision."""

from numbers import Number
from typing import Any

import numpy
import torch
from torch.nn.parameter import is_lazy

from ..errors import refusal
from .placement import cause, named


def message_tensor(message: Any, device: torch.device | str | None = None) -> torch.Tensor:
    """A message as a float64 or complex128 tensor [*batch, slot], or a scalar of no axis.

    Takes tensors, numpy arrays, numbers and (nested) sequences of numbers of
    any real, complex or integer type; bool and str are refused, and so is a
    message without a value. A tensor stays on its device unless another is
    given; anything else comes to the given device, or to torch's default.
    """
    if isinstance(message, torch.Tensor):
        if is_lazy(message):
            raise refusal("message-invalid", f"a message is a {type(message).__name__} without values; initialize it first")
        with named("a message"):
            found = message.detach()
    else:
        found = _from_python(message)
        device = torch.get_default_device() if device is None else device
    if found.dtype == torch.bool or found.is_quantized or found.layout != torch.strided or found.is_nested:
        raise refusal("dtype-invalid", f"a message of {found.dtype} and layout {found.layout}; real or complex numbers in a dense tensor are needed")
    if found.numel() == 0:
        if found.dim() > 0 and 0 in found.shape[:-1]:
            raise refusal("state-batch-mismatch", f"a message of shape {tuple(found.shape)} has an empty batch axis; leave empty batches out")
        raise refusal("message-invalid", f"a message of shape {tuple(found.shape)} holds no values; give at least 1")
    dtype = torch.complex128 if found.is_complex() else torch.float64
    with named(f"a message of {found.numel() * dtype.itemsize} bytes"):
        return found.to(device=device, dtype=dtype).resolve_conj().resolve_neg()


def _from_python(message: Any) -> torch.Tensor:
    if isinstance(message, (str, bytes, bool)):
        raise refusal("argument-type", f"a message is a {type(message).__name__}; numbers are needed")
    try:
        array = numpy.asarray(message)
        if array.dtype.kind == "O":  # Python integers beyond 64 bits, fractions, decimals
            if not all(isinstance(x, Number) and not isinstance(x, bool) for x in array.flat):
                raise TypeError("an element is no number")  # None would become NaN
            array = array.astype(numpy.float64)
    except MemoryError as error:
        raise cause("a message", error) from None
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise refusal("message-invalid", f"a message of {type(message).__name__} is no array of numbers: {str(error).splitlines()[0]}") from None
    if array.dtype.kind not in "iufc":
        raise refusal("dtype-invalid", f"a message of {array.dtype}; real or complex numbers are needed")
    wide = numpy.complex128 if array.dtype.kind == "c" else numpy.float64
    return torch.from_numpy(numpy.array(array, dtype=wide))
