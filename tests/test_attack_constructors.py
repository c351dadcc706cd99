"""Tensors of every shape and type given to every constructor: a value whose record crosses, or a named refusal."""

from __future__ import annotations

import itertools
from typing import Any

import numpy
import pytest
import samples
import torch
from engines import kit, tiny
from fhelium import Ciphertext, CompressedPlaintext, EvaluationKeyRequirements, Plaintext, RotationKey, RotationKeySet
from fhelium.eager import Engine, arguments
from fhelium.errors import FHEliumError
from fhelium.values import EvaluationKeySet
from fhelium.values.resident import Value

VALUES = {name: value for name, value in (samples.public_values() | {"secret key": samples.secret_key()}).items() if isinstance(value, Value)}
EXTENTS = (0, 1, 2, 3, 16)
SHAPES = [shape for axes in range(5) for shape in itertools.product(EXTENTS, repeat=axes)]


def outcome(call: Any) -> str:
    """What became of a call; any error that is not the library's own goes through."""
    try:
        made = call()
    except FHEliumError as error:
        assert not error.code.startswith("internal"), error
        return error.code
    if isinstance(made, Value):
        assert len(made._record()) == 256 and repr(made)
    return "made"


@pytest.mark.parametrize("name", VALUES)
def test_any_shape(name):
    # Faults: an IndexError for too few axes, a value of no elements.
    value = VALUES[name]
    for field in value._TENSORS:
        if getattr(value, field) is None:
            continue
        for shape in SHAPES:
            tensor = torch.zeros(shape, dtype=getattr(value, field).dtype)
            result = outcome(lambda field=field, tensor=tensor: type(value)(**value._fields() | {field: tensor}))
            assert result != "made" or tensor.numel() > 0, (field, shape)


JUNK = [
    None, 0, 1.5, "data", b"", [], [[1]], (), {}, object(), numpy.zeros((2, 3, 16), dtype=numpy.int64), torch.Size((2, 3, 16)),
    torch.zeros(2, 3, 16), torch.zeros(2, 3, 16, dtype=torch.bool), torch.zeros(2, 3, 16, dtype=torch.complex64), torch.zeros(2, 3, 16, dtype=torch.uint8),
    torch.zeros(2, 3, 16, dtype=torch.int64).to_sparse(), torch.nn.UninitializedParameter(dtype=torch.int64, requires_grad=False), torch.tensor(1),
]  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_anything_for_any_field(name):
    # Fault: errors of torch and Python.
    value = VALUES[name]
    for field in (*value._TENSORS, *value._STATE, "residue_representation"):
        for bad in JUNK:
            outcome(lambda field=field, bad=bad: type(value)(**value._fields() | {field: bad}))
        if field in value._TENSORS and getattr(value, field) is not None and field != "message":
            for bad in JUNK[:12]:
                assert outcome(lambda field=field, bad=bad: type(value)(**value._fields() | {field: bad})) != "made", (field, bad)


@pytest.mark.parametrize("name", VALUES)
def test_anything_for_any_method(name):
    value = VALUES[name]
    for bad in [*JUNK, -1, 99, 2**70, True, torch.zeros(0, dtype=torch.int64)]:
        for method in ("with_data", "slice_limbs", "slice_batch", "select_batch", "unbind_batch", "component", "replace_", "stack_batch", "to", "from_bytes"):
            if hasattr(value, method):
                for given in ((bad,), (bad, bad)):
                    try:
                        outcome(lambda method=method, given=given: getattr(value.clone(), method)(*given))
                    except TypeError as error:  # Python's own, for a wrong number of arguments
                        assert "argument" in str(error), error


def test_anything_for_assert_state():
    # Fault: the ValueError of an array's truth.
    value = samples.ciphertext(2)
    for name in (*value._STATE, "residue_representation", "component_count", "batch_shape", "limb_count", "ring_dimension"):
        for bad in JUNK:
            assert outcome(lambda name=name, bad=bad: value.assert_state(**{name: bad})) != "made"
        assert samples.ciphertext(key_id=None).assert_state(key_id=None)
        assert value.assert_state(**{name: getattr(value, name)}) is value
    assert value.assert_state(scale=numpy.float32(2**40), depth=numpy.int64(1), batch_shape=[2], prime_ids=range(1, 4)) is value


def test_anything_for_sets_of_keys():
    # Faults: TypeError and AttributeError of what is no iterable or no requirements; 0 taken for no keys.
    key, whole = samples.rotation_key(), samples.public_values()["evaluation keys"]
    calls = (
        RotationKeySet, lambda bad: RotationKeySet({3: bad}), lambda bad: RotationKeySet({bad: key} if isinstance(bad, int | float | str) else [bad]),
        lambda bad: RotationKeySet([key]).add(bad), lambda bad: EvaluationKeySet(bad), lambda bad: EvaluationKeySet(None, [bad]),
        lambda bad: EvaluationKeySet(None, None, [bad]), lambda bad: EvaluationKeyRequirements(bad), lambda bad: EvaluationKeyRequirements((), bad),
        lambda bad: whole.require(bad), lambda bad: RotationKey.normalize_step(bad, ring_dimension=16),
        lambda bad: CompressedPlaintext.from_plaintext(bad, 4, "cyclic"), lambda bad: CompressedPlaintext.from_plaintext(samples.plaintext(), bad, bad),
    )  # fmt: skip
    for i, call in enumerate(calls):
        for bad in JUNK:
            nothing = isinstance(bad, (list, tuple, dict, bytes)) and not len(bad) and i in (0, 4, 7)
            means = nothing or (bad is None and i == 4) or (isinstance(bad, torch.Size) and i == 7) or (type(bad) is int and i == 10)
            assert (outcome(lambda call=call, bad=bad: call(bad)) == "made") == means, (i, bad)


def test_an_iterable_that_fails_is_its_owners():
    def failing():
        yield samples.ciphertext()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Ciphertext.stack_batch(failing())


@pytest.mark.parametrize("bad", [None, 5, 1.5, True, object(), torch.tensor(1), numpy.array(3)], ids=repr)
def test_anything_for_operands(k, bad):
    # Fault: Python's TypeError of what is no iterable.
    e = k.engine
    for call in (
        lambda: e.sum_ciphertexts(bad), lambda: e.sum_ciphertexts([k.ct, bad]), lambda: e.sum_ciphertexts(k.ct),
        lambda: e.sum_plaintext_products(bad, [k.pt_ntt]), lambda: e.sum_plaintext_products([k.ntt], bad), lambda: e.sum_plaintext_products([bad], [bad]),
        lambda: e.sum_plaintext_product_groups([k.ntt], bad), lambda: e.sum_plaintext_product_groups([k.ntt], [bad]), lambda: e.sum_plaintext_product_groups(bad, [[k.pt_ntt]]),
        lambda: e.sum_rotated_plaintext_product_groups(k.ct, bad, [[k.pt_ntt]]), lambda: e.sum_rotated_plaintext_product_groups(k.ct, [None], bad),
        lambda: e.sum_rotated_plaintext_product_groups(bad, [None], [[k.pt_ntt]]), lambda: e.sum_rotated_plaintext_product_groups(k.ct, [numpy.zeros(2)], [[bad]]),
    ):  # fmt: skip
        assert outcome(call) != "made"


@pytest.fixture(scope="module")
def k():
    return kit(Engine(tiny()))


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan"), 1e300, -1e300])
def test_coefficients_that_are_no_integers(k, number):
    # Fault: an infinity passes for an integer, for it has no fraction.
    data = torch.zeros(tiny().N, dtype=torch.float64)
    data[3] = number
    for representation in ("integer_coefficients", "approximate_coefficients"):
        plain = lambda representation=representation: Plaintext(data=data, scale=2.0**40, representation=representation)  # noqa: E731
        for use in (k.engine.integer_coefficients_to_rns, k.engine.decode, k.engine.encrypt):
            result = outcome(lambda use=use, plain=plain: use(plain()))
            assert result != "made" or (use == k.engine.decode and abs(number) == 1e300), (representation, use)


NUMBERS = {
    "scalar": lambda k, x: k.engine.add_scalar(k.ct, x),
    "scale": lambda k, x: k.engine.encode([1.0], scale=x),
    "tolerance": lambda k, x: k.engine.add(k.ct, k.ct2, scale_tolerance=x),
    "depth": lambda k, x: k.engine.encode([1.0], depth=x),
    "step": lambda k, x: k.engine.rotate_by_step(k.ct, x),
    "factor": lambda k, x: k.engine.multiply_integer_scalar(k.ct, x),
    "slots": lambda k, x: k.engine.decode(k.approximate, slots=x),
    "array": lambda k, x: arguments.array(x, "the array"),
    "interval": lambda k, x: arguments.interval((0.0, x)),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_in_no_memory(k, name):
    # Fault: torch's RuntimeError of item().
    for dtype in (torch.float64, torch.int64):
        assert outcome(lambda dtype=dtype: NUMBERS[name](k, torch.ones((), dtype=dtype, device="meta"))) != "made"
        with pytest.raises(FHEliumError):
            torch.func.vmap(lambda x: (NUMBERS[name](k, x), x)[1])(torch.ones(2, dtype=dtype))
