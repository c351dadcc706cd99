"""Messages, compressed plaintexts and keys. No engine is needed."""



import numpy
import pytest
import samples
import torch
from fhelium import errors
from fhelium.values import (
    CompressedPlaintext,
    EvaluationKeyRequirements,
    EvaluationKeySet,
    Plaintext,
    PublicKey,
    RotationKey,
    RotationKeySet,
    SecretKey,
)
from fhelium.values.message import message_tensor
from samples import (
    KEYS,
    OTHER,
    PARAMETERS,
    STATE,
    N,
    assert_equal,
    ciphertext,
    compressed,
    residues,
    rotation_key,
)

PUBLIC = samples.public_values()


# Messages.


@pytest.mark.parametrize(
    "message",
    [3, 2.5, 1j, [1, 2], [[1.5], [2]], (1, 2j), numpy.float32([1, 2]), numpy.arange(3), [10**30, 1], torch.tensor([1, 2], dtype=torch.int32)]
    + [torch.tensor([1.0, 2], dtype=torch.bfloat16), torch.tensor([1j], dtype=torch.complex64), torch.tensor([1 + 2j]).conj(), numpy.array(4.0)]
    + [torch.tensor([1 + 2j], dtype=torch.complex128).conj(), torch.tensor([1 + 2j], dtype=torch.complex128).conj().imag],
)
def test_messages_become_double_precision(message):
    # Mutant: leave out resolve_conj, or let torch make float32 of a list.
    tensor = message_tensor(message)
    if isinstance(message, torch.Tensor):
        message = message.to(torch.complex128 if message.is_complex() else torch.float64).resolve_conj().resolve_neg().numpy()
    expected = numpy.asarray(message, dtype=numpy.complex128)
    assert tensor.dtype == (torch.complex128 if numpy.iscomplexobj(message) else torch.float64)
    assert not tensor.is_conj() and not tensor.is_neg() and numpy.array_equal(tensor.numpy().astype(numpy.complex128), expected)


@pytest.mark.parametrize(
    "bad", ["1", b"1", True, None, [1, None], 10**400, {}, [[1], [1, 2]], ["1"], [], [[]], numpy.zeros((0, 3)), torch.zeros(2, 0), torch.tensor([True]), numpy.array([False]), object()]
)
def test_messages_refuse_what_is_no_number(bad):
    with pytest.raises((ValueError, TypeError)) as caught:
        message_tensor(bad)
    assert isinstance(caught.value, errors.FHEliumError)


# Compression.


@pytest.mark.parametrize("batch", [(), (2,)])
@pytest.mark.parametrize("unique", [1, 2, 8])
@pytest.mark.parametrize("layout", ["cyclic", "contiguous", "strided_sparse"])
def test_compression_is_lossless_or_refused(layout, unique, batch):
    # row 002-18. Mutant: skip the comparison of from_plaintext, or take word 0 as the implicit one.
    implicit = residues(*batch, 3) + 1 if layout == "strided_sparse" else None
    packed = CompressedPlaintext(residues(*batch, 3, unique) + 2, N, layout, implicit_data=implicit, polynomial_domain="ntt", **STATE)
    dense = packed.to_plaintext()
    for j in range(N):  # the definition, residue by residue
        if layout == "cyclic":
            word = packed.data[..., j % unique]
        elif layout == "contiguous":
            word = packed.data[..., j * unique // N]
        else:
            word = packed.data[..., j * unique // N] if j % (N // unique) == 0 else implicit
        assert torch.equal(dense.data[..., j], word)
    assert dense.polynomial_domain == "ntt" and dense.parameters == PARAMETERS and dense.is_rns
    again = CompressedPlaintext.from_plaintext(dense, unique, layout)
    assert_equal(again, packed)
    assert torch.equal(again.decompress_data(), dense.data) and again.data.is_contiguous()
    # One changed bit in any residue breaks every layout, except where the layout stores that residue alone.
    for j in range(N):
        changed = dense.data.clone()
        changed[..., 1, j] ^= 1
        other = dense.with_data(changed)
        try:
            survivor = CompressedPlaintext.from_plaintext(other, unique, layout)
        except errors.ArgumentError as error:
            assert error.code == "compression-lossy"
        else:
            assert torch.equal(survivor.decompress_data(), changed)


def test_compression_refuses():
    flat = CompressedPlaintext(residues(3, 4), N, "cyclic", **STATE).to_plaintext()
    with pytest.raises(errors.ArgumentError) as caught:
        CompressedPlaintext.from_plaintext(flat, 4, "contiguous")
    assert caught.value.code == "compression-lossy"
    for bad in (Plaintext([1], 0, 1.0), ciphertext(), None):
        with pytest.raises(errors.ValueKindError):
            CompressedPlaintext.from_plaintext(bad, 4, "cyclic")
    for unique in (0, 3, N, True):
        with pytest.raises((ValueError, TypeError)):
            CompressedPlaintext.from_plaintext(flat, unique, "cyclic")
    sparse = compressed("strided_sparse")
    assert torch.equal(sparse.with_storage(sparse.data + 1, sparse.implicit_data + 1).implicit_data, sparse.implicit_data + 1)
    with pytest.raises(ValueError):
        sparse.with_storage(sparse.data)


# Keys.


def test_rotation_steps_have_one_form():
    # Mutant: leave the step as given.
    half = N // 4
    for step in (-1000, -half - 1, -half, -1, 0, 3, half - 1, half, 2 * half, 10**18):
        normal = RotationKey.normalize_step(step, ring_dimension=N)
        assert -half <= normal < half and (normal - step) % (N // 2) == 0
    assert rotation_key(5).rotation_step == -3
    for bad in (True, 1.0, "1"):
        with pytest.raises(TypeError):
            RotationKey.normalize_step(bad, ring_dimension=N)


def test_rotation_key_sets():
    keys = RotationKeySet([rotation_key(1)])
    keys[5] = rotation_key(-3)
    assert sorted(keys) == [-3, 1] and len(keys) == 2 and 5 in keys and -3 in keys and 2 not in keys and "1" not in keys
    assert keys[9].rotation_step == 1, "steps equal modulo the slots are one"
    with pytest.raises(KeyError) as caught:
        keys[2]
    assert "step 2" in str(caught.value)
    with pytest.raises(ValueError):
        keys[2] = rotation_key(1)
    for bad in (rotation_key(2, key_id=OTHER), rotation_key(2, parameters=OTHER), RotationKey(residues(2, 2, 3, 2 * N), rotation_step=2, **KEYS)):
        with pytest.raises(errors.StateError):
            keys.add(bad)
    with pytest.raises(TypeError):
        keys.add(samples.relinearization_key())
    del keys[1]
    assert list(keys) == [-3] and keys.nbytes == rotation_key().nbytes


def test_evaluation_key_sets():
    full = PUBLIC["evaluation keys"]
    full.validate()
    full.require(EvaluationKeyRequirements((1, 9, 0), True, True))
    with pytest.raises(ValueError) as caught:
        EvaluationKeySet([rotation_key(1)]).require(EvaluationKeyRequirements((1, 2), True, True))
    assert isinstance(caught.value, KeyError)
    for name in ("rotation-key:2", "relinearization-key", "conjugation-key"):
        assert name in str(caught.value)
    assert "rotation-key:1," not in str(caught.value)
    with pytest.raises(errors.KeyMismatchError):
        EvaluationKeySet([rotation_key(1)], samples.relinearization_key(key_id=OTHER))
    for bad in (samples.secret_key(), PUBLIC["public key"], rotation_key()):
        with pytest.raises(TypeError):
            EvaluationKeySet((), bad)
    assert EvaluationKeyRequirements([3, 0, 1, 3]).rotation_steps == (1, 3)
    with pytest.raises(TypeError):
        EvaluationKeyRequirements((1.5,))


def test_a_key_begins_at_prime_0_and_switches_in_qp():
    with pytest.raises(ValueError):
        SecretKey(residues(3, N), (1, 2, 3))
    with pytest.raises(errors.ModulusBasisError):
        rotation_key(modulus_basis="Q")
    assert PublicKey(residues(2, 3, N), (0, 1, 2)).modulus_basis == "Q"


