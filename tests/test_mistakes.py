"""Ten mistakes that everyone makes: each is handled rightly, or refused by a name that shows both sides and the way out."""

import warnings

import pytest
import torch
from engines import P13, TINY, foreign, kit, square, state, tiny, values
from fhelium import Ciphertext, Plaintext, RotationKey, linalg
from fhelium.eager import Engine, PrecisionWarning
from fhelium.errors import (
    BatchError,
    DepthError,
    EncodeOverflowError,
    FHEliumError,
    KeyAbsentError,
    KeyMismatchError,
    MaximumDepthError,
    MessageError,
    ParametersMismatchError,
    PolynomialDomainError,
    ScaleMismatchError,
    ValueBytesError,
)


@pytest.fixture(scope="module")
def k():
    return kit(Engine(tiny()))


def entries(engine):
    """Every way in for a message."""
    return {
        "plaintext": engine.plaintext,
        "encode": engine.encode,
        "encrypt_message": engine.encrypt_message,
        "encrypt_with_secret_key": engine.encrypt_with_secret_key,
        "prepare_compressed_plaintext": engine.prepare_compressed_plaintext,
        "prepare_public_operand": lambda m: engine.prepare_public_operand(m, engine.encrypt_message([1.0]), operation="add"),
    }


ENTRIES = [
    "plaintext", "encode", "encrypt_message", "encrypt_with_secret_key", "prepare_compressed_plaintext", "prepare_public_operand",
]  # fmt: skip


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("times", ["one more", "ten times"])
def test_1_too_many_values(k, entry, times):
    # mistake 1. Mutant: cut a long message to the slots.
    n = k.engine.num_slots
    count = n + 1 if times == "one more" else 10 * n
    for message in (torch.ones(count), [0.5] * count, torch.ones(2, count)):
        with pytest.raises(MessageError) as caught:
            entries(k.engine)[entry](message)
        assert str(count) in caught.value.detail and str(n) in caught.value.detail


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf"), complex(0, float("nan"))], ids=str)
def test_2_not_finite(k, entry, bad):
    # mistake 2. Mutant: check only the first slot, or the real parts.
    dtype = torch.complex128 if isinstance(bad, complex) else torch.float64
    message = torch.ones(64, dtype=dtype)
    message[63] = bad
    for given in (message, message.tolist(), message.to(torch.complex64)):
        with pytest.raises(MessageError, match="slot 63") as caught:
            entries(k.engine)[entry](given)
        assert "1 of 64" in caught.value.detail
    with pytest.raises(MessageError, match="slot 0"):
        entries(k.engine)[entry](torch.tensor(bad))


def test_2_not_finite_in_scalars_and_matrices(k):
    # mistake 2. Mutant: encode diagonals without the check of messages.
    matrix = values(4, 4)
    matrix[2, 3] = float("nan")
    for attempt in (
        lambda: k.engine.add_scalar(k.ct, float("nan")),
        lambda: k.engine.multiply_scalar(k.ct, float("-inf")),
        lambda: linalg.LinearTransform.from_matrix(k.engine, matrix, size=4),
        lambda: k.engine.encode(matrix),
    ):
        with pytest.raises(FHEliumError) as caught:
            attempt()
        assert "nan" in caught.value.detail.lower() or "inf" in caught.value.detail.lower()


BINARY = {
    "add": lambda e, a, b: e.add(a, b),
    "add the other way": lambda e, a, b: e.add(b, a),
    "add_": lambda e, a, b: e.add_(a, b),
    "subtract": lambda e, a, b: e.subtract(a, b),
    "sum": lambda e, a, b: e.sum_ciphertexts([a, a, b]),
}


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize(
    ("change", "kind", "shown"),
    [
        (lambda e, c: e.mod_switch_to_next_depth(c), DepthError, ("depth 0", "depth 1", "mod_switch_to_depth")),
        (lambda e, c: e.reinterpret_at_scale(c, 2.0**80), ScaleMismatchError, ("2^40", "2^80", "rescale")),
        (lambda e, c: e.reinterpret_at_scale(c, 2.0**40 * (1 + 2.0**-20)), ScaleMismatchError, ("1.099511627776e+12", "1.099512676352e+12", "rescale")),
        (lambda e, c: e.coefficient_domain_to_ntt_domain(c), PolynomialDomainError, ("coefficient", "ntt", "transform")),
    ],
    ids=["depth", "scale", "scale by one part in 2^20", "domain"],
)
def test_3_adding_what_does_not_match(k, name, change, kind, shown):
    # mistake 3. Mutant: compare scales within 2^-16, or let shorter operands end the loop.
    left, right = k.ct.clone(), change(k.engine, k.ct2)
    before = state(left), state(right)
    with pytest.raises(kind) as caught:
        BINARY[name](k.engine, left, right)
    assert all(word in caught.value.detail for word in shown), caught.value.detail
    assert (state(left), state(right)) == before


@pytest.mark.parametrize("change", ["depth", "scale", "domain"])
def test_3_adding_plaintexts_that_do_not_match(k, change):
    # mistake 3, reference rule 10.
    e = k.engine
    wrong = {
        "depth": e.prepare_plaintext_for_addition(e.encode([1.0], depth=1)),
        "scale": e.prepare_plaintext_for_addition(e.encode([1.0], scale=2.0**39)),
        "domain": k.pt_ntt,
    }[change]
    for attempt in (lambda: e.add_plaintext(k.ct, wrong), lambda: e.subtract_plaintext(k.ct, wrong), lambda: e.add_plaintext_(k.ct.clone(), wrong)):
        with pytest.raises(FHEliumError) as caught:
            attempt()
        assert caught.value.code == f"state-{change}-mismatch"


def test_4_products_until_the_modulus_is_full():
    # mistake 4. Mutant: let the scale grow past the modulus.
    e = Engine(P13)
    x = e.encrypt_message(0.5, output_domain="ntt")
    product, factors = x, 1
    with pytest.raises(MaximumDepthError) as caught:
        while factors < 20:
            product = e.relinearize(e.multiply(product, x), output_domain="ntt")
            factors += 1
    assert caught.value.code == "levels-exhausted" and "rescale" in caught.value.detail and f"2^{40.0 * (factors + 1)}" in caught.value.detail
    assert (e.decrypt_message(product, is_real=True) - 0.5**factors).abs().max() < 1e-5
    plain = e.prepare_plaintext_for_multiplication(e.encode(0.5))
    for attempt in (
        lambda: e.multiply_plaintext(product, plain),
        lambda: e.multiply_scalar(product, 0.5),
        lambda: e.sum_plaintext_products([product], [plain]),
    ):
        with pytest.raises(MaximumDepthError, match="rescale"):
            attempt()


def test_4_rescaling_at_the_last_depth(k):
    # mistake 4. Mutant: rescale to an empty modulus.
    deep = k.engine.mod_switch_to_depth(k.ct, k.engine.max_depth)
    for attempt in (lambda: k.engine.rescale_to_next_depth(deep), lambda: k.engine.rescale_to_next_depth_(deep.clone())):
        with pytest.raises(MaximumDepthError) as caught:
            attempt()
        assert "depth 3 of 3" in caught.value.detail and "longer chain" in caught.value.detail


def test_4_the_answer_overflows_at_the_last_depth(k):
    # mistake 4. Mutant: wantRoom that compares at depth 0.
    e = k.engine
    deep = e.encrypt_message(0.5, depth=e.max_depth, output_domain="ntt")
    with pytest.raises(MaximumDepthError, match="depth 3 of 3"):
        e.multiply(deep, deep)
    with pytest.raises(EncodeOverflowError, match="depth 3"):
        e.encrypt_message(2000.0, depth=e.max_depth)
    with pytest.raises(FHEliumError, match="encode-overflow"):
        e.add_scalar(e.encrypt_message(0.5, depth=e.max_depth), 2000.0)


def test_5_rotating_without_the_key(k):
    # mistake 5. Mutant: a rotation key found by its step alone.
    e = Engine(tiny(), allow_automatic_key_generation=False)
    with pytest.raises(KeyAbsentError, match="step 3"):
        e.rotate_by_step(k.ct, 3)
    owner, elsewhere = kit(Engine(tiny())), kit(Engine(foreign()))
    with pytest.raises(KeyMismatchError, match=owner.secret.key_id[:8]):
        k.engine.rotate_with_key(k.ct, owner.rotation)
    with pytest.raises(ParametersMismatchError, match=foreign().fingerprint[:8]):
        k.engine.rotate_with_key(k.ct, elsewhere.rotation)
    e.set_rotation_key(owner.rotation)
    with pytest.raises(KeyMismatchError, match=owner.secret.key_id[:8]):
        e.rotate_by_step(k.ct, 1)
    with pytest.raises(ParametersMismatchError):
        e.set_rotation_key(elsewhere.rotation)
    blank = RotationKey(k.rotation.data, k.rotation.prime_ids, rotation_step=1)
    with pytest.raises(ParametersMismatchError):
        k.engine.rotate_with_key(k.ct, blank)


def test_6_values_without_a_context(k):
    # mistake 6; each operand of each operation: test_engine_operations.py. Mutant: take a missing identity for any.
    bare = Ciphertext(k.ct.data, 0, k.ct.scale, k.ct.prime_ids)
    with pytest.raises(ParametersMismatchError, match="none"):
        k.engine.add(bare, k.ct)
    keyless = Ciphertext(k.ct.data, 0, k.ct.scale, k.ct.prime_ids, parameters=k.ct.parameters)
    for attempt in (lambda: k.engine.add(keyless, keyless), lambda: k.engine.decrypt(keyless), lambda: k.engine.rotate_by_step(keyless, 1)):
        with pytest.raises(KeyMismatchError, match="none"):
            attempt()


@pytest.mark.parametrize("name", ["ct", "product", "pt", "compact", "seeded", "public", "rotation"])
def test_7_damaged_bytes(k, name):
    # mistake 7. Mutant: load without the digest.
    value = getattr(k, name)
    kind, whole = type(value), value.to_bytes()
    assert state(kind.from_bytes(whole)) == state(value)
    for length in {0, 1, 7, 8, 9, len(whole) // 2, len(whole) - 1, *range(10, len(whole), max(1, len(whole) // 40))}:
        with pytest.raises(ValueBytesError):
            kind.from_bytes(whole[:length])
    for place in {*range(64), len(whole) // 2, len(whole) - 1}:
        flipped = bytearray(whole)
        flipped[place] ^= 1 << (place % 8)
        with pytest.raises(ValueBytesError):
            kind.from_bytes(bytes(flipped))
    for bad in (whole + b"\0", (1 << 40).to_bytes(8, "little") + whole[8:], b"[" * 100_000, k.integers.to_bytes() if name != "pt" else k.ct.to_bytes()):
        with pytest.raises(ValueBytesError):
            kind.from_bytes(bad)


def test_8_decrypting_with_the_wrong_key(k):
    # mistake 8. Mutant: decrypt first and compare afterwards, or not at all.
    for key in (k.other_secret, k.engine.create_secret_key()):
        for attempt in (lambda key=key: k.engine.decrypt(k.ct, key), lambda key=key: k.engine.decrypt_message(k.product, key)):
            with pytest.raises(KeyMismatchError) as caught:
                attempt()
            assert key.key_id[:8] in caught.value.detail and k.ct.key_id[:8] in caught.value.detail
    assert k.ct.key_id == k.secret.key_id != k.other_secret.key_id


@pytest.mark.parametrize("entry", ["encode", "encrypt_message", "encrypt_with_secret_key", "prepare_compressed_plaintext"])
@pytest.mark.parametrize("number", [1e50, -1e50, 1e50j])
def test_9_too_large(k, entry, number):
    # mistake 9. Mutant: let coefficients wrap.
    for message in ([number, 1.0], number):
        if entry == "prepare_compressed_plaintext" and message is number:
            message = [number]
        with pytest.raises(EncodeOverflowError) as caught:
            entries(k.engine)[entry](message)
        assert "1e+50" in caught.value.detail and "2^40" in caught.value.detail and "lower the scale" in caught.value.detail


def test_9_a_small_value_beside_a_large_one():
    # mistake 9. Mutant: no warning, so that the 1 is silently lost.
    e = Engine(P13)
    for beside in (1.0, -1.0, 1j):
        with pytest.warns(PrecisionWarning, match="slot 1 holds"):
            got = e.decode(e.encode([1e30, beside]))
        assert abs(got[0] - 1e30) < 1e16
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        e.encode(1e29)
        e.encode([1e30, 0.0])
        e.encode([1e12, 1.0])


def test_9_a_product_that_cannot_fit(k):
    # mistake 9. Mutant: no check of the scalar against the modulus.
    deep = k.engine.encrypt_message(0.5, depth=2)
    for attempt in (
        lambda: k.engine.multiply_scalar(deep, 1e40),
        lambda: k.engine.multiply_scalar(deep, 0.5, 2.0**90),
        lambda: k.engine.add_scalar(deep, 1e40),
    ):
        with pytest.raises(FHEliumError) as caught:
            attempt()
        assert caught.value.code in ("encode-overflow", "levels-exhausted") and "2^" in caught.value.detail


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("nothing", ["tensor", "list", "tuple", "batch", "slots of a batch"])
def test_10_nothing(k, entry, nothing):
    # mistake 10. Mutant: encode an empty message as zeros.
    message = {
        "tensor": torch.empty(0),
        "list": [],
        "tuple": (),
        "batch": torch.empty(0, 8),
        "slots of a batch": torch.empty(3, 0),
    }[nothing]
    with pytest.raises((MessageError, BatchError)) as caught:
        entries(k.engine)[entry](message)
    assert "empty" in caught.value.detail or "no values" in caught.value.detail


def test_10_no_operands_and_empty_batches(k):
    # mistake 10, reference rule 15.
    e = k.engine
    for attempt in (
        lambda: e.sum_ciphertexts([]),
        lambda: e.sum_plaintext_products([], []),
        lambda: e.sum_plaintext_product_groups([], []),
        lambda: Ciphertext.stack_batch([]),
        lambda: k.batch.slice_batch(1, 1),
        lambda: Ciphertext(k.batch.data[:, :0], 0, k.ct.scale, k.ct.prime_ids),
        lambda: Plaintext(message=[], scale=1.0),
    ):
        with pytest.raises(ValueError) as caught:
            attempt()
        assert isinstance(caught.value, FHEliumError)
    assert e.rotate_many_by_steps(k.ct, []) == []
    assert e.create_rotation_keys([0]).nbytes == 0
    with pytest.raises(FHEliumError):
        e.rotate_many_with_keys(k.ct, [])


@pytest.mark.parametrize("bad", ["text", b"bytes", {"a": 1}, None, object(), ["a", "b"], [[1.0], [1.0, 2.0]], True, torch.tensor([True]), {1.0}], ids=repr)
def test_what_is_no_message(k, bad):
    # Bad input: wrong types. Mutant: let numpy's own errors through.
    for entry in ENTRIES:
        with pytest.raises((TypeError, ValueError)) as caught:
            entries(k.engine)[entry](bad)
        assert isinstance(caught.value, FHEliumError)


def test_the_engine_goes_on_after_every_refusal(k):
    # Bad input: nothing is changed. Mutant: a lock that a refusal leaves held.
    e = Engine(TINY)
    x = values(e.num_slots)
    ct = e.encrypt_message(x)
    for attempt in (lambda: e.add(ct, k.ct), lambda: e.encode([float("nan")]), lambda: e.rotate_by_step(k.ct, 1), lambda: e.relinearize(ct)):
        with pytest.raises(FHEliumError):
            attempt()
    assert (e.decrypt_message(square(e, ct), is_real=True) - x * x).abs().max() < 1e-5
