"""Holding keys, and what happens where one is missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import FHEliumError, refusal
from ..values import ConjugationKey, EvaluationKeySet, KeySwitchKey, PublicKey, RelinearizationKey, RotationKey, RotationKeySet, SecretKey
from .factories import Factories
from .inventory import CONJUGATION, PUBLIC, RELINEARIZATION, ROTATION, SECRET, TYPES, rotation_symbol


class Keys(Factories):
    """Holds keys. All belong to one secret; a secret of another identity drops the keys of the one before."""

    __slots__ = ()

    @property
    def secret_key(self) -> SecretKey:
        """The secret key.

        An engine without any key makes one where automatic generation is
        allowed. Otherwise a missing one is refused as `secret-key-absent`.
        """
        self._live()
        key = self._inventory.get(SECRET)
        if key is not None:
            return key
        with self._inventory.lock:
            if not self._inventory.symbols() and self._settings.generate:
                self._inventory.install(SECRET, self.create_secret_key())
            return self._installed(SECRET)

    @property
    def public_key(self) -> PublicKey:
        """The public key, made of the secret key where automatic generation is allowed."""
        return self._installed_or_made(PUBLIC, self.create_public_key)

    @property
    def relinearization_key(self) -> RelinearizationKey:
        """The relinearization key, made of the secret key where automatic generation is allowed."""
        return self._installed_or_made(RELINEARIZATION, self.create_relinearization_key)

    @property
    def conjugation_key(self) -> ConjugationKey:
        """The conjugation key, which is never made automatically."""
        return self._installed(CONJUGATION)

    @property
    def rotation_keys(self) -> RotationKeySet:
        """The rotation keys held, by normalized step: a snapshot that later installations do not change."""
        self._live()
        return RotationKeySet(self._inventory.rotations())

    @property
    def evaluation_keys(self) -> EvaluationKeySet:
        """What an evaluator needs and no secret: a snapshot of the rotation, relinearization and conjugation keys held."""
        held = self._inventory.get
        return EvaluationKeySet(rotations=self.rotation_keys, relinearization=held(RELINEARIZATION), conjugation=held(CONJUGATION))

    def rotation_key(self, step: int) -> RotationKey:
        """The key of one step, made of the secret key where automatic generation is allowed."""
        normal = self._normal_step(step)
        if normal == 0:
            raise refusal("argument-invalid", f"rotation by {step} moves nothing, so it has no key")
        return self._installed_or_made(rotation_symbol(normal), lambda: self.create_rotation_key(normal))

    def set_secret_key(self, key: SecretKey) -> None:
        """Installs a secret key and drops all keys of another secret."""
        self._install(SECRET, key)

    def set_public_key(self, key: PublicKey) -> None:
        """Installs a public key."""
        self._install(PUBLIC, key)

    def set_relinearization_key(self, key: RelinearizationKey) -> None:
        """Installs a relinearization key."""
        self._install(RELINEARIZATION, key)

    def set_conjugation_key(self, key: ConjugationKey) -> None:
        """Installs a conjugation key."""
        self._install(CONJUGATION, key)

    def set_rotation_key(self, key: RotationKey) -> None:
        """Installs a rotation key under its own step."""
        self._install(ROTATION, key)

    def set_evaluation_keys(self, keys: EvaluationKeySet) -> None:
        """Installs all keys of a set."""
        self._check_value(keys, EvaluationKeySet)
        for key in keys.rotations.values():
            self.set_rotation_key(key)
        if keys.relinearization is not None:
            self.set_relinearization_key(keys.relinearization)
        if keys.conjugation is not None:
            self.set_conjugation_key(keys.conjugation)

    def install_evaluation_key(self, symbol: str, key: KeySwitchKey) -> None:
        """Installs a key under "relinearization-key", "conjugation-key" or "rotation-key:<step>"."""
        self._install(self._symbol(symbol), key)

    def remove_evaluation_key(self, symbol: str) -> KeySwitchKey:
        """Takes out the key of a symbol and gives it."""
        key = self._inventory.remove(self._symbol(symbol))
        if key is None:
            raise self._absent(symbol)
        return key

    def _symbol(self, symbol: str) -> str:
        kind, _, step = symbol.partition(":") if isinstance(symbol, str) else ("", "", "")
        if kind == ROTATION and step.removeprefix("-").isdecimal() and self._normal_step(int(step)):
            return rotation_symbol(self._normal_step(int(step)))
        if symbol in (RELINEARIZATION, CONJUGATION):
            return symbol
        raise refusal("argument-invalid", f'symbol {symbol!r:.80}; "{RELINEARIZATION}", "{CONJUGATION}" or "{ROTATION}:<step>" is needed')

    def _install(self, symbol: str, key: Any) -> None:
        kind, _, step = symbol.partition(":")
        self._check_value(key, TYPES[kind])
        self._plan("validate", (key,))
        if key.key_id is None:
            raise refusal("state-key-mismatch", f"the {kind} has no key_id, so it would fit no value; load or make it anew")
        if kind == ROTATION:
            if step and int(step) != key.rotation_step:
                raise refusal("rotation-step-mismatch", f"the key is for step {key.rotation_step}, the symbol {symbol!r} for {step}")
            symbol = rotation_symbol(key.rotation_step)
        self._inventory.install(symbol, key)

    def _absent(self, symbol: str) -> FHEliumError:
        held = ", ".join(self._inventory.symbols()) or "none"
        if symbol == SECRET:
            return refusal("secret-key-absent", f"there is no secret key here (keys held: {held}); install one with set_secret_key")
        way = "set_" + symbol.partition(":")[0].replace("-", "_")
        return refusal("key-absent", f"there is no {symbol} here (keys held: {held}); install one with {way}")

    def _installed(self, symbol: str) -> Any:
        self._live()
        key = self._inventory.get(symbol)
        if key is None:
            raise self._absent(symbol)
        return key

    def _installed_or_made(self, symbol: str, make: Callable[[], Any]) -> Any:
        self._live()
        key = self._inventory.get(symbol)
        if key is not None:
            return key
        if not self._settings.generate:
            raise self._absent(symbol)
        with self._inventory.lock:
            if self._inventory.get(symbol) is None:
                _ = self.secret_key  # before the budget, so that a missing secret is named first
                self._inventory.install(symbol, make())
            return self._inventory.get(symbol)

    def _key_for(self, symbol: str, make: Callable[[], Any], value: Any) -> Any:
        """An evaluation key for a value, at its device, made only of the secret that the value belongs to."""
        if self._inventory.get(symbol) is None and self._settings.generate:
            self._check_own(symbol, value)
        return self._at(symbol, self._installed_or_made(symbol, make), value)

    def _relinearization_for(self, value: Any) -> RelinearizationKey:
        """The relinearization key for a value."""
        key: RelinearizationKey = self._key_for(RELINEARIZATION, self.create_relinearization_key, value)
        return key

    def _check_own(self, symbol: str, value: Any) -> None:
        """Refuses to make a key that could not serve the value."""
        self._live()
        secret = self._inventory.get(SECRET)
        if secret is None:
            raise self._absent(symbol)
        if value.key_id != secret.key_id:
            raise refusal(
                "state-key-mismatch",
                f"the value belongs to secret key {value.key_id or 'none':.8}, the engine's is {secret.key_id:.8}, so no {symbol} is made; "
                "install the evaluation keys of the value's owner",
            )

    def _make_rotations(self, steps: Sequence[int], value: Any) -> list[RotationKey]:
        """The keys of all steps; the budget is checked for all missing ones before the first is made."""
        with self._inventory.lock:
            missing = [step for step in dict.fromkeys(steps) if self._inventory.get(rotation_symbol(step)) is None]
            if missing:
                self._check_own(rotation_symbol(missing[0]), value)
                self._check_budget(len(missing))
                # Made before any is installed, so that a failure leaves nothing behind.
                for key in [self.create_rotation_key(step) for step in missing]:
                    self._inventory.install(rotation_symbol(key.rotation_step), key)
            return [self._installed(rotation_symbol(step)) for step in steps]

    def _at(self, symbol: str, key: Any, value: Any) -> Any:
        """A key at the device of the value that it meets."""
        here, there = value.device, key.device
        if here == there:
            return key
        if not self._settings.replicate:
            raise refusal(
                "placement-mixed",
                f"the {symbol} is on {there}, the value on {here}; move one with .to, or make the engine with "
                "allow_automatic_key_replication=True",
            )
        return self._inventory.copy_at(symbol, key, here)
