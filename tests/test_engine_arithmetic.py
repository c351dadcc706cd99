"""What each operation computes, and the state that it leaves."""

import math

import pytest
import torch
from engines import foreign, kit, square, state, tiny, values
from fhelium import Ciphertext
from fhelium.eager import Engine
from fhelium.errors import (
    FHEliumError,
    MaximumDepthError,
    PolynomialDomainError,
    ScaleMismatchError,
    StateError,
)


@pytest.fixture(scope="module")
def k():
    return kit(Engine(tiny()))


def real(k, ct):
    return k.engine.decrypt_message(ct, is_real=True)


def other(k):
    return values(k.engine.num_slots, seed=2)


def test_sums_and_differences(k):
    e, x, y = k.engine, k.message, other(k)
    assert (real(k, e.add(k.ct, k.ct2)) - x - y).abs().max() < 1e-6
    assert (real(k, e.subtract(k.ct, k.ct2)) - x + y).abs().max() < 1e-6
    assert (real(k, e.negate(k.ntt)) + x).abs().max() < 1e-6
    assert (real(k, e.sum_ciphertexts([k.ct, k.ct2, k.ct])) - 2 * x - y).abs().max() < 1e-6
    assert (real(k, e.sum_ciphertext_batch(k.batch)) - x - y).abs().max() < 1e-6
    assert e.sum_ciphertext_batch(k.batch, -1).batch_shape == ()
    assert (real(k, e.add_plaintext(k.ct, k.pt)) - 2 * x).abs().max() < 1e-6
    assert (real(k, e.subtract_plaintext(k.ct2, k.pt)) - y + x).abs().max() < 1e-6
    assert (real(k, e.add_scalar(k.ct, -0.75)) - x + 0.75).abs().max() < 1e-6


def test_additions_touch_component_zero_only(k):
    # Reference rule 12. Mutant: add the plaintext to every component.
    for result in (k.engine.add_plaintext(k.ct, k.pt), k.engine.add_scalar(k.ct, 0.5)):
        assert torch.equal(result.c1, k.ct.c1) and not torch.equal(result.c0, k.ct.c0)


def test_products(k):
    # Reference rules 4 and 23. Mutant: rescale or relinearize unasked; scale taken from one operand.
    e, x, y = k.engine, k.message, other(k)
    product = e.multiply(k.ntt, k.ntt2)
    assert (product.component_count, product.depth, product.polynomial_domain) == (3, 0, "ntt")
    assert product.scale == k.ntt.scale * k.ntt2.scale
    assert (real(k, product) - x * y).abs().max() < 1e-6
    two = e.relinearize(product)
    assert (two.component_count, two.polynomial_domain, two.scale) == (2, "coefficient", product.scale)
    assert (real(k, two) - x * y).abs().max() < 1e-6
    assert e.relinearize(product, output_domain="ntt").polynomial_domain == "ntt"
    apart, at_once = e.rescale_to_next_depth(two), e.multiply_relinearize_rescale(k.ntt, k.ntt2)
    assert (at_once.depth, at_once.scale, at_once.polynomial_domain) == (1, apart.scale, "coefficient")
    assert (real(k, at_once) - x * y).abs().max() < 1e-6
    assert torch.equal(at_once.data, e.relinearize_rescale(product).data)
    assert e.relinearize_rescale(product, output_domain="ntt").polynomial_domain == "ntt"
    by_plain = e.multiply_plaintext(k.ntt, k.pt_ntt)
    assert by_plain.scale == k.ntt.scale * k.pt_ntt.scale and (real(k, by_plain) - x * x).abs().max() < 1e-6
    by_number = e.multiply_scalar(k.ct, -0.3)
    assert by_number.scale == k.ct.scale**2 and (real(k, by_number) + 0.3 * x).abs().max() < 1e-6
    assert e.multiply_scalar(k.ct, 0.5, 2.0**20).scale == k.ct.scale * 2.0**20
    by_integer = e.multiply_integer_scalar(k.ct, -3)
    assert by_integer.scale == k.ct.scale and (real(k, by_integer) + 3 * x).abs().max() < 1e-6


def test_sums_of_products(k):
    e, x, y = k.engine, k.message, other(k)
    one = e.sum_plaintext_products([k.ntt, k.ntt2], [k.pt_ntt, k.pt_ntt])
    assert (real(k, one) - x * x - y * x).abs().max() < 1e-6 and one.batch_shape == ()
    groups = e.sum_plaintext_product_groups([k.ntt, k.ntt2], [[k.pt_ntt, k.pt_ntt], [k.pt_ntt, e.zero_plaintext_like(k.pt_ntt)]])
    assert groups.batch_shape == (2,)
    assert (real(k, groups) - torch.stack([x * x + y * x, x * x])).abs().max() < 1e-6
    rotated = e.sum_rotated_plaintext_product_groups(k.ct, [k.rotation, None], [[k.pt_ntt, k.pt_ntt]])
    assert rotated.batch_shape == (1,) and (real(k, rotated)[0] - x * x.roll(1) - x * x).abs().max() < 1e-6
    for attempt in (
        lambda: e.sum_plaintext_products([], []),
        lambda: e.sum_plaintext_products([k.ntt], [k.pt_ntt, k.pt_ntt]),
        lambda: e.sum_plaintext_product_groups([k.ntt, k.ntt2], [[k.pt_ntt, k.pt_ntt], [k.pt_ntt]]),
        lambda: e.sum_plaintext_product_groups([k.ntt], []),
    ):
        with pytest.raises(ValueError) as caught:
            attempt()
        assert caught.value.code == "argument-invalid"
    with pytest.raises(ValueError, match="identity"):
        e.sum_rotated_plaintext_product_groups(k.ct, [None, None], [[k.pt_ntt, k.pt_ntt]])


def test_rescaling_records_the_exact_quotient(k):
    # Reference rules 5 to 7. Mutant: divide by the default scale.
    e = k.engine
    scaled = e.multiply_scalar(k.ct, 1.0)
    for source in (k.product, scaled, e.relinearize(k.product), e.reinterpret_at_scale(k.ntt, 2.0**50)):
        for rounding in ("nearest", "floor"):
            got = e.rescale_to_next_depth(source, rounding=rounding)
            assert got.scale == source.scale / float(e.rescale_divisor(depth=0)) == e.rescale_output_scale(source.scale, depth=0)
            assert (got.depth, got.prime_ids) == (1, source.prime_ids[1:])
            assert (got.polynomial_domain, got.component_count) == (source.polynomial_domain, source.component_count)
    deep = e.encrypt_message([0.5], depth=e.max_depth)
    for attempt in (lambda: e.rescale_to_next_depth(deep), lambda: e.rescale_divisor(depth=e.max_depth), lambda: e.mod_switch_to_next_depth(deep)):
        with pytest.raises(MaximumDepthError):
            attempt()
    with pytest.raises(FHEliumError, match="argument-invalid"):
        e.rescale_to_next_depth(k.product, rounding="up")


def test_a_rescale_that_would_leave_noise_alone_is_refused(k):
    # Fault: numbers without a correct digit, silently. Mutant: let every scale above 0 through.
    e = k.engine
    for source in (k.ct, k.ntt, e.reinterpret_at_scale(k.ct, e.rescale_divisor(depth=0) * 2.0**8)):
        before = source.to_bytes()
        for attempt in (e.rescale_to_next_depth, e.rescale_to_next_depth_):
            with pytest.raises(FHEliumError, match="scale-underflow.*rescale after a multiplication"):
                attempt(source)
        assert source.to_bytes() == before
    e.rescale_to_next_depth(e.reinterpret_at_scale(k.ct, e.rescale_divisor(depth=0) * e.ring_dimension / 4.0))


def test_an_integer_that_outgrows_the_modulus_is_refused(k):
    # Fault: wrong numbers, silently. Mutant: check nothing, or forget the scale.
    e = k.engine
    deep = e.mod_switch_to_depth(k.ct, e.max_depth)
    room = math.log2(math.prod(e.config.moduli[i] for i in deep.prime_ids)) - 1 - math.log2(deep.scale)
    fits, overflows = int(2.0**room * 0.999), int(2.0**room * 1.001)
    for sign in (1, -1):
        assert e.multiply_integer_scalar(deep, sign * fits).scale == deep.scale
        with pytest.raises(FHEliumError, match="encode-overflow.*half the modulus at depth 3"):
            e.multiply_integer_scalar(deep, sign * overflows)


def test_a_group_of_two_primes_is_one_depth():
    # Reference rule 7. Mutant: drop one prime a rescale.
    e = Engine("slots1024-scale60-depth2-int64-insecure")
    x = values(e.num_slots)
    result = square(e, e.encrypt_message(x))
    assert result.depth == 1 and result.limb_count == e.encrypt_message(x).limb_count - 2
    assert (e.decrypt_message(result, is_real=True) - x * x).abs().max() < 1e-12
    assert e.rescale_divisor(depth=0) == math.prod(e.config.q_depth_groups[0])


def test_switching_the_modulus_keeps_the_surviving_rows(k):
    # Reference rule 8. Mutant: keep the leading rows.
    for value in (k.ct, k.product, k.pt_ntt, k.compact, k.seeded):
        dropped = k.engine.mod_switch_to_depth(value, 2)
        assert torch.equal(dropped.data, value.data[..., 2:, :]) and dropped.prime_ids == value.prime_ids[2:]
        assert (dropped.depth, dropped.scale) == (2, value.scale)
        with pytest.raises(ValueError) as caught:
            k.engine.mod_switch_to_depth(dropped, 1)
        assert caught.value.code == "depth-invalid"


def test_reinterpretation_changes_the_scale_alone(k):
    # Reference rule 25. Mutant: measure the change one way only.
    e = k.engine
    double = e.reinterpret_at_scale(k.ct, 2.0**39)
    assert torch.equal(double.data, k.ct.data) and (real(k, double) - 2 * k.message).abs().max() < 1e-6
    near = k.ct.scale * 1.0625
    assert e.reinterpret_at_scale(k.ct, near, max_relative_change=0.0625).scale == near
    for far in (near, k.ct.scale / 1.0625):
        with pytest.raises(ScaleMismatchError) as caught:
            e.reinterpret_at_scale(k.ct, far, max_relative_change=0.0624)
        assert caught.value.code == "scale-reinterpretation"
    for bound in (-0.1, float("nan")):
        with pytest.raises(ValueError):
            e.reinterpret_at_scale(k.ct, near, max_relative_change=bound)


IN_PLACE = {
    "add_": lambda e, t, k: e.add_(t, k.ct2),
    "add": lambda e, t, k: e.add(t, k.ct2, inplace=True),
    "add to itself": lambda e, t, k: e.add_(t, t),
    "subtract_": lambda e, t, k: e.subtract_(t, k.ct2),
    "negate_": lambda e, t, k: e.negate_(t),
    "add_plaintext_": lambda e, t, k: e.add_plaintext_(t, k.pt),
    "subtract_plaintext_": lambda e, t, k: e.subtract_plaintext_(t, k.pt),
    "multiply_plaintext_": lambda e, t, k: e.multiply_plaintext_(e.coefficient_domain_to_ntt_domain_(t), k.pt_ntt),
    "add_scalar": lambda e, t, k: e.add_scalar(t, 0.5, inplace=True),
    "multiply_scalar": lambda e, t, k: e.multiply_scalar(t, 0.5, inplace=True),
    "multiply_integer_scalar": lambda e, t, k: e.multiply_integer_scalar(t, 7, inplace=True),
    "to ntt": lambda e, t, k: e.coefficient_domain_to_ntt_domain_(t),
    "there and back": lambda e, t, k: e.ntt_domain_to_coefficient_domain_(e.coefficient_domain_to_ntt_domain_(t)),
    "rotate_by_step_": lambda e, t, k: e.rotate_by_step_(t, 1),
    "reinterpret": lambda e, t, k: e.reinterpret_at_scale_(t, 2.0**41),
}


@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place_forms_give_the_same_object_and_tensor(k, name):
    # Reference rule 24. Mutant: let _commit_ put the result's tensor in place of the target's.
    target, twin = k.ct.clone(), k.ct.clone()
    tensor, memory = target.data, target.data.data_ptr()
    result = IN_PLACE[name](k.engine, target, k)
    assert result is target and target.data is tensor and tensor.data_ptr() == memory
    functional = {
        "add to itself": lambda: k.engine.add(twin, twin),
        "there and back": lambda: twin,
    }.get(name)
    if functional:
        assert state(functional()) == state(target)
    k.engine.validate_ciphertext(target)
    assert target._record() == target.clone()._describe().pack()  # the packed state follows the state


def test_in_place_depth_changes_leave_a_view(k):
    # Reference rule 8. Mutant: copy into the leading rows.
    scaled = k.engine.multiply_scalar(k.ct, 1.0)
    for source, change in (
        (scaled, k.engine.rescale_to_next_depth_),
        (k.ct, k.engine.mod_switch_to_next_depth_),
        (k.ct, lambda c: k.engine.mod_switch_to_depth_(c, 1)),
    ):
        target = source.clone()
        memory = target.data.untyped_storage().data_ptr()
        assert change(target) is target
        assert target.depth == 1 and target.limb_count == k.ct.limb_count - 1
        assert target.data.untyped_storage().data_ptr() == memory
        k.engine.validate_ciphertext(target)
        assert (real(k, target) - k.message).abs().max() < 1e-6


def test_in_place_on_a_plaintext(k):
    target = k.pt.clone()
    tensor = target.data
    assert k.engine.coefficient_domain_to_ntt_domain_(target) is target and target.data is tensor
    assert state(target) == state(k.pt_ntt)


@pytest.mark.parametrize(
    "attempt",
    [
        lambda e, t, k: e.add_(t, k.ntt),
        lambda e, t, k: e.add_plaintext_(t, k.pt_ntt),
        lambda e, t, k: e.multiply_plaintext_(t, k.pt_ntt),
        lambda e, t, k: e.subtract_(t, t),
        lambda e, t, k: e.reinterpret_at_scale_(t, 1.0, max_relative_change=0.1),
        lambda e, t, k: e.ntt_domain_to_coefficient_domain_(t),
        lambda e, t, k: e.mod_switch_to_depth_(t, 77),
        lambda e, t, k: e.add_scalar(t, float("nan"), inplace=True),
    ],
)
def test_a_refused_in_place_call_changes_nothing(k, attempt):
    # Mutant: write into the target's tensor while computing.
    target = k.ct.clone()
    before = state(target)
    with pytest.raises(FHEliumError):
        attempt(k.engine, target, k)
    assert state(target) == before


def test_scales_are_equal_to_the_bit_or_within_the_tolerance_asked_for(k):
    # Reference rule 10. Mutant: a tolerance of 1e-12 by default.
    e = k.engine
    near = e.reinterpret_at_scale(k.ct2, math.nextafter(k.ct2.scale, math.inf))
    for attempt in (lambda: e.add(k.ct, near), lambda: e.subtract(k.ct, near), lambda: e.sum_ciphertexts([k.ct, k.ct, near])):
        with pytest.raises(ScaleMismatchError) as caught:
            attempt()
        assert repr(k.ct.scale).split(".")[0][:9] in caught.value.detail.replace("e+12", "")[:400] or "2^40" in caught.value.detail
    assert e.add(k.ct, near, scale_tolerance=1e-9).scale == k.ct.scale
    assert e.sum_ciphertexts([k.ct, near], scale_tolerance=1e-9).scale == k.ct.scale
    assert e.subtract_(k.ct.clone(), near, scale_tolerance=1e-9).scale == k.ct.scale
    off = e.reinterpret_at_scale(k.pt, k.pt.scale * 1.001)
    with pytest.raises(ScaleMismatchError):
        e.add_plaintext(k.ct, off)
    assert e.add_plaintext(k.ct, off, scale_tolerance=0.01).scale == k.ct.scale
    for bad in (-1e-9, float("nan"), 1.0, True, "x"):
        with pytest.raises(FHEliumError):
            e.add(k.ct, near, scale_tolerance=bad)


def test_domains_are_never_guessed(k):
    # Reference rule 11. Mutant: transform what is in the wrong domain.
    e = k.engine
    for attempt in (
        lambda: e.add(k.ct, k.ntt),
        lambda: e.multiply(k.ct, k.ct2),
        lambda: e.multiply(k.ntt, k.ct2),
        lambda: e.coefficient_domain_to_ntt_domain(k.ntt),
        lambda: e.ntt_domain_to_coefficient_domain(k.ct),
        lambda: e.relinearize(e.ntt_domain_to_coefficient_domain(k.product)),
        lambda: e.add_plaintext(k.ct, k.pt_ntt),
        lambda: e.multiply_plaintext(k.ct, k.pt_ntt),
        lambda: e.add_scalar(k.ntt, 1.0),
        lambda: e.sum_rotated_plaintext_product_groups(k.ntt, [None], [[k.pt_ntt]]),
    ):
        with pytest.raises(PolynomialDomainError) as caught:
            attempt()
        assert "coefficient" in caught.value.detail and "ntt" in caught.value.detail


def test_operands_interchange_only_when_all_five_agree(k):
    # row 002-58. Mutant: leave out any one comparison of sameCiphertexts in Go.
    e, elsewhere = k.engine, Engine(foreign())
    strangers = Engine(tiny())
    for other_operand, code in (
        (elsewhere.encrypt_message([1.0]), "state-parameters-mismatch"),
        (e.mod_switch_to_next_depth(k.ct2), "state-depth-mismatch"),
        (e.reinterpret_at_scale(k.ct2, 2.0**41), "state-scale-mismatch"),
        (k.ct2.slice_limbs(0, 2), "state-rows-mismatch"),
        (strangers.encrypt_message([1.0]), "state-key-mismatch"),
    ):
        with pytest.raises(FHEliumError) as caught:
            e.add(k.ct, other_operand)
        assert caught.value.code == code
    assert e.add(k.ct, k.ct2).key_id == k.ct.key_id


def test_components_batches_bases_and_rows_must_fit(k):
    # Reference rules 13 and 14. Mutant: broadcast ciphertext batches.
    e = k.engine
    key = e.create_public_key(k.secret, "QP")
    wide = e.encrypt_message(k.message, public_key=key, modulus_basis="QP")
    for attempt, code in (
        (lambda: e.add(k.product, k.ntt), "state-components-mismatch"),
        (lambda: e.relinearize(k.ntt), "state-components-mismatch"),
        (lambda: e.multiply(k.product, k.ntt), "state-components-mismatch"),
        (lambda: e.add(k.batch, k.ct), "state-batch-mismatch"),
        (lambda: e.add_plaintext(k.ct, e.prepare_plaintext_for_addition(e.encode(values(2, 4)))), "state-batch-mismatch"),
        (lambda: e.sum_ciphertext_batch(k.ct), "state-batch-mismatch"),
        (lambda: e.sum_ciphertext_batch(k.batch, 1), "batch-index-invalid"),
        (lambda: e.add(k.ct, wide), "state-basis-mismatch"),
        (lambda: e.rotate_by_step(wide, 1), "state-basis-mismatch"),
        (lambda: e.add(k.ct, e.mod_switch_to_next_depth(k.ct2)), "state-depth-mismatch"),
        (lambda: e.add(k.ct, k.ct2.slice_limbs(1, 3)), "state-rows-mismatch"),
        (lambda: e.rescale_to_next_depth(k.ct.slice_limbs(0, 2)), "operation-needs-all-rows"),
        (lambda: e.decrypt(k.ct.slice_limbs(0, 2)), "operation-needs-all-rows"),
        (lambda: e.add_plaintext(k.ct, k.integers), "state-kind-mismatch"),
        (lambda: e.add_plaintext(k.ct, e.plaintext([1.0])), "state-kind-mismatch"),
        (lambda: e.add(k.ct, k.pt), "state-kind-mismatch"),
        (lambda: e.coefficient_domain_to_ntt_domain(e.plaintext([1.0])), "state-kind-mismatch"),
        (lambda: e.decode(k.pt), "state-kind-mismatch"),
        (lambda: e.encode(k.integers), "state-kind-mismatch"),
    ):
        with pytest.raises(StateError) as caught:
            attempt()
        assert caught.value.code == code, caught.value
    with pytest.raises(IndexError):
        e.sum_ciphertext_batch(k.batch, 1)
    assert torch.equal(e.add_plaintext(k.batch, k.pt).select_batch(0).data, e.add_plaintext(k.ct, k.pt).data)
    alone = type(k.pt).stack_batch([k.pt])
    assert torch.equal(e.add_plaintext(k.batch, alone).data, e.add_plaintext(k.batch, k.pt).data)
    assert Ciphertext.stack_batch([k.ct]).batch_shape == (1,)
    shard, shard2 = k.ct.slice_limbs(1, 3), k.ct2.slice_limbs(1, 3)
    assert torch.equal(e.add(shard, shard2).data, e.add(k.ct, k.ct2).data[:, 1:3])


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf"), 1j, True, "2", None, [1.0], torch.zeros(2)], ids=repr)
def test_scalars_are_finite_real_numbers(k, bad):
    # mistake 2. Mutant: float(scalar), which takes True and "2".
    for attempt in (lambda: k.engine.add_scalar(k.ct, bad), lambda: k.engine.multiply_scalar(k.ct, bad)):
        with pytest.raises(FHEliumError) as caught:
            attempt()
        assert caught.value.code in ("argument-type", "argument-invalid")
    with pytest.raises(FHEliumError):
        k.engine.multiply_integer_scalar(k.ct, bad)


def test_scalars_of_other_number_types_are_taken(k):
    import fractions

    import numpy as np

    for number in (1, np.float32(0.5), torch.tensor(0.25), fractions.Fraction(1, 4), np.int64(2)):
        got = k.engine.add_scalar(k.ct, number)
        assert (real(k, got) - k.message - float(number)).abs().max() < 1e-6
    assert k.engine.multiply_integer_scalar(k.ct, np.int8(2)).scale == k.ct.scale
    with pytest.raises(FHEliumError, match="argument-invalid"):
        k.engine.multiply_integer_scalar(k.ct, 1 << 64)
    with pytest.raises(FHEliumError, match="encode-overflow"):
        k.engine.add_scalar(k.ct, 1e300)


def test_key_switching_leads_to_the_other_secret(k):
    # Mutant: swap source and target in create_key_switch_key.
    moved = k.engine.switch_key(k.ct, k.switch)
    assert moved.key_id == k.other_secret.key_id
    got = k.engine.decrypt_message(moved, k.other_secret, is_real=True)
    assert (got - k.message).abs().max() < 1e-6


def test_validation_finds_a_residue_out_of_range(k):
    # Mutant: check the first row only.
    k.engine.validate_plaintext(k.pt)
    k.engine.validate_public_key(k.public)
    k.engine.validate_secret_key(k.secret)
    k.engine.validate_key_switch_key(k.rotation)
    bad = k.ct.clone()
    bad.data[1, -1, 7] = tiny().moduli[3]
    with pytest.raises(FHEliumError, match="residue-out-of-range"):
        k.engine.validate_ciphertext(bad)
    with pytest.raises(FHEliumError, match="argument-type"):
        k.engine.validate_ciphertext(k.pt)
