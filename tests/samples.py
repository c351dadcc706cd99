"""One value of every type and form, small, for the tests that go over all of them."""

from typing import Any

import torch
from fhelium.values import (
    Ciphertext,
    CompressedPlaintext,
    ConjugationKey,
    EvaluationKeySet,
    KeySwitchKey,
    Plaintext,
    PublicKey,
    RelinearizationKey,
    RotationKey,
    RotationKeySet,
    SecretKey,
    SeededCiphertext,
)

N = 16
PARAMETERS, KEY, OTHER = "ab" * 16, "cd" * 16, "12" * 16
STATE: dict[str, Any] = {"depth": 1, "scale": 2.0**40, "prime_ids": (1, 2, 3), "parameters": PARAMETERS}
KEYS: dict[str, Any] = {"prime_ids": (0, 1, 2), "parameters": PARAMETERS, "key_id": KEY}


def residues(*shape: int) -> torch.Tensor:
    """Residues at and between the edges of what a prime can have."""
    count = torch.Size(shape).numel()
    return (torch.arange(count) * 0x2545F4914F6CDD1D & (1 << 50) - 1).reshape(shape)


def ciphertext(*batch: int, components: int = 2, **changes: Any) -> Ciphertext:
    return Ciphertext(residues(components, *batch, 3, N), **({**STATE, "key_id": KEY} | changes))


def plaintext(*batch: int, **changes: Any) -> Plaintext:
    return Plaintext(data=residues(*batch, 3, N), representation="rns", **(STATE | changes))


def compressed(layout: str, *batch: int, **changes: Any) -> CompressedPlaintext:
    implicit = residues(*batch, 3) if layout == "strided_sparse" else None
    return CompressedPlaintext(residues(*batch, 3, 4), N, layout, implicit_data=implicit, **(STATE | changes))


def rotation_key(step: int = 3, **changes: Any) -> RotationKey:
    return RotationKey(residues(2, 2, 3, N), rotation_step=step, **(KEYS | {"source_key_id": KEY} | changes))


def secret_key() -> SecretKey:
    return SecretKey(residues(3, N), **KEYS)


def relinearization_key(**changes: Any) -> RelinearizationKey:
    return RelinearizationKey(residues(2, 2, 3, N), **(KEYS | {"source_key_id": KEY} | changes))


COEFFICIENTS = {"depth": 1, "scale": 3.0, "parameters": PARAMETERS}

# What can be batched, by name.
BATCHED = {
    "ciphertext": ciphertext,
    "plaintext": plaintext,
    "cyclic": lambda *batch, **changes: compressed("cyclic", *batch, **changes),
    "contiguous": lambda *batch, **changes: compressed("contiguous", *batch, **changes),
    "strided_sparse": lambda *batch, **changes: compressed("strided_sparse", *batch, **changes),
}


def public_values() -> dict[str, Any]:
    """Every value that may travel, by name."""
    switch = {"source_key_id": OTHER, **KEYS}
    return {
        "ciphertext": ciphertext(2),
        "product": ciphertext(components=3, polynomial_domain="ntt", scale=2.0**80.5),
        "seeded": SeededCiphertext(residues(2, 3, N), residues(4), key_id=KEY, **STATE),
        "rows": plaintext(2, polynomial_domain="ntt", modulus_basis="QP"),
        "real slots": Plaintext([[1.0, -2.5, 1e-300]], 2, 2.0**30),
        "complex slots": Plaintext([1, 2j], 0, 5, parameters=PARAMETERS),
        "scalar": Plaintext(0.5, 0, 2.0**40),
        "integers": Plaintext(data=residues(2, N) - 7, representation="integer_coefficients", **COEFFICIENTS),
        "wide integers": Plaintext(data=torch.full((N,), 2.0**70, dtype=torch.float64), representation="integer_coefficients", **COEFFICIENTS),
        "approximate": Plaintext(data=residues(N).double() / 3, representation="approximate_coefficients", **COEFFICIENTS),
        "cyclic": compressed("cyclic", 2),
        "contiguous": compressed("contiguous"),
        "strided_sparse": compressed("strided_sparse", 1, 2, polynomial_domain="coefficient"),
        "public key": PublicKey(residues(2, 3, N), modulus_basis="QP", **KEYS),
        "key-switch key": KeySwitchKey(residues(2, 2, 3, N), **switch),
        "relinearization key": relinearization_key(),
        "rotation key": rotation_key(-3),
        "conjugation key": ConjugationKey(residues(1, 2, 3, N), **switch),
        "rotation keys": RotationKeySet([rotation_key(1), rotation_key(-2)]),
        "evaluation keys": EvaluationKeySet([rotation_key(1)], relinearization_key(), ConjugationKey(residues(1, 2, 3, N), **switch)),
        "no keys": EvaluationKeySet(),
    }


def fields_of(value: Any) -> dict[str, Any]:
    """All fields of a value or of the keys of a set, by name."""
    if isinstance(value, RotationKeySet):
        return {f"{step}.{name}": field for step in value for name, field in fields_of(value[step]).items()}
    if isinstance(value, EvaluationKeySet):
        parts = {"rotations": value.rotations, "relinearization": value.relinearization, "conjugation": value.conjugation}
        return {f"{part}.{name}": field for part, key in parts.items() if key is not None for name, field in fields_of(key).items()}
    return {name: getattr(value, name) for name in value._TENSORS + value._STATE}


def assert_equal(left: Any, right: Any) -> None:
    """Equal type, state and bits."""
    assert type(left) is type(right)
    a, b = fields_of(left), fields_of(right)
    assert a.keys() == b.keys()
    for name, field in a.items():
        if isinstance(field, torch.Tensor):
            assert field.dtype == b[name].dtype and field.shape == b[name].shape and torch.equal(field, b[name]), name
        else:
            assert field == b[name] and type(field) is type(b[name]), name
