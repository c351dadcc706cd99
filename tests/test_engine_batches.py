"""A batch is independent messages of one kind: every operation on a batch gives what a loop over its members gives."""

import pytest
import torch
from engines import kit, state, tiny
from fhelium import Ciphertext, Plaintext
from fhelium.eager import Engine


@pytest.fixture(scope="module")
def k():
    return kit(Engine(tiny()))


def last(groups: Ciphertext) -> Ciphertext:
    """The last group of sums, which lie along an axis before the batch."""
    return groups.with_data(groups.data[:, -1])


# Operations whose results follow from their operands alone, as calls on one
# ciphertext in the coefficient domain (c) and its form in the NTT domain (n).
CALLS = {
    "add": lambda k, c, n: k.engine.add(c, c),
    "subtract": lambda k, c, n: k.engine.subtract(c, k.engine.multiply_integer_scalar(c, 3)),
    "negate": lambda k, c, n: k.engine.negate(c),
    "sum_ciphertexts": lambda k, c, n: k.engine.sum_ciphertexts([c, c, c]),
    "add_plaintext": lambda k, c, n: k.engine.add_plaintext(c, k.pt),
    "add compressed": lambda k, c, n: k.engine.add_plaintext(n, k.compact),
    "subtract_plaintext": lambda k, c, n: k.engine.subtract_plaintext(c, k.pt),
    "multiply_plaintext": lambda k, c, n: k.engine.multiply_plaintext(n, k.pt_ntt),
    "multiply compressed": lambda k, c, n: k.engine.multiply_plaintext(n, k.compact),
    "multiply": lambda k, c, n: k.engine.multiply(n, n),
    "relinearize": lambda k, c, n: k.engine.relinearize(k.engine.multiply(n, n), k.relinearization),
    "rescale": lambda k, c, n: k.engine.rescale_to_next_depth(k.engine.multiply(n, n)),
    "add_scalar": lambda k, c, n: k.engine.add_scalar(c, 0.5),
    "multiply_scalar": lambda k, c, n: k.engine.multiply_scalar(c, -0.5),
    "multiply_integer_scalar": lambda k, c, n: k.engine.multiply_integer_scalar(c, -3),
    "to ntt": lambda k, c, n: k.engine.coefficient_domain_to_ntt_domain(c),
    "to coefficients": lambda k, c, n: k.engine.ntt_domain_to_coefficient_domain(n),
    "mod_switch": lambda k, c, n: k.engine.mod_switch_to_depth(c, 2),
    "rotate": lambda k, c, n: k.engine.rotate_with_key(c, k.rotation),
    "rotate hoisted": lambda k, c, n: k.engine.rotate_many_with_keys(c, [k.rotation, k.rotation])[1],
    "conjugate": lambda k, c, n: k.engine.conjugate(c, k.conjugation),
    "switch_key": lambda k, c, n: k.engine.switch_key(c, k.switch),
    "products": lambda k, c, n: k.engine.sum_plaintext_products([n, n], [k.pt_ntt, k.pt_ntt]),
    "groups": lambda k, c, n: last(k.engine.sum_plaintext_product_groups([n], [[k.pt_ntt], [k.pt_ntt]])),
    "rotated groups": lambda k, c, n: last(k.engine.sum_rotated_plaintext_product_groups(c, [None, k.rotation], [[k.pt_ntt] * 2] * 2)),
    "decrypt": lambda k, c, n: k.engine.decrypt(c, k.secret),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("shape", [(2,), (2, 3)], ids=str)
def test_every_operation_on_a_batch_is_a_loop(k, name, shape):
    # row 002-39 (operations). Mutant: let Value.Poly in Go put the batch before the component.
    members = [k.ct, k.ct2, k.engine.negate(k.ct), k.engine.add(k.ct, k.ct2), k.engine.negate(k.ct2), k.engine.subtract(k.ct, k.ct2)]
    members = members[: torch.Size(shape).numel()]
    stacked = torch.stack([m.data for m in members], 1)
    batch = k.ct.with_data(stacked.unflatten(1, shape).contiguous())
    assert batch.batch_shape == shape

    def call(c):
        return CALLS[name](k, c, k.engine.coefficient_domain_to_ntt_domain(c))

    got, wanted = call(batch), [call(m) for m in members]
    assert got.batch_shape == shape
    axis = 1 if isinstance(got, Ciphertext) else 0
    assert torch.equal(got.data.flatten(axis, axis + len(shape) - 1), torch.stack([w.data for w in wanted], axis))
    assert [getattr(got, field) for field in got._STATE] == [getattr(wanted[0], field) for field in got._STATE]


@pytest.mark.parametrize(("depth", "scale"), [(0, None), (3, None), (0, 2.0**70)])
def test_encoding_and_decoding_a_batch_is_a_loop(k, depth, scale):
    # row 002-39 (messages). Mutant: choose int64 by the first member, which fits at every scale.
    messages = torch.stack([torch.zeros_like(k.message), k.message, k.message.flip(0), torch.ones_like(k.message)])
    batch = k.engine.encode(messages, depth=depth, scale=scale)
    members = [k.engine.encode(m, depth=depth, scale=scale) for m in messages]
    assert isinstance(batch, Plaintext) and torch.equal(batch.data, torch.stack([m.data.to(batch.data.dtype) for m in members]))
    assert (scale is None) == (batch.data.dtype == torch.int64) and members[0].data.dtype == torch.int64
    assert torch.equal(k.engine.decode(batch), torch.stack([k.engine.decode(m) for m in members]))
    rows = k.engine.integer_coefficients_to_rns(batch)
    assert [state(m) for m in rows.unbind_batch()] == [state(k.engine.integer_coefficients_to_rns(m)) for m in members]
