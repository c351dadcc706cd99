"""Keys that an operation needs: found where they are held, and made where that is allowed.

An operation is planned with a stand-in for each key that is missing before any
is made, so that a refused call leaves no key behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ..errors import FHEliumError, refusal
from ..values import SecretKey
from . import results
from .factories import Factories
from .inventory import PUBLIC, RELINEARIZATION, ROTATION, SECRET


class Prospect:
    """The state of a key that could be made, for planning alone: it has no numbers."""

    __slots__ = ("_packed", "data")

    def __init__(self, record: results.Words, device: torch.device) -> None:
        self._packed = results.RECORD.pack(*record)
        self.data = torch.empty(0, dtype=torch.int64, device=device)

    def _record(self) -> bytes:
        return self._packed


class AutomaticKeys(Factories):
    """Finds keys by their symbols. Keys are made only of the secret that the value at hand belongs to."""

    __slots__ = ()

    def _call_with_keys(
        self, name: str, operands: Sequence[Any], symbols: Sequence[str], ints: Sequence[int] = (), floats: Sequence[float] = ()
    ) -> Any:
        """Runs an operation of one result whose last operands are the engine's keys of the symbols."""
        keys = self._keys_for(name, operands, symbols, ints, floats)
        return self._call(name, (*operands, *keys), ints, floats)

    def _keys_for(
        self, name: str, operands: Sequence[Any], symbols: Sequence[str], ints: Sequence[int] = (), floats: Sequence[float] = ()
    ) -> list[Any]:
        """The engine's keys of the symbols, at the device of the first operand, for an operation that they are the last operands of.

        Missing ones are made where automatic generation is allowed, once
        everything that could be refused has been checked.
        """
        found = [self._inventory.get(symbol) for symbol in symbols]
        if None in found:
            found = self._complete(name, operands, symbols, ints, floats)
        return [self._at(symbol, key, operands[0]) for symbol, key in zip(symbols, found, strict=True)]

    def _complete(
        self, name: str, operands: Sequence[Any], symbols: Sequence[str], ints: Sequence[int], floats: Sequence[float]
    ) -> list[Any]:
        self._live()
        place = self._place(name, operands)
        with self._inventory.lock:
            missing = [symbol for symbol in dict.fromkeys(symbols) if self._inventory.get(symbol) is None]
            for symbol in missing:
                if symbol in (SECRET, PUBLIC):
                    self._check_makeable(symbol)
                else:
                    self._check_own(symbol, operands[0])
            prospects = {symbol: self._prospect(symbol, place) for symbol in missing}
            stand_ins = [prospects.get(symbol) or self._at(symbol, self._inventory.get(symbol), operands[0]) for symbol in symbols]
            self._plan(name, (*operands, *stand_ins), ints, floats, room=len(symbols))
            self._make(missing)
            return [self._installed(symbol) for symbol in symbols]

    def _check_makeable(self, symbol: str) -> None:
        """Refuses a missing key that may not be made, or has no secret to be made of."""
        if not self._settings.generate:
            raise self._absent(symbol)
        if self._inventory.get(SECRET) is None and self._inventory.symbols():
            raise self._absent(SECRET)

    def _check_own(self, symbol: str, value: Any) -> None:
        """Refuses to make a key that may not be made, or could not serve the value."""
        secret = self._inventory.get(SECRET)
        if secret is None or not self._settings.generate:
            raise self._absent(symbol)
        if value.key_id != secret.key_id:
            raise refusal(
                "state-key-mismatch",
                f"the value belongs to secret key {value.key_id or 'none':.8}, the engine's is {secret.key_id:.8}, so no {symbol} is made; "
                "install the evaluation keys of the value's owner",
            )

    def _prospect(self, symbol: str, place: torch.device) -> Any:
        """A stand-in for a key that `_make` would make, where it would be used."""
        secret = self._inventory.get(SECRET)
        if secret is None:
            home = self._factory_device(None)
            secret = Prospect(self._bundle(home).plan("create_secret_key", (), (1, 0, 1), (), 1)[0], home)
        home = place if self._settings.replicate else secret.data.device
        if symbol == SECRET:
            return secret
        name, ints = _creation(symbol)
        return Prospect(self._plan(name, (secret,), ints)[0], home)

    def _make(self, symbols: Sequence[str]) -> None:
        """Makes and installs missing keys: all or none, the budget checked before the first."""
        self._check_budget(sum(symbol not in (SECRET, PUBLIC) for symbol in symbols))
        with self._inventory.lock:
            secret = self._inventory.get(SECRET) or self.create_secret_key()
            made = {symbol: secret if symbol == SECRET else self._create(symbol, secret) for symbol in symbols}
            for symbol, key in ({SECRET: secret} | made).items():
                self._inventory.install(symbol, key)

    def _create(self, symbol: str, secret: SecretKey) -> Any:
        name, ints = _creation(symbol)
        return self._call(name, (secret,), ints)

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

    def _installed_or_made(self, symbol: str) -> Any:
        self._live()
        key = self._inventory.get(symbol)
        if key is None:
            with self._inventory.lock:
                key = self._inventory.get(symbol)
                if key is None:
                    self._check_makeable(symbol)
                    self._make([symbol])
                    key = self._inventory.get(symbol)
        return key

    def _at(self, symbol: str, key: Any, value: Any) -> Any:
        """A key at the device of the value that it meets."""
        here, there = value.data.device, key.data.device
        if here == there:
            return key
        if not self._settings.replicate:
            raise refusal(
                "placement-mixed",
                f"the {symbol} is on {there}, the value on {here}; move one with .to, or make the engine with "
                "allow_automatic_key_replication=True",
            )
        return self._inventory.copy_at(symbol, key, here)


def _creation(symbol: str) -> tuple[str, tuple[int, ...]]:
    """The operation that makes the key of a symbol out of the secret key, and its integers."""
    kind, _, step = symbol.partition(":")
    return {
        PUBLIC: ("create_public_key", (1,)),
        RELINEARIZATION: ("create_relinearization_key", ()),
        ROTATION: ("create_rotation_key", (int(step or 0),)),
    }[kind]
