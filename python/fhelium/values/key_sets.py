"""Collections of evaluation keys, and descriptions of what a computation needs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, Self

import torch

from ..errors import refusal
from .keys import ConjugationKey, RelinearizationKey, RotationKey, members_agree
from .resident import TensorResident, rebuild
from .state import flag, integer, sequence


class RotationKeySet(TensorResident, MutableMapping[int, RotationKey]):
    """Rotation keys by step. Steps that are equal modulo the slots are one step, in look-ups too.

    A key under another step than its own, and keys of different rings,
    parameters or secret keys, are refused.
    """

    __slots__ = ("_keys",)

    def __init__(self, keys: Mapping[int, RotationKey] | Iterable[RotationKey] = ()) -> None:
        self._keys: dict[int, RotationKey] = {}
        for step, key in keys.items() if isinstance(keys, Mapping) else ((None, key) for key in sequence(keys, "the rotation keys")):
            self.add(key) if step is None else self.__setitem__(step, key)

    def add(self, key: RotationKey) -> None:
        """Takes a key under its own step, in place of one that was there."""
        if not isinstance(key, RotationKey):
            raise refusal("argument-type", f"cannot add a {type(key).__name__}; a RotationKey is needed")
        self[key.rotation_step] = key

    def _normal(self, step: int) -> int:
        for key in self._keys.values():
            return RotationKey.normalize_step(step, ring_dimension=key.ring_dimension)
        return integer(step, "rotation step")

    def __getitem__(self, step: int) -> RotationKey:
        found = self._keys.get(self._normal(step))
        if found is None:
            raise refusal("key-absent", f"no rotation key of step {step} is here; there are keys of the steps {sorted(self._keys)}")
        return found

    def __setitem__(self, step: int, key: RotationKey) -> None:
        if not isinstance(key, RotationKey):
            raise refusal("argument-type", f"cannot take a {type(key).__name__}; a RotationKey is needed")
        if RotationKey.normalize_step(step, ring_dimension=key.ring_dimension) != key.rotation_step:
            raise refusal("rotation-step-mismatch", f"a key of step {key.rotation_step} under step {step}; add puts it under its own")
        members_agree(iter([*list(self._keys.values())[:1], key]))
        self._keys[key.rotation_step] = key

    def __delitem__(self, step: int) -> None:
        del self._keys[self[step].rotation_step]

    def __iter__(self) -> Iterator[int]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, step: object) -> bool:
        return isinstance(step, int) and self._normal(step) in self._keys

    def _tensors(self) -> Iterator[torch.Tensor]:
        return (key.data for key in self._keys.values())

    def _map(self, function: Callable[[torch.Tensor], torch.Tensor]) -> Self:
        moved = [key._map(function) for key in self._keys.values()]
        return self if all(a is b for a, b in zip(moved, self._keys.values(), strict=True)) else type(self)(moved)

    def __reduce__(self) -> tuple[Any, ...]:
        return rebuild, (type(self).__name__, {"keys": dict(self._keys)})

    def __repr__(self) -> str:
        return f"RotationKeySet(steps={sorted(self._keys)}, nbytes={self.nbytes})"


@dataclass(frozen=True)
class EvaluationKeyRequirements:
    """Which evaluation keys a computation needs; it holds no key. Step 0 needs none and is dropped."""

    rotation_steps: tuple[int, ...] = ()
    requires_relinearization: bool = False
    requires_conjugation: bool = False

    def __post_init__(self) -> None:
        steps = {integer(step, "rotation step") for step in sequence(self.rotation_steps, "rotation_steps")} - {0}
        object.__setattr__(self, "rotation_steps", tuple(sorted(steps)))
        for name in ("requires_relinearization", "requires_conjugation"):
            flag(getattr(self, name), name)


@dataclass(frozen=True, repr=False, eq=False)
class EvaluationKeySet(TensorResident):
    """All that an evaluator is given: rotation, relinearization and conjugation keys, and never a public or secret one."""

    rotations: RotationKeySet
    relinearization: RelinearizationKey | None
    conjugation: ConjugationKey | None

    def __init__(
        self,
        rotations: RotationKeySet | Mapping[int, RotationKey] | Iterable[RotationKey] | None = None,
        relinearization: RelinearizationKey | None = None,
        conjugation: ConjugationKey | None = None,
    ) -> None:
        for key, kind in ((relinearization, RelinearizationKey), (conjugation, ConjugationKey)):
            if key is not None and not isinstance(key, kind):
                raise refusal("argument-type", f"got a {type(key).__name__} where a {kind.__name__} belongs")
        given = rotations if isinstance(rotations, RotationKeySet) else RotationKeySet(() if rotations is None else rotations)
        object.__setattr__(self, "rotations", given)
        object.__setattr__(self, "relinearization", relinearization)
        object.__setattr__(self, "conjugation", conjugation)
        self.validate()

    def _members(self) -> Iterator[RotationKey | RelinearizationKey | ConjugationKey]:
        yield from self.rotations.values()
        yield from (key for key in (self.relinearization, self.conjugation) if key is not None)

    def validate(self) -> None:
        """Refuses keys of different rings, parameters or secret keys."""
        members_agree(self._members())

    def require(self, requirements: EvaluationKeyRequirements) -> None:
        """Refuses as `evaluation-keys-absent` unless all required keys are here, listing those that are not."""
        if not isinstance(requirements, EvaluationKeyRequirements):
            raise refusal("argument-type", f"the requirements are a {type(requirements).__name__}; EvaluationKeyRequirements are needed")
        missing = [f"rotation-key:{step}" for step in requirements.rotation_steps if step not in self.rotations]
        if requirements.requires_relinearization and self.relinearization is None:
            missing.append("relinearization-key")
        if requirements.requires_conjugation and self.conjugation is None:
            missing.append("conjugation-key")
        if missing:
            raise refusal("evaluation-keys-absent", f"{', '.join(missing)} missing; create and add them, or ask the owner of the secret key")

    def _tensors(self) -> Iterator[torch.Tensor]:
        return (key.data for key in self._members())

    def _map(self, function: Callable[[torch.Tensor], torch.Tensor]) -> Self:
        parts: list[Any] = [self.rotations, self.relinearization, self.conjugation]
        moved = [part if part is None else part._map(function) for part in parts]
        return self if all(a is b for a, b in zip(moved, parts, strict=True)) else type(self)(*moved)

    def __reduce__(self) -> tuple[Any, ...]:
        fields = {"rotations": self.rotations, "relinearization": self.relinearization, "conjugation": self.conjugation}
        return rebuild, (type(self).__name__, fields)

    def __repr__(self) -> str:
        has = f"relinearization={self.relinearization is not None}, conjugation={self.conjugation is not None}"
        return f"EvaluationKeySet(rotations={sorted(self.rotations)}, {has}, nbytes={self.nbytes})"
