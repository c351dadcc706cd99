"""Between messages, coefficients and residues."""

from __future__ import annotations

from typing import Any, Literal

import torch

from ..errors import EncodeOverflowError, refusal
from ..values import Ciphertext, CompressedPlaintext, Plaintext
from ..values.placement import moved, named, place
from ..values.state import check_batch
from . import arguments
from .keys import Keys
from .messages import Message, read

_INT64_LIMIT = 2.0**63


class Encoding(Keys):
    """slots → integer_coefficients → rns; and approximate_coefficients, decrypted, → slots.

    Encoding rounds to the nearest integer, ties to even, and is exact and
    deterministic at every scale. A message is refused as `encode-overflow` if
    and only if a coefficient reaches half the modulus of its depth.
    """

    __slots__ = ()

    def plaintext(self, message: Any, depth: int = 0, scale: float | None = None, *, device: Any = None) -> Plaintext:
        """A plaintext of slots: the checked message with the depth and scale at which it will be encoded.

        A number without an axis fills all slots; a message [*batch, n] of
        n ≤ num_slots is padded with zeros.
        """
        content = self._message(message, device)
        if content.data.shape[-1] > self.num_slots:
            raise refusal(
                "message-invalid",
                f"the message has {content.data.shape[-1]} values, but a ciphertext of these parameters holds {self.num_slots}; split it or batch it",
            )
        data = content.data.reshape(()) if content.fill else content.data
        check_batch(data.shape[:-1])
        state = {"depth": self._depth(depth), "scale": self._scale(scale), "parameters": self._config.fingerprint}
        absent = dict.fromkeys(("data", "polynomial_domain", "modulus_basis", "prime_ids"))
        return Plaintext._trusted(message=data, representation="slots", **state, **absent)

    def encode(
        self, message: Any, depth: int | None = None, scale: float | None = None, *, slots: int | None = None, device: Any = None
    ) -> Plaintext:
        """Integer coefficients [*batch, N]: int64 where they fit, else float64 that holds integers exactly.

        The message is as for `plaintext`, or a plaintext of slots, whose depth
        and scale hold where none are given. `slots`, a power of two, packs
        sparsely: the message, padded to that many, repeats to fill all slots.
        """
        content, depth, scale = self._content(message, depth, scale, device)
        encoded = self._encode("encode", content, scale, depth, self._packing(content, slots))
        if encoded.data.abs().amax() < _INT64_LIMIT:
            return encoded._with(data=encoded.data.to(torch.int64))
        return encoded

    def integer_coefficients_to_rns(self, plaintext: Plaintext, modulus_basis: str = "Q") -> Plaintext:
        """Residues [*batch, limb, N] in the coefficient domain, of slots or of integer coefficients."""
        self._check_value(plaintext, Plaintext)
        if plaintext.representation not in ("slots", "integer_coefficients"):
            raise refusal("state-kind-mismatch", f"got a plaintext of {plaintext.representation}; slots or integer_coefficients are needed")
        return self._residues(plaintext, modulus_basis, "coefficient")

    def prepare_plaintext_for_addition(
        self, plaintext: Plaintext, modulus_basis: str = "Q", polynomial_domain: str = "coefficient"
    ) -> Plaintext:
        """Residues in the domain of the ciphertext that the plaintext will be added to."""
        return self._residues(plaintext, modulus_basis, polynomial_domain)

    def prepare_plaintext_for_multiplication(self, plaintext: Plaintext, modulus_basis: str = "Q") -> Plaintext:
        """Residues in the NTT domain."""
        return self._residues(plaintext, modulus_basis, "ntt")

    def prepare_compressed_plaintext(
        self,
        message: Any,
        depth: int = 0,
        scale: float | None = None,
        modulus_basis: str = "Q",
        polynomial_domain: str = "ntt",
        *,
        device: Any = None,
    ) -> CompressedPlaintext:
        """Residues of one period of slots, which repeats to fill all slots.

        The period is a power of two below num_slots. The NTT domain gives the
        contiguous layout, the coefficient domain the strided-sparse one; both
        store 2 · period words a row, and 4 for a period of one complex slot where the generator is 3.
        """
        content, depth, scale = self._content(message, depth, scale, device)
        return self._encode("encode_compressed", content, scale, depth, arguments.basis(modulus_basis), arguments.domain(polynomial_domain))

    def prepare_public_operand(
        self,
        public: Any,
        ciphertext: Ciphertext,
        *,
        operation: Literal["add", "multiply"],
        source_role: Literal["message", "plaintext", "static"] | None = None,
        scale_mode: Literal["ciphertext", "default", "own"] | None = None,
    ) -> Plaintext | CompressedPlaintext:
        """Brings cleartext to the depth, basis and domain at which it meets a ciphertext.

        `public` is a message, a plaintext in any representation but
        approximate_coefficients, or a compressed plaintext; `source_role` only
        refuses what is something else ("static" is either). A message is
        encoded at the ciphertext's scale for an addition and at the default
        scale for a multiplication, unless `scale_mode` says otherwise; a
        plaintext keeps its own scale. What cannot meet the ciphertext is refused.
        """
        self._check_value(ciphertext, Ciphertext)
        is_value = isinstance(public, (Plaintext, CompressedPlaintext))
        role = arguments.choice("static" if source_role is None else source_role, {"static": 0, "message": 1, "plaintext": 2}, "source_role")
        if role and (role == 2) != is_value:
            raise refusal("argument-type", f"got a {type(public).__name__} in the role of a {source_role}")
        mode = arguments.choice("own" if scale_mode is None else scale_mode, {"own": 0, "ciphertext": 1, "default": 2}, "scale_mode")
        adds = arguments.choice(operation, {"multiply": 0, "add": 1}, "operation")
        if isinstance(public, CompressedPlaintext) or (is_value and public.is_rns):
            prepared = public
        else:
            if not is_value:
                if scale_mode == "own":
                    raise refusal("argument-invalid", 'scale_mode "own" of a message, which has none; "ciphertext" or "default" is needed')
                scale = ciphertext.scale if mode == 1 or (mode == 0 and adds) else None
                public = self.plaintext(public, ciphertext.depth, scale, device=ciphertext.device)
            prepared = self._residues(public, ciphertext.modulus_basis, ciphertext.polynomial_domain if adds else "ntt")
        floats = (0.0,) if adds else ()
        self._plan("add_plaintext" if adds else "multiply_plaintext", (ciphertext, prepared), (), floats)
        return prepared

    def decode(self, plaintext: Plaintext, *, is_real: bool = False, slots: int | None = None, device: Any = None) -> torch.Tensor:
        """The message complex128 [*batch, slots], or its real parts float64, of slots or of integer or approximate coefficients.

        `slots` reads a sparse packing: the first of its equal periods.
        """
        self._check_value(plaintext, Plaintext)
        reals, target = arguments.flag(is_real, "is_real"), None if device is None else place(device)
        count = 0 if slots is None else arguments.integer(slots, "slots")
        if plaintext.representation == "slots":
            message = self._call("decode", (self.encode(plaintext),), (count,))
        else:
            message = self._call("decode", (plaintext,), (count,))
        if reals:
            message = message.real.contiguous()
        return message if target is None else moved(message, target)

    def zero_plaintext_like(self, plaintext: Plaintext | CompressedPlaintext) -> Plaintext | CompressedPlaintext:
        """Zeros in the same representation and state, in tensors of their own."""
        self._check_value(plaintext, Plaintext, CompressedPlaintext)
        with named(f"zeros of {plaintext.nbytes} bytes"):
            return plaintext._map(torch.zeros_like)

    def _message(self, message: Any, device: Any) -> Message:
        return read(message, self._message_device(message, device))

    def _message_device(self, message: Any, device: Any) -> torch.device:
        if device is None and isinstance(message, torch.Tensor):
            self._bundle(message.device)
            return message.device
        return self._factory_device(device)

    def _content(self, message: Any, depth: Any, scale: Any, device: Any) -> tuple[Message, int, float]:
        """A message, or a plaintext of slots, with its depth and scale."""
        if isinstance(message, Plaintext):
            if message.representation != "slots":
                raise refusal("state-kind-mismatch", f"got a plaintext of {message.representation}; a message or slots are needed")
            self._check_parameters(message)
            depth = message.depth if depth is None else depth
            scale = message.scale if scale is None else scale
            message = message.message
        return self._message(message, device), self._depth(0 if depth is None else depth), self._scale(scale)

    def _check_parameters(self, value: Any) -> None:
        if value.parameters not in (None, self._config.fingerprint):
            raise refusal(
                "state-parameters-mismatch",
                f"a plaintext of parameters {value.parameters:.8}, but the engine's parameters are {self._config.fingerprint:.8}; "
                "use an engine of the value's parameters",
            )

    def _depth(self, depth: Any) -> int:
        number = arguments.integer(depth, "depth")
        if not 0 <= number <= self._config.max_depth:
            raise refusal("depth-invalid", f"depth {number} is outside 0..{self._config.max_depth} of these parameters")
        return number

    def _scale(self, scale: Any) -> float:
        return self._config.default_scale if scale is None else arguments.scale(scale)

    def _packing(self, content: Message, slots: Any) -> int:
        """The number of slots to pack into; 0 is all of them. One number fills them all from one slot."""
        if slots is None:
            return 1 if content.fill else 0
        number = arguments.integer(slots, "slots")
        if number == 0:
            raise refusal("message-invalid", f"packing into 0 slots; a power of two from 1 to {self.num_slots} is needed")
        return 1 if content.fill else number

    def _encode(self, name: str, content: Message, scale: float, *ints: int) -> Any:
        try:
            encoded = self._call(name, (content,), ints, (scale,))
        except EncodeOverflowError as error:
            raise refusal(error.code, f"{error.detail}; {content.where_largest()}") from None
        content.warn_if_lost(scale)
        return encoded

    def _encode_rows(self, content: Message, depth: int, scale: float, slots: Any, basis: str, domain: str) -> Plaintext:
        packing = self._packing(content, slots)
        return self._encode("encode_rows", content, scale, depth, packing, arguments.basis(basis), arguments.domain(domain))

    def _residues(self, plaintext: Plaintext, basis: str, domain: str) -> Plaintext:
        """Residues in a basis and domain, of any representation that has not been decrypted."""
        self._check_value(plaintext, Plaintext)
        if plaintext.representation == "slots":
            content, depth, scale = self._content(plaintext, None, None, None)
            return self._encode_rows(content, depth, scale, None, basis, domain)
        if not plaintext.is_rns:
            return self._call("integer_coefficients_to_rns", (plaintext,), (arguments.basis(basis), arguments.domain(domain)))
        if plaintext.modulus_basis != basis:
            arguments.basis(basis)
            raise refusal(
                "state-basis-mismatch", f"the plaintext is in basis {plaintext.modulus_basis}, {basis} is asked for; encode it again"
            )
        return self._in_domain(plaintext, domain)
