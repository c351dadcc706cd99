"""Ciphertexts, and fresh ones whose second component is a seed."""

from collections.abc import Sequence
from numbers import Real
from typing import Any, Self

import torch

from ..errors import refusal
from .batched import Batched
from .parameters import known
from .record import Kind, Record
from .resident import Value
from .state import (
    BASES,
    DOMAINS,
    check_batch,
    check_depth,
    check_identity,
    check_name,
    check_prime_ids,
    check_residues,
    check_rows,
    check_scale,
    check_tensor,
    integer,
    same_device,
    sequence,
)

_AXES = "[component, *batch, limb, N]"


class Ciphertext(Batched):
    """Encrypted messages: residues int64 [component, *batch, limb, N] of 2 or 3 components.

    depth counts the rescales that were used; scale is what the message was
    multiplied by; prime_ids name the limbs' primes, consecutive, those of Q
    before the special ones. polynomial_domain is "coefficient" or "ntt",
    modulus_basis "Q" or "QP". parameters is the fingerprint of the parameter
    set and key_id the identity of the secret key that decrypts it, 32 hex
    digits each, or None where not known; an engine takes no ciphertext
    without them.
    """

    __slots__ = ("data", "depth", "key_id", "modulus_basis", "parameters", "polynomial_domain", "prime_ids", "scale")

    _STATE = ("depth", "scale", "prime_ids", "polynomial_domain", "modulus_basis", "parameters", "key_id")
    _BATCH_START = {"data": 1}

    depth: int
    scale: float
    prime_ids: tuple[int, ...]
    polynomial_domain: str
    modulus_basis: str
    parameters: str | None
    key_id: str | None

    def __init__(
        self,
        data: torch.Tensor,
        depth: int,
        scale: float,
        prime_ids: Sequence[int],
        polynomial_domain: str = "coefficient",
        modulus_basis: str = "Q",
        residue_representation: str = "standard",
        *,
        parameters: str | None = None,
        key_id: str | None = None,
    ) -> None:
        check_tensor(data, (torch.int64,), _AXES, 3)
        check_components(data.shape[0])
        check_batch(data.shape[1:-2])
        check_rows(data.shape, _AXES)
        check_residues(residue_representation)
        depth = check_depth(depth)
        self._set(
            data=data,
            depth=depth,
            scale=check_scale(scale),
            prime_ids=check_prime_ids(prime_ids, data.shape[-2], depth),
            polynomial_domain=check_name(polynomial_domain, DOMAINS, "polynomial_domain"),
            modulus_basis=check_name(modulus_basis, BASES, "modulus_basis"),
            parameters=check_identity(parameters, "parameters"),
            key_id=check_identity(key_id, "key_id"),
        )

    @property
    def component_count(self) -> int:
        """2, or 3 for a product that was not relinearized."""
        return self.data.shape[0]

    def component(self, index: int) -> torch.Tensor:
        """One component [*batch, limb, N], as a view."""
        i = integer(index, "component")
        if not 0 <= i < self.component_count:
            raise refusal("state-components-mismatch", f"component {i} of {self.component_count}; 0 … {self.component_count - 1} exist")
        return self.data[i]

    @property
    def c0(self) -> torch.Tensor:
        """Component 0 as a view."""
        return self.data[0]

    @property
    def c1(self) -> torch.Tensor:
        """Component 1 as a view."""
        return self.data[1]

    @property
    def c2(self) -> torch.Tensor:
        """Component 2 as a view, of a product that was not relinearized."""
        return self.component(2)

    def with_data(self, data: torch.Tensor) -> Self:
        """The same state with other residues, of as many limbs."""
        return type(self)(**(self._fields() | {"data": data}))

    def assert_state(self, **expected: Any) -> Self:
        """Refuses unless each named field or property has the expected value; gives the ciphertext itself.

        Names: depth, scale, prime_ids, polynomial_domain, modulus_basis,
        residue_representation, component_count, batch_shape, limb_count,
        ring_dimension, parameters, key_id.
        """
        codes = {
            "depth": "state-depth-mismatch", "scale": "state-scale-mismatch", "prime_ids": "state-rows-mismatch",
            "polynomial_domain": "state-domain-mismatch", "modulus_basis": "state-basis-mismatch",
            "residue_representation": "residue-representation-unsupported", "component_count": "state-components-mismatch",
            "batch_shape": "state-batch-mismatch", "limb_count": "state-rows-mismatch", "ring_dimension": "state-parameters-mismatch",
            "parameters": "state-parameters-mismatch", "key_id": "state-key-mismatch",
        }  # fmt: skip
        for name, wanted in expected.items():
            if name not in codes:
                raise refusal("argument-type", f"assert_state knows no {name!r}; it knows {', '.join(codes)}")
            found = getattr(self, name)
            if isinstance(found, tuple):
                wanted = tuple(integer(x, name) for x in sequence(wanted, name))
            elif not isinstance(wanted, (Real, str, type(None))):
                wanted = f"a {type(wanted).__name__}"
            if found != wanted:
                raise refusal(codes[name], f"{name} is {found}, expected {wanted}")
        return self

    def replace_(self, other: "Ciphertext") -> Self:
        """Takes over another ciphertext's tensor and state, without a copy: afterwards both hold the same tensor."""
        if not isinstance(other, Ciphertext):
            raise refusal("argument-type", f"cannot become a {type(other).__name__}; a Ciphertext is needed")
        self._set(**other._fields())
        object.__setattr__(self, "_vouched", other._vouched)
        return self

    def _describe(self) -> Record:
        return Record(
            Kind.CIPHERTEXT,
            depth=self.depth,
            scale=self.scale,
            domain=DOMAINS.index(self.polynomial_domain),
            basis=BASES.index(self.modulus_basis),
            first=self.prime_ids[0],
            rows=self.data.shape[-2],
            components=self.data.shape[0],
            ring=self.data.shape[-1],
            batch=self.batch_shape,
            parameters=self.parameters,
            key=self.key_id,
            elements=self.data.numel(),
        )


def check_components(count: int) -> None:
    """Refuses a number of components other than 2 and 3."""
    if count not in (2, 3):
        raise refusal("state-components-mismatch", f"{count} components; a ciphertext has 2, or 3 before it is relinearized, on its first axis")


class SeededCiphertext(Value):
    """A fresh ciphertext of half the size: component 0, and a public seed from which component 1 grows.

    data is int64 [*batch, limb, N], seed int64 [4]: 256 public random bits for
    the whole batch. `expand` gives the Ciphertext. It needs an engine of the
    parameters, because a value knows them by their fingerprint alone.
    """

    __slots__ = ("data", "depth", "key_id", "modulus_basis", "parameters", "polynomial_domain", "prime_ids", "scale", "seed")

    _TENSORS = ("data", "seed")
    _BESIDE = "seed"
    _STATE = ("depth", "scale", "prime_ids", "polynomial_domain", "modulus_basis", "parameters", "key_id")

    seed: torch.Tensor
    depth: int
    scale: float
    prime_ids: tuple[int, ...]
    polynomial_domain: str
    modulus_basis: str
    parameters: str | None
    key_id: str | None

    def __init__(
        self,
        data: torch.Tensor,
        seed: torch.Tensor,
        depth: int,
        scale: float,
        prime_ids: Sequence[int],
        polynomial_domain: str = "ntt",
        modulus_basis: str = "Q",
        residue_representation: str = "standard",
        *,
        parameters: str | None = None,
        key_id: str | None = None,
    ) -> None:
        check_tensor(data, (torch.int64,), "[*batch, limb, N]", 2)
        check_batch(data.shape[:-2])
        check_rows(data.shape, "[*batch, limb, N]")
        check_tensor(seed, (torch.int64,), "[4]", 1)
        if seed.shape != (4,):
            raise refusal("shape-invalid", f"a seed of shape {tuple(seed.shape)}; it has 4 words")
        same_device(data, seed)
        check_residues(residue_representation)
        depth = check_depth(depth)
        self._set(
            data=data,
            seed=seed,
            depth=depth,
            scale=check_scale(scale),
            prime_ids=check_prime_ids(prime_ids, data.shape[-2], depth),
            polynomial_domain=check_name(polynomial_domain, DOMAINS, "polynomial_domain"),
            modulus_basis=check_name(modulus_basis, BASES, "modulus_basis"),
            parameters=check_identity(parameters, "parameters"),
            key_id=check_identity(key_id, "key_id"),
        )

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The extents of the batch axes, outermost first."""
        return tuple(self.data.shape[:-2])

    @property
    def limb_count(self) -> int:
        """The number of limbs, one a prime id."""
        return self.data.shape[-2]

    @property
    def ring_dimension(self) -> int:
        """N, the number of residues of a polynomial modulo one prime."""
        return self.data.shape[-1]

    def expand(self, engine: Any = None) -> Ciphertext:
        """The ciphertext of 2 components that this stands for. Needs no key.

        Any engine of its parameters serves; without one, a CkksConfig of them
        has to have been made in this process.
        """
        if engine is None:
            from ..eager import Engine

            parameters = known(self.parameters)
            if parameters is None:
                raise refusal(
                    "state-parameters-mismatch",
                    f"no parameters {(self.parameters or 'none'):.8} are known in this process; give an engine of the value's parameters",
                )
            with Engine(parameters, allow_automatic_key_generation=False) as engine:
                return self.expand(engine)
        expanded: Ciphertext = engine.expand(self)
        return expanded

    def _describe(self) -> Record:
        return Record(
            Kind.SEEDED,
            depth=self.depth,
            scale=self.scale,
            domain=DOMAINS.index(self.polynomial_domain),
            basis=BASES.index(self.modulus_basis),
            first=self.prime_ids[0],
            rows=self.data.shape[-2],
            ring=self.data.shape[-1],
            batch=self.batch_shape,
            parameters=self.parameters,
            key=self.key_id,
            elements=self.data.numel(),
            implicit=4,
        )
