"""Clear matrices times encrypted vectors, and sums over slots.

A matrix is taken by its diagonals: ``M @ x`` is the sum over r of
``diagonal_r * torch.roll(x, r)`` with ``diagonal_r[j] = M[j, j - r]``. Baby-step
giant-step sharing of the rotations and one decomposition for all baby steps
follow Halevi and Shoup (CRYPTO 2014, CRYPTO 2018).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import torch

from . import _binding
from .eager import Engine, arguments
from .eager.engine import check_engine
from .eager.inventory import rotation_symbol
from .errors import refusal
from .values import Ciphertext, Plaintext, RotationKeySet

__all__ = ["LinearTransform", "inner_sum", "matvec", "mean_slots", "sum_slots"]


class LinearTransform:
    """A clear matrix, encoded for ciphertexts of one depth.

    The vector lies in the slots so: with ``lanes`` vectors side by side,
    feature f of vector v is slot ``f * lanes + v``. With ``size`` features,
    the slots repeat with period ``size * lanes``; without, the features fill
    all slots and the unused ones hold zeros. So one transform serves ``lanes``
    vectors at once, and a batch of ciphertexts besides.
    """

    __slots__ = ("_terms", "babies", "depth", "diagonals", "giants", "parameters", "rotation_steps", "scale")

    def __init__(self, engine: Engine, diagonals: Mapping[int, torch.Tensor], *, depth: int = 0, scale: float | None = None) -> None:
        """Encodes diagonals by their rotation step, each a real or complex [slots].

        ``scale`` is what the product's scale is multiplied by; by default the
        divisor of the next rescale, so that a transform keeps the scale to the bit.
        """
        check_engine(engine)
        slots = engine.num_slots
        found = _checked(diagonals, slots)
        plan = json.loads(_binding.call(_binding.go.pybind_LinearPlan, json.dumps(list(found)), slots))
        self.babies: tuple[int, ...] = tuple(plan["babies"])
        self.giants: tuple[int, ...] = tuple(plan["giants"])
        self._terms: tuple[tuple[int, int], ...] = tuple((g, b) for g, b in plan["terms"])
        self.depth = arguments.depth(depth)
        self.scale = float(engine.rescale_divisor(depth=depth)) if scale is None else arguments.scale(scale)
        rolled = [torch.roll(diagonal, -self.giants[g]) for diagonal, (g, _) in zip(found.values(), self._terms, strict=True)]
        encoded = engine.encode(torch.stack(rolled), depth=depth, scale=self.scale)
        self.diagonals: Plaintext = engine.prepare_plaintext_for_multiplication(encoded)
        self.parameters = self.diagonals.parameters
        steps = {engine._normal_step(step) for step in (*self.babies, *self.giants)}
        self.rotation_steps: tuple[int, ...] = tuple(sorted(steps - {0}))

    @classmethod
    def from_matrix(
        cls, engine: Engine, matrix: Any, *, size: int | None = None, lanes: int = 1, depth: int = 0, scale: float | None = None
    ) -> LinearTransform:
        """Encodes a real or complex matrix [rows, columns]; see the class for ``size`` and ``lanes``.

        Diagonals that are zero everywhere are left out.
        """
        check_engine(engine)
        m = arguments.array(matrix, "the matrix")
        if m.ndim != 2 or 0 in m.shape:
            raise refusal("argument-invalid", f"a matrix of shape {tuple(m.shape)}; two axes with at least one entry are needed")
        slots, lanes = engine.num_slots, arguments.integer(lanes, "lanes")
        if lanes < 1 or slots % lanes:
            raise refusal("argument-invalid", f"{lanes} lanes do not divide the {slots} slots")
        size = slots // lanes if size is None else arguments.integer(size, "size")
        if size < 1 or slots // lanes % size or size < max(m.shape):
            raise refusal(
                "argument-invalid",
                f"size {size} with {lanes} lanes; it must divide {slots // lanes} and hold a matrix of shape {tuple(m.shape)}",
            )
        return cls(engine, _diagonals(m, slots, size, lanes), depth=depth, scale=scale)

    @property
    def nbytes(self) -> int:
        """Bytes of the encoded diagonals."""
        return self.diagonals.nbytes

    def __repr__(self) -> str:
        return f"LinearTransform({len(self._terms)} diagonals, {len(self.rotation_steps)} rotations, depth={self.depth})"

    def __call__(
        self,
        engine: Engine,
        vector: Ciphertext,
        *,
        rotation_keys: RotationKeySet | None = None,
        rescale: bool = True,
        output_domain: str = "coefficient",
    ) -> Ciphertext:
        """The matrix times an encrypted vector [component, *batch, limb, N].

        With ``rescale`` the result is one depth further; without, its scale is
        the product of both scales. Rotation keys that are not given are taken
        from the engine, which makes missing ones where it is allowed to.
        """
        check_engine(engine, vector)
        flat = [index for term in self._terms for index in term]
        counts = (len(self.babies), len(self.giants), len(self._terms))
        ints = (arguments.domain(output_domain, "output_domain"), int(arguments.flag(rescale, "rescale")), *counts, *self.babies, *self.giants, *flat)
        operands = (vector, self.diagonals)
        if rotation_keys is None:
            return engine._call_with_keys("linear_transform", operands, [rotation_symbol(step) for step in self.rotation_steps], ints)
        return engine._call("linear_transform", (*operands, *(rotation_keys[step] for step in self.rotation_steps)), ints)


def _checked(diagonals: Mapping[int, torch.Tensor], slots: int) -> dict[int, torch.Tensor]:
    """Diagonals of finite numbers [slots], by integer steps."""
    if not isinstance(diagonals, Mapping):
        raise refusal("argument-type", f"diagonals are a {type(diagonals).__name__}; a mapping from rotation steps is needed")
    if not diagonals:
        raise refusal("argument-invalid", "a matrix without diagonals; a zero matrix needs one zero diagonal")
    found = {arguments.integer(step, "a diagonal's step"): arguments.array(given, f"diagonal {step}") for step, given in diagonals.items()}
    for step, diagonal in found.items():
        if tuple(diagonal.shape) != (slots,):
            raise refusal("argument-invalid", f"diagonal {step} has shape {tuple(diagonal.shape)}, needed is ({slots},)")
    return found


def _diagonals(m: torch.Tensor, slots: int, size: int, lanes: int) -> dict[int, torch.Tensor]:
    """The diagonals that are not zero, by rotation step; one zero diagonal for a zero matrix."""
    rows, columns = m.shape
    feature = torch.arange(slots).div(lanes, rounding_mode="floor") % size
    found: dict[int, torch.Tensor] = {}
    for r in range(1 - columns, rows):
        if r % size * lanes in found:
            continue
        column = (feature - r) % size
        inside = (feature < rows) & (column < columns)
        values = m[feature.clamp(max=rows - 1), column.clamp(max=columns - 1)]
        diagonal = torch.where(inside, values, torch.zeros((), dtype=m.dtype))
        if bool(diagonal.any()):
            found[r % size * lanes] = diagonal
    return found or {0: torch.zeros(slots, dtype=m.dtype)}


def matvec(engine: Engine, matrix: Any, vector: Ciphertext, *, size: int | None = None, lanes: int = 1) -> Ciphertext:
    """``matrix @ vector``, one depth further. To use a matrix again, keep a LinearTransform."""
    check_engine(engine, vector)
    return LinearTransform.from_matrix(engine, matrix, size=size, lanes=lanes, depth=vector.depth)(engine, vector)


def inner_sum(engine: Engine, value: Ciphertext, count: int, *, stride: int = 1) -> Ciphertext:
    """Slot j becomes the sum of slots j, j + stride, … of which there are ``count``, modulo the slots.

    Depth, scale and domain stay. Takes about log2(count) rotations.
    """
    check_engine(engine, value)
    ints = (arguments.integer(count, "count"), arguments.integer(stride, "stride") % engine.num_slots)
    steps = json.loads(_binding.call(_binding.go.pybind_InnerSumSteps, *ints, engine.num_slots))
    return engine._call_with_keys("inner_sum", (value,), [rotation_symbol(step) for step in steps], ints)


def sum_slots(engine: Engine, value: Ciphertext) -> Ciphertext:
    """The sum of all slots, in every slot. Depth, scale and domain stay."""
    check_engine(engine, value)
    return inner_sum(engine, value, engine.num_slots)


def mean_slots(engine: Engine, value: Ciphertext) -> Ciphertext:
    """The mean of all slots, in every slot, one depth further at the same scale."""
    check_engine(engine, value)
    divisor = float(engine.rescale_divisor(depth=value.depth))
    scaled = engine.multiply_scalar(sum_slots(engine, value), 1 / engine.num_slots, scalar_scale=divisor)
    return engine.rescale_to_next_depth(scaled)
