"""Senseless arguments of linear algebra and polynomials: each a named refusal, whatever its type."""

from __future__ import annotations

import decimal
import math
from typing import Any

import numpy as np
import pytest
import torch
from engines import kit, tiny

from fhelium import linalg, polynomial
from fhelium.eager import Engine
from fhelium.errors import FHEliumError

SENSELESS: list[Any] = [
    None, True, 2**63, -(2**70), 10**400, math.nan, math.inf, 1j, "1", "", b"", [], {}, (), object(), torch.zeros(2, 3, 4), torch.tensor(math.nan),
    torch.tensor([]), torch.tensor(True), np.array(["a"]), np.array([]), decimal.Decimal(1), torch.zeros(4, device="meta"), int,
]  # fmt: skip


@pytest.fixture(scope="module")
def k():
    return kit(Engine(tiny()))


# The call with one argument replaced. None has a meaning where it stands for a default.
CALLS: dict[str, Any] = {
    "matrix engine": lambda k, bad: linalg.LinearTransform.from_matrix(bad, np.eye(2)),
    "matrix": lambda k, bad: linalg.LinearTransform.from_matrix(k.engine, bad),
    "matrix size": lambda k, bad: linalg.LinearTransform.from_matrix(k.engine, np.eye(4), size=-1 if bad is None else bad),
    "matrix lanes": lambda k, bad: linalg.LinearTransform.from_matrix(k.engine, np.eye(2), lanes=bad),
    "diagonals": lambda k, bad: linalg.LinearTransform(k.engine, bad),
    "diagonal": lambda k, bad: linalg.LinearTransform(k.engine, {0: bad}),
    "diagonal step": lambda k, bad: linalg.LinearTransform(k.engine, [(bad, torch.ones(k.engine.num_slots))]),
    "transform depth": lambda k, bad: linalg.LinearTransform.from_matrix(k.engine, np.eye(2), size=2, depth=bad),
    "transform scale": lambda k, bad: linalg.LinearTransform.from_matrix(k.engine, np.eye(2), size=2, scale=-1 if bad is None else bad),
    "matvec vector": lambda k, bad: linalg.matvec(k.engine, np.eye(2), bad),
    "inner_sum engine": lambda k, bad: linalg.inner_sum(bad, k.ct, 2),
    "inner_sum value": lambda k, bad: linalg.inner_sum(k.engine, bad, 2),
    "inner_sum count": lambda k, bad: linalg.inner_sum(k.engine, k.ct, bad),
    "inner_sum stride": lambda k, bad: linalg.inner_sum(k.engine, k.ct, 2, stride=bad),
    "sum_slots": lambda k, bad: linalg.sum_slots(k.engine, bad),
    "mean_slots": lambda k, bad: linalg.mean_slots(k.engine, bad),
    "evaluate engine": lambda k, bad: polynomial.evaluate(bad, k.ct, [1.0]),
    "evaluate value": lambda k, bad: polynomial.evaluate(k.engine, bad, [1.0]),
    "coefficients": lambda k, bad: polynomial.evaluate(k.engine, k.ct, bad),
    "basis": lambda k, bad: polynomial.evaluate(k.engine, k.ct, [1.0, 2.0], basis=bad),
    "output_domain": lambda k, bad: polynomial.evaluate(k.engine, k.ct, [1.0, 2.0], output_domain=bad),
    "interval": lambda k, bad: polynomial.evaluate(k.engine, k.ct, [1.0, 2.0], interval=bad),
    "interval end": lambda k, bad: polynomial.evaluate(k.engine, k.ct, [1.0, 2.0], basis="chebyshev", interval=(0, bad)),
    "scale": lambda k, bad: polynomial.evaluate(k.engine, k.ct, [1.0, 2.0], scale=-1 if bad is None else bad),
    "degree": lambda k, bad: polynomial.depth(bad),
    "fit interval": lambda k, bad: polynomial.chebyshev_fit(torch.sin, 3, bad),
}

@pytest.mark.parametrize("name", CALLS)
def test_senseless_arguments_are_refused(k, name):
    # Faults: AttributeError, UFuncTypeError and the like; "1" and True taken for numbers; a step of 1.5 cut to 1.
    for bad in SENSELESS:
        if name.endswith("scale") and type(bad) is int and bad == 2**63:
            continue  # a scale like any other
        keys = k.engine._inventory.symbols()
        with pytest.raises(FHEliumError) as caught:
            CALLS[name](k, bad)
        assert not caught.value.code.startswith("internal"), (name, bad)
        assert k.engine._inventory.symbols() == keys, (name, bad)


@pytest.mark.parametrize("bad", [math.nan, -math.inf, None, "1", 10**400])
def test_a_senseless_coefficient_is_refused(k, bad):
    with pytest.raises(FHEliumError):
        polynomial.evaluate(k.engine, k.ct, [1.0, bad])
    with pytest.raises(FHEliumError):
        linalg.matvec(k.engine, [[1.0, bad], [0.0, 1.0]], k.ct, size=2)


def test_numbers_of_every_type_are_taken(k):
    for coefficients in ([1, 2], (1.0, 2), np.array([1, 2], np.int8), torch.tensor([1, 2]), torch.tensor([1.0, 2.0], requires_grad=True)):
        got = k.engine.decrypt_message(polynomial.evaluate(k.engine, k.ct, coefficients, scale=np.float64(2.0**40)), is_real=True)
        assert torch.allclose(got, 1 + 2 * k.message, atol=1e-5)
    assert polynomial.depth(np.int64(3)) == 2
