"""Messages in and out: what is taken, what is refused, and what comes back."""

import fractions
import warnings

import numpy as np
import pytest
import torch
from engines import P13, tiny, values
from fhelium import CompressedPlaintext, Plaintext
from fhelium.eager import Engine, PrecisionWarning
from fhelium.errors import EncodeOverflowError, FHEliumError, InvalidScaleError, MessageError


@pytest.fixture(scope="module")
def engine():
    return Engine(tiny())


def clear(engine, message, **options):
    """A message encoded and decoded."""
    return engine.decode(engine.encode(message, **options))


MESSAGES = {
    "list of float": [0.1, -0.25, 3.0],
    "tuple of int": (1, -2, 3),
    "list of complex": [1j, 2 - 0.5j],
    "fractions": [fractions.Fraction(1, 3), 2],
    "large ints": [10**20, -(10**20)],
    "numpy float32": np.array([0.1, 0.2], dtype=np.float32),
    "numpy big-endian": np.array([0.1, 0.2], dtype=">f8"),
    "numpy reversed": np.arange(6.0)[::-2],
    "numpy uint8": np.array([0, 255], dtype=np.uint8),
    "numpy longdouble": np.array([0.1], dtype=np.longdouble),
    "float16": torch.tensor([0.5, -2.0], dtype=torch.float16),
    "bfloat16": torch.tensor([0.5, -2.0], dtype=torch.bfloat16),
    "complex64": torch.tensor([0.5 + 1j, -2.0]),
    "int8": torch.tensor([-128, 127], dtype=torch.int8),
    "conjugate view": torch.tensor([0.5 + 1j, -2.0j], dtype=torch.complex128).conj(),
    "imaginary view": torch.tensor([0.5 + 1j, -2.0j], dtype=torch.complex128).conj().imag,
    "transposed batch": torch.arange(6, dtype=torch.float64).reshape(3, 2).T,
    "requires grad": torch.tensor([1.5, 2.5], requires_grad=True),
    "list of tensors": [torch.tensor(1.5), torch.tensor(2.5)],
    "batch of lists": [[1.0, 2.0], [3.0, 4.0]],
}


@pytest.mark.parametrize("name", MESSAGES)
def test_every_numeric_message_is_read_exactly(engine, name):
    # Mutant: read lists through torch.as_tensor (float32), or conjugate views by their pointer.
    message = MESSAGES[name]
    if isinstance(message, torch.Tensor):
        wanted = message.detach().resolve_conj().resolve_neg().to(torch.complex128)
    elif name == "list of tensors":
        wanted = torch.tensor([1.5, 2.5], dtype=torch.complex128)
    else:
        wanted = torch.from_numpy(np.array(np.asarray(message), dtype=np.complex128))
    got = clear(engine, message)
    n = wanted.shape[-1]
    assert got.shape == (*wanted.shape[:-1], engine.num_slots)
    torch.testing.assert_close(got[..., :n], wanted, rtol=1e-13, atol=1e-10)
    assert got[..., n:].abs().max() < max(1e-10, 1e-14 * wanted.abs().max())


def test_a_number_fills_all_slots_and_a_short_vector_is_padded(engine):
    # Reference rule 17. Mutant: pad a number with zeros.
    for number in (0.75, 3, np.float32(0.5), torch.tensor(-1.5), 1 + 2j):
        assert (clear(engine, number) - complex(number)).abs().max() < 1e-10
        assert (engine.decrypt_message(engine.encrypt_message(number)) - complex(number)).abs().max() < 1e-6
    assert (clear(engine, [0.75])[1:]).abs().max() < 1e-10


def test_batches_of_any_prefix_keep_their_shape(engine):
    x = values(2, 1, 3, 7)
    ct = engine.encrypt_message(x)
    assert ct.batch_shape == (2, 1, 3) and ct.data.shape[0] == 2
    got = engine.decrypt_message(ct, is_real=True)
    assert got.shape == (2, 1, 3, engine.num_slots) and (got[..., :7] - x).abs().max() < 1e-6
    with pytest.raises(FHEliumError, match="batch axes"):
        engine.encode(torch.zeros((1,) * 9 + (4,)))


def test_sparse_packing_repeats_the_message(engine):
    # Mutant: pass slots=0 whatever is asked for.
    x = values(8)
    pt = engine.encode(x, slots=8)
    assert (engine.decode(pt).real - x.repeat(engine.num_slots // 8)).abs().max() < 1e-9
    assert engine.decode(pt, slots=8).shape == (8,)
    ct = engine.encrypt_message(x[:5], slots=8)
    got = engine.decrypt_message(ct, is_real=True, slots=8)
    assert got.shape == (8,) and (got[:5] - x[:5]).abs().max() < 1e-6 and got[5:].abs().max() < 1e-6
    for slots in (3, 0, -8, 2 * engine.num_slots):
        with pytest.raises(MessageError):
            engine.encode(x, slots=slots)
    with pytest.raises(MessageError, match="8 values"):
        engine.encode(x, slots=4)


def test_coefficients_are_int64_where_they_fit(engine):
    # Mutant: convert at 2^63 and beyond, where int64 wraps.
    assert engine.encode([0.5]).data.dtype == torch.int64
    wide = engine.encode(1.0, scale=2.0**80)
    assert wide.data.dtype == torch.float64 and wide.data[0] == 2.0**80
    assert (engine.decode(wide) - 1).abs().max() < 1e-12
    assert engine.encode(1.0, scale=2.0**62).data[0].item() == 1 << 62


def test_a_plaintext_of_slots_keeps_its_depth_and_scale(engine):
    pt = engine.plaintext([1.0, 2.0], depth=2, scale=2.0**35)
    assert pt.representation == "slots" and pt.parameters == tiny().fingerprint
    encoded = engine.encode(pt)
    assert (encoded.depth, encoded.scale) == (2, 2.0**35)
    ct = engine.encrypt(pt)
    assert (ct.depth, ct.scale) == (2, 2.0**35) and ct.prime_ids == tiny().prime_ids(2)
    assert engine.encode(pt, depth=1).depth == 1
    assert (engine.decode(pt)[:2].real - torch.tensor([1.0, 2.0])).abs().max() < 1e-9


def test_fresh_ciphertexts_have_the_state_of_the_reference(engine):
    # Reference rule 1.
    for depth in range(engine.max_depth + 1):
        ct = engine.encrypt_message(torch.zeros(2, 4), depth=depth)
        assert ct.prime_ids == tuple(range(tiny().q_row_start(depth), tiny().num_q_primes))
        assert ct.data.shape == (2, 2, len(ct.prime_ids), engine.ring_dimension)
        assert (ct.polynomial_domain, ct.modulus_basis, ct.residue_representation) == ("coefficient", "Q", "standard")


@pytest.mark.parametrize("output_domain", ["coefficient", "ntt"])
@pytest.mark.parametrize("basis", ["Q", "QP"])
def test_encryption_in_each_domain_and_basis(engine, output_domain, basis):
    # Mutant: encode in the other domain than the mask's.
    x = values(engine.num_slots)
    key = engine.create_public_key(engine.secret_key, basis)
    for of_ciphertext in ("Q", basis):
        ct = engine.encrypt_message(x, public_key=key, output_domain=output_domain, modulus_basis=of_ciphertext)
        assert (ct.polynomial_domain, ct.modulus_basis) == (output_domain, of_ciphertext)
        assert (engine.decrypt_message(ct, is_real=True) - x).abs().max() < 1e-6
        again = engine.encrypt(engine.encode(x), key, output_domain=output_domain, modulus_basis=of_ciphertext)
        assert (engine.decrypt_message(again, is_real=True) - x).abs().max() < 1e-6
        residues = engine.integer_coefficients_to_rns(engine.encode(x), of_ciphertext)
        assert engine.encrypt(residues, key).modulus_basis == of_ciphertext


def test_public_keys_reach_the_special_primes(engine):
    # Mutant: keys in basis Q where none is asked for.
    assert engine.create_public_key().modulus_basis == engine.public_key.modulus_basis == "QP"
    narrow = engine.create_public_key(modulus_basis="Q")
    with pytest.raises(FHEliumError) as caught:
        engine.encrypt_message([1.0], public_key=narrow, modulus_basis="QP")
    assert caught.value.code == "state-basis-mismatch"
    x = values(engine.num_slots)
    noise = [(engine.decrypt_message(engine.encrypt_message(x, public_key=key), is_real=True) - x).std() for key in (None, narrow)]
    assert noise[0] < noise[1] / 8


def test_secret_key_encryption_is_half_as_large_and_expands(engine):
    # Mutant: expand with a constant in place of the seed.
    x = values(2, engine.num_slots)
    seeded = engine.encrypt_with_secret_key(x)
    assert seeded.data.shape == (2, tiny().num_q_primes, engine.ring_dimension) and seeded.seed.shape == (4,)
    ct = engine.expand(seeded)
    assert ct.data.nbytes == 2 * seeded.data.nbytes and ct.polynomial_domain == "ntt"
    assert (engine.decrypt_message(ct, is_real=True) - x).abs().max() < 1e-7
    assert torch.equal(seeded.expand(Engine(tiny())).data, ct.data)
    assert not torch.equal(engine.encrypt_with_secret_key(x).seed, seeded.seed)
    integers = engine.encrypt_with_secret_key(engine.encode(x[0], depth=1))
    assert integers.depth == 1 and (engine.decrypt_message(engine.expand(integers), is_real=True) - x[0]).abs().max() < 1e-7


def test_prepared_plaintexts_are_what_they_say(engine):
    x = values(engine.num_slots)
    for source in (engine.plaintext(x), engine.encode(x), engine.integer_coefficients_to_rns(engine.encode(x))):
        added = engine.prepare_plaintext_for_addition(source)
        multiplied = engine.prepare_plaintext_for_multiplication(source)
        assert (added.polynomial_domain, multiplied.polynomial_domain) == ("coefficient", "ntt")
        assert torch.equal(engine.coefficient_domain_to_ntt_domain(added).data, multiplied.data)
    assert engine.prepare_plaintext_for_multiplication(engine.encode(x), "QP").limb_count == tiny().total_num_primes
    with pytest.raises(FHEliumError, match="state-basis-mismatch"):
        engine.prepare_plaintext_for_addition(added, "QP")
    with pytest.raises(FHEliumError, match="state-kind-mismatch"):
        engine.integer_coefficients_to_rns(added)


def test_compressed_plaintexts_equal_dense_ones(engine):
    # Reference rule 27. Mutant: encode the period at its own scale.
    period = values(32)
    dense = engine.prepare_plaintext_for_multiplication(engine.encode(period.repeat(engine.num_slots // 32)))
    compact = engine.prepare_compressed_plaintext(period)
    assert isinstance(compact, CompressedPlaintext) and compact.unique_count == 64 and compact.compression_layout == "contiguous"
    assert torch.equal(compact.decompress_data(), dense.data)
    sparse = engine.prepare_compressed_plaintext(period, polynomial_domain="coefficient")
    assert sparse.compression_layout == "strided_sparse"
    assert torch.equal(engine.coefficient_domain_to_ntt_domain(sparse.to_plaintext()).data, dense.data)
    ct = engine.coefficient_domain_to_ntt_domain(engine.encrypt_message(values(engine.num_slots)))
    assert torch.equal(engine.multiply_plaintext(ct, compact).data, engine.multiply_plaintext(ct, dense).data)
    assert torch.equal(engine.add_plaintext(ct, compact).data, engine.add_plaintext(ct, dense).data)
    with pytest.raises(FHEliumError, match="state-domain-mismatch"):
        engine.multiply_plaintext(ct, sparse)
    for bad in (values(24), values(engine.num_slots), values(2 * engine.num_slots)):
        with pytest.raises(MessageError):
            engine.prepare_compressed_plaintext(bad)


def test_public_operands_meet_their_ciphertext(engine):
    x, w = values(engine.num_slots), values(engine.num_slots, seed=4)
    ct = engine.encrypt_message(x, depth=1, scale=2.0**39)
    ntt = engine.coefficient_domain_to_ntt_domain(ct)
    total = engine.add_plaintext(ct, engine.prepare_public_operand(w, ct, operation="add"))
    assert (engine.decrypt_message(total, is_real=True) - x - w).abs().max() < 1e-6
    product = engine.multiply_plaintext(ntt, engine.prepare_public_operand(w, ntt, operation="multiply", source_role="message"))
    assert product.scale == 2.0**39 * tiny().default_scale
    assert (engine.decrypt_message(product, is_real=True) - x * w).abs().max() < 1e-6
    with pytest.raises(FHEliumError, match="state-depth-mismatch"):
        engine.prepare_public_operand(engine.encode(w), ct, operation="add")
    with pytest.raises(FHEliumError, match="argument-type"):
        engine.prepare_public_operand(w, ct, operation="add", source_role="plaintext")
    with pytest.raises(FHEliumError, match="argument-invalid"):
        engine.prepare_public_operand(w, ct, operation="divide")


def test_zeros_and_reconstruction(engine):
    pt = engine.prepare_plaintext_for_addition(engine.encode(values(engine.num_slots)))
    zero = engine.zero_plaintext_like(pt)
    assert not zero.data.any() and zero.prime_ids == pt.prime_ids and zero.data.data_ptr() != pt.data.data_ptr()
    slots = engine.zero_plaintext_like(engine.plaintext([1.0]))
    assert slots.representation == "slots" and not slots.message.any()
    ct = engine.encrypt_message([0.5])
    fresh = engine.encrypt_zero_like(ct)
    assert engine.decrypt_message(fresh).abs().max() < 1e-6 and (fresh.depth, fresh.scale) == (ct.depth, ct.scale)
    # Mutant: leave component 1 of the pair uninitialised.
    integers = engine.encode(values(engine.num_slots), scale=2.0**60)
    rows = engine.integer_coefficients_to_rns(integers)
    got = engine.reconstruct_q_coefficients(rows.data, ct)
    torch.testing.assert_close(got, integers.data.to(torch.float64), rtol=2.0**-52, atol=0)
    ntt = engine.coefficient_domain_to_ntt_domain(rows)
    assert torch.equal(engine.reconstruct_q_coefficients(ntt.data, engine.coefficient_domain_to_ntt_domain(ct)), got)
    with pytest.raises(FHEliumError, match="residue-out-of-range"):
        engine.reconstruct_q_coefficients(rows.data + (1 << 50), ct)
    with pytest.raises(FHEliumError, match="argument-type"):
        engine.reconstruct_q_coefficients([1, 2], ct)


@pytest.mark.parametrize("scale", [0, -1.0, float("nan"), float("inf"), True, "40", 1j, None.__class__, 10**400], ids=repr)
def test_bad_scales_are_refused_everywhere(engine, scale):
    # Reference rule 26. Mutant: accept True as 1.0.
    ct = engine.encrypt_message([1.0])
    for attempt in (
        lambda: engine.plaintext([1.0], scale=scale),
        lambda: engine.encode([1.0], scale=scale),
        lambda: engine.encrypt_message([1.0], scale=scale),
        lambda: engine.prepare_compressed_plaintext([1.0], scale=scale),
        lambda: engine.add_scalar(ct, 1.0, scale),
        lambda: engine.multiply_scalar(ct, 1.0, scale),
        lambda: engine.reinterpret_at_scale(ct, scale),
        lambda: engine.rescale_output_scale(scale, depth=0),
    ):
        with pytest.raises(InvalidScaleError) as caught:
            attempt()
        assert caught.value.code == "scale-invalid"


@pytest.mark.parametrize(("depth", "kind"), [(-1, ValueError), (99, ValueError), (True, TypeError), (1.0, TypeError), ("1", TypeError), (1 << 70, ValueError)])
def test_bad_depths_are_refused_everywhere(engine, depth, kind):
    # Reference rule 6. Mutant: accept True as 1.
    ct = engine.encrypt_message([1.0])
    for attempt in (
        lambda: engine.plaintext([1.0], depth=depth),
        lambda: engine.encode([1.0], depth=depth),
        lambda: engine.encrypt_message([1.0], depth=depth),
        lambda: engine.prepare_compressed_plaintext([1.0], depth=depth),
        lambda: engine.mod_switch_to_depth(ct, depth),
        lambda: engine.rescale_divisor(depth=depth),
        lambda: engine.depth_remaining(depth),
    ):
        with pytest.raises(kind) as caught:
            attempt()
        assert isinstance(caught.value, FHEliumError)


def test_the_loss_of_small_values_is_said():
    # mistake 9. Mutant: compare sizes without the scale, which warns of every tiny value.
    engine = Engine(P13)
    with pytest.warns(PrecisionWarning, match="slot 3 holds 1.0") as caught:
        engine.encode([0.0, 1e20, 0.0, 1.0], scale=2.0**30)
    with pytest.warns(PrecisionWarning) as caught_deeper:
        engine.encrypt_message([1e20, 1.0], scale=2.0**30)
        engine.prepare_compressed_plaintext([1e20, 1.0], scale=2.0**30)
    assert {warning.filename for warning in [*caught, *caught_deeper]} == {__file__}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        engine.encode([1.0, 1e-30, 0.0], scale=2.0**40)
        engine.encode([4000.0, 1e-11], scale=2.0**40)
        engine.encode([1e6, 1e-30], scale=2.0**40)
        engine.encode([1e20, 1e20], scale=2.0**30)


def test_an_overflow_names_the_value(engine):
    with pytest.raises(EncodeOverflowError, match=r"\(1e\+60\+0j\) in slot 2|1e\+60 in slot 2") as caught:
        engine.encode([1.0, -1.0, 1e60])
    assert caught.value.code == "encode-overflow" and isinstance(caught.value, OverflowError)


def test_plaintexts_made_by_hand_are_adopted(engine):
    # Issue "Values". Mutant: demand a fingerprint of plaintexts.
    pt = engine.prepare_plaintext_for_addition(engine.encode([0.5]))
    bare = Plaintext(data=pt.data, depth=0, scale=pt.scale, prime_ids=pt.prime_ids, representation="rns")
    ct = engine.encrypt_message([0.25])
    assert torch.equal(engine.add_plaintext(ct, bare).data, engine.add_plaintext(ct, pt).data)
    wrong = Plaintext(data=pt.data, depth=0, scale=pt.scale, prime_ids=[i + 5 for i in pt.prime_ids], representation="rns")
    with pytest.raises(FHEliumError, match="state-rows-mismatch"):
        engine.add_plaintext(ct, wrong)
