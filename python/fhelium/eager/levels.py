"""Changes of a value's domain, components, depth and scale."""

from __future__ import annotations

from typing import TypeVar

from ..errors import refusal
from ..values import Ciphertext, CompressedPlaintext, Plaintext, PublicKey, RelinearizationKey, SecretKey, SeededCiphertext
from ..values.keys import EvaluationKey
from . import arguments, results
from .inventory import RELINEARIZATION
from .keys import Keys
from .operations import TRANSFORMS

Rows = TypeVar("Rows", Ciphertext, Plaintext)
Leveled = TypeVar("Leveled", Ciphertext, Plaintext, CompressedPlaintext, SeededCiphertext)
Scaled = TypeVar("Scaled", Ciphertext, Plaintext, CompressedPlaintext)


class Levels(Keys):
    """In-place forms write into the value's own tensor as the last step and give the value back.

    Where rows drop, the value then holds a view of its tensor's last rows.
    """

    __slots__ = ()

    def coefficient_domain_to_ntt_domain(self, value: Rows, inplace: bool = False) -> Rows:
        """Evaluations of residues that are coefficients; refused where they are evaluations already."""
        writes = arguments.flag(inplace, "inplace")
        result = self._call(TRANSFORMS["ntt"], (value,))
        return value._commit_(result) if writes else result

    def coefficient_domain_to_ntt_domain_(self, value: Rows) -> Rows:
        """`coefficient_domain_to_ntt_domain` into the value's tensor."""
        return self.coefficient_domain_to_ntt_domain(value, True)

    def ntt_domain_to_coefficient_domain(self, value: Rows, inplace: bool = False) -> Rows:
        """Coefficients of residues that are evaluations; refused where they are coefficients already."""
        writes = arguments.flag(inplace, "inplace")
        result = self._call(TRANSFORMS["coefficient"], (value,))
        return value._commit_(result) if writes else result

    def ntt_domain_to_coefficient_domain_(self, value: Rows) -> Rows:
        """`ntt_domain_to_coefficient_domain` into the value's tensor."""
        return self.ntt_domain_to_coefficient_domain(value, True)

    def relinearize(
        self, ciphertext: Ciphertext, key: RelinearizationKey | None = None, *, output_domain: str = "coefficient"
    ) -> Ciphertext:
        """2 components of 3, in the NTT domain and basis Q.

        Without a key given or installed, one is made where automatic
        generation is allowed; otherwise it is refused as `key-absent`.
        """
        return self._relinearizing("relinearize", (ciphertext,), key, output_domain)

    def relinearize_rescale(
        self, ciphertext: Ciphertext, key: RelinearizationKey | None = None, *, output_domain: str = "coefficient"
    ) -> Ciphertext:
        """`relinearize`, then `rescale_to_next_depth`, in one division: faster than both, and rounded once."""
        return self._relinearizing("relinearize_rescale", (ciphertext,), key, output_domain)

    def multiply_relinearize_rescale(
        self, left: Ciphertext, right: Ciphertext, key: RelinearizationKey | None = None, *, output_domain: str = "coefficient"
    ) -> Ciphertext:
        """`multiply`, then `relinearize_rescale`, without the product of 3 components in between."""
        return self._relinearizing("multiply_relinearize_rescale", (left, right), key, output_domain)

    def _relinearizing(self, name: str, values: tuple[Ciphertext, ...], key: RelinearizationKey | None, output_domain: str) -> Ciphertext:
        domain = arguments.domain(output_domain, "output_domain")
        for value in values:
            self._check_value(value, Ciphertext)
        if key is None:
            return self._call_with_keys(name, values, [RELINEARIZATION], (domain,))
        return self._call(name, (*values, key), (domain,))

    def rescale_to_next_depth(self, ciphertext: Ciphertext, *, rounding: str = "nearest", inplace: bool = False) -> Ciphertext:
        """Divides message and scale by the leading depth group, and drops it. Keeps domain, components and basis.

        The scale becomes exactly scale / rescale_divisor(depth). Refused as
        `levels-exhausted` at the last depth.
        """
        writes = arguments.flag(inplace, "inplace")
        mode = arguments.choice(rounding, arguments.ROUNDINGS, "rounding")
        result = self._call("rescale_to_next_depth", (ciphertext,), (mode,))
        return ciphertext._commit_(result) if writes else result

    def rescale_to_next_depth_(self, ciphertext: Ciphertext, *, rounding: str = "nearest") -> Ciphertext:
        """`rescale_to_next_depth` into the ciphertext's tensor."""
        return self.rescale_to_next_depth(ciphertext, rounding=rounding, inplace=True)

    def mod_switch_to_depth(self, value: Leveled, depth: int, inplace: bool = False) -> Leveled:
        """Drops leading rows down to a depth; message and scale stay. Rows that were dropped cannot come back."""
        writes = arguments.flag(inplace, "inplace")
        target = arguments.integer(depth, "depth")
        result = self._call("mod_switch_to_depth", (value,), (target,))
        return value._commit_(result) if writes else result

    def mod_switch_to_depth_(self, value: Ciphertext, depth: int) -> Ciphertext:
        """`mod_switch_to_depth` in the value's tensor."""
        return self.mod_switch_to_depth(value, depth, True)

    def mod_switch_to_next_depth(self, value: Leveled, inplace: bool = False) -> Leveled:
        """Drops the leading depth group; message and scale stay."""
        self._check_value(value, Ciphertext, Plaintext, CompressedPlaintext, SeededCiphertext)
        return self.mod_switch_to_depth(value, value.depth + 1, inplace)

    def mod_switch_to_next_depth_(self, value: Ciphertext) -> Ciphertext:
        """`mod_switch_to_next_depth` in the value's tensor."""
        return self.mod_switch_to_next_depth(value, True)

    def reinterpret_at_scale(
        self, value: Scaled, scale: float, *, max_relative_change: float | None = None, inplace: bool = False
    ) -> Scaled:
        """Records another scale for the same residues, which divides the message by scale / value.scale.

        Refused as `scale-reinterpretation` where the larger of both scales
        exceeds the smaller by more than max_relative_change.
        """
        writes = arguments.flag(inplace, "inplace")
        bound = -1.0
        if max_relative_change is not None:
            bound = arguments.real(max_relative_change, "max_relative_change")
            if not bound >= 0:
                raise refusal("argument-invalid", f"max_relative_change {bound}; a number of at least 0 is needed, or None for no bound")
        record = self._plan("reinterpret_at_scale", (value,), (), (arguments.scale(scale), bound))[0]
        result = value.clone()._with(scale=record[results.SCALE])
        return value._commit_(result) if writes else result

    def reinterpret_at_scale_(self, value: Scaled, scale: float, *, max_relative_change: float | None = None) -> Scaled:
        """`reinterpret_at_scale` on the value itself."""
        return self.reinterpret_at_scale(value, scale, max_relative_change=max_relative_change, inplace=True)

    def validate_ciphertext(self, ciphertext: Ciphertext) -> None:
        """Refuses a ciphertext that is not of this engine's parameters, or has a residue that is not below its prime."""
        self._check_value(ciphertext, Ciphertext)
        self._call_many("validate", (ciphertext,))

    def validate_plaintext(self, plaintext: Plaintext | CompressedPlaintext) -> None:
        """As `validate_ciphertext`, for a plaintext of residues."""
        self._check_value(plaintext, Plaintext, CompressedPlaintext)
        self._call_many("validate", (plaintext,))

    def validate_public_key(self, key: PublicKey) -> None:
        """As `validate_ciphertext`, for a public key."""
        self._check_value(key, PublicKey)
        self._call_many("validate", (key,))

    def validate_secret_key(self, key: SecretKey) -> None:
        """As `validate_ciphertext`, for a secret key."""
        self._check_value(key, SecretKey)
        self._call_many("validate", (key,))

    def validate_key_switch_key(self, key: EvaluationKey) -> None:
        """As `validate_ciphertext`, for any evaluation key."""
        self._check_value(key, *EvaluationKey.__args__)
        self._call_many("validate", (key,))
