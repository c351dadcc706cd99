"""Plaintexts: a message on its way to residues, or decrypted coefficients on their way back."""

from collections.abc import Sequence
from typing import Any, Self

import torch

from ..errors import refusal
from .batched import Batched
from .message import message_tensor
from .placement import named
from .record import Dtype, Kind, Record
from .state import (
    BASES,
    DOMAINS,
    REPRESENTATIONS,
    check_batch,
    check_depth,
    check_identity,
    check_name,
    check_prime_ids,
    check_residues,
    check_ring,
    check_rows,
    check_scale,
    check_tensor,
)

_DTYPES = {torch.int64: Dtype.INT64, torch.float64: Dtype.FLOAT64, torch.complex128: Dtype.COMPLEX128}
_KINDS = {
    "slots": Kind.MESSAGE,
    "integer_coefficients": Kind.INTEGERS,
    "approximate_coefficients": Kind.APPROXIMATE,
    "rns": Kind.PLAINTEXT,
}


class Plaintext(Batched):
    """A cleartext in one of four representations.

    - "slots": message, float64 or complex128 [*batch, slot], or a scalar of no
      axis that fills all slots; a short message is padded with zeros.
    - "integer_coefficients": data int64 [*batch, N], or float64 holding integers
      exactly where they need more than 64 bits.
    - "approximate_coefficients": data float64 [*batch, N], decrypted; they can
      only be decoded.
    - "rns": data int64 [*batch, limb, N], residues with prime_ids,
      polynomial_domain and modulus_basis. The other representations have none
      of these three.

    A plaintext made by hand needs no fingerprint (parameters): an engine adopts
    it after checking its prime ids.
    """

    __slots__ = (
        "data", "depth", "message", "modulus_basis", "parameters", "polynomial_domain", "prime_ids", "representation", "scale",
    )  # fmt: skip

    _TENSORS = ("message", "data")
    _STATE = ("depth", "scale", "representation", "polynomial_domain", "modulus_basis", "prime_ids", "parameters")
    _BATCH_START = {"message": 0, "data": 0}

    message: torch.Tensor | None
    depth: int
    scale: float
    representation: str
    polynomial_domain: str | None
    modulus_basis: str | None
    prime_ids: tuple[int, ...] | None
    parameters: str | None

    def __init__(
        self,
        message: Any = None,
        depth: int = 0,
        scale: float | None = None,
        data: torch.Tensor | None = None,
        representation: str | None = None,
        polynomial_domain: str | None = None,
        modulus_basis: str | None = None,
        residue_representation: str = "standard",
        prime_ids: Sequence[int] | None = None,
        *,
        parameters: str | None = None,
    ) -> None:
        if (message is None) == (data is None):
            raise refusal("argument-invalid", f"{'both' if data is not None else 'neither'} of message and data given; exactly one is needed")
        if representation is None:
            representation = _guess(message is not None, prime_ids is not None)
        check_name(representation, REPRESENTATIONS, "representation")
        if (representation == "slots") != (message is not None):
            raise refusal("argument-invalid", f"representation {representation!r} with {'data' if message is None else 'a message'}; slots come as message, all others as data")
        if scale is None:
            raise refusal("scale-invalid", "scale is missing; give the number by which the message is multiplied, such as 2.0**40")
        check_residues(residue_representation)
        depth = check_depth(depth)
        if message is not None:
            message = message_tensor(message)
            check_batch(message.shape[:-1])
        elif representation == "rns":
            data = check_tensor(data, (torch.int64,), "[*batch, limb, N]", 2)
            check_batch(data.shape[:-2])
            check_rows(data.shape, "[*batch, limb, N]")
            polynomial_domain = check_name("coefficient" if polynomial_domain is None else polynomial_domain, DOMAINS, "polynomial_domain")
            modulus_basis = check_name("Q" if modulus_basis is None else modulus_basis, BASES, "modulus_basis")
            prime_ids = check_prime_ids(prime_ids, data.shape[-2], depth)
        else:
            data = _check_coefficients(data, representation)
        if representation != "rns" and not (polynomial_domain is modulus_basis is prime_ids is None):
            raise refusal("argument-invalid", f"a plaintext of {representation} has no polynomial_domain, modulus_basis or prime_ids; leave them out")
        self._set(
            message=message, data=data, depth=depth, scale=check_scale(scale), representation=representation,
            polynomial_domain=polynomial_domain, modulus_basis=modulus_basis, prime_ids=prime_ids,
            parameters=check_identity(parameters, "parameters"),
        )  # fmt: skip

    @property
    def is_rns(self) -> bool:
        """Whether the plaintext holds residues."""
        return self.representation == "rns"

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The extents of the batch axes, outermost first; () for one message."""
        return tuple(self._main.shape[: -2 if self.is_rns else -1])

    @property
    def limb_count(self) -> int:
        """The number of limbs, one a prime id; only residues have limbs."""
        return self._rows("limb_count").shape[-2]

    @property
    def ring_dimension(self) -> int:
        """N. A plaintext of slots does not know it."""
        if self.data is None:
            raise refusal("state-kind-mismatch", "a plaintext of slots has no ring dimension; encode it first")
        return self.data.shape[-1]

    @property
    def _main(self) -> torch.Tensor:
        return self.data if self.message is None else self.message

    def _rows(self, wanted: str) -> torch.Tensor:
        if not self.is_rns:
            raise refusal("state-kind-mismatch", f"{wanted} of a plaintext of {self.representation}; only residues (rns) have limbs")
        return self.data

    def with_data(self, data: torch.Tensor) -> Self:
        """The same state with other data, or with another message where the plaintext holds slots."""
        name = "data" if self.message is None else "message"
        return type(self)(**(self._fields() | {name: data}))

    def _require_stackable(self, first: Self) -> None:
        if self.message is not None and self.message.dim() == 0:
            raise refusal("state-batch-mismatch", "a scalar message fills all slots and would not once stacked; expand it to all slots first")
        super()._require_stackable(first)

    def _describe(self) -> Record:
        """The state as the Go core sees it. A scalar message is one of a single value there: pack it into 1 slot to fill all."""
        main = self._main
        state = Record(
            _KINDS[self.representation],
            _DTYPES[main.dtype],
            depth=self.depth,
            scale=self.scale,
            ring=main.shape[-1] if main.dim() else 1,
            batch=self.batch_shape,
            parameters=self.parameters,
            elements=main.numel(),
        )
        if self.prime_ids is None or self.polynomial_domain is None or self.modulus_basis is None:
            return state
        return state._replace(
            domain=DOMAINS.index(self.polynomial_domain),
            basis=BASES.index(self.modulus_basis),
            first=self.prime_ids[0],
            rows=main.shape[-2],
        )


def _guess(has_message: bool, has_primes: bool) -> str:
    """The representation where none is named."""
    if has_message:
        return "slots"
    if has_primes:
        return "rns"
    raise refusal("argument-invalid", "representation is missing; data are 'rns', 'integer_coefficients' or 'approximate_coefficients'")


def _check_coefficients(given: Any, representation: str) -> torch.Tensor:
    integers = representation == "integer_coefficients"
    data = check_tensor(given, (torch.int64, torch.float64) if integers else (torch.float64,), "[*batch, N]", 1)
    check_batch(data.shape[:-1])
    check_ring(data.shape[-1])
    if integers and data.dtype == torch.float64:
        with named(f"rounded coefficients of {data.nbytes} bytes"):
            whole = bool((data == data.trunc()).all())
        if not whole:
            raise refusal("argument-invalid", "integer coefficients in float64 hold a value that is no integer; round them first")
    return data
