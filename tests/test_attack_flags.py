"""Flags that are no bool and words that do not exist: each a named refusal, and nothing done."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from engines import kit, state, tiny
from fhelium import save_value
from fhelium.eager import Engine, arguments
from fhelium.errors import FHEliumError
from fhelium.linalg import LinearTransform

JUNK: list[Any] = ["no", "", 0, 1, 0.0, [], [1], b"x", object(), torch.tensor(True)]


@pytest.fixture(scope="module")
def k():
    return kit(Engine(tiny()))


@pytest.mark.parametrize("bad", [*JUNK, None], ids=repr)
def test_a_flag_is_a_bool(bad):
    # Fault: inplace="no" wrote in place. Mutant: `return bool(x)`.
    with pytest.raises(TypeError) as caught:
        arguments.flag(bad, "inplace")
    assert isinstance(caught.value, FHEliumError)
    assert caught.value.code == "argument-type" and caught.value.detail.startswith(f"inplace is a {type(bad).__name__};")
    assert arguments.flag(True, "inplace") is True and arguments.flag(False, "inplace") is False


INPLACE: dict[str, Any] = {
    "add": lambda k, bad: k.engine.add(k.ct, k.ct2, bad),
    "subtract": lambda k, bad: k.engine.subtract(k.ct, k.ct2, bad),
    "negate": lambda k, bad: k.engine.negate(k.ct, bad),
    "add_plaintext": lambda k, bad: k.engine.add_plaintext(k.ct, k.pt, bad),
    "subtract_plaintext": lambda k, bad: k.engine.subtract_plaintext(k.ct, k.pt, bad),
    "multiply_plaintext": lambda k, bad: k.engine.multiply_plaintext(k.ntt, k.pt_ntt, bad),
    "add_scalar": lambda k, bad: k.engine.add_scalar(k.ct, 0.5, inplace=bad),
    "multiply_scalar": lambda k, bad: k.engine.multiply_scalar(k.ct, 0.5, inplace=bad),
    "multiply_integer_scalar": lambda k, bad: k.engine.multiply_integer_scalar(k.ct, 2, inplace=bad),
    "to_ntt": lambda k, bad: k.engine.coefficient_domain_to_ntt_domain(k.ct, bad),
    "to_coefficient": lambda k, bad: k.engine.ntt_domain_to_coefficient_domain(k.ntt, bad),
    "rescale": lambda k, bad: k.engine.rescale_to_next_depth(k.product, inplace=bad),
    "mod_switch": lambda k, bad: k.engine.mod_switch_to_depth(k.ct, 1, bad),
    "mod_switch_next": lambda k, bad: k.engine.mod_switch_to_next_depth(k.ct, bad),
    "reinterpret": lambda k, bad: k.engine.reinterpret_at_scale(k.ct, 2.0**41, inplace=bad),
}

TRANSPARENT: dict[str, Any] = {
    "add": lambda k, bad: k.engine.add(k.ct, k.ct2, allow_transparent=bad),
    "subtract": lambda k, bad: k.engine.subtract(k.ct, k.ct2, allow_transparent=bad),
    "sum": lambda k, bad: k.engine.sum_ciphertexts([k.ct, k.ct2], allow_transparent=bad),
    "sum_batch": lambda k, bad: k.engine.sum_ciphertext_batch(k.batch, allow_transparent=bad),
    "multiply": lambda k, bad: k.engine.multiply(k.ntt, k.ntt2, allow_transparent=bad),
    "multiply_plaintext": lambda k, bad: k.engine.multiply_plaintext(k.ntt, k.pt_ntt, allow_transparent=bad),
    "multiply_scalar": lambda k, bad: k.engine.multiply_scalar(k.ct, 0.5, allow_transparent=bad),
    "multiply_integer_scalar": lambda k, bad: k.engine.multiply_integer_scalar(k.ct, 2, allow_transparent=bad),
    "products": lambda k, bad: k.engine.sum_plaintext_products([k.ntt], [k.pt_ntt], allow_transparent=bad),
    "groups": lambda k, bad: k.engine.sum_plaintext_product_groups([k.ntt], [[k.pt_ntt]], allow_transparent=bad),
    "rotated groups": lambda k, bad: k.engine.sum_rotated_plaintext_product_groups(k.ct, [None], [[k.pt_ntt]], allow_transparent=bad),
}

FLAGS: dict[str, Any] = {
    "generation": lambda k, bad: Engine(tiny(), allow_automatic_key_generation=bad),
    "replication": lambda k, bad: Engine(tiny(), allow_automatic_key_replication=bad),
    "transparent engine": lambda k, bad: Engine(tiny(), allow_transparent=bad),
    "hoisting by steps": lambda k, bad: k.engine.rotate_many_by_steps(k.ct, [1], use_hoisting=bad),
    "hoisting with keys": lambda k, bad: k.engine.rotate_many_with_keys(k.ct, [k.rotation], use_hoisting=bad),
    "relinearization": lambda k, bad: k.engine.estimate_key_bytes(relinearization=bad),
    "conjugation": lambda k, bad: k.engine.estimate_key_bytes(conjugation=bad),
    "linear transform": lambda k, bad: LinearTransform.from_matrix(k.engine, torch.eye(2), size=2)(k.engine, k.ct, rescale=bad),
    "is_real": lambda k, bad: k.engine.decode(k.approximate, is_real=bad),
    "is_real of a message": lambda k, bad: k.engine.decrypt_message(k.ct, is_real=bad),
    "copy": lambda k, bad: k.ct.to("cpu", copy=bad),
    "non_blocking": lambda k, bad: k.ct.to("cpu", non_blocking=bad),
    "copy of a set": lambda k, bad: k.engine.evaluation_keys.to("cpu", copy=bad),
    "allow_secret": lambda k, bad: k.ct.to_bytes(allow_secret=bad),
}


@pytest.mark.parametrize("bad", JUNK, ids=repr)
def test_what_takes_a_flag_takes_a_bool(k, bad, tmp_path):
    # Mutants: drop any one `flag`, or look only after the work.
    calls = [(name, call) for table in (INPLACE, TRANSPARENT, FLAGS) for name, call in table.items()]
    calls += [(word, lambda k, bad, word=word: save_value(k.ct, tmp_path / "v", **{word: bad})) for word in ("allow_secret", "overwrite")]
    before = state(k.ct), state(k.ntt)
    for name, call in calls:
        with pytest.raises(FHEliumError) as caught:
            call(k, bad)
        assert caught.value.code == "argument-type", name
        assert (state(k.ct), state(k.ntt)) == before, name
    assert not list(tmp_path.iterdir())


def test_none_is_the_engines_setting(k):
    for call in TRANSPARENT.values():
        call(k, None)
        call(k, True)
    for call in INPLACE.values():
        with pytest.raises(TypeError):
            call(k, None)


@pytest.mark.parametrize("bad", ["Message", "", "other", 0, 1, [], {}, True], ids=repr)
def test_roles_and_modes_are_words(k, bad):
    # Fault: an unknown role was taken for a message's; an unknown mode of a plaintext went unseen.
    prepare = k.engine.prepare_public_operand
    for public in ([1.0], k.pt, k.engine.plaintext([1.0]), k.compact):
        operation, met = ("multiply", k.ntt) if public is k.compact else ("add", k.ct)
        for word in ("source_role", "scale_mode"):
            with pytest.raises(FHEliumError) as caught:
                prepare(public, met, operation=operation, **{word: bad})
            assert caught.value.code == "argument-invalid" and word in caught.value.detail
    with pytest.raises(FHEliumError):
        prepare([1.0], k.ct, operation=bad)


def test_roles_and_modes_that_exist(k):
    prepare, plain = k.engine.prepare_public_operand, k.engine.plaintext([1.0], scale=2.0**40)
    twice = k.engine.reinterpret_at_scale(k.ct, 2.0**41)
    for role in (None, "static", "message"):
        assert prepare([1.0], twice, operation="add", source_role=role).scale == 2.0**41
    for mode, scale in ((None, 2.0**41), ("ciphertext", 2.0**41)):
        assert prepare([1.0], twice, operation="add", scale_mode=mode).scale == scale
    ntt = k.engine.coefficient_domain_to_ntt_domain(twice)
    for mode, scale in ((None, 2.0**40), ("default", 2.0**40), ("ciphertext", 2.0**41)):
        assert prepare([1.0], ntt, operation="multiply", scale_mode=mode).scale == scale
    for role in (None, "static", "plaintext"):
        assert prepare(plain, k.ct, operation="add", source_role=role, scale_mode="own").scale == 2.0**40
    for public, role, code in ((plain, "message", "argument-type"), ([1.0], "plaintext", "argument-type")):
        with pytest.raises(FHEliumError) as caught:
            prepare(public, k.ct, operation="add", source_role=role)
        assert caught.value.code == code
    with pytest.raises(FHEliumError) as caught:
        prepare([1.0], k.ct, operation="add", scale_mode="own")
    assert caught.value.code == "argument-invalid"
