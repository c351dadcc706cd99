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
from .eager import Engine
from .errors import refusal
from .values import Ciphertext, Plaintext, RotationKeySet

__all__ = ["LinearTransform", "inner_sum", "matvec", "mean_slots", "sum_slots"]

_DOMAINS = {"coefficient": 0, "ntt": 1}


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
        if not diagonals:
            raise refusal("argument-invalid", "a matrix without diagonals; a zero matrix needs one zero diagonal")
        slots = engine.num_slots
        for step, diagonal in diagonals.items():
            if tuple(diagonal.shape) != (slots,):
                raise refusal("argument-invalid", f"diagonal {step} has shape {tuple(diagonal.shape)}, needed is ({slots},)")
        plan = json.loads(_binding.call(_binding.go.pybind_LinearPlan, json.dumps([int(step) for step in diagonals]), slots))
        self.babies: tuple[int, ...] = tuple(plan["babies"])
        self.giants: tuple[int, ...] = tuple(plan["giants"])
        self._terms: tuple[tuple[int, int], ...] = tuple((g, b) for g, b in plan["terms"])
        self.depth = depth
        self.scale = float(engine.rescale_divisor(depth=depth)) if scale is None else scale
        rolled = [torch.roll(diagonal, -self.giants[g]) for diagonal, (g, _) in zip(diagonals.values(), self._terms, strict=True)]
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
        m = torch.as_tensor(matrix)
        m = m.to(torch.complex128 if m.is_complex() else torch.float64)
        if m.ndim != 2 or 0 in m.shape:
            raise refusal("argument-invalid", f"a matrix of shape {tuple(m.shape)}; two axes with at least one entry are needed")
        slots = engine.num_slots
        if lanes < 1 or slots % lanes:
            raise refusal("argument-invalid", f"{lanes} lanes do not divide the {slots} slots")
        size = slots // lanes if size is None else size
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
        keys = [engine.rotation_key(step) if rotation_keys is None else rotation_keys[step] for step in self.rotation_steps]
        flat = [index for term in self._terms for index in term]
        counts = (len(self.babies), len(self.giants), len(self._terms))
        ints = (_domain(output_domain), int(rescale), *counts, *self.babies, *self.giants, *flat)
        return engine._call("linear_transform", (vector, self.diagonals, *keys), ints)


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
    return LinearTransform.from_matrix(engine, matrix, size=size, lanes=lanes, depth=vector.depth)(engine, vector)


def inner_sum(engine: Engine, value: Ciphertext, count: int, *, stride: int = 1) -> Ciphertext:
    """Slot j becomes the sum of slots j, j + stride, … of which there are ``count``, modulo the slots.

    Depth, scale and domain stay. Takes about log2(count) rotations.
    """
    if isinstance(count, bool) or not isinstance(count, int):
        raise refusal("argument-type", f"count is a {type(count).__name__}; an int is needed")
    steps = json.loads(_binding.call(_binding.go.pybind_InnerSumSteps, count, stride % engine.num_slots, engine.num_slots))
    keys = [engine.rotation_key(step) for step in steps]
    return engine._call("inner_sum", (value, *keys), (count, stride % engine.num_slots))


def sum_slots(engine: Engine, value: Ciphertext) -> Ciphertext:
    """The sum of all slots, in every slot. Depth, scale and domain stay."""
    return inner_sum(engine, value, engine.num_slots)


def mean_slots(engine: Engine, value: Ciphertext) -> Ciphertext:
    """The mean of all slots, in every slot, one depth further at the same scale."""
    divisor = float(engine.rescale_divisor(depth=value.depth))
    scaled = engine.multiply_scalar(sum_slots(engine, value), 1 / engine.num_slots, scalar_scale=divisor)
    return engine.rescale_to_next_depth(scaled)


def _domain(name: str) -> int:
    if name not in _DOMAINS:
        raise refusal("argument-invalid", f"output domain {name!r}; coefficient or ntt is needed")
    return _DOMAINS[name]
