"""Sums and products of ciphertexts, plaintexts and numbers."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import refusal
from ..values import Ciphertext, CompressedPlaintext, Plaintext
from . import arguments
from .operations import Operations

PublicOperand = Plaintext | CompressedPlaintext


class Arithmetic(Operations):
    """Nothing is aligned: operands agree in depth, scale, domain, basis, primes, parameters and secret key, or are refused.

    `scale_tolerance` admits scales that differ by that relative amount; the
    result has the left operand's. `allow_transparent` overrides the engine's
    setting for one call. With `inplace`, or a trailing underscore, the result
    is written into the first operand's tensor as the last step, and the first
    operand is given back.
    """

    __slots__ = ()

    def add(
        self,
        left: Ciphertext,
        right: Ciphertext,
        inplace: bool = False,
        *,
        scale_tolerance: float = 0.0,
        allow_transparent: bool | None = None,
    ) -> Ciphertext:
        """left + right, of equally many components."""
        writes = arguments.flag(inplace, "inplace")
        tolerance = arguments.tolerance(scale_tolerance)
        result = self._call("add", (left, right), (), (tolerance,), allow_transparent=allow_transparent)
        return left._commit_(result) if writes else result

    def add_(self, left: Ciphertext, right: Ciphertext, *, scale_tolerance: float = 0.0) -> Ciphertext:
        """left + right into left's tensor."""
        return self.add(left, right, True, scale_tolerance=scale_tolerance)

    def subtract(
        self,
        left: Ciphertext,
        right: Ciphertext,
        inplace: bool = False,
        *,
        scale_tolerance: float = 0.0,
        allow_transparent: bool | None = None,
    ) -> Ciphertext:
        """left − right, of equally many components."""
        writes = arguments.flag(inplace, "inplace")
        tolerance = arguments.tolerance(scale_tolerance)
        result = self._call("subtract", (left, right), (), (tolerance,), allow_transparent=allow_transparent)
        return left._commit_(result) if writes else result

    def subtract_(self, left: Ciphertext, right: Ciphertext, *, scale_tolerance: float = 0.0) -> Ciphertext:
        """left − right into left's tensor."""
        return self.subtract(left, right, True, scale_tolerance=scale_tolerance)

    def negate(self, ciphertext: Ciphertext, inplace: bool = False) -> Ciphertext:
        """−ciphertext."""
        writes = arguments.flag(inplace, "inplace")
        result = self._call("negate", (ciphertext,))
        return ciphertext._commit_(result) if writes else result

    def negate_(self, ciphertext: Ciphertext) -> Ciphertext:
        """−ciphertext into its own tensor."""
        return self.negate(ciphertext, True)

    def sum_ciphertexts(
        self, ciphertexts: Sequence[Ciphertext], *, scale_tolerance: float = 0.0, allow_transparent: bool | None = None
    ) -> Ciphertext:
        """The sum of one or more ciphertexts, in a tensor of its own."""
        tolerance = arguments.tolerance(scale_tolerance)
        return self._call("sum_ciphertexts", arguments.sequence(ciphertexts, "the ciphertexts"), (), (tolerance,), allow_transparent=allow_transparent)

    def sum_ciphertext_batch(self, ciphertext: Ciphertext, dim: int = 0, *, allow_transparent: bool | None = None) -> Ciphertext:
        """The sum along one batch axis, which the result does not have."""
        self._check_value(ciphertext, Ciphertext)
        axis = ciphertext._axis(dim)
        return self._call("sum_ciphertext_batch", (ciphertext,), (axis,), allow_transparent=allow_transparent)

    def add_plaintext(
        self, ciphertext: Ciphertext, plaintext: PublicOperand, inplace: bool = False, *, scale_tolerance: float = 0.0
    ) -> Ciphertext:
        """Adds residues in the ciphertext's domain to component 0. A plaintext without a batch serves every batch."""
        writes = arguments.flag(inplace, "inplace")
        self._check_residues(ciphertext, plaintext)
        result = self._call("add_plaintext", (ciphertext, plaintext), (), (arguments.tolerance(scale_tolerance),))
        return ciphertext._commit_(result) if writes else result

    def add_plaintext_(self, ciphertext: Ciphertext, plaintext: PublicOperand, *, scale_tolerance: float = 0.0) -> Ciphertext:
        """`add_plaintext` into the ciphertext's tensor."""
        return self.add_plaintext(ciphertext, plaintext, True, scale_tolerance=scale_tolerance)

    def subtract_plaintext(
        self, ciphertext: Ciphertext, plaintext: PublicOperand, inplace: bool = False, *, scale_tolerance: float = 0.0
    ) -> Ciphertext:
        """Subtracts residues in the ciphertext's domain from component 0."""
        writes = arguments.flag(inplace, "inplace")
        self._check_residues(ciphertext, plaintext)
        result = self._call("subtract_plaintext", (ciphertext, plaintext), (), (arguments.tolerance(scale_tolerance),))
        return ciphertext._commit_(result) if writes else result

    def subtract_plaintext_(self, ciphertext: Ciphertext, plaintext: PublicOperand, *, scale_tolerance: float = 0.0) -> Ciphertext:
        """`subtract_plaintext` into the ciphertext's tensor."""
        return self.subtract_plaintext(ciphertext, plaintext, True, scale_tolerance=scale_tolerance)

    def multiply_plaintext(
        self, ciphertext: Ciphertext, plaintext: PublicOperand, inplace: bool = False, *, allow_transparent: bool | None = None
    ) -> Ciphertext:
        """Multiplies slots; both are in the NTT domain. The result's scale is the product of both."""
        writes = arguments.flag(inplace, "inplace")
        self._check_residues(ciphertext, plaintext)
        result = self._call("multiply_plaintext", (ciphertext, plaintext), allow_transparent=allow_transparent)
        return ciphertext._commit_(result) if writes else result

    def multiply_plaintext_(self, ciphertext: Ciphertext, plaintext: PublicOperand) -> Ciphertext:
        """`multiply_plaintext` into the ciphertext's tensor."""
        return self.multiply_plaintext(ciphertext, plaintext, True)

    def multiply(self, left: Ciphertext, right: Ciphertext, *, allow_transparent: bool | None = None) -> Ciphertext:
        """The product of slots, of 3 components, in the NTT domain, at the product of both scales.

        Takes 2 components each, in the NTT domain. Neither relinearizes nor rescales.
        """
        return self._call("multiply", (left, right), allow_transparent=allow_transparent)

    def add_scalar(self, ciphertext: Ciphertext, scalar: float, scalar_scale: float | None = None, *, inplace: bool = False) -> Ciphertext:
        """Adds one real number to all slots. Takes the coefficient domain; the scale stays."""
        writes = arguments.flag(inplace, "inplace")
        self._check_value(ciphertext, Ciphertext)
        scale = ciphertext.scale if scalar_scale is None else arguments.scale(scalar_scale)
        result = self._call("add_scalar", (ciphertext,), (), (arguments.real(scalar, "the scalar"), scale))
        return ciphertext._commit_(result) if writes else result

    def multiply_scalar(
        self,
        ciphertext: Ciphertext,
        scalar: float,
        scalar_scale: float | None = None,
        *,
        inplace: bool = False,
        allow_transparent: bool | None = None,
    ) -> Ciphertext:
        """Multiplies all slots by one real number, encoded at scalar_scale (by default the ciphertext's), which multiplies the scale."""
        writes = arguments.flag(inplace, "inplace")
        self._check_value(ciphertext, Ciphertext)
        scale = ciphertext.scale if scalar_scale is None else arguments.scale(scalar_scale)
        floats = (arguments.real(scalar, "the scalar"), scale)
        result = self._call("multiply_scalar", (ciphertext,), (), floats, allow_transparent=allow_transparent)
        return ciphertext._commit_(result) if writes else result

    def multiply_integer_scalar(
        self, ciphertext: Ciphertext, scalar: int, *, inplace: bool = False, allow_transparent: bool | None = None
    ) -> Ciphertext:
        """Multiplies all slots by an integer; the scale stays."""
        writes = arguments.flag(inplace, "inplace")
        number = arguments.integer(scalar, "the scalar")
        result = self._call("multiply_integer_scalar", (ciphertext,), (number,), allow_transparent=allow_transparent)
        return ciphertext._commit_(result) if writes else result

    def _check_residues(self, ciphertext: Ciphertext, plaintext: PublicOperand) -> None:
        self._check_value(ciphertext, Ciphertext)
        self._check_value(plaintext, Plaintext, CompressedPlaintext)
        if not plaintext.is_rns:
            raise refusal(
                "state-kind-mismatch",
                f"the plaintext holds {plaintext.representation}, residues (rns) are needed; call prepare_plaintext_for_addition or "
                "prepare_plaintext_for_multiplication first",
            )
