"""Rotation, conjugation and key switching."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..errors import refusal
from ..values import Ciphertext, ConjugationKey, KeySwitchKey, RotationKey
from . import arguments
from .inventory import CONJUGATION, SECRET, rotation_symbol
from .keys import Keys


class Rotations(Keys):
    """A rotation by r decrypts to `torch.roll(m, r, -1)` over all slots; steps equal modulo the slots are one."""

    __slots__ = ()

    def rotate_with_key(self, ciphertext: Ciphertext, key: RotationKey, *, output_domain: str = "coefficient") -> Ciphertext:
        """Rolls the slots by the key's step.

        Takes 2 components in basis Q and either domain; gives `output_domain`.
        """
        return self._call("rotate_with_key", (ciphertext, key), (arguments.domain(output_domain, "output_domain"),))

    def rotate_by_step(self, ciphertext: Ciphertext, step: int, *, output_domain: str = "coefficient") -> Ciphertext:
        """Rolls the slots by a number of places, right for positive ones.

        Step 0 needs no key and gives a copy. A missing key is made and kept
        where automatic generation is allowed and the engine holds the secret
        key; otherwise the rotation is composed of the fewest installed keys, and refused as `key-absent` where
        they cannot reach it.
        """
        domain = arguments.domain(output_domain, "output_domain")
        self._check_value(ciphertext, Ciphertext)
        steps = self.rotation_key_steps(step)
        if not steps:
            return self._in_domain(ciphertext, output_domain)
        rotated = ciphertext
        for one in steps:
            rotated = self._call_with_keys("rotate_with_key", (rotated,), [rotation_symbol(one)], (domain,))
        return rotated

    def rotate_by_step_(self, ciphertext: Ciphertext, step: int) -> Ciphertext:
        """As `rotate_by_step`, into the ciphertext's own storage and domain."""
        return ciphertext._commit_(self.rotate_by_step(ciphertext, step, output_domain=ciphertext.polynomial_domain))

    def rotate_many_by_steps(
        self, ciphertext: Ciphertext, steps: Iterable[int], *, use_hoisting: bool = True, output_domain: str = "coefficient"
    ) -> list[Ciphertext]:
        """Rolls one ciphertext by several steps; the results are in the steps' order and independent.

        With hoisting, the steps that have a key of their own share one
        decomposition of the ciphertext. Missing keys are as in `rotate_by_step`.
        """
        self._check_value(ciphertext, Ciphertext)
        domain = arguments.domain(output_domain, "output_domain")
        arguments.flag(use_hoisting, "use_hoisting")
        routes = [self.rotation_key_steps(step) for step in arguments.sequence(steps, "rotation steps")]
        direct = {route[0]: None for route in routes if len(route) == 1}
        keys = self._keys_for("rotate_many_with_keys", (ciphertext,), [rotation_symbol(step) for step in direct], (domain,))
        rotated = self.rotate_many_with_keys(ciphertext, keys, use_hoisting=use_hoisting, output_domain=output_domain) if keys else []
        shared: dict[int, Ciphertext | None] = dict(zip(direct, rotated, strict=True))
        results = []
        for route in routes:
            if len(route) != 1:
                results.append(self.rotate_by_step(ciphertext, sum(route), output_domain=output_domain))
            elif (first := shared[route[0]]) is not None:
                results.append(first)
                shared[route[0]] = None
            else:
                results.append(next(r for r, other in zip(results, routes, strict=False) if other == route).clone())
        return results

    def rotate_many_with_keys(
        self, ciphertext: Ciphertext, keys: Sequence[RotationKey], *, use_hoisting: bool = True, output_domain: str = "coefficient"
    ) -> list[Ciphertext]:
        """Rolls one ciphertext by the step of each key, in the keys' order."""
        keys = arguments.sequence(keys, "rotation keys")
        if not arguments.flag(use_hoisting, "use_hoisting"):
            return [self.rotate_with_key(ciphertext, key, output_domain=output_domain) for key in keys]
        domain = arguments.domain(output_domain, "output_domain")
        return self._call_many("rotate_many_with_keys", (ciphertext, *keys), (domain,), room=len(keys))

    def conjugate(self, ciphertext: Ciphertext, key: ConjugationKey | None = None, *, output_domain: str = "coefficient") -> Ciphertext:
        """Conjugates the slots. The key is never made automatically: `key-absent` without one."""
        domain = arguments.domain(output_domain, "output_domain")
        if key is None:
            key = self._at(CONJUGATION, self._installed(CONJUGATION), ciphertext)
        return self._call("conjugate", (ciphertext, key), (domain,))

    def switch_key(self, ciphertext: Ciphertext, key: KeySwitchKey, *, output_domain: str = "coefficient") -> Ciphertext:
        """Leads a ciphertext from the secret that the key starts from to the one it ends at."""
        return self._call("switch_key", (ciphertext, key), (arguments.domain(output_domain, "output_domain"),))

    def rotation_key_steps(self, step: int) -> list[int]:
        """The steps of the keys that `rotate_by_step` uses, in order; [] for no rotation.

        Refuses as `key-absent` a rotation that can be neither made nor composed.
        """
        normal = self._normal_step(step)
        if normal == 0:
            return []
        held = self._inventory.get
        makes = self._settings.generate and (held(SECRET) is not None or not self._inventory.symbols())
        if makes or held(rotation_symbol(normal)) is not None:
            return [normal]
        route = self._inventory.route(normal)
        if route is None:
            raise refusal(
                "key-absent",
                f"no rotation key for step {normal}: the engine holds keys for steps {sorted(self._inventory.rotations())}, which "
                "cannot add up to it, and has no secret key to make one of, or may not; install create_rotation_key(step) or allow automatic generation",
            )
        return route
