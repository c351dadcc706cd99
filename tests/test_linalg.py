"""Matrices times encrypted vectors, and sums over slots."""

import math

import numpy as np
import pytest
import torch

from fhelium import linalg
from fhelium.eager import Engine
from fhelium.errors import FHEliumError
from fhelium.linalg import LinearTransform

PRESET = "slots1024-scale40-depth3-int64-insecure"
SLOTS = 1024
TOLERANCE = 1e-5


@pytest.fixture(scope="module")
def engine():
    with Engine(PRESET) as made:
        yield made


def random(*shape, seed=1):
    return torch.rand(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)) * 2 - 1


def decrypted(engine, value):
    return engine.decrypt_message(value, is_real=True)


def refuses(code, function, *arguments, **options):
    with pytest.raises(FHEliumError) as caught:
        function(*arguments, **options)
    assert caught.value.code == code, caught.value


def dense(diagonals):
    """The matrix [slots, slots] of diagonals by rotation step, from the definition."""
    matrix = np.zeros((SLOTS, SLOTS))
    for step, diagonal in diagonals.items():
        for j in range(SLOTS):
            matrix[j, (j - step) % SLOTS] += diagonal[j]
    return matrix


# case A07: identities, single diagonals, and groups of rotation 0 alone.
@pytest.mark.parametrize("steps", [[0], [1], [-1], [0, 64], [0, 1, -1], [SLOTS // 2], [3, 500, -500]])
def test_diagonals_are_the_matrix_product(engine, steps):
    x = random(SLOTS)
    diagonals = {step: random(SLOTS, seed=step + 2000) for step in steps}
    transform = LinearTransform(engine, diagonals)
    out = transform(engine, engine.encrypt_message(x))
    np.testing.assert_allclose(decrypted(engine, out).numpy(), dense(diagonals) @ x.numpy(), atol=TOLERANCE)


# case A07: the identity, diag(d), dense 8×8, 3×5 and 5×3.
@pytest.mark.parametrize(
    "matrix",
    [torch.eye(SLOTS), torch.eye(1), torch.diag(random(16)), random(8, 8), random(3, 5), random(5, 3), random(1, 7), random(7, 1), torch.zeros(4, 4)],
    ids=["identity", "1x1", "diag", "8x8", "3x5", "5x3", "1x7", "7x1", "zeros"],
)
@pytest.mark.parametrize("padded", [True, False])
def test_matrix_is_the_matrix_product(engine, matrix, padded):
    matrix = matrix.double()
    if not padded and max(matrix.shape) < SLOTS:
        size = 1 << (max(matrix.shape) - 1).bit_length()
        transform = LinearTransform.from_matrix(engine, matrix, size=size)
        x = random(matrix.shape[1])
        message = torch.nn.functional.pad(x, (0, size - len(x))).repeat(SLOTS // size)
    else:
        transform = LinearTransform.from_matrix(engine, matrix)
        message = x = random(matrix.shape[1])
    if not matrix.any():
        refuses("ciphertext-transparent", transform, engine, engine.encrypt_message(message))
        return
    got = decrypted(engine, transform(engine, engine.encrypt_message(message)))
    np.testing.assert_allclose(got[: len(matrix)], matrix @ x, atol=TOLERANCE)
    if padded:
        assert bool((got[len(matrix) :].abs() < TOLERANCE).all())


def test_lanes_and_batches_are_served_at_once(engine):
    lanes, size = 16, 64
    matrix = random(10, 60)
    transform = LinearTransform.from_matrix(engine, matrix, size=size, lanes=lanes)
    x = random(3, 60, lanes)
    slots = torch.nn.functional.pad(x, (0, 0, 0, size - 60)).reshape(3, SLOTS)
    out = transform(engine, engine.encrypt_message(slots))
    assert tuple(out.batch_shape) == (3,)
    got = decrypted(engine, out).view(3, size, lanes)
    assert (got[:, :10] - matrix @ x).abs().max() < TOLERANCE
    assert got[:, 10:].abs().max() < TOLERANCE


def test_complex_matrix(engine):
    matrix = torch.complex(random(4, 4), random(4, 4, seed=2))
    x = torch.complex(random(4, seed=3), random(4, seed=4))
    got = engine.decrypt_message(linalg.matvec(engine, matrix, engine.encrypt_message(x)))
    assert (got[:4] - matrix @ x).abs().max() < TOLERANCE


# Fails when the transform's scale is the default scale and not the divisor.
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_state_of_the_product(engine, depth):
    transform = LinearTransform.from_matrix(engine, random(8, 8), depth=depth)
    vector = engine.encrypt_message(random(8), depth=depth)
    before = vector.to_bytes()
    out = transform(engine, vector)
    assert (out.depth, out.scale, out.polynomial_domain) == (depth + 1, vector.scale, "coefficient")
    whole = transform(engine, vector, rescale=False, output_domain="ntt")
    assert (whole.depth, whole.scale, whole.polynomial_domain) == (depth, vector.scale * engine.rescale_divisor(depth=depth), "ntt")
    assert vector.to_bytes() == before
    x = decrypted(engine, out)
    assert (decrypted(engine, whole) - x).abs().max() < TOLERANCE


def test_sources_of_matrices(engine):
    ct = engine.encrypt_message([1.0, 2.0])
    for source in ([[1, 2], [3, 4]], np.array([[1, 2], [3, 4]]), torch.tensor([[1, 2], [3, 4]]), torch.tensor([[1.0, 3], [2, 4]]).t()):
        got = decrypted(engine, linalg.matvec(engine, source, ct))[:2]
        assert (got - torch.tensor([5.0, 11.0])).abs().max() < 1e-4


def test_the_needed_keys_are_named_and_suffice(engine):
    transform = LinearTransform.from_matrix(engine, random(64, 64), size=64, lanes=16)
    assert 0 not in transform.rotation_steps
    assert len(transform.rotation_steps) < 24
    assert "64 diagonals" in repr(transform)
    assert transform.nbytes == transform.diagonals.nbytes
    secret = engine.secret_key
    keys = engine.create_rotation_keys(transform.rotation_steps, secret)
    vector = engine.encrypt_message(random(SLOTS))
    with Engine(PRESET, allow_automatic_key_generation=False) as server:
        refuses("key-absent", transform, server, vector)
        given = transform(server, vector, rotation_keys=keys)
        assert torch.equal(given.data, transform(engine, vector, rotation_keys=keys).data)
        del keys[transform.rotation_steps[0]]
        refuses("key-absent", transform, server, vector, rotation_keys=keys)


# case R9: sums and means keep the scale; the mean takes one depth.
@pytest.mark.parametrize(("count", "stride"), [(1, 1), (2, 1), (3, 5), (7, -2), (8, 128), (SLOTS, 1), (5, SLOTS + 1), (4, 0)])
def test_inner_sum(engine, count, stride):
    x = random(SLOTS)
    value = engine.encrypt_message(x)
    out = linalg.inner_sum(engine, value, count, stride=stride)
    assert (out.depth, out.scale, out.polynomial_domain) == (0, value.scale, value.polynomial_domain)
    want = sum(torch.roll(x, -stride * k) for k in range(count))
    assert (decrypted(engine, out) - want).abs().max() < TOLERANCE


def test_sum_and_mean_of_all_slots(engine):
    x = random(2, SLOTS)
    value = engine.encrypt_message(x)
    total, mean = linalg.sum_slots(engine, value), linalg.mean_slots(engine, value)
    assert (total.depth, total.scale) == (0, value.scale)
    assert (mean.depth, mean.scale) == (1, value.scale)
    assert (decrypted(engine, total) - x.sum(1, keepdim=True)).abs().max() < TOLERANCE
    assert (decrypted(engine, mean) - x.mean(1, keepdim=True)).abs().max() < TOLERANCE


# Bad input: each is refused by a name, and the engine goes on.


@pytest.mark.parametrize(
    "matrix",
    [torch.tensor(1.0), torch.ones(3), torch.ones(2, 2, 2), torch.ones(0, 3), torch.ones(3, 0), [], "text", None, [[1, 2], [3]], object(), [[None]]],
    ids=repr,
)
def test_what_is_no_matrix(engine, matrix):
    with pytest.raises(FHEliumError) as caught:
        LinearTransform.from_matrix(engine, matrix)
    assert caught.value.code in ("argument-invalid", "argument-type")


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("place", [(0, 0), (2, 1)])
def test_matrix_that_is_not_finite(engine, bad, place):
    matrix = torch.ones(3, 3, dtype=torch.float64)
    matrix[place] = bad
    refuses("argument-invalid", LinearTransform.from_matrix, engine, matrix)


def test_matrix_that_is_too_large(engine):
    refuses("encode-overflow", LinearTransform.from_matrix, engine, torch.full((2, 2), 1e50, dtype=torch.float64))
    refuses("argument-invalid", LinearTransform.from_matrix, engine, torch.ones(1, SLOTS + 1))
    refuses("argument-invalid", LinearTransform.from_matrix, engine, torch.ones(9, 3), size=8)


@pytest.mark.parametrize(
    "options", [{"size": 3}, {"size": 0}, {"size": -8}, {"lanes": 0}, {"lanes": 3}, {"lanes": -1}, {"lanes": 2 * SLOTS}, {"size": 1024, "lanes": 2}]
)
def test_layouts_that_do_not_fit(engine, options):
    refuses("argument-invalid", LinearTransform.from_matrix, engine, torch.ones(2, 2), **options)


@pytest.mark.parametrize("options", [{"size": 2.0}, {"size": "8"}, {"size": True}, {"lanes": 1.0}, {"lanes": None}, {"depth": 1.5}, {"depth": "0"}])
def test_layouts_of_another_type(engine, options):
    refuses("argument-type", LinearTransform.from_matrix, engine, torch.ones(1, 1), **options)


def test_depths_and_scales_out_of_range(engine):
    matrix = torch.ones(2, 2)
    refuses("depth-invalid", LinearTransform.from_matrix, engine, matrix, depth=4)
    refuses("depth-invalid", LinearTransform.from_matrix, engine, matrix, depth=-1)
    refuses("levels-exhausted", LinearTransform.from_matrix, engine, matrix, depth=3)
    for scale in (0.0, -1.0, math.nan, math.inf):
        refuses("scale-invalid", LinearTransform.from_matrix, engine, matrix, scale=scale)


@pytest.mark.parametrize(
    ("diagonals", "code"),
    [
        ({}, "argument-invalid"),
        ({0: torch.ones(8)}, "argument-invalid"),
        ({0: torch.ones(2, SLOTS)}, "argument-invalid"),
        ({0.5: torch.ones(SLOTS)}, "argument-type"),
        ({True: torch.ones(SLOTS)}, "argument-type"),
        ({0: ["1"] * SLOTS}, "argument-type"),
        ({0: [math.nan] * SLOTS}, "argument-invalid"),
        ({0: None}, "argument-type"),
        ([torch.ones(SLOTS)], "argument-type"),
        ({1: torch.ones(SLOTS), 1 - SLOTS: torch.ones(SLOTS)}, "argument-invalid"),
    ],
    ids=["none", "short", "batch", "half", "bool", "texts", "nan", "None", "sequence", "twice"],
)
def test_diagonals_that_are_none(engine, diagonals, code):
    refuses(code, LinearTransform, engine, diagonals)


def test_vectors_that_do_not_fit(engine):
    transform = LinearTransform.from_matrix(engine, random(4, 4))
    refuses("state-depth-mismatch", transform, engine, engine.encrypt_message(random(4), depth=1))
    refuses("argument-type", transform, engine, random(4))
    refuses("argument-type", transform, engine, None)
    refuses("argument-invalid", transform, engine, engine.encrypt_message(random(4)), output_domain="slots")
    refuses("argument-type", transform, engine, engine.encrypt_message(random(4)), rotation_keys={1: 2, 2: 3, 3: 4, -1: 2, -2: 2, -3: 3, 4: 1, -4: 1})
    ct = engine.encrypt_message(random(4))
    product = engine.multiply(*(engine.coefficient_domain_to_ntt_domain(ct),) * 2)
    refuses("state-components-mismatch", transform, engine, product)


def test_foreign_values_and_keys(engine):
    transform = LinearTransform.from_matrix(engine, random(4, 4))
    vector = engine.encrypt_message(random(4))
    with Engine(PRESET) as other:
        other_vector = other.encrypt_message(random(4))
        keys = other.create_rotation_keys(transform.rotation_steps)
        refuses("state-key-mismatch", transform, engine, vector, rotation_keys=keys)
        refuses("state-key-mismatch", transform, engine, other_vector)
        refuses("state-key-mismatch", linalg.inner_sum, engine, other_vector, 4)
    with Engine("slots2048-scale40-depth4-int64-insecure") as other:
        refuses("state-parameters-mismatch", transform, other, other.encrypt_message(random(4)))
    out = transform(engine, vector)
    assert out.depth == 1


@pytest.mark.parametrize("count", [0, -1, SLOTS + 1, 1 << 70])
def test_counts_out_of_range(engine, count):
    refuses("argument-invalid", linalg.inner_sum, engine, engine.encrypt_message([1.0]), count)


@pytest.mark.parametrize("count", [1.0, True, "2", None])
def test_counts_of_another_type(engine, count):
    refuses("argument-type", linalg.inner_sum, engine, engine.encrypt_message([1.0]), count)


@pytest.mark.parametrize("stride", [1.0, "1", None, True])
def test_strides_of_another_type(engine, stride):
    refuses("argument-type", linalg.inner_sum, engine, engine.encrypt_message([1.0]), 2, stride=stride)


@pytest.mark.parametrize("function", [linalg.sum_slots, linalg.mean_slots, lambda e, v: linalg.matvec(e, [[1.0]], v), lambda e, v: linalg.inner_sum(e, v, 2)])
@pytest.mark.parametrize("value", [None, torch.ones(4), "text"])
def test_what_is_no_ciphertext(engine, function, value):
    refuses("argument-type", function, engine, value)


def test_mean_at_the_last_depth(engine):
    refuses("levels-exhausted", linalg.mean_slots, engine, engine.encrypt_message([1.0], depth=3))


def test_missing_keys_are_named():
    with Engine(PRESET) as owner:
        value = owner.encrypt_message([1.0])
    with Engine(PRESET, allow_automatic_key_generation=False) as server:
        refuses("key-absent", linalg.sum_slots, server, value)
