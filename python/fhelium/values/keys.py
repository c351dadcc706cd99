"""Secret, public and evaluation keys."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NoReturn

import torch

from ..errors import refusal
from .record import Kind, Record
from .resident import Value
from .state import BASES, DOMAINS, check_identity, check_key_primes, check_name, check_residues, check_rows, check_tensor, integer


class _Key(Value, abstract=True):
    """A key: residues of polynomials at depth 0, whose last two axes are limb and N."""

    __slots__ = ()

    _KIND: ClassVar[Kind]
    _AXES: ClassVar[str]

    prime_ids: tuple[int, ...]
    polynomial_domain: str
    modulus_basis: str
    parameters: str | None
    key_id: str | None

    def _check(
        self, data: torch.Tensor, leading: tuple[int | None, ...], prime_ids: Sequence[int], domain: str, basis: str, residues: str,
        parameters: str | None, key_id: str | None,
    ) -> dict[str, Any]:  # fmt: skip
        """The checked fields that all keys have; leading are the axes before limb and N, None for any number above 0."""
        check_tensor(data, (torch.int64,), self._AXES, len(leading) + 2)
        fits = data.dim() == len(leading) + 2 and all(have > 0 and have == (want or have) for have, want in zip(data.shape, leading, strict=False))
        if not fits:
            raise refusal("shape-invalid", f"shape {tuple(data.shape)}; a {type(self).__name__} is {self._AXES}")
        check_rows(data.shape, self._AXES)
        check_residues(residues)
        return dict(
            data=data,
            prime_ids=check_key_primes(prime_ids, data.shape[-2]),
            polynomial_domain=check_name(domain, DOMAINS, "polynomial_domain"),
            modulus_basis=check_name(basis, BASES, "modulus_basis"),
            parameters=check_identity(parameters, "parameters"),
            key_id=check_identity(key_id, "key_id"),
        )

    @property
    def limb_count(self) -> int:
        """The number of limbs, one a prime id."""
        return self.data.shape[-2]

    @property
    def ring_dimension(self) -> int:
        """N, the number of residues of a polynomial modulo one prime."""
        return self.data.shape[-1]

    def _describe(self) -> Record:
        return Record(
            self._KIND,
            domain=DOMAINS.index(self.polynomial_domain),
            basis=BASES.index(self.modulus_basis),
            rows=self.data.shape[-2],
            ring=self.data.shape[-1],
            parameters=self.parameters,
            key=self.key_id,
            elements=self.data.numel(),
        )


class SecretKey(_Key):
    """A ternary secret: residues int64 [limb, N]. key_id is random, made with the key, and says nothing about it.

    A secret key refuses pickle, copy and torch.save as `secret-key-export`;
    `to_bytes(allow_secret=True)`, `save_value(…, allow_secret=True)` and, within
    the process, `clone` are the explicit ways.
    """

    __slots__ = ("data", "key_id", "modulus_basis", "parameters", "polynomial_domain", "prime_ids")

    _STATE = ("prime_ids", "polynomial_domain", "modulus_basis", "parameters", "key_id")
    _KIND = Kind.SECRET_KEY
    _AXES = "[limb, N]"

    def __init__(
        self,
        data: torch.Tensor,
        prime_ids: Sequence[int],
        polynomial_domain: str = "ntt",
        modulus_basis: str = "QP",
        residue_representation: str = "standard",
        *,
        parameters: str | None = None,
        key_id: str | None = None,
    ) -> None:
        self._set(**self._check(data, (), prime_ids, polynomial_domain, modulus_basis, residue_representation, parameters, key_id))

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise refusal(
            "secret-key-export",
            "a secret key is not pickled, copied or sent by default; use to_bytes(allow_secret=True) or save_value(..., allow_secret=True) "
            "to export it, which does not encrypt it, or clone() for a copy in this process",
        )

    def __copy__(self) -> NoReturn:
        self.__reduce_ex__(4)


class PublicKey(_Key):
    """A public key: residues int64 [2, limb, N] with k0 + k1·s = e."""

    __slots__ = ("data", "key_id", "modulus_basis", "parameters", "polynomial_domain", "prime_ids")

    _STATE = ("prime_ids", "polynomial_domain", "modulus_basis", "parameters", "key_id")
    _KIND = Kind.PUBLIC_KEY
    _AXES = "[2, limb, N]"

    def __init__(
        self,
        data: torch.Tensor,
        prime_ids: Sequence[int],
        polynomial_domain: str = "ntt",
        modulus_basis: str = "Q",
        residue_representation: str = "standard",
        *,
        parameters: str | None = None,
        key_id: str | None = None,
    ) -> None:
        self._set(**self._check(data, (2,), prime_ids, polynomial_domain, modulus_basis, residue_representation, parameters, key_id))


class _SwitchKey(_Key, abstract=True):
    """Residues int64 [digit, 2, limb, N] over all primes of QP: digit d has k0 + k1·s = P·t + e on its own rows."""

    __slots__ = ("data", "key_id", "modulus_basis", "parameters", "polynomial_domain", "prime_ids", "source_key_id")

    _STATE: ClassVar[tuple[str, ...]] = ("prime_ids", "polynomial_domain", "modulus_basis", "parameters", "key_id", "source_key_id")
    _AXES = "[digit, 2, limb, N]"

    source_key_id: str | None

    def __init__(
        self,
        data: torch.Tensor,
        prime_ids: Sequence[int],
        polynomial_domain: str = "ntt",
        modulus_basis: str = "QP",
        residue_representation: str = "standard",
        *,
        parameters: str | None = None,
        key_id: str | None = None,
        source_key_id: str | None = None,
    ) -> None:
        fields = self._check(data, (None, 2), prime_ids, polynomial_domain, modulus_basis, residue_representation, parameters, key_id)
        if fields["modulus_basis"] != "QP":
            raise refusal("state-basis-mismatch", "modulus_basis 'Q'; an evaluation key needs the special primes of 'QP'")
        self._set(**fields, source_key_id=check_identity(source_key_id, "source_key_id"))

    @property
    def digit_count(self) -> int:
        """The number of key-switching digits."""
        return self.data.shape[0]

    def _describe(self) -> Record:
        return super()._describe()._replace(components=self.data.shape[0], source=self.source_key_id)


class KeySwitchKey(_SwitchKey):
    """Leads a ciphertext from the secret source_key_id to key_id: int64 [digit, 2, limb, N]."""

    __slots__ = ()
    _KIND = Kind.SWITCH_KEY


class RelinearizationKey(_SwitchKey):
    """Brings a ciphertext of 3 components to 2: int64 [digit, 2, limb, N], from s² to s."""

    __slots__ = ()
    _KIND = Kind.RELINEARIZATION


class ConjugationKey(_SwitchKey):
    """Conjugates the slots: int64 [digit, 2, limb, N]."""

    __slots__ = ()
    _KIND = Kind.CONJUGATION


class RotationKey(_SwitchKey):
    """Rolls the slots as torch.roll(message, rotation_step) does: int64 [digit, 2, limb, N].

    rotation_step is brought into [-S/2, S/2) for S = N/2 slots, so that steps
    equal modulo S are one step.
    """

    __slots__ = ("rotation_step",)
    _STATE = (*_SwitchKey._STATE, "rotation_step")
    _KIND = Kind.ROTATION

    rotation_step: int

    def __init__(
        self,
        data: torch.Tensor,
        prime_ids: Sequence[int],
        polynomial_domain: str = "ntt",
        modulus_basis: str = "QP",
        residue_representation: str = "standard",
        *,
        rotation_step: int,
        parameters: str | None = None,
        key_id: str | None = None,
        source_key_id: str | None = None,
    ) -> None:
        identities = {"parameters": parameters, "key_id": key_id, "source_key_id": source_key_id}
        super().__init__(data, prime_ids, polynomial_domain, modulus_basis, residue_representation, **identities)
        object.__setattr__(self, "rotation_step", self.normalize_step(rotation_step, ring_dimension=self.ring_dimension))

    @staticmethod
    def normalize_step(step: int, *, ring_dimension: int) -> int:
        """The step in [-S/2, S/2) that is equal to step modulo the S = ring_dimension/2 slots."""
        slots = ring_dimension // 2
        return (integer(step, "rotation step") + slots // 2) % slots - slots // 2

    def _describe(self) -> Record:
        return super()._describe()._replace(step=self.rotation_step)


EvaluationKey = KeySwitchKey | RelinearizationKey | RotationKey | ConjugationKey


def members_agree(keys: Iterator[_SwitchKey]) -> None:
    """Refuses evaluation keys of different rings, parameters or secret keys."""
    first = None
    for key in keys:
        first = first or key
        for name, code in (("ring_dimension", "state-parameters-mismatch"), ("parameters", "state-parameters-mismatch"), ("key_id", "state-key-mismatch")):
            a, b = getattr(first, name), getattr(key, name)
            if a != b:
                raise refusal(code, f"{type(first).__name__} of {name} {a} beside a {type(key).__name__} of {b}; one set holds the keys of one secret key")


__all__ = ["ConjugationKey", "EvaluationKey", "KeySwitchKey", "PublicKey", "RelinearizationKey", "RotationKey", "SecretKey"]
