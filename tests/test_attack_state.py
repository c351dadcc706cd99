"""Values and calls that lie about themselves: refused by name, or computed right, and nothing half done.

Each test names the fault that it was made for.
"""

from __future__ import annotations

import pytest
import torch
from engines import kit, square, tiny, values
from torch._subclasses.fake_tensor import FakeTensorMode

from fhelium import Ciphertext, Plaintext, polynomial
from fhelium.eager import Engine
from fhelium.errors import FHEliumError


@pytest.fixture(scope="module")
def k():
    return kit(Engine(tiny()))


def refused(code, call):
    """The call is refused by the code."""
    with pytest.raises(FHEliumError) as caught:
        call()
    assert caught.value.code == code, caught.value
    return caught.value


@pytest.mark.parametrize("name", ["pt_ntt", "seeded", "compact", "ct"])
@pytest.mark.parametrize("depth", [1, 3])
def test_dropping_rows_in_place_leaves_a_whole_value(k, name, depth):
    # Fault: a plaintext kept all its rows, overwritten by broadcasting, under fewer prime ids.
    value, whole = getattr(k, name).clone(), getattr(k, name)
    wanted = k.engine.mod_switch_to_depth(whole, depth)
    assert k.engine.mod_switch_to_depth(value, depth, True) is value
    assert torch.equal(value.data, wanted.data)
    assert value.data.shape[-2] == len(value.prime_ids)
    assert type(value).from_bytes(value.to_bytes()).prime_ids == wanted.prime_ids


def test_rows_are_not_dropped_below_the_scale(k):
    # Fault: a product that was not rescaled lost its message when it was switched to a modulus below its scale.
    product = k.engine.relinearize(k.product)
    error = refused("levels-exhausted", lambda: k.engine.mod_switch_to_depth(product, 3))
    assert "2^80.0" in str(error) and "depth 3" in str(error)


def test_a_polynomial_does_not_lose_its_coefficients(k):
    # Fault: at scale 2^80 the coefficients were encoded at scale 1, that is rounded to integers.
    x = k.engine.relinearize(k.product)
    refused("scale-invalid", lambda: polynomial.evaluate(k.engine, x, [0.1, 0.2, 0.3]))
    whole = polynomial.evaluate(k.engine, square(k.engine, k.ct), [0.1, 0.2, 0.3])
    y = k.message**2
    assert torch.allclose(k.engine.decrypt_message(whole, is_real=True), 0.1 + 0.2 * y + 0.3 * y**2, atol=1e-4)


@pytest.mark.parametrize("name", ["public", "secret", "rotation", "relinearization", "conjugation", "switch", "seeded"])
def test_keys_exist_in_the_ntt_domain_only(k, name):
    # Fault: a key that said it held coefficients was used as if it held evaluations.
    value = getattr(k, name)
    lying = type(value)(**value._fields() | {"polynomial_domain": "coefficient"})
    e = k.engine
    calls = {
        "public": lambda: e.encrypt_message([1.0], public_key=lying),
        "secret": lambda: e.decrypt(k.ct, lying),
        "rotation": lambda: e.rotate_with_key(k.ct, lying),
        "relinearization": lambda: e.relinearize(k.product, lying),
        "conjugation": lambda: e.conjugate(k.ct, lying),
        "switch": lambda: e.switch_key(k.ct, lying),
        "seeded": lambda: e.expand(lying),
    }
    refused("state-domain-mismatch", calls[name])


@pytest.mark.parametrize("basis", ["QP", "shard"])
def test_rotated_products_without_a_key_check_the_rows(k, basis):
    # Fault: with the identity alone, rows that no decomposition covers ended in a panic.
    if basis == "QP":
        public = k.engine.create_public_key(modulus_basis="QP")
        ct, pt = k.engine.encrypt_message(k.message, public_key=public, modulus_basis="QP"), k.engine.prepare_plaintext_for_multiplication(k.integers, "QP")
        code = "state-basis-mismatch"
    else:
        ct, pt, code = k.ct.slice_limbs(0, 2), k.pt_ntt.slice_limbs(0, 2), "operation-needs-all-rows"
    refused(code, lambda: k.engine.sum_rotated_plaintext_product_groups(ct, [None], [[pt]]))


def _expanded(ct):
    return ct.with_data(ct.data.unsqueeze(1).expand(2, 3, *ct.data.shape[1:]))


def _overlapping(ct):
    return ct.with_data(ct.data.new_ones(40_000).as_strided((2, 3, 4, 2048), (8192, 100, 2048, 1)))


def _inference(ct):
    with torch.inference_mode():
        return ct.clone()


@pytest.mark.parametrize("make", [_expanded, _overlapping, _inference])
def test_a_tensor_that_cannot_be_written_is_refused_unchanged(k, make):
    # Fault: torch's own error, in inference mode after the write; silent damage where elements overlap.
    value = make(k.ct)
    before, state = value.data.clone(), repr(value)
    refused("value-immutable" if make is _inference else "shape-invalid", lambda: k.engine.negate_(value))
    assert torch.equal(value.data, before) and repr(value) == state
    assert torch.equal(k.engine.negate(value).data, k.engine.negate(value.clone()).data)


def test_views_are_written_in_place(k):
    base = k.batch.clone()
    k.engine.negate_(base.select_batch(0))
    k.engine.negate_(base.slice_batch(1, 2).slice_limbs(0, 2))
    assert torch.equal(base.data[:, 0], k.engine.negate(k.ct).data)
    assert torch.equal(base.data[:, 1, :2], k.engine.negate(k.ct2).data[:, :2])
    assert torch.equal(base.data[:, 1, 2:], k.ct2.data[:, 2:])


def test_a_dtype_that_changed_behind_a_value_is_refused(k):
    # Fault: 8 bytes were read for each element of 4.
    value = k.ct.clone()
    value.data.data = value.data.to(torch.int32)
    refused("buffer-invalid", lambda: k.engine.negate(value))


@pytest.mark.parametrize("how", ["fake", "freed"])
def test_a_tensor_without_memory_is_not_saved(k, how):
    # Fault: the address 0 was read, which ended the process.
    value = k.ct.clone()
    if how == "freed":
        value.data.untyped_storage().resize_(0)
    else:
        value = value.with_data(FakeTensorMode().from_tensor(value.data))
    refused("placement-mixed", value.to_bytes)


def test_messages_of_any_memory_are_read(k):
    x = values(4, k.engine.num_slots, seed=3)
    wide = torch.stack((x, x + 1), dim=-1)
    for message in (x.t().contiguous().t(), wide[..., 0], x.requires_grad_(), x.detach().flip(0).flip(0), x[:1].expand(4, -1)):
        got = k.engine.decrypt_message(k.engine.encrypt_message(message), is_real=True)
        assert torch.allclose(got, message.detach(), atol=1e-6)


def test_a_ring_of_two_words_is_refused(k):
    # A ring of another dimension is refused by every operand position, whatever its numbers.
    small = Ciphertext(torch.ones(2, 4, 2, dtype=torch.int64), 0, 2.0**40, range(4), parameters=k.ct.parameters, key_id=k.ct.key_id)
    refused("state-parameters-mismatch", lambda: k.engine.add(k.ct, small))
    plain = Plaintext(data=torch.ones(4, 2, dtype=torch.int64), scale=2.0**40, prime_ids=range(4))
    refused("state-parameters-mismatch", lambda: k.engine.add_plaintext(k.ct, plain))
