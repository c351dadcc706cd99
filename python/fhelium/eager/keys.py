"""Holding keys."""

from __future__ import annotations

from typing import Any

from ..errors import refusal
from ..values import ConjugationKey, EvaluationKeySet, KeySwitchKey, PublicKey, RelinearizationKey, RotationKey, RotationKeySet, SecretKey
from .automatic import AutomaticKeys
from .inventory import CONJUGATION, PUBLIC, RELINEARIZATION, ROTATION, SECRET, TYPES, rotation_symbol


class Keys(AutomaticKeys):
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
        return self._installed_or_made(PUBLIC)

    @property
    def relinearization_key(self) -> RelinearizationKey:
        """The relinearization key, made of the secret key where automatic generation is allowed."""
        return self._installed_or_made(RELINEARIZATION)

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
        return self._installed_or_made(rotation_symbol(normal))

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
        self._call_many("validate", (key,))
        if key.key_id is None:
            raise refusal("state-key-mismatch", f"the {kind} has no key_id, so it would fit no value; load or make it anew")
        if kind == ROTATION:
            if step and int(step) != key.rotation_step:
                raise refusal("rotation-step-mismatch", f"the key is for step {key.rotation_step}, the symbol {symbol!r} for {step}")
            symbol = rotation_symbol(key.rotation_step)
        self._inventory.install(symbol, key)
