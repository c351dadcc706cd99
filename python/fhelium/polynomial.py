"""Polynomials of encrypted values, by Paterson and Stockmeyer (SIAM J. Comput. 1973).

A polynomial of degree d takes ceil(log2(d + 1)) levels; an interval of a width
other than 2 takes one more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.polynomial import chebyshev

from . import _binding
from .eager import Engine, arguments
from .eager.engine import check_engine
from .eager.inventory import RELINEARIZATION
from .errors import refusal
from .values import Ciphertext, RelinearizationKey

__all__ = ["chebyshev_fit", "depth", "evaluate"]

_BASES = {"power": 0, "chebyshev": 1}


def depth(degree: int) -> int:
    """The levels that a polynomial of this degree takes on [-1, 1]; a constant takes one as degree 1 does."""
    number = arguments.integer(degree, "degree")
    if number < 0:
        raise refusal("argument-invalid", f"degree {number}; an integer of at least 0 is needed")
    return _binding.call(_binding.go.pybind_PolynomialDepth, number)


def evaluate(
    engine: Engine,
    value: Ciphertext,
    coefficients: Sequence[float] | torch.Tensor | np.ndarray,
    *,
    basis: str = "power",
    interval: tuple[float, float] = (-1.0, 1.0),
    scale: float | None = None,
    relinearization_key: RelinearizationKey | None = None,
    output_domain: str = "coefficient",
) -> Ciphertext:
    """p(x) for every slot x, with real coefficients from degree 0 up.

    ``basis`` is "power" (coefficient k multiplies x**k) or "chebyshev" (T_k of
    x mapped from ``interval`` to [-1, 1]; x must lie inside). The result has the
    scale of the operand, or the one given, to the bit. A coefficient counts to
    about 1/scale; exact zeros cost nothing.
    """
    check_engine(engine, value)
    c = arguments.array(coefficients, "the list of coefficients")
    if c.ndim != 1 or c.numel() == 0 or c.is_complex():
        raise refusal("argument-invalid", f"coefficients of shape {tuple(c.shape)}, {c.dtype}; a list of at least one real number is needed")
    ints = (arguments.choice(basis, _BASES, "basis"), arguments.domain(output_domain, "output_domain"))
    floats = (0.0 if scale is None else arguments.scale(scale), *arguments.interval(interval), *c.tolist())
    if not bool((c[2:] != 0).any()):
        return engine._call("polynomial_evaluate", (value,), ints, floats)
    if relinearization_key is None:
        return engine._call_with_keys("polynomial_evaluate", (value,), [RELINEARIZATION], ints, floats)
    return engine._call("polynomial_evaluate", (value, relinearization_key), ints, floats)


def chebyshev_fit(function: Callable[[Any], Any], degree: int, interval: tuple[float, float] = (-1.0, 1.0)) -> torch.Tensor:
    """Chebyshev coefficients, float64 [degree + 1], of the interpolant of a function at the Chebyshev points.

    ``function`` takes a float64 tensor and gives a tensor or array of its shape,
    of finite real numbers.
    """
    depth(degree)  # refuses what is no degree
    low, high = arguments.interval(interval)
    if not callable(function):
        raise refusal("argument-type", f"function is a {type(function).__name__}; something that takes a tensor is needed")

    def on_unit(u: np.ndarray) -> np.ndarray:
        x = (u * (high - low) + high + low) / 2
        y = arguments.array(function(torch.from_numpy(x)), "what the function gives")
        if y.shape != x.shape or y.is_complex():
            raise refusal("argument-invalid", f"the function gives {y.dtype} {tuple(y.shape)}; real numbers {x.shape} are needed")
        return y.cpu().numpy()

    return torch.from_numpy(chebyshev.chebinterpolate(on_unit, degree))
