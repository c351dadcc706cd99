"""How every operation of an Engine is called: plan, allocate, run, wrap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn

import torch

from .. import _binding
from ..config import CkksConfig
from ..errors import FHEliumError, refusal
from . import arguments
from .implementations import IMPLEMENTATIONS, Implementation
from .inventory import KeyInventory
from .results import Words

# The operation that leads to a domain.
TRANSFORMS = {"ntt": "coefficient_domain_to_ntt_domain", "coefficient": "ntt_domain_to_coefficient_domain"}


class Settings(NamedTuple):
    """What an engine may do unasked."""

    generate: bool
    """Make missing keys of the installed secret."""
    replicate: bool
    """Copy keys to the device of the value that they meet."""
    key_budget: int
    """Most bytes of evaluation keys held or about to be made."""
    allow_transparent: bool
    """Give out results that carry no secret."""


class Operations:
    """The door to the Go core. Attributes are set once and cannot be written."""

    __slots__ = ("__weakref__", "_bundles", "_config", "_handle", "_insecure_seed", "_inventory", "_settings")

    _bundles: dict[torch.device, Implementation]
    _config: CkksConfig
    _handle: _binding.Handle
    _insecure_seed: bool
    _inventory: KeyInventory
    _settings: Settings

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise refusal(
            "value-immutable", f"Engine.{name} cannot be set: an engine keeps the configuration that it was made with; make another"
        )

    def __delattr__(self, name: str) -> NoReturn:
        raise refusal("value-immutable", f"Engine.{name} cannot be deleted")

    @property
    def config(self) -> CkksConfig:
        """The parameters."""
        return self._config

    @property
    def num_slots(self) -> int:
        """N/2, the number of complex values of a message."""
        return self._config.num_slots

    @property
    def key_digit_count(self) -> int:
        """The number of digits of an evaluation key."""
        return len(self._config.digits)

    def _call(
        self,
        name: str,
        operands: Sequence[Any],
        ints: Sequence[int] = (),
        floats: Sequence[float] = (),
        *,
        allow_transparent: bool | None = None,
        device: torch.device | None = None,
    ) -> Any:
        """Runs an operation of one result. Without operands, the device says where."""
        return self._call_many(name, operands, ints, floats, allow_transparent=allow_transparent, device=device)[0]

    def _call_many(
        self,
        name: str,
        operands: Sequence[Any],
        ints: Sequence[int] = (),
        floats: Sequence[float] = (),
        *,
        room: int = 1,
        allow_transparent: bool | None = None,
        device: torch.device | None = None,
    ) -> list[Any]:
        """Runs an operation of at most `room` results."""
        allowed = self._settings.allow_transparent if allow_transparent is None else allow_transparent
        try:
            bundle = self._bundle(device or self._place(name, operands))
            return bundle.run(name, operands, ints, floats, room, allowed)
        except FHEliumError as error:
            raise self._explain(error) from None

    def _plan(
        self, name: str, operands: Sequence[Any], ints: Sequence[int] = (), floats: Sequence[float] = (), room: int = 1
    ) -> list[Words]:
        """Checks an operation and gives the records of its results; computes nothing."""
        try:
            return self._bundle(self._place(name, operands)).plan(name, operands, ints, floats, room)
        except FHEliumError as error:
            raise self._explain(error) from None

    def _place(self, name: str, operands: Sequence[Any]) -> torch.device:
        """The one device of all operands; nothing is moved."""
        try:
            place: torch.device = operands[0].data.device
            for value in operands:
                value._record  # noqa: B018 (a tensor has data and is no value)
                if value.data.device != place:
                    break
            else:
                return place
        except AttributeError:
            raise _no_operand(name, operands) from None
        except IndexError:
            raise refusal("argument-invalid", f"{name} got no values; give at least one") from None
        places = ", ".join(f"{type(value).__name__} on {value.data.device}" for value in operands)
        raise refusal("placement-mixed", f"{name} got {places}; nothing moves by itself, bring them together with .to")

    def _bundle(self, device: torch.device) -> Implementation:
        """What computes on a device, made when it is first needed."""
        bundle = self._bundles.get(device)
        if bundle is not None:
            return bundle
        kind = IMPLEMENTATIONS.get(device.type)
        if kind is None:
            raise refusal(
                "device-unsupported",
                f'nothing computes on {device} yet; the devices are {", ".join(IMPLEMENTATIONS)}: move values with .to("cpu"), or give device="cpu"',
            )
        return self._bundles.setdefault(device, kind(self._handle, device))

    def _in_domain(self, value: Any, domain: str) -> Any:
        """A value's residues in a domain, in tensors of their own."""
        if value.polynomial_domain == domain:
            self._plan("validate", (value,))  # refuses what is not of these parameters
            return value.clone()
        arguments.domain(domain)
        return self._call(TRANSFORMS[domain], (value,))

    def _explain(self, error: FHEliumError) -> FHEliumError:
        """Names a closed engine as the cause, where it is."""
        return self._closed() if self._handle.closed and error.code == "handle-invalid" else error

    @staticmethod
    def _closed() -> FHEliumError:
        return refusal("engine-closed", "this engine was closed, and its keys were dropped; make another")

    def _live(self) -> int:
        """The engine's number in the Go core; refuses when the engine was closed."""
        if self._handle.closed:
            raise self._closed()
        return self._handle.__index__()

    @staticmethod
    def _check_value(value: Any, *kinds: type) -> None:
        """Refuses an argument of another Python type."""
        if not isinstance(value, kinds):
            wanted = " or ".join(kind.__name__ for kind in kinds)
            raise refusal("argument-type", f"got a {type(value).__name__} where a {wanted} is needed")


def _no_operand(name: str, operands: Sequence[Any]) -> FHEliumError:
    """The refusal of the first operand that is no value, or has no numbers that the Go core could read."""
    for value in operands:
        if not hasattr(value, "_record"):
            return refusal("argument-type", f"{name} got a {type(value).__name__} where a value such as a Ciphertext is needed")
        if value.data is None:
            return refusal("state-kind-mismatch", f"{name} got a plaintext of slots; encode it first, or prepare it for its operation")
    raise AssertionError("all operands have numbers")
