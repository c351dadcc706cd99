"""Making keys, and what they weigh."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any, Literal

import torch

from .. import _binding
from ..errors import refusal
from ..values import ConjugationKey, KeySwitchKey, PublicKey, RelinearizationKey, RotationKey, RotationKeySet, SecretKey
from ..values.placement import place
from . import arguments
from .operations import Operations

Steps = Iterable[int] | Literal["all"]


class Factories(Operations):
    """Makes keys. A made key is not installed: it belongs to the caller."""

    __slots__ = ()

    def create_secret_key(self, modulus_basis: str = "QP", *, device: Any = None) -> SecretKey:
        """A uniform ternary secret, [limb, N] in the NTT domain. Basis Q makes no evaluation keys."""
        identity = struct.unpack(">qq", bytes.fromhex(_binding.call(_binding.go.pybind_EngineKeyID, self._live())))
        return self._call("create_secret_key", (), (arguments.basis(modulus_basis), *identity), device=self._factory_device(device))

    def create_public_key(self, secret_key: SecretKey | None = None, modulus_basis: str = "QP") -> PublicKey:
        """An encryption of zero, [2, limb, N]; the installed secret key where none is given.

        In basis QP, encryption in basis Q divides by the special primes, so that its
        noise is that of rounding. A key in basis Q is smaller, and leaves four bits more.
        """
        basis = arguments.basis(modulus_basis)
        return self._call("create_public_key", (self._secret_or(secret_key),), (basis,))

    def create_key_switch_key(self, source: SecretKey, target: SecretKey) -> KeySwitchKey:
        """A key that leads ciphertexts of one secret to another, [digit, 2, limb, N]."""
        self._check_budget(1)
        return self._call("create_key_switch_key", (source, target))

    def create_relinearization_key(self, secret_key: SecretKey | None = None) -> RelinearizationKey:
        """The key that turns products of 3 components into 2."""
        self._check_budget(1)
        return self._call("create_relinearization_key", (self._secret_or(secret_key),))

    def create_rotation_key(self, step: int, secret_key: SecretKey | None = None) -> RotationKey:
        """The key for `torch.roll` by a step, which is normalized to [-slots/2, slots/2)."""
        normal = self._normal_step(step)
        self._check_budget(1)
        return self._call("create_rotation_key", (self._secret_or(secret_key),), (normal,))

    def create_rotation_keys(self, steps: Steps, secret_key: SecretKey | None = None) -> RotationKeySet:
        """Keys for several steps, or for every one with the word "all".

        Steps equal modulo the slots share one key, and 0 needs none. The memory
        of all of them is checked against the key budget before the first is made.
        """
        wanted = self._key_steps(steps)
        self._check_budget(len(wanted))
        secret = self._secret_or(secret_key)
        return RotationKeySet({step: self._call("create_rotation_key", (secret,), (step,)) for step in wanted})

    def create_conjugation_key(self, secret_key: SecretKey | None = None) -> ConjugationKey:
        """The key for complex conjugation."""
        self._check_budget(1)
        return self._call("create_conjugation_key", (self._secret_or(secret_key),))

    def estimate_key_bytes(self, *, rotations: Steps | int = (), relinearization: bool = False, conjugation: bool = False) -> int:
        """Bytes of the evaluation keys named, before any is made.

        `rotations` is a number of keys, their steps, or the word "all". A key
        has 2 · digits · (Q + P rows) · N residues of 8 bytes.
        """
        if isinstance(rotations, int) and not isinstance(rotations, bool):
            count = rotations
        else:
            count = len(self._key_steps(rotations))
        if count < 0:
            raise refusal("argument-invalid", f"{count} rotation keys; 0 or more are possible")
        others = arguments.flag(relinearization, "relinearization") + arguments.flag(conjugation, "conjugation")
        return (count + others) * self._key_bytes()

    def _key_bytes(self) -> int:
        config = self.config
        return 2 * self.key_digit_count * config.total_num_primes * config.N * 8

    def _key_steps(self, steps: Steps | int) -> list[int]:
        """Normalized, distinct steps that need a key, in order."""
        if isinstance(steps, str):
            if steps != "all":
                raise refusal("argument-invalid", f'rotation steps {steps!r:.40}; integers or the word "all" are needed')
            return [self._normal_step(step) for step in range(1, self.num_slots)]
        if isinstance(steps, bool) or not isinstance(steps, Iterable):
            raise refusal("argument-type", f'rotation steps are a {type(steps).__name__}; integers or the word "all" are needed')
        return [step for step in dict.fromkeys(map(self._normal_step, steps)) if step]

    def _normal_step(self, step: int) -> int:
        """A step in [-slots/2, slots/2)."""
        half = self.num_slots // 2
        return (arguments.integer(step, "rotation step") + half) % (2 * half) - half

    def _check_budget(self, keys: int) -> None:
        """Refuses evaluation keys that would not fit the budget beside those held."""
        held, more = self._inventory.evaluation_bytes(), keys * self._key_bytes()
        if held + more > self._settings.key_budget:
            raise refusal(
                "key-budget-exceeded",
                f"{keys} more evaluation keys need {more} bytes beside the {held} bytes held, above key_budget={self._settings.key_budget}; "
                "remove keys, ask for fewer, or make the engine with a larger key_budget",
            )

    def _secret_or(self, secret_key: SecretKey | None) -> SecretKey:
        return self.secret_key if secret_key is None else secret_key

    @property
    def secret_key(self) -> SecretKey:
        """The installed secret key; `Keys` holds it."""
        raise NotImplementedError

    def _factory_device(self, device: Any) -> torch.device:
        """The device that a factory makes its value on: the given one, or torch's default."""
        target = torch.get_default_device() if device is None else place(device)
        self._bundle(target)
        return target
