"""Batch axes: independent messages of one state, stacked in one value."""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import torch

from ..errors import refusal
from .placement import named
from .resident import Value
from .state import check_batch, consecutive, integer, sequence

# The code of the refusal where two values differ in a field.
_MISMATCH = {
    "scale": "state-scale-mismatch",
    "depth": "state-depth-mismatch",
    "polynomial_domain": "state-domain-mismatch",
    "modulus_basis": "state-basis-mismatch",
    "prime_ids": "state-rows-mismatch",
    "parameters": "state-parameters-mismatch",
    "key_id": "state-key-mismatch",
}


def require_same_state(left: Value, right: Value) -> None:
    """Refuses two values that differ in their type or in any field of their state, naming the field and both sides."""
    if type(left) is not type(right):
        raise refusal("state-kind-mismatch", f"left is a {type(left).__name__}, right a {type(right).__name__}")
    for name in left._STATE:
        a, b = getattr(left, name), getattr(right, name)
        if a != b:
            raise refusal(_MISMATCH.get(name, "state-kind-mismatch"), f"left {name} {a}, right {name} {b}; the values must agree")


class Batched(Value, abstract=True):
    """A value with any number of batch axes, between its leading and its trailing axes."""

    __slots__ = ()

    # The place of the first batch axis in each tensor.
    _BATCH_START: ClassVar[dict[str, int]] = {"data": 0}

    prime_ids: tuple[int, ...] | None

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The extents of the batch axes, outermost first; () for one message."""
        return tuple(self.data.shape[self._BATCH_START["data"] : -2])

    @property
    def batch_size(self) -> int:
        """The number of messages."""
        size = 1
        for extent in self.batch_shape:
            size *= extent
        return size

    @property
    def is_batched(self) -> bool:
        """Whether there is a batch axis, be it of one message."""
        return len(self.batch_shape) > 0

    @property
    def limb_count(self) -> int:
        """The number of limbs, one a prime id."""
        return self.data.shape[-2]

    @property
    def ring_dimension(self) -> int:
        """N, the number of residues of a polynomial modulo one prime."""
        return self.data.shape[-1]

    def slice_limbs(self, start: int, stop: int) -> Self:
        """The limbs start … stop-1, as a view. A shard of the limbs serves the operations that keep limbs apart."""
        rows = self.limb_count
        first, end = integer(start, "start"), integer(stop, "stop")
        if not 0 <= first < end <= rows or self.prime_ids is None:
            raise refusal("argument-invalid", f"limbs {first} … {end} of {rows}; 0 ≤ start < stop ≤ {rows} is needed")
        changes: dict[str, Any] = {"prime_ids": consecutive(self.prime_ids[first], end - first)}
        for name, limb_axis in self._limb_axes().items():
            changes[name] = getattr(self, name).narrow(limb_axis, first, end - first)
        return self._with(**changes)

    def _limb_axes(self) -> dict[str, int]:
        """The limb axis of each tensor that is there."""
        return {"data": self.data.dim() - 2}

    @classmethod
    def stack_batch(cls, values: Sequence[Self]) -> Self:
        """A copy of the values in one, with a leading batch axis of their number.

        They must be equal in state, shape, dtype and device. Scalar slot
        plaintexts are refused: stacked, they would no longer fill all slots.
        """
        values = sequence(values, "the values to stack")
        if not values:
            raise refusal("state-batch-mismatch", "there are no values to stack; give at least 1")
        for value in values:
            if not isinstance(value, cls):
                raise refusal("argument-type", f"cannot stack a {type(value).__name__} as a {cls.__name__}")
            require_same_state(values[0], value)
            value._require_stackable(values[0])
        check_batch((len(values), *values[0].batch_shape))
        changes = {}
        for name, start in cls._BATCH_START.items():
            if getattr(values[0], name) is not None:
                parts = [getattr(value, name) for value in values]
                with named(f"a batch of {sum(part.nbytes for part in parts)} bytes"):
                    changes[name] = torch.stack(parts, dim=start)
        stacked = values[0]._with(**changes)
        if any(value._vouched != stacked._vouched for value in values):
            object.__setattr__(stacked, "_vouched", None)
        return stacked

    def _require_stackable(self, first: Self) -> None:
        for name in self._BATCH_START:
            a, b = getattr(first, name), getattr(self, name)
            if a is None:
                continue
            if a.shape != b.shape or a.dtype != b.dtype:
                raise refusal("state-batch-mismatch", f"left {name} {a.dtype} {tuple(a.shape)}, right {b.dtype} {tuple(b.shape)}; all must be equal")
            if a.device != b.device:
                raise refusal("placement-mixed", f"left on {a.device}, right on {b.device}; move them to one device first")

    def slice_batch(self, start: int, stop: int, dim: int = 0) -> Self:
        """The members start … stop-1 along a batch axis, as a view."""
        axis = self._axis(dim)
        extent = self.batch_shape[axis]
        first, end = integer(start, "start"), integer(stop, "stop")
        if not 0 <= first < end <= extent:
            raise refusal("batch-index-invalid", f"members {first} … {end} of {extent}; 0 ≤ start < stop ≤ {extent} is needed")
        return self._batch_map(lambda t, i: t.narrow(i + axis, first, end - first))

    def select_batch(self, index: int, dim: int = 0) -> Self:
        """One member along a batch axis, without that axis, as a view."""
        axis = self._axis(dim)
        extent = self.batch_shape[axis]
        i = integer(index, "index")
        if not -extent <= i < extent:
            raise refusal("batch-index-invalid", f"member {i} of {extent}; {-extent} … {extent - 1} exist")
        return self._batch_map(lambda t, start: t.select(start + axis, i))

    def unbind_batch(self, dim: int = 0) -> tuple[Self, ...]:
        """All members along a batch axis, as views."""
        axis = self._axis(dim)
        return tuple(self.select_batch(i, axis) for i in range(self.batch_shape[axis]))

    def _axis(self, dim: int) -> int:
        axes = len(self.batch_shape)
        axis = integer(dim, "dim")
        if axes == 0:
            raise refusal("state-batch-mismatch", f"the {type(self).__name__} has no batch axis; stack_batch makes one")
        if not -axes <= axis < axes:
            raise refusal("batch-index-invalid", f"batch axis {axis} of {axes}; {-axes} … {axes - 1} exist")
        return axis % axes

    def _batch_map(self, function: Any) -> Self:
        """The value with each tensor replaced by the function of it and of the place of its first batch axis."""
        tensors = {name: (getattr(self, name), start) for name, start in self._BATCH_START.items()}
        return self._with(**{name: function(t, start) for name, (t, start) in tensors.items() if t is not None})
