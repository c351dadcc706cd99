"""A refused call leaves no key behind that it would have made."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from engines import square_product, tiny

from fhelium import linalg, polynomial
from fhelium.eager import Engine
from fhelium.errors import FHEliumError


def shard(ct):
    return ct.slice_limbs(1, ct.limb_count)


def foreign(e):
    return Engine(tiny()).encrypt_message([1.0])


def in_qp(e):
    secret = e.encrypt_with_secret_key([1.0], modulus_basis="QP")
    return e.ntt_domain_to_coefficient_domain(e.expand(secret))


def fresh(e):
    return e.encrypt_message([1.0])


def last(e):
    return e.encrypt_message([1.0], depth=e.max_depth)


# Mutant of each: make the missing keys before the operation is planned.
ROTATIONS = {
    "three components": lambda e: square_product(e, fresh(e)),
    "a shard": lambda e: shard(fresh(e)),
    "basis QP": in_qp,
    "foreign": foreign,
    "no ciphertext": lambda e: e.plaintext([1.0]),
}


@pytest.mark.parametrize("operand", ROTATIONS)
@pytest.mark.parametrize(
    "call",
    [
        lambda e, ct: e.rotate_by_step(ct, 1),
        lambda e, ct: e.rotate_many_by_steps(ct, [1, 2]),
        lambda e, ct: e.rotate_many_by_steps(ct, [1, 2], use_hoisting=False),
        lambda e, ct: linalg.inner_sum(e, ct, 4),
        lambda e, ct: linalg.matvec(e, np.ones((4, 4)), ct, size=4),
    ],
    ids=["rotate_by_step", "rotate_many", "rotate_one_by_one", "inner_sum", "matvec"],
)
def test_no_rotation_key_is_left(operand, call):
    engine = Engine(tiny())
    refused(engine, ROTATIONS[operand](engine), call)


REFUSED = {
    "rotation to no domain": (fresh, lambda e, ct: e.rotate_by_step(ct, 1, output_domain="x")),
    "rotations to no domain": (fresh, lambda e, ct: e.rotate_many_by_steps(ct, [1], output_domain="x")),
    "rotations by no steps": (fresh, lambda e, ct: e.rotate_many_by_steps(ct, [1, 2.5])),
    "relinearization in coefficients": (lambda e: e.ntt_domain_to_coefficient_domain(square_product(e, fresh(e))), lambda e, ct: e.relinearize(ct)),
    "relinearization of a shard": (lambda e: shard(square_product(e, fresh(e))), lambda e, ct: e.relinearize(ct)),
    "relinearization of two components": (fresh, lambda e, ct: e.relinearize(ct)),
    "relinearization to no domain": (lambda e: square_product(e, fresh(e)), lambda e, ct: e.relinearize(ct, output_domain="x")),
    "polynomial beyond the levels": (fresh, lambda e, ct: polynomial.evaluate(e, ct, [0.0, 1.0] * 40)),
    "polynomial to no domain": (fresh, lambda e, ct: polynomial.evaluate(e, ct, [0.0, 0.0, 1.0], output_domain="x")),
    "polynomial of a foreign value": (foreign, lambda e, ct: polynomial.evaluate(e, ct, [0.0, 0.0, 1.0])),
    "matrix of another depth": (fresh, lambda e, ct: linalg.LinearTransform.from_matrix(e, np.ones((4, 4)), size=4, depth=1)(e, ct)),
    "matrix at the last depth": (last, lambda e, ct: linalg.LinearTransform.from_matrix(e, np.ones((4, 4)), size=4, depth=e.max_depth, scale=2.0**20)(e, ct)),
    "matrix to no domain": (fresh, lambda e, ct: linalg.LinearTransform.from_matrix(e, np.ones((4, 4)), size=4)(e, ct, output_domain="x")),
}


@pytest.mark.parametrize("name", REFUSED)
def test_no_evaluation_key_is_left(name):
    prepare, call = REFUSED[name]
    engine = Engine(tiny())
    refused(engine, prepare(engine), call)


UNMADE = {
    "values that are not finite": lambda e: e.encrypt_message([float("nan")]),
    "too many values": lambda e: e.encrypt_message(torch.zeros(e.num_slots + 1)),
    "no depth": lambda e: e.encrypt_message([1.0], depth=99),
    "no scale": lambda e: e.encrypt_message([1.0], scale=-1.0),
    "no packing": lambda e: e.encrypt_message([1.0], slots=3),
    "overflow": lambda e: e.encrypt_message([1e300]),
    "no domain": lambda e: e.encrypt_message([1.0], output_domain="x"),
    "plaintext to no domain": lambda e: e.encrypt(e.plaintext([1.0]), output_domain="x"),
    "shard of a plaintext": lambda e: e.encrypt(shard(e.integer_coefficients_to_rns(e.encode([1.0])))),
    "secret encryption of no depth": lambda e: e.encrypt_with_secret_key([1.0], depth=99),
    "secret encryption in no basis": lambda e: e.encrypt_with_secret_key([1.0], modulus_basis="x"),
    "secret encryption of a shard": lambda e: e.encrypt_with_secret_key(shard(e.integer_coefficients_to_rns(e.encode([1.0])))),
    "zeros like a shard": lambda e: e.encrypt_zero_like(shard(foreign(e))),
    "public key in no basis": lambda e: e.create_public_key(modulus_basis="x"),
    "public key of no secret": lambda e: e.create_public_key("x"),
    "rotation key of no step": lambda e: e.create_rotation_key(1.5),
    "decryption": lambda e: e.decrypt(foreign(e)),
}


@pytest.mark.parametrize("name", UNMADE)
def test_no_first_key_is_left(name):
    engine = Engine(tiny())
    refused(engine, None, lambda e, _: UNMADE[name](e))


@pytest.mark.parametrize("name", ["relinearization_key", "rotation key", "create_relinearization_key", "create_conjugation_key"])
def test_an_exceeded_budget_leaves_no_secret(name):
    engine = Engine(tiny(), key_budget=0)
    refused(engine, None, lambda e, _: {"relinearization_key": lambda: e.relinearization_key, "rotation key": lambda: e.rotation_key(1)}.get(name, lambda: getattr(e, name)())())


def test_what_was_planned_is_what_is_made():
    # Mutant: a stand-in of another basis than the key's, which would refuse what could be computed.
    engine = Engine(tiny())
    ct = engine.encrypt_message([1.0, 2.0])
    engine.encrypt_zero_like(ct)
    engine.rotate_by_step(engine.encrypt_with_secret_key([1.0]).expand(engine), 1)
    assert engine._inventory.symbols() == ["secret-key", "public-key", "rotation-key:1"]
    lone = Engine(tiny())
    lone.encrypt_with_secret_key([1.0], modulus_basis="QP")
    assert lone._inventory.symbols() == ["secret-key"]


def refused(engine, operand, call):
    held = engine._inventory.symbols()
    with pytest.raises(FHEliumError):
        call(engine, operand)
    assert engine._inventory.symbols() == held
