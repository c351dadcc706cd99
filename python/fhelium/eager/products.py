"""Sums of products of ciphertexts and plaintexts, in one pass over the residues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import refusal
from ..values import Ciphertext, RotationKey
from . import arguments
from .arithmetic import Arithmetic, PublicOperand


class Products(Arithmetic):
    """What a matrix product by diagonals is built of. Ciphertexts and plaintexts are in the NTT domain."""

    __slots__ = ()

    def sum_plaintext_products(
        self, ciphertexts: Sequence[Ciphertext], plaintexts: Sequence[PublicOperand], *, allow_transparent: bool | None = None
    ) -> Ciphertext:
        """Σ ciphertext[t] · plaintext[t]. All ciphertexts agree in state, and all plaintexts in scale."""
        return self._products(ciphertexts, self._groups([plaintexts]), 0, allow_transparent)

    def sum_plaintext_product_groups(
        self, ciphertexts: Sequence[Ciphertext], groups: Sequence[Sequence[PublicOperand]], *, allow_transparent: bool | None = None
    ) -> Ciphertext:
        """For each group g: Σ ciphertext[t] · groups[g][t]. The groups are a new leading batch axis."""
        groups = self._groups(groups)
        return self._products(ciphertexts, groups, len(groups), allow_transparent)

    def sum_rotated_plaintext_product_groups(
        self,
        ciphertext: Ciphertext,
        rotation_keys: Sequence[RotationKey | None],
        groups: Sequence[Sequence[PublicOperand]],
        *,
        allow_transparent: bool | None = None,
    ) -> Ciphertext:
        """For each group g: Σ roll(ciphertext, step of key t) · groups[g][t], as a new leading batch axis, in the NTT domain.

        The ciphertext has 2 components in the coefficient domain; all
        rotations share one decomposition. A key of None is no rotation, and
        may stand once.
        """
        keys, groups = arguments.sequence(rotation_keys, "the rotation keys"), self._groups(groups)
        identities = [i for i, key in enumerate(keys) if key is None]
        if len(identities) > 1:
            raise refusal("argument-invalid", f"{len(identities)} of the rotations are None, the identity; at most one may be")
        identity = identities[0] if identities else -1
        self._require_groups(len(keys), groups)
        self._check_value(ciphertext, Ciphertext)
        for key in keys:
            self._check_value(key, RotationKey, type(None))
        operands = (ciphertext, *(key for key in keys if key is not None), *self._flat(ciphertext, groups))
        ints = (len(groups), len(keys), identity)
        return self._call("sum_rotated_plaintext_product_groups", operands, ints, allow_transparent=allow_transparent)

    def _products(
        self,
        ciphertexts: Sequence[Ciphertext],
        groups: Sequence[Sequence[PublicOperand]],
        axis: int,
        allow_transparent: bool | None,
    ) -> Ciphertext:
        terms = arguments.sequence(ciphertexts, "the ciphertexts")
        self._require_groups(len(terms), groups)
        for term in terms:
            self._check_value(term, Ciphertext)
        operands = (*terms, *self._flat(terms[0], groups))
        return self._call("sum_plaintext_products", operands, (axis, len(terms)), allow_transparent=allow_transparent)

    def _flat(self, ciphertext: Ciphertext, groups: Sequence[Sequence[PublicOperand]]) -> list[PublicOperand]:
        flat = [plaintext for group in groups for plaintext in group]
        for plaintext in flat:
            self._check_residues(ciphertext, plaintext)
        return flat

    @staticmethod
    def _groups(groups: Any) -> list[tuple[PublicOperand, ...]]:
        return [arguments.sequence(group, "the plaintexts of a group") for group in arguments.sequence(groups, "the groups")]

    @staticmethod
    def _require_groups(terms: int, groups: Sequence[Sequence[PublicOperand]]) -> None:
        if terms == 0 or not groups:
            raise refusal("argument-invalid", f"{terms} terms in {len(groups)} groups; at least one of each is needed")
        for i, group in enumerate(groups):
            if len(group) != terms:
                raise refusal("argument-invalid", f"group {i} has {len(group)} plaintexts for {terms} terms; one for each term is needed")
