"""What the tests of the Engine share: small parameters, a kit of operands, and a table of all operations."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
from fhelium import CkksConfig, _binding
from fhelium.eager import Engine

TINY = "slots1024-scale40-depth3-int64-insecure"
P13 = "slots4096-scale40-depth2-int64"
P14 = "slots8192-scale40-depth7-int64"


def live_handles() -> int:
    """How many handles the Go core holds, without those of what earlier tests left behind as garbage."""
    gc.collect()
    return _binding.call(_binding.go.pybind_HandleCount)


@functools.cache
def tiny() -> CkksConfig:
    """N = 2^11, depth 3; for tests alone."""
    return CkksConfig.parse(TINY)


@functools.cache
def foreign() -> CkksConfig:
    """As many primes as `tiny`, in another order: values fit in shape and mean something else."""
    first, second, *rest = tiny().q_depth_groups
    return CkksConfig.parse(tiny(), q_depth_groups=[second, first, *rest])


def values(*shape: int, seed: int = 0, low: float = -1.0, high: float = 1.0) -> torch.Tensor:
    """Reproducible reals, uniform between two bounds."""
    generator = torch.Generator().manual_seed(seed)
    return low + (high - low) * torch.rand(shape, generator=generator, dtype=torch.float64)


def square_product(engine: Engine, x: Any) -> Any:
    """x·x of 3 components, in the NTT domain."""
    y = engine.coefficient_domain_to_ntt_domain(x)
    return engine.multiply(y, y)


def square(engine: Engine, x: Any) -> Any:
    """x·x, relinearized and rescaled, in the coefficient domain."""
    return engine.rescale_to_next_depth(engine.relinearize(square_product(engine, x)))


def kit(engine: Engine, seed: int = 1) -> SimpleNamespace:
    """One value of each kind that operations take, under keys of the engine."""
    k = SimpleNamespace(engine=engine)
    n = engine.num_slots
    k.message = values(n, seed=seed)
    k.ct, k.ct2 = engine.encrypt_message(k.message), engine.encrypt_message(values(n, seed=seed + 1))
    k.ntt, k.ntt2 = map(engine.coefficient_domain_to_ntt_domain, (k.ct, k.ct2))
    k.product = engine.multiply(k.ntt, k.ntt2)
    k.integers = engine.encode(k.message)
    k.pt = engine.prepare_plaintext_for_addition(k.integers)
    k.pt_ntt = engine.prepare_plaintext_for_multiplication(k.integers)
    k.compact = engine.prepare_compressed_plaintext(k.message[:64])
    k.batch = type(k.ct).stack_batch([k.ct, k.ct2])
    k.seeded = engine.encrypt_with_secret_key(k.message)
    k.approximate = engine.decrypt(k.ct)
    k.secret, k.public = engine.secret_key, engine.public_key
    k.other_secret = engine.create_secret_key()
    k.relinearization, k.rotation = engine.relinearization_key, engine.rotation_key(1)
    k.conjugation = engine.create_conjugation_key()
    k.switch = engine.create_key_switch_key(k.secret, k.other_secret)
    return k


# Every operation that is not in place: its name, the names of its operands in a
# kit, and the call. In each, every operand is one that can be of another context.
OPERATIONS: dict[str, tuple[tuple[str, ...], Callable[..., Any]]] = {
    "add": (("ct", "ct2"), lambda e, a, b: e.add(a, b)),
    "subtract": (("ct", "ct2"), lambda e, a, b: e.subtract(a, b)),
    "negate": (("ct",), lambda e, a: e.negate(a)),
    "sum_ciphertexts": (("ct", "ct2"), lambda e, a, b: e.sum_ciphertexts([a, b])),
    "sum of one": (("ct",), lambda e, a: e.sum_ciphertexts([a])),
    "sum_ciphertext_batch": (("batch",), lambda e, a: e.sum_ciphertext_batch(a)),
    "add_plaintext": (("ct", "pt"), lambda e, a, p: e.add_plaintext(a, p)),
    "add compressed": (("ntt", "compact"), lambda e, a, p: e.add_plaintext(a, p)),
    "subtract_plaintext": (("ct", "pt"), lambda e, a, p: e.subtract_plaintext(a, p)),
    "multiply_plaintext": (("ntt", "pt_ntt"), lambda e, a, p: e.multiply_plaintext(a, p)),
    "multiply compressed": (("ntt", "compact"), lambda e, a, p: e.multiply_plaintext(a, p)),
    "multiply": (("ntt", "ntt2"), lambda e, a, b: e.multiply(a, b)),
    "add_scalar": (("ct",), lambda e, a: e.add_scalar(a, 0.5)),
    "multiply_scalar": (("ct",), lambda e, a: e.multiply_scalar(a, 0.5)),
    "multiply_integer_scalar": (("ct",), lambda e, a: e.multiply_integer_scalar(a, -3)),
    "to ntt": (("ct",), lambda e, a: e.coefficient_domain_to_ntt_domain(a)),
    "plaintext to ntt": (("pt",), lambda e, p: e.coefficient_domain_to_ntt_domain(p)),
    "to coefficients": (("ntt",), lambda e, a: e.ntt_domain_to_coefficient_domain(a)),
    "relinearize": (("product", "relinearization"), lambda e, a, k: e.relinearize(a, k)),
    "relinearize_rescale": (("product", "relinearization"), lambda e, a, k: e.relinearize_rescale(a, k)),
    "multiply_relinearize_rescale": (("ntt", "ntt2", "relinearization"), lambda e, a, b, k: e.multiply_relinearize_rescale(a, b, k)),
    "rescale": (("product",), lambda e, a: e.rescale_to_next_depth(a)),
    "mod_switch": (("ct",), lambda e, a: e.mod_switch_to_next_depth(a)),
    "mod_switch plaintext": (("pt",), lambda e, p: e.mod_switch_to_depth(p, 2)),
    "reinterpret": (("ct",), lambda e, a: e.reinterpret_at_scale(a, 2.0**41)),
    "rotate_with_key": (("ct", "rotation"), lambda e, a, k: e.rotate_with_key(a, k)),
    "rotate_many_with_keys": (("ct", "rotation"), lambda e, a, k: e.rotate_many_with_keys(a, [k, k])),
    "rotate_by_step": (("ct",), lambda e, a: e.rotate_by_step(a, 1)),
    "rotate by nothing": (("ct",), lambda e, a: e.rotate_by_step(a, 0)),
    "prepare what is prepared": (("pt_ntt",), lambda e, p: e.prepare_plaintext_for_multiplication(p)),
    "rotate_many_by_steps": (("ct",), lambda e, a: e.rotate_many_by_steps(a, [1, 1])),
    "conjugate": (("ct", "conjugation"), lambda e, a, k: e.conjugate(a, k)),
    "switch_key": (("ct", "switch"), lambda e, a, k: e.switch_key(a, k)),
    "sum_plaintext_products": (("ntt", "ntt2", "pt_ntt"), lambda e, a, b, p: e.sum_plaintext_products([a, b], [p, p])),
    "sum_plaintext_product_groups": (("ntt", "pt_ntt"), lambda e, a, p: e.sum_plaintext_product_groups([a], [[p], [p]])),
    "sum_rotated_plaintext_product_groups": (
        ("ct", "rotation", "pt_ntt"),
        lambda e, a, k, p: e.sum_rotated_plaintext_product_groups(a, [None, k], [[p, p]]),
    ),
    "integer_coefficients_to_rns": (("integers",), lambda e, p: e.integer_coefficients_to_rns(p)),
    "encrypt": (("integers", "public"), lambda e, p, k: e.encrypt(p, k)),
    "encrypt residues": (("pt", "public"), lambda e, p, k: e.encrypt(p, k)),
    "encrypt_with_secret_key": (("integers", "secret"), lambda e, p, k: e.encrypt_with_secret_key(p, k)),
    "expand": (("seeded",), lambda e, s: e.expand(s)),
    "encrypt_zero_like": (("ct", "public"), lambda e, a, k: e.encrypt_zero_like(a, k)),
    "decrypt": (("ct", "secret"), lambda e, a, k: e.decrypt(a, k)),
    "decrypt product": (("product", "secret"), lambda e, a, k: e.decrypt_message(a, k)),
    "decode": (("approximate",), lambda e, p: e.decode(p)),
    "create_public_key": (("secret",), lambda e, k: e.create_public_key(k)),
    "create_relinearization_key": (("secret",), lambda e, k: e.create_relinearization_key(k)),
    "create_rotation_key": (("secret",), lambda e, k: e.create_rotation_key(5, k)),
    "create_conjugation_key": (("secret",), lambda e, k: e.create_conjugation_key(k)),
    "create_key_switch_key": (("secret", "other_secret"), lambda e, a, b: e.create_key_switch_key(a, b)),
    "set_secret_key": (("secret",), lambda e, k: e.set_secret_key(k)),
    "set_public_key": (("public",), lambda e, k: e.set_public_key(k)),
    "set_relinearization_key": (("relinearization",), lambda e, k: e.set_relinearization_key(k)),
    "set_rotation_key": (("rotation",), lambda e, k: e.set_rotation_key(k)),
    "set_conjugation_key": (("conjugation",), lambda e, k: e.set_conjugation_key(k)),
    "validate_ciphertext": (("ct",), lambda e, a: e.validate_ciphertext(a)),
    "reconstruct_q_coefficients": (("ct",), lambda e, a: e.reconstruct_q_coefficients(getattr(a, "c0", None), a)),
    "prepare_public_operand": (("pt", "ct"), lambda e, p, a: e.prepare_public_operand(p, a, operation="add")),
}


def state(value: Any) -> tuple[Any, ...]:
    """All that a value is: its type, its state, and its numbers' bytes."""
    parts = [getattr(value, name) for name in value._TENSORS + value._STATE]
    return (type(value), *(p.clone().numpy().tobytes() if isinstance(p, torch.Tensor) else p for p in parts))
