"""Checks of the plain arguments that operations take beside values."""

from __future__ import annotations

import math
import numbers
import operator
from typing import Any

import torch

from ..errors import refusal
from ..values.placement import named
from ..values.state import flag, sequence

__all__ = ["array", "basis", "choice", "depth", "domain", "flag", "integer", "interval", "real", "scale", "sequence", "tolerance"]

DOMAINS = {"coefficient": 0, "ntt": 1}
BASES = {"Q": 0, "QP": 1}
ROUNDINGS = {"nearest": 0, "floor": 1}

# Integers cross to Go as int64.
_LIMIT = 1 << 63


def integer(value: Any, name: str) -> int:
    """An int of 64 bits; bool, float and str are refused as `argument-type`."""
    if type(value) is int:
        number = value
    else:
        if isinstance(value, bool) or (isinstance(value, torch.Tensor) and value.dtype == torch.bool):
            raise refusal("argument-type", f"{name} is {value}, a bool; an integer is needed")
        try:
            number = operator.index(value)
        except (TypeError, ValueError, RuntimeError):  # the latter two of tensors
            raise refusal("argument-type", f"{name} is a {type(value).__name__}; an integer is needed") from None
    if not -_LIMIT <= number < _LIMIT:
        raise refusal("argument-invalid", f"{name} has {number.bit_length()} bits; at most 63 are possible")
    return number


def depth(value: Any) -> int:
    """A depth; Go checks its upper end against the parameters."""
    return integer(value, "depth")


def real(value: Any, name: str) -> float:
    """A real number as float; Go checks its range. Complex numbers, bool and str are refused."""
    if type(value) is float:
        return value
    try:
        number = value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value
    except RuntimeError as error:
        raise refusal("argument-type", f"{name} is a {type(value).__name__} without a number: {str(error).splitlines()[0]}") from None
    if isinstance(number, bool) or not isinstance(number, numbers.Real):
        raise refusal("argument-type", f"{name} is {value!r:.80}, a {type(value).__name__}; a real number is needed")
    try:
        return float(number)
    except OverflowError:
        raise refusal("argument-invalid", f"{name} is beyond the range of float64") from None


def scale(value: Any) -> float:
    """A scale: finite and above 0, never a bool or a text."""
    try:
        number = real(value, "scale")
    except (TypeError, ValueError) as error:
        raise refusal("scale-invalid", f"{getattr(error, 'detail', error)}; a finite number above 0 is needed") from None
    if not 0 < number < math.inf:
        raise refusal("scale-invalid", f"scale {number}; a finite number above 0 is needed")
    return number


def choice(value: Any, table: dict[str, int], name: str) -> int:
    """The number of a named choice."""
    try:
        return table[value]
    except (KeyError, TypeError):
        known = " or ".join(f'"{k}"' for k in table)
        raise refusal("argument-invalid", f"{name} is {value!r:.80}; {known} is needed") from None


def domain(value: Any, name: str = "polynomial_domain") -> int:
    """0 for "coefficient", 1 for "ntt"."""
    return choice(value, DOMAINS, name)


def basis(value: Any) -> int:
    """0 for "Q", 1 for "QP"."""
    return choice(value, BASES, "modulus_basis")


def tolerance(value: Any) -> float:
    """A relative bound on a difference of scales, 0 (equal to the bit) or more."""
    number = real(value, "scale_tolerance")
    if not 0 <= number < 1:
        raise refusal("argument-invalid", f"scale_tolerance {number}; a number from 0 to below 1 is needed")
    return number


def array(value: Any, name: str) -> torch.Tensor:
    """Finite numbers as a tensor of float64 or complex128, of any shape, in host memory or where they are."""
    try:
        found = torch.as_tensor(value).detach()
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        raise refusal("argument-type", f"{name} is a {type(value).__name__} that is no array of numbers: {str(error).splitlines()[0]}") from None
    if found.dtype == torch.bool or found.is_quantized or found.layout != torch.strided or found.is_nested:
        raise refusal("dtype-invalid", f"{name} is of {found.dtype} and layout {found.layout}; real or complex numbers in a dense tensor are needed")
    if found.is_meta:
        raise refusal("device-unsupported", f"{name} is on the device meta and has no numbers; make it on another")
    with named(f"{name} in double precision"):
        found = found.to(torch.complex128 if found.is_complex() else torch.float64)
        bad = (~torch.isfinite(found)).nonzero()
    if len(bad):
        index = tuple(bad[0].tolist())
        raise refusal("argument-invalid", f"{name} holds {found[index].item()} at index {index}; {len(bad)} of {found.numel()} numbers are not finite, and all must be")
    return found


def interval(value: Any) -> tuple[float, float]:
    """Two finite ends, the lower first."""
    try:
        low, high = value
    except (TypeError, ValueError):
        raise refusal("argument-type", f"interval {value!r:.80}; two real numbers are needed") from None
    low, high = real(low, "the interval's lower end"), real(high, "the interval's upper end")
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise refusal("argument-invalid", f"interval [{low}, {high}]; two finite ends with the lower first are needed")
    return low, high
