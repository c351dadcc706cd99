"""Polynomials of encrypted values."""

import math

import numpy as np
import pytest
import torch
from numpy.polynomial import chebyshev

from fhelium import polynomial
from fhelium.eager import Engine
from fhelium.errors import FHEliumError

PRESET = "slots2048-scale40-depth4-int64-insecure"
X = torch.linspace(-1, 1, 65, dtype=torch.float64)
TOLERANCE = 1e-4
ODD = [0, 1.25, 0, -0.35, 0, 0.1]


@pytest.fixture(scope="module")
def engine():
    with Engine(PRESET) as made:
        yield made


@pytest.fixture(scope="module")
def value(engine):
    return engine.encrypt_message(X)


def decrypted(engine, value):
    return engine.decrypt_message(value, is_real=True)[: len(X)]


def refuses(code, function, *arguments, **options):
    with pytest.raises(FHEliumError) as caught:
        function(*arguments, **options)
    assert caught.value.code == code, caught.value
    return caught.value


def wanted(coefficients, basis):
    c = np.asarray(coefficients, dtype=np.float64)
    return torch.from_numpy(chebyshev.chebval(X.numpy(), c) if basis == "chebyshev" else np.polynomial.polynomial.polyval(X.numpy(), c))


# case A09: zeros among the coefficients, exact or nearly, shift no degree.
@pytest.mark.parametrize("zero", [0.0, -0.0, 1e-17])
def test_odd_chebyshev_series(engine, zero):
    coefficients = [c or zero for c in ODD]
    points = [-1, -0.5, 0, 0.5, 1]
    out = polynomial.evaluate(engine, engine.encrypt_message(points), coefficients, basis="chebyshev")
    got = engine.decrypt_message(out, is_real=True)[:5]
    assert (got - torch.tensor([-1, -1.025, 0, 1.025, 1])).abs().max() < TOLERANCE


# case A09: degree d is degree d, in both bases, also with a single coefficient that is not zero.
@pytest.mark.parametrize("basis", ["power", "chebyshev"])
@pytest.mark.parametrize("degree", range(16))
def test_every_degree(engine, value, basis, degree):
    generator = np.random.default_rng(degree)
    for coefficients in (generator.uniform(-1, 1, degree + 1), [0.0] * degree + [0.5]):
        out = polynomial.evaluate(engine, value, coefficients, basis=basis)
        assert (decrypted(engine, out) - wanted(coefficients, basis)).abs().max() < TOLERANCE
        assert out.depth <= polynomial.depth(degree)
        assert out.scale == value.scale


# case A09: constants, the argument itself, and nothing.
@pytest.mark.parametrize("basis", ["power", "chebyshev"])
def test_tiny_degrees(engine, value, basis):
    constant = polynomial.evaluate(engine, value, [0.75], basis=basis)
    assert (decrypted(engine, constant) - 0.75).abs().max() < TOLERANCE
    assert bool((constant.c1 != 0).any())
    assert constant.depth == polynomial.depth(0)
    assert (decrypted(engine, polynomial.evaluate(engine, value, [0, 1], basis=basis)) - X).abs().max() < TOLERANCE
    assert (decrypted(engine, polynomial.evaluate(engine, value, [0.5, 1, 0, 0], basis=basis)) - X - 0.5).abs().max() < TOLERANCE
    refuses("argument-invalid", polynomial.evaluate, engine, value, [], basis=basis)


def test_refusals_are_value_errors(engine, value):
    assert isinstance(refuses("argument-invalid", polynomial.evaluate, engine, value, []), ValueError)
    assert isinstance(refuses("argument-type", polynomial.evaluate, engine, value, "1"), TypeError)


# case A09: interpolating x³ by degree 3 gives x³; by degree 2 it would be off by up to 0.25.
def test_fit_of_a_cube(engine, value):
    coefficients = polynomial.chebyshev_fit(lambda x: x**3, 3)
    assert coefficients.dtype == torch.float64
    assert coefficients.shape == (4,)
    assert torch.allclose(coefficients, torch.tensor([0, 0.75, 0, 0.25], dtype=torch.float64), atol=1e-14)
    out = polynomial.evaluate(engine, value, coefficients, basis="chebyshev")
    assert (decrypted(engine, out) - X**3).abs().max() < TOLERANCE


@pytest.mark.parametrize("interval", [(-4, 4), (0, 2), (-3, -1), (1, 5)])
def test_fits_and_evaluates_on_an_interval(engine, interval):
    low, high = interval
    x = torch.linspace(low, high, 65, dtype=torch.float64)
    coefficients = polynomial.chebyshev_fit(torch.sigmoid, 7, interval)
    unit = (2 * x - low - high) / (high - low)
    clear = torch.from_numpy(chebyshev.chebval(unit.numpy(), coefficients.numpy()))
    assert (clear - torch.sigmoid(x)).abs().max() < 0.02
    out = polynomial.evaluate(engine, engine.encrypt_message(x), coefficients, basis="chebyshev", interval=interval)
    assert out.depth == 3 + (high - low != 2)
    assert (engine.decrypt_message(out, is_real=True)[:65] - clear).abs().max() < TOLERANCE


def test_depth_of_degrees():
    assert [polynomial.depth(d) for d in (0, 1, 2, 3, 4, 7, 8, 15, 16, 31)] == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]


def test_state_batches_and_inputs(engine):
    batch = engine.encrypt_message(torch.stack([X, -X]))
    before = batch.to_bytes()
    scale = 2.0**39 + 12345
    out = polynomial.evaluate(engine, batch, ODD, basis="chebyshev", scale=scale, output_domain="ntt")
    assert (out.scale, out.polynomial_domain, tuple(out.batch_shape), out.component_count) == (scale, "ntt", (2,), 2)
    assert batch.to_bytes() == before
    got = engine.decrypt_message(out, is_real=True)[:, : len(X)]
    assert (got[0] - wanted(ODD, "chebyshev")).abs().max() < TOLERANCE
    for i in range(2):
        single = polynomial.evaluate(engine, batch.select_batch(i), ODD, basis="chebyshev", scale=scale, output_domain="ntt")
        assert torch.equal(single.data, out.data[:, i])


@pytest.mark.parametrize("kind", [list, tuple, np.asarray, torch.tensor, lambda c: torch.tensor(c, dtype=torch.float32)])
def test_sources_of_coefficients(engine, value, kind):
    out = polynomial.evaluate(engine, value, kind([1, 0.5, 0.25]))
    assert (decrypted(engine, out) - (1 + X / 2 + X**2 / 4)).abs().max() < TOLERANCE


def test_the_key_is_given_held_or_missing(engine, value):
    key = engine.create_relinearization_key()
    expected = polynomial.evaluate(engine, value, ODD, relinearization_key=key)
    with Engine(PRESET, allow_automatic_key_generation=False) as server:
        refuses("key-absent", polynomial.evaluate, server, value, ODD)
        assert polynomial.evaluate(server, value, [1.0, 2.0]).depth == 1  # needs none
        assert torch.equal(polynomial.evaluate(server, value, ODD, relinearization_key=key).data, expected.data)
        server.set_relinearization_key(key)
        assert torch.equal(polynomial.evaluate(server, value, ODD).data, expected.data)


# Bad input: each is refused by a name, and the engine goes on.


@pytest.mark.parametrize(
    ("coefficients", "code"),
    [
        ([[1.0, 2.0]], "argument-invalid"),
        (1.0, "argument-invalid"),
        (torch.tensor(1.0), "argument-invalid"),
        ([1j], "argument-invalid"),
        ([math.nan, 1], "argument-invalid"),
        ([1, 1, math.inf], "argument-invalid"),
        ([1, -math.inf], "argument-invalid"),
        (["1"], "argument-type"),
        (None, "argument-type"),
        (object(), "argument-type"),
        ([None], "argument-type"),
    ],
    ids=repr,
)
def test_what_is_no_polynomial(engine, value, coefficients, code):
    refuses(code, polynomial.evaluate, engine, value, coefficients)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"basis": "monomial"}, "argument-invalid"),
        ({"basis": None}, "argument-invalid"),
        ({"output_domain": "slots"}, "argument-invalid"),
        ({"interval": (1, -1)}, "argument-invalid"),
        ({"interval": (1, 1)}, "argument-invalid"),
        ({"interval": (math.nan, 1)}, "argument-invalid"),
        ({"interval": (-math.inf, 1)}, "argument-invalid"),
        ({"interval": (0, 1, 2)}, "argument-type"),
        ({"interval": 1}, "argument-type"),
        ({"interval": "ab"}, "argument-type"),
        ({"scale": 0.0}, "scale-invalid"),
        ({"scale": -1.0}, "scale-invalid"),
        ({"scale": math.nan}, "scale-invalid"),
        ({"scale": math.inf}, "scale-invalid"),
        ({"scale": "1"}, "scale-invalid"),
        ({"relinearization_key": 3}, "argument-type"),
    ],
    ids=repr,
)
def test_options_that_do_not_fit(engine, value, options, code):
    refuses(code, polynomial.evaluate, engine, value, ODD, **({"basis": "chebyshev"} | options))


@pytest.mark.parametrize("degree", [16, 20, 100])
def test_too_deep(engine, value, degree):
    refuses("levels-exhausted", polynomial.evaluate, engine, value, [0.0] * degree + [0.5], basis="chebyshev")
    refuses("levels-exhausted", polynomial.evaluate, engine, engine.mod_switch_to_depth(value, 3), ODD)


def test_coefficients_that_overflow(engine, value):
    with pytest.raises(FHEliumError):
        polynomial.evaluate(engine, value, [0, 0, 1e50])
    with pytest.raises(FHEliumError):
        polynomial.evaluate(engine, value, [1e300])


def test_foreign_values_and_keys(engine, value):
    with Engine(PRESET) as other:
        foreign = other.encrypt_message(X)
        refuses("state-key-mismatch", polynomial.evaluate, engine, foreign, ODD)
        refuses("state-key-mismatch", polynomial.evaluate, engine, value, ODD, relinearization_key=other.relinearization_key)
    with Engine("slots1024-scale40-depth3-int64-insecure") as other:
        refuses("state-parameters-mismatch", polynomial.evaluate, engine, other.encrypt_message(X), [0.0, 1.0])
    ntt = engine.coefficient_domain_to_ntt_domain(value)
    assert (decrypted(engine, polynomial.evaluate(engine, ntt, [0, 0, 1])) - X**2).abs().max() < TOLERANCE
    refuses("state-components-mismatch", polynomial.evaluate, engine, engine.multiply(ntt, ntt), ODD)


@pytest.mark.parametrize("bad", [None, torch.ones(4), "text", 3])
def test_what_is_no_ciphertext(engine, bad):
    refuses("argument-type", polynomial.evaluate, engine, bad, ODD)


def test_closed_engine(value):
    with Engine(PRESET) as closed:
        pass
    refuses("engine-closed", polynomial.evaluate, closed, value, [0.0, 1.0])


@pytest.mark.parametrize("degree", [-1, 1 << 64, 1.0, True, "3", None])
def test_what_is_no_degree(degree):
    code = "argument-invalid" if type(degree) is int else "argument-type"
    refuses(code, polynomial.depth, degree)
    refuses(code, polynomial.chebyshev_fit, torch.sin, degree)


@pytest.mark.parametrize("interval", [(1, -1), (0, 0), (math.nan, 1), (0, math.inf)])
def test_fits_on_no_interval(interval):
    refuses("argument-invalid", polynomial.chebyshev_fit, torch.sin, 3, interval)


def test_fit_of_what_is_no_function_of_numbers():
    for function in (lambda x: x / 0, lambda x: torch.full_like(x, math.nan)):
        refuses("argument-invalid", polynomial.chebyshev_fit, function, 3)
    for function in (lambda x: x[:1], lambda x: torch.ones(3, 3), lambda x: x * 1j):
        refuses("argument-invalid", polynomial.chebyshev_fit, function, 3)
    for function in (None, 3, lambda x: "text"):
        refuses("argument-type", polynomial.chebyshev_fit, function, 3)
