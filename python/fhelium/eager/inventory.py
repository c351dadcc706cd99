"""The keys that an Engine holds: all of one secret, found by a symbol."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import torch

from ..errors import refusal
from ..values import ConjugationKey, PublicKey, RelinearizationKey, RotationKey, SecretKey

SECRET, PUBLIC = "secret-key", "public-key"
RELINEARIZATION, CONJUGATION, ROTATION = "relinearization-key", "conjugation-key", "rotation-key"

TYPES: dict[str, type] = {
    SECRET: SecretKey,
    PUBLIC: PublicKey,
    RELINEARIZATION: RelinearizationKey,
    CONJUGATION: ConjugationKey,
    ROTATION: RotationKey,
}


def rotation_symbol(step: int) -> str:
    """The symbol of the key for a normalized rotation step."""
    return f"{ROTATION}:{step}"


class KeyInventory:
    """Keys by symbol, and copies of them on other devices.

    Reading takes no lock; whatever changes the inventory holds `lock`, which a
    maker of keys also holds from looking for a key until installing it, so
    that no key is made twice.
    """

    def __init__(self, slots: int) -> None:
        self.lock = threading.RLock()
        self._slots = slots
        self._keys: dict[str, Any] = {}
        self._copies: dict[tuple[str, torch.device], tuple[Any, int, Any]] = {}
        self._parents: tuple[np.ndarray, np.ndarray] | None = None

    def get(self, symbol: str) -> Any | None:
        """The key of a symbol, where its owner put it."""
        return self._keys.get(symbol)

    def symbols(self) -> list[str]:
        """The symbols of all keys held, in order of installation."""
        return list(self._keys)

    def rotations(self) -> dict[int, RotationKey]:
        """The rotation keys held, by normalized step."""
        return {key.rotation_step: key for key in list(self._keys.values()) if type(key) is RotationKey}

    def evaluation_bytes(self) -> int:
        """Bytes of all relinearization, rotation and conjugation keys held."""
        return sum(key.nbytes for symbol, key in list(self._keys.items()) if symbol not in (SECRET, PUBLIC))

    @property
    def owner(self) -> str | None:
        """Identity of the secret that all keys held belong to; None when empty."""
        return next((key.key_id for key in list(self._keys.values())), None)

    def install(self, symbol: str, key: Any) -> None:
        """Puts a key in place.

        A secret key drops all keys of another secret. Any other key of another
        secret than the inventory's is refused as `state-key-mismatch`.
        """
        with self.lock:
            if self._keys.get(symbol) is key:
                return
            if symbol == SECRET:
                for other in [s for s, k in self._keys.items() if k.key_id != key.key_id]:
                    self._drop(other)
            elif self.owner not in (None, key.key_id):
                raise refusal(
                    "state-key-mismatch",
                    f"the {symbol} belongs to secret key {key.key_id:.8}, the engine's keys to {self.owner:.8}; "
                    "use another engine for another secret, or install that secret key first",
                )
            self._drop(symbol)
            self._keys[symbol] = key

    def remove(self, symbol: str) -> Any | None:
        """Takes a key out and gives it, or None."""
        with self.lock:
            key = self._keys.get(symbol)
            self._drop(symbol)
            return key

    def clear(self) -> None:
        """Forgets everything."""
        with self.lock:
            for symbol in list(self._keys):
                self._drop(symbol)

    def _drop(self, symbol: str) -> None:
        self._keys.pop(symbol, None)
        self._parents = None
        for place in [place for place in self._copies if place[0] == symbol]:
            del self._copies[place]

    def copy_at(self, symbol: str, key: Any, device: torch.device) -> Any:
        """A copy of a key on a device: made once, and again when the key's contents change."""
        with self.lock:
            version = key.data._version
            known = self._copies.get((symbol, device))
            if known is None or known[0] is not key or known[1] != version:
                known = (key, version, key.to(device))
                self._copies[symbol, device] = known
            return known[2]

    def route(self, step: int) -> list[int] | None:
        """The fewest held rotation keys that add up to a normalized step, or None.

        Paths are found for all steps at once, breadth first over the slots,
        and kept until a key comes or goes.
        """
        parents = self._parents
        if parents is None:
            with self.lock:
                parents = self._parents = _paths(sorted(self.rotations()), self._slots)
        before, by = parents
        place, path = step % self._slots, []
        if before[place] < 0:
            return None
        while place:
            path.append(int(by[place]))
            place = int(before[place])
        return path[::-1]


def _paths(steps: list[int], slots: int) -> tuple[np.ndarray, np.ndarray]:
    """For every rotation: the rotation before its last step (-1: out of reach), and that step."""
    before = np.full(slots, -1, dtype=np.int64)
    by = np.zeros(slots, dtype=np.int64)
    before[0] = 0
    frontier = np.zeros(1, dtype=np.int64)
    while len(frontier):
        reached = []
        for step in steps:
            targets = (frontier + step) % slots
            fresh = before[targets] < 0
            before[targets[fresh]], by[targets[fresh]] = frontier[fresh], step
            reached.append(targets[fresh])
        frontier = np.concatenate(reached) if reached else frontier[:0]
    return before, by
