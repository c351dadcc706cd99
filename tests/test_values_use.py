"""What can be done with values: batches, views, movement, travel and in-place changes. No engine is needed."""


import copy
import io
import multiprocessing
import pickle
import re

import numpy
import pytest
import samples
import torch
from fhelium import errors
from fhelium.values import (
    Ciphertext,
    EvaluationKeySet,
    Plaintext,
)
from samples import BATCHED, OTHER, N, assert_equal, ciphertext, plaintext, residues

PUBLIC = samples.public_values()
ALL = PUBLIC | {"secret key": samples.secret_key()}
every = pytest.mark.parametrize("value", ALL.values(), ids=ALL)
public = pytest.mark.parametrize("value", PUBLIC.values(), ids=PUBLIC)
batchable = pytest.mark.parametrize("make", BATCHED.values(), ids=BATCHED)


# Batches.


@batchable
def test_stack_copies_and_select_aliases(make):
    # row 002-39 (values): members are independent. Mutant: stack with torch.cat; clone in select_batch.
    parts = [make(), make(), make()]
    stacked = type(parts[0]).stack_batch(parts)
    assert stacked.batch_shape == (3,)
    assert_equal(stacked.select_batch(1), parts[1])
    assert stacked.data.data_ptr() != parts[0].data.data_ptr()
    for member, part in zip(stacked.unbind_batch(), parts, strict=True):
        assert_equal(member, part)
        assert member.data.untyped_storage().data_ptr() == stacked.data.untyped_storage().data_ptr()
    assert stacked.select_batch(-1).data.data_ptr() == stacked.select_batch(2).data.data_ptr()


@batchable
def test_batches_by_axis(make):
    value = make(2, 3)
    start = 1 if isinstance(value, Ciphertext) else 0
    assert torch.equal(value.select_batch(1, dim=1).data, value.data.select(start + 1, 1))
    assert torch.equal(value.slice_batch(1, 3, dim=-1).data, value.data.narrow(start + 1, 1, 2))
    assert value.slice_batch(0, 1).batch_shape == (1, 3), "an axis of one is not squeezed"
    assert [v.batch_shape for v in value.unbind_batch(1)] == [(2,)] * 3
    assert type(value).stack_batch([value]).batch_shape == (1, 2, 3)
    assert len(value._record()) == len(value.select_batch(0)._record()) == 256
    for call in (
        lambda: value.select_batch(2), lambda: value.select_batch(-3), lambda: value.select_batch(0, 2), lambda: value.slice_batch(1, 1),
        lambda: value.slice_batch(0, 3), lambda: value.unbind_batch(-3),
    ):  # fmt: skip
        with pytest.raises(IndexError):
            call()
    with pytest.raises(TypeError):
        value.select_batch(True)
    with pytest.raises(errors.BatchError):
        make().select_batch(0)


MISMATCHES = [
    ("scale", 2.0**40 * (1 + 2.0**-52), errors.ScaleMismatchError),
    ("depth", 0, errors.DepthError),
    ("prime_ids", (2, 3, 4), errors.ModulusBasisError),
    ("parameters", OTHER, errors.ParametersMismatchError),
    ("key_id", OTHER, errors.KeyMismatchError),
    ("polynomial_domain", "ntt", errors.PolynomialDomainError),
    ("modulus_basis", "QP", errors.ModulusBasisError),
]


@pytest.mark.parametrize(("field", "other", "error"), MISMATCHES)
def test_interchange_needs_equal_state(field, other, error):
    # row 002-58: parameters, depth, scale, primes, key identity, and the form of the residues, each alone. Mutant: compare all but one field.
    with pytest.raises(error) as caught:
        Ciphertext.stack_batch([ciphertext(), ciphertext(**{field: other})])
    shown = getattr(ciphertext(**{field: other}), field)
    assert str(shown) in str(caught.value) and str(getattr(ciphertext(), field)) in str(caught.value), "both sides' values"


def test_stack_refuses_what_does_not_fit():
    for bad in ([], [ciphertext(), ciphertext(1)], [ciphertext(), ciphertext(components=3)], [ciphertext(), plaintext()], [ciphertext(), 3]):
        with pytest.raises(errors.FHEliumError):
            Ciphertext.stack_batch(bad)
    scalar = Plaintext(1.0, 0, 2.0)
    with pytest.raises(errors.BatchError):
        Plaintext.stack_batch([scalar, scalar])
    with pytest.raises(errors.BatchError):
        Ciphertext.stack_batch([ciphertext(*(1,) * 8)])
    assert Plaintext.stack_batch([Plaintext([1, 2], 0, 2.0)] * 2).message.shape == (2, 2)


@batchable
def test_slice_limbs_is_a_view(make):
    # Mutant: keep the old prime ids.
    value = make(2)
    shard = value.slice_limbs(1, 3)
    assert shard.prime_ids == (2, 3) and shard.limb_count == 2 and shard.batch_shape == (2,)
    assert torch.equal(shard.data, value.data[..., 1:3, :])
    assert shard.data.untyped_storage().data_ptr() == value.data.untyped_storage().data_ptr()
    if value._TENSORS == ("data", "implicit_data") and value.implicit_data is not None:
        assert torch.equal(shard.implicit_data, value.implicit_data[..., 1:3])
    for start, stop in ((0, 0), (2, 1), (-1, 2), (0, 4)):
        with pytest.raises(ValueError):
            value.slice_limbs(start, stop)


# Movement and memory.


@every
def test_movement(value):
    # row 002-17: `to` gives a new value, or the value itself where nothing moves. Mutant: write into the value.
    before = {name: field for name, field in samples.fields_of(value).items() if not isinstance(field, torch.Tensor)}
    assert value.to("cpu") is value and value.cpu() is value
    if list(value._tensors()):
        copied = value.to("cpu", copy=True)
        assert copied is not value
        assert_equal(copied, value)
        assert not {t.data_ptr() for t in copied._tensors()} & {t.data_ptr() for t in value._tensors()}
        moved = value.to("meta")
        assert moved.device.type == "meta" and value.device.type == "cpu" and value.is_cpu and not moved.is_cpu and not value.is_cuda
        after = {name: field for name, field in samples.fields_of(moved).items() if not isinstance(field, torch.Tensor)}
        assert after == before, "row 002-57 (state): moving keeps meaning"  # Mutant: forget the scale where a tensor moves.
    for bad in (torch.float32, None, True, "nowhere"):
        with pytest.raises(errors.FHEliumError):
            value.to(bad)


@pytest.mark.skipif(torch.cuda.is_available(), reason="says what happens without an accelerator")
def test_without_an_accelerator():
    for call in (ciphertext().pin_memory, lambda: ciphertext().to("cuda")):
        with pytest.raises(errors.DeviceUnsupportedError):
            call()
    assert not ciphertext().is_pinned


def test_values_move_by_these_methods_only():
    # row 002-17: an API scan. Mutant: add a method `cuda_`.
    moving = {name for name in dir(Ciphertext) if re.search(r"cuda|cpu|pin|^to|device|send|move", name)}
    assert moving == {"to", "cpu", "pin_memory", "to_bytes", "device", "is_cpu", "is_cuda", "is_pinned"}


@every
def test_nbytes_is_exact(value):
    # row 002-49. Mutant: count elements of a byte. Nothing is enforced: there is no budget to ask for.
    assert value.nbytes == sum(t.numel() * t.element_size() for t in value._tensors())
    assert value.storage_nbytes == value.nbytes
    assert not any("budget" in name for name in dir(value))


def test_nbytes_of_views():
    # row 002-49. Mutant: count the storage.
    batch = ciphertext(4)
    member = batch.select_batch(0)
    assert member.nbytes == batch.nbytes // 4 and member.storage_nbytes == batch.nbytes
    assert EvaluationKeySet().device is None and EvaluationKeySet().nbytes == 0


def test_views_and_shared_memory():
    # row 002-41: torch's views, shared and foreign memory. Mutant: call .contiguous() in a constructor.
    wide = residues(2, 3, 2 * N)
    for data in (wide[..., ::2], wide[..., N:], residues(N, 3, 2).permute(2, 1, 0), residues(2, 3, N).share_memory_()):
        value = Ciphertext(data, 1, 2.0, (1, 2, 3))
        assert value.data is data
        assert_equal(value.clone(), value)
        assert value.clone().data.is_contiguous()
        assert_equal(pickle.loads(pickle.dumps(value)), value)
    assert_equal(Ciphertext(torch.from_numpy(numpy.zeros((2, 1, N), dtype=numpy.int64)), 0, 1.0, (0,)), Ciphertext(torch.zeros(2, 1, N, dtype=torch.int64), 0, 1.0, (0,)))


def test_a_view_pickles_without_its_base():
    # Mutant: pickle the view as it is.
    assert len(pickle.dumps(ciphertext(64).select_batch(0))) < 3000 < ciphertext(64).nbytes


# Travel.


@public
@pytest.mark.parametrize("way", ["pickle", "deepcopy", "copy", "torch.save"])
def test_travel(value, way):
    # Case A14. Mutant: leave one field out of __reduce_ex__.
    if way == "torch.save":
        buffer = io.BytesIO()
        torch.save(value, buffer)
        buffer.seek(0)
        twin = torch.load(buffer)
    else:
        twin = {"pickle": lambda v: pickle.loads(pickle.dumps(v)), "deepcopy": copy.deepcopy, "copy": copy.copy}[way](value)
    assert_equal(twin, value)
    if way != "copy":
        assert not {t.data_ptr() for t in twin._tensors()} & {t.data_ptr() for t in value._tensors()}


def _double(queue, answers):
    answers.put(queue.get())
    queue.get()  # shared memory lives until its receiver has it


def test_travel_through_a_queue():
    # Case A14: another process, which was spawned.
    context = multiprocessing.get_context("spawn")
    queue, answers = context.Queue(), context.Queue()
    worker = context.Process(target=_double, args=(queue, answers))
    worker.start()
    queue.put([PUBLIC[name] for name in ("ciphertext", "strided_sparse", "evaluation keys")])
    back = answers.get(timeout=120)
    for value, name in zip(back, ("ciphertext", "strided_sparse", "evaluation keys"), strict=True):
        assert_equal(value, PUBLIC[name])
    queue.put(None)
    worker.join(timeout=60)


@pytest.mark.parametrize("send", [pickle.dumps, copy.copy, copy.deepcopy, lambda v: torch.save(v, io.BytesIO()), lambda v: pickle.dumps([{"a": v}])])
def test_a_secret_key_does_not_travel_by_default(send):
    # Case A16. Mutant: give SecretKey the __reduce_ex__ of Value.
    with pytest.raises(PermissionError) as caught:
        send(samples.secret_key())
    assert caught.value.code == "secret-key-export" and "allow_secret=True" in caught.value.detail
    assert_equal(samples.secret_key().clone(), samples.secret_key())


def test_rebuilding_checks():
    fields = {"data": residues(2, 3, N), "depth": 1, "scale": -1.0, "prime_ids": (1, 2, 3)}
    from fhelium.values.resident import rebuild

    with pytest.raises(errors.InvalidScaleError):
        rebuild("Ciphertext", fields)
    with pytest.raises(errors.FHEliumError):
        rebuild("Engine", {})


# Ciphertexts.


def test_assert_state():
    ct = ciphertext()
    assert ct.assert_state(depth=1, scale=2.0**40, prime_ids=[1, 2, 3], component_count=2, batch_shape=(), residue_representation="standard") is ct
    for field, wrong, error in [("depth", 2, errors.DepthError), ("component_count", 3, errors.ComponentsError), ("key_id", OTHER, errors.KeyMismatchError)]:
        with pytest.raises(error):
            ct.assert_state(**{field: wrong})
    with pytest.raises(TypeError):
        ct.assert_state(colour="red")


def test_replacing_and_committing():
    target, other = ciphertext(), ciphertext(scale=2.0**41, depth=0)
    alias, record = target.data, target._record()
    assert target.replace_(other) is target and target.data is other.data and target.scale == 2.0**41 and target._record() != record
    assert alias is not target.data
    # Mutants: leave the record of the old state; take the result's tensor.
    target = ciphertext()
    alias, record = target.data, target._record()
    result = ciphertext(scale=2.0**50).with_data(residues(2, 3, N) + 1)
    assert target._commit_(result) is target and target.data is alias and torch.equal(alias, result.data) and target.scale == 2.0**50
    assert target._record() != record
    fewer = Ciphertext(residues(2, 2, N) + 5, 2, 3.0, (2, 3))
    target._commit_(fewer)
    assert target.data.untyped_storage().data_ptr() == alias.untyped_storage().data_ptr() and torch.equal(alias[:, 1:], fewer.data)
    assert target.prime_ids == (2, 3) and target.depth == 2
    with pytest.raises(TypeError):
        target.replace_(plaintext())


@batchable
def test_with_data_keeps_state(make):
    value = make()
    other = value.with_data(value.data + 1)
    assert torch.equal(other.data, value.data + 1) and other.scale == value.scale and other.prime_ids == value.prime_ids
    with pytest.raises((ValueError, TypeError)):
        value.with_data(value.data.double())


def test_components():
    with pytest.raises(errors.ComponentsError):
        _ = ciphertext().c2
    assert torch.equal(ciphertext(components=3).c2, ciphertext(components=3).data[2])
    for bad in (-1, 2):
        with pytest.raises(errors.ComponentsError):
            ciphertext().component(bad)


