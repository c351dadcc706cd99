"""Between plaintexts and ciphertexts."""

from __future__ import annotations

from typing import Any

import torch

from ..errors import refusal
from ..values import Ciphertext, Plaintext, PublicKey, SecretKey, SeededCiphertext
from . import arguments
from .encoding import Encoding
from .inventory import PUBLIC, SECRET


class Encryption(Encoding):
    """Public-key encryption with a ternary mask, secret-key encryption with a public seed, and decryption.

    A raw decryption is for the holder of the secret key alone: its low bits
    tell about the key. `share_bits` makes a result that may be handed on.
    """

    __slots__ = ()

    def encrypt(
        self,
        plaintext: Plaintext,
        public_key: PublicKey | None = None,
        *,
        device: Any = None,
        output_domain: str = "coefficient",
        modulus_basis: str | None = None,
    ) -> Ciphertext:
        """A fresh ciphertext [2, *batch, limb, N] of slots, integer coefficients or residues.

        Its basis is that of residues, and Q of others, unless another one is asked
        for. A public key in basis QP serves both, and leaves the least noise in Q.
        The engine's public key serves where none is given; it is made where
        automatic generation is allowed. `device` moves the plaintext first.
        """
        self._check_value(plaintext, Plaintext)
        if device is not None:
            plaintext = plaintext.to(self._factory_device(device))
        arguments.domain(output_domain, "output_domain")
        basis = modulus_basis or plaintext.modulus_basis or "Q"
        arguments.basis(basis)
        self._check_public(public_key)
        rows = self._residues(plaintext, basis, output_domain)
        return self._encrypt(rows, public_key, output_domain)

    def encrypt_message(
        self,
        message: Any,
        depth: int | None = None,
        scale: float | None = None,
        public_key: PublicKey | None = None,
        *,
        slots: int | None = None,
        device: Any = None,
        output_domain: str = "coefficient",
        modulus_basis: str = "Q",
    ) -> Ciphertext:
        """Encodes a message and encrypts it: see `encode` and `encrypt`."""
        content, depth, scale = self._content(message, depth, scale, device)
        arguments.domain(output_domain, "output_domain")
        arguments.basis(modulus_basis)
        self._check_public(public_key)
        rows = self._encode_rows(content, depth, scale, slots, modulus_basis, output_domain)
        return self._encrypt(rows, public_key, output_domain)

    def encrypt_with_secret_key(
        self,
        message: Any,
        secret_key: SecretKey | None = None,
        *,
        depth: int | None = None,
        scale: float | None = None,
        slots: int | None = None,
        modulus_basis: str = "Q",
        device: Any = None,
    ) -> SeededCiphertext:
        """A fresh ciphertext of half the size: component 0 in the NTT domain [*batch, limb, N], and a public seed.

        Takes a message or a plaintext, and has less noise than encryption
        under the public key. `expand` makes the Ciphertext.
        """
        if secret_key is not None:
            self._check_value(secret_key, SecretKey)
        if isinstance(message, Plaintext) and message.representation != "slots":
            rows = self._residues(message, modulus_basis, "ntt")
        else:
            content, depth, scale = self._content(message, depth, scale, device)
            rows = self._encode_rows(content, depth, scale, slots, modulus_basis, "ntt")
        return self._with_key("encrypt_with_secret_key", rows, SECRET, secret_key)

    def expand(self, seeded: SeededCiphertext) -> Ciphertext:
        """The ciphertext of 2 components that a seeded one stands for; needs no key."""
        self._check_value(seeded, SeededCiphertext)
        return self._call("expand", (seeded,))

    def encrypt_zero_like(self, ciphertext: Ciphertext, public_key: PublicKey | None = None) -> Ciphertext:
        """A fresh encryption of zeros, of 2 components, in the state of a ciphertext."""
        self._check_value(ciphertext, Ciphertext)
        return self._with_key("encrypt_zero_like", ciphertext, PUBLIC, public_key)

    def decrypt(
        self, ciphertext: Ciphertext, secret_key: SecretKey | None = None, *, share_bits: float | None = None, device: Any = None
    ) -> Plaintext:
        """The approximate coefficients float64 [*batch, N] of 2 or 3 components in either domain and basis.

        With `share_bits` noise is added that hides the secret's traces, so
        that the result may be shown to others at that many bits after the
        point; without it the result is private to the key's holder.
        """
        self._check_value(ciphertext, Ciphertext)
        if secret_key is None:
            secret_key = self._at(SECRET, self._installed(SECRET), ciphertext)
        self._check_value(secret_key, SecretKey)
        bits = 0.0
        if share_bits is not None:
            bits = arguments.real(share_bits, "share_bits")
            if not 1 <= bits <= 52:
                raise refusal("argument-invalid", f"share_bits {bits}; 1 to 52 bits are possible, or None for a private result")
        plaintext: Plaintext = self._call("decrypt", (ciphertext, secret_key), (), (bits,))
        return plaintext if device is None else plaintext.to(device)

    def decrypt_message(
        self,
        ciphertext: Ciphertext,
        secret_key: SecretKey | None = None,
        *,
        is_real: bool = False,
        share_bits: float | None = None,
        slots: int | None = None,
        device: Any = None,
    ) -> torch.Tensor:
        """Decrypts and decodes: complex128 [*batch, slots], or float64 with `is_real`. See `decrypt` and `decode`."""
        return self.decode(self.decrypt(ciphertext, secret_key, share_bits=share_bits), is_real=is_real, slots=slots, device=device)

    def reconstruct_q_coefficients(self, residues: torch.Tensor, ciphertext: Ciphertext) -> torch.Tensor:
        """The centred integers, rounded to float64 [*batch, N], whose residues modulo the ciphertext's primes are given.

        `residues` is one component's tensor, int64 [*batch, limb, N], in the
        ciphertext's domain. This is decryption under a secret of zero.
        """
        self._check_value(ciphertext, Ciphertext)
        self._check_value(residues, torch.Tensor)
        zero = torch.zeros_like(residues)
        pair = Ciphertext(
            torch.stack((residues, zero)),
            **{name: getattr(ciphertext, name) for name in Ciphertext._STATE},
        )
        self._call_many("validate", (pair,))
        rows = ciphertext.prime_ids[-1] + 1
        secret = SecretKey(
            torch.zeros((rows, residues.shape[-1]), dtype=torch.int64, device=residues.device),
            range(rows),
            modulus_basis=ciphertext.modulus_basis,
            parameters=ciphertext.parameters,
            key_id=ciphertext.key_id,
        )
        return self._call("decrypt", (pair, secret), (), (0.0,)).data

    def _encrypt(self, rows: Plaintext, public_key: PublicKey | None, output_domain: str) -> Ciphertext:
        ciphertext: Ciphertext = self._with_key("encrypt", rows, PUBLIC, public_key, (arguments.domain(output_domain, "output_domain"),))
        return ciphertext

    def _with_key(self, name: str, value: Any, symbol: str, key: Any, ints: tuple[int, ...] = ()) -> Any:
        """Runs an operation of a value and the key given, or the engine's key of the symbol."""
        if key is None:
            return self._call_with_keys(name, (value,), [symbol], ints)
        return self._call(name, (value, key), ints)

    def _check_public(self, public_key: PublicKey | None) -> None:
        """Refuses where there is no public key, given or held, and none can be made."""
        if public_key is not None:
            self._check_value(public_key, PublicKey)
        elif self._inventory.get(PUBLIC) is None:
            self._live()
            self._check_makeable(PUBLIC)
