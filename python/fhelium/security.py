"""Whether parameters are known to be secure: a look-up in a published table."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .errors import refusal
from .values.state import integer, real

STANDARD_SIGMA = 3.19
"""The standard deviation of the errors that the table is made for."""


@dataclass(frozen=True)
class SecurityAssessment:
    """The answer of the security table, with everything that was compared.

    The source is the Security Guidelines for Implementing Homomorphic
    Encryption (IACR Communications in Cryptology, 2025), classical attacks. It
    is looked up and never interpolated.
    """

    ring_dimension: int
    modulus_bits: int
    """The exact bit length of QP."""
    budget_bits: int
    """The most bits that the table allows; 0 where it has no row."""
    target_bits: int
    secret_distribution: str
    error_stddev: float
    status: str
    """"meets", "exceeds", or "unsupported" where the table has no row."""
    reason: str
    """Why there is no row; else empty."""

    @property
    def meets(self) -> bool:
        """Whether the table confirms the target."""
        return self.status == "meets"


def assess_security(
    N: int,
    *,
    modulus: int | None = None,
    moduli: Iterable[int] | None = None,
    target_bits: int = 128,
    secret_distribution: str = "ternary",
    error_stddev: float = STANDARD_SIGMA,
) -> SecurityAssessment:
    """Looks up whether ring dimension N with a modulus, or with the product of moduli, reaches target_bits of security.

    Give exactly one of modulus and moduli. secret_distribution is "ternary",
    "gaussian", or "sparse", which the table does not cover; it covers an
    error_stddev of 3.19 alone. Parameters without a row are an answer, of
    status "unsupported"; a ring dimension that is no power of two, a modulus
    below 1, a target other than 128, 192 and 256 and a distribution of another
    name are refused with ConfigurationError.
    """
    from ._binding import call, go

    if (modulus is None) == (moduli is None):
        raise refusal("argument-invalid", f"{'both' if moduli is not None else 'neither'} of modulus and moduli given; exactly one is needed")
    factors: list[Any] = [modulus] if moduli is None else list(moduli)
    if not all(isinstance(m, int) and not isinstance(m, bool) for m in factors):
        raise refusal("argument-type", "a modulus is an int")
    if not factors or min(factors) < 1:
        raise refusal("config-modulus-invalid", f"the modulus is {min(factors, default='missing')}; it is at least 1")
    if not isinstance(secret_distribution, str):
        raise refusal("argument-type", f"secret_distribution is a {type(secret_distribution).__name__}; a str is needed")
    ring, target = integer(N, "N"), integer(target_bits, "target_bits")
    answer = call(go.pybind_AssessSecurity, ring, math.prod(factors).bit_length(), target, secret_distribution, real(error_stddev, "error_stddev"))
    return SecurityAssessment(**json.loads(answer))
