"""Values: layouts, state, batches, views, movement, and what they refuse. No engine is needed."""

import copy
import io
import math
import multiprocessing
import pathlib
import pickle
import pickletools
import re
import struct

import numpy
import pytest
import torch

import samples
from fhelium import errors
from fhelium.values import (
    Ciphertext,
    CompressedPlaintext,
    EvaluationKeyRequirements,
    EvaluationKeySet,
    Plaintext,
    PublicKey,
    RotationKey,
    RotationKeySet,
    SecretKey,
    SeededCiphertext,
)
from fhelium.values.message import message_tensor
from fhelium.values.record import Kind
from fhelium.values.resident import TYPES
from samples import BATCHED, KEY, KEYS, OTHER, PARAMETERS, STATE, N, assert_equal, ciphertext, compressed, plaintext, residues, rotation_key

GO = pathlib.Path(__file__).resolve().parent.parent / "ckks"
PUBLIC = samples.public_values()
ALL = PUBLIC | {"secret key": samples.secret_key()}
every = pytest.mark.parametrize("value", ALL.values(), ids=ALL)
public = pytest.mark.parametrize("value", PUBLIC.values(), ids=PUBLIC)
batchable = pytest.mark.parametrize("make", BATCHED.values(), ids=BATCHED)


# What a value is made of.

FIELDS = {
    "Ciphertext": "data depth scale prime_ids polynomial_domain modulus_basis parameters key_id",
    "SeededCiphertext": "data seed depth scale prime_ids polynomial_domain modulus_basis parameters key_id",
    "Plaintext": "message data depth scale representation polynomial_domain modulus_basis prime_ids parameters",
    "CompressedPlaintext": "data implicit_data ring_dimension compression_layout depth scale polynomial_domain modulus_basis prime_ids parameters",
    "SecretKey": "data prime_ids polynomial_domain modulus_basis parameters key_id",
    "PublicKey": "data prime_ids polynomial_domain modulus_basis parameters key_id",
    "KeySwitchKey": "data prime_ids polynomial_domain modulus_basis parameters key_id source_key_id",
    "RelinearizationKey": "data prime_ids polynomial_domain modulus_basis parameters key_id source_key_id",
    "ConjugationKey": "data prime_ids polynomial_domain modulus_basis parameters key_id source_key_id",
    "RotationKey": "data prime_ids polynomial_domain modulus_basis parameters key_id source_key_id rotation_step",
    "RotationKeySet": "_keys",
    "EvaluationKeySet": "rotations relinearization conjugation",
}


def slots(kind: type) -> set[str]:
    """All attributes that an object of the type can hold."""
    named = {name for base in kind.__mro__ for name in getattr(base, "__slots__", ())}
    return named | set(kind.__dataclass_fields__ if hasattr(kind, "__dataclass_fields__") else ())


@pytest.mark.parametrize("name", FIELDS)
def test_a_value_holds_exactly_these_fields(name):
    # row 002-40: no engine, rank, group, sharding, history, path in a value. Mutant: add a slot "path" to Ciphertext.
    # row 002-28: no process group either. `_packed` is the state again, in the form in which it crosses.
    assert FIELDS.keys() == TYPES.keys()
    assert slots(TYPES[name]) - {"__weakref__", "_packed"} == set(FIELDS[name].split())


@every
def test_a_value_takes_no_other_attribute(value):
    # row 002-40. Mutant: drop `__slots__` or `__setattr__`.
    if not isinstance(value, EvaluationKeySet):
        assert not hasattr(value, "__dict__")
    with pytest.raises(AttributeError) as caught:
        value.engine = object()
    assert isinstance(caught.value, errors.ImmutableError) or not hasattr(value, "_STATE")


@public
def test_a_pickle_holds_fields_only(value):
    # row 002-28, 002-40. Mutant: let __reduce_ex__ send anything beside the fields.
    allowed = {"fhelium", "torch", "collections", "_codecs"}
    modules = set()
    for opcode, argument, _ in pickletools.genops(pickle.dumps(value, 2)):
        if opcode.name == "GLOBAL":
            modules.add(argument.split()[0].split(".")[0])
    assert modules <= allowed
    assert b"process_group" not in pickle.dumps(value)


@every
def test_state_is_immutable(value):
    # Mutant: let Value.__setattr__ pass.
    for name in samples.fields_of(value):
        if "." not in name:
            before = getattr(value, name)
            with pytest.raises(errors.ImmutableError):
                setattr(value, name, before)
            with pytest.raises(errors.ImmutableError):
                delattr(value, name)


@every
def test_repr_shows_state_and_no_residue(value):
    # Case A16. Mutant: put `data` into _shown.
    text = repr(value) + str(value)
    assert type(value).__name__ in text and "tensor" not in text
    for tensor in value._tensors():
        for number in tensor.flatten()[:8].tolist():
            if isinstance(number, int) and number > 1000:
                assert str(number) not in text


def test_insecure_parameters_show():
    from fhelium.values.parameters import mark_insecure

    marked = ciphertext(parameters="77" * 16)
    assert "INSECURE" not in repr(marked)
    mark_insecure("77" * 16)
    assert "INSECURE" in repr(marked) and "INSECURE" not in repr(ciphertext())


# Layouts.


@pytest.mark.parametrize("batch", [(), (1,), (3,), (2, 3)])
def test_axes(batch):
    # row 002-34: Ciphertext [component, *batch, limb, N]. row 002-35: Plaintext [*batch, limb, N].
    # row 002-36: CompressedPlaintext [*batch, limb, unique]. row 002-37: implicit_data only where strided-sparse.
    # Mutants: take the batch from axis 0 of a ciphertext; require implicit_data of no layout.
    ct, pt = ciphertext(*batch), plaintext(*batch)
    assert ct.data.shape == (2, *batch, 3, N) and pt.data.shape == (*batch, 3, N)
    for value in (ct, pt, compressed("cyclic", *batch), compressed("strided_sparse", *batch)):
        assert value.batch_shape == batch and value.batch_size == math.prod(batch) and value.is_batched == bool(batch)
        assert value.limb_count == 3 and value.ring_dimension == N
    for layout in ("cyclic", "contiguous", "strided_sparse"):
        packed = compressed(layout, *batch)
        assert packed.data.shape == (*batch, 3, 4) and packed.unique_count == 4
        assert (packed.implicit_data is None) == (layout != "strided_sparse")
    assert compressed("strided_sparse", *batch).implicit_data.shape == (*batch, 3)
    assert ct.component_count == 2 and ct.component(1).shape == (*batch, 3, N)
    assert torch.equal(ct.c0, ct.data[0]) and torch.equal(ct.c1, ct.data[1])


@pytest.mark.parametrize(
    ("kind", "shape"), [("SecretKey", (3, N)), ("PublicKey", (2, 3, N)), ("KeySwitchKey", (4, 2, 3, N)), ("ConjugationKey", (1, 2, 3, N))]
)
def test_keys_have_axes_of_their_own(kind, shape):
    # row 002-38. Mutant: accept any leading axes in _Key._check.
    assert TYPES[kind](residues(*shape), **KEYS).data.shape == shape
    for wrong in [shape[1:], (1, *shape), (*shape[:-2], 3, 12), (*shape[:-2], 0, N), *([(3, *shape[1:])] if kind == "PublicKey" else [])]:
        with pytest.raises(errors.FHEliumError):
            TYPES[kind](residues(*wrong), **KEYS)


def test_plaintext_representations():
    slots_, rows = Plaintext([1, 2, 3], 0, 4.0), plaintext()
    assert slots_.representation == "slots" and slots_.data is None and not slots_.is_rns and slots_.prime_ids is None
    assert rows.is_rns and rows.message is None and rows.polynomial_domain == "coefficient" and rows.modulus_basis == "Q"
    assert Plaintext(data=rows.data, **STATE).representation == "rns"
    for name in ("limb_count", "ring_dimension"):
        with pytest.raises(errors.ValueKindError):
            getattr(slots_, name)
    for bad in (
        {"data": residues(N), "scale": 1.0},
        {"message": [1], "data": residues(N), "scale": 1.0},
        {"scale": 1.0},
        {"message": [1], "scale": 1.0, "prime_ids": (0,)},
        {"message": [1], "scale": 1.0, "representation": "rns"},
        {"data": torch.full((N,), 0.5, dtype=torch.float64), "scale": 1.0, "representation": "integer_coefficients"},
        {"data": residues(N), "scale": 1.0, "representation": "fixed"},
        {"data": residues(12), "scale": 1.0, "representation": "integer_coefficients"},
        {"message": [1]},
    ):
        with pytest.raises(ValueError):
            Plaintext(**bad)


# Checks of the constructor.

BAD_STATE = [
    ("depth", -1, errors.DepthError), ("depth", True, TypeError), ("depth", 1.0, TypeError), ("depth", "1", TypeError), ("depth", 1 << 70, ValueError),
    ("scale", 0, errors.InvalidScaleError), ("scale", -1.0, errors.InvalidScaleError), ("scale", math.nan, errors.InvalidScaleError),
    ("scale", math.inf, errors.InvalidScaleError), ("scale", True, errors.InvalidScaleError), ("scale", "40", errors.InvalidScaleError),
    ("scale", None, errors.InvalidScaleError), ("scale", 1j, errors.InvalidScaleError), ("scale", 10**400, errors.InvalidScaleError),
    ("prime_ids", (1, 2), ValueError), ("prime_ids", (1, 2, 4), ValueError), ("prime_ids", (3, 2, 1), ValueError), ("prime_ids", (0, 1, 2), ValueError),
    ("prime_ids", (True, 2, 3), TypeError), ("prime_ids", "123", TypeError), ("prime_ids", 3, TypeError), ("prime_ids", None, ValueError),
    ("polynomial_domain", "fourier", ValueError), ("polynomial_domain", 1, TypeError), ("modulus_basis", "P", ValueError),
    ("residue_representation", "montgomery", errors.ResidueRepresentationError), ("residue_representation", None, ValueError),
    ("parameters", "xy" * 16, ValueError), ("parameters", "ab", ValueError), ("parameters", 5, TypeError),
]  # fmt: skip


@batchable
@pytest.mark.parametrize(("field", "bad", "error"), BAD_STATE, ids=lambda x: str(x)[:20])
def test_constructors_refuse_bad_state(make, field, bad, error):
    # Mutant: drop any one check of values/state.py.
    with pytest.raises(error) as caught:
        make(**{field: bad})
    assert isinstance(caught.value, errors.FHEliumError)


@batchable
def test_constructors_take_what_means_the_same(make):
    value = make(prime_ids=range(1, 4), scale=numpy.float32(3), depth=numpy.int64(1), residue_representation="standard", parameters="0" * 32)
    assert value.prime_ids == (1, 2, 3) and value.scale == 3.0 and type(value.scale) is float and type(value.depth) is int
    assert value.residue_representation == "standard" and value.parameters is None


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (residues(2, 3, N).int(), TypeError),
        (residues(2, 3, N).double(), TypeError),
        (residues(2, 3, N).tolist(), TypeError),
        (residues(2, 3, N).to_sparse(), TypeError),
        (residues(3, N), ValueError),
        (residues(1, 3, N), errors.ComponentsError),
        (residues(4, 3, N), errors.ComponentsError),
        (residues(2, 3, 12), ValueError),
        (residues(2, 3, 1), ValueError),
        (residues(2, 0, 3, N), errors.BatchError),
        (residues(2, 0, N), ValueError),
        (residues(2, 4, N), ValueError),
        (residues(2, *(1,) * 9, 3, N), errors.BatchError),
        (torch.tensor(3), ValueError),
    ],
)
def test_a_ciphertext_refuses_bad_data(data, error):
    with pytest.raises(error) as caught:
        Ciphertext(data, 1, 2.0, (1, 2, 3))
    assert isinstance(caught.value, errors.FHEliumError)


@pytest.mark.parametrize(
    "bad",
    [
        {"unique": 3}, {"unique": N}, {"unique": 2 * N}, {"ring": 12}, {"layout": "diagonal"}, {"layout": "strided_sparse"},
        {"implicit": residues(3)}, {"layout": "strided_sparse", "implicit": residues(2)}, {"ring": "16"},
        {"layout": "strided_sparse", "implicit": residues(3).int()},
    ],
)  # fmt: skip
def test_a_compressed_plaintext_refuses_bad_layouts(bad):
    with pytest.raises((ValueError, TypeError)) as caught:
        CompressedPlaintext(residues(3, bad.get("unique", 4)), bad.get("ring", N), bad.get("layout", "cyclic"), implicit_data=bad.get("implicit"), **STATE)
    assert isinstance(caught.value, errors.FHEliumError)


def test_tensors_of_one_value_share_a_device():
    with pytest.raises(errors.PlacementError):
        SeededCiphertext(residues(3, N), residues(4).to("meta"), **STATE)


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
]


@pytest.mark.parametrize(("field", "other", "error"), MISMATCHES)
def test_interchange_needs_equal_state(field, other, error):
    # row 002-58: parameters, depth, scale, primes, key identity, each alone. Mutant: compare all but one field.
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
        assert after == before, "row 002-57 (state): moving keeps meaning"
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
    # row 002-49. Mutant: count the storage. Nothing is enforced: there is no budget to ask for.
    assert value.nbytes == sum(t.numel() * t.element_size() for t in value._tensors())
    assert value.storage_nbytes == value.nbytes
    assert not any("budget" in name for name in dir(value))


def test_nbytes_of_views():
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


# The record.


@every
def test_records_have_the_layout_of_the_core(value):
    # Mutant: swap two words of Record.pack.
    if isinstance(value, RotationKeySet | EvaluationKeySet):
        return
    w = struct.unpack("<3qd28q", value._record())
    main = value.data if value.data is not None else value.message
    assert w[21] == main.numel() and w[20] == w[22] == 0
    if value.data is not None and getattr(value, "prime_ids", None):
        assert (w[6], w[7]) == (value.prime_ids[0], main.shape[-2])
    assert w[2] == getattr(value, "depth", 0) and w[3] == getattr(value, "scale", 0.0)
    assert w[23] == sum(t.numel() for t in value._tensors()) - main.numel()
    if getattr(value, "polynomial_domain", None):
        assert (w[4], w[5]) == (["coefficient", "ntt"].index(value.polynomial_domain), ["Q", "QP"].index(value.modulus_basis))
    if value.parameters:
        assert struct.pack(">2q", *w[14:16]).hex() == value.parameters
    assert (struct.pack(">2q", *w[16:18]).hex() if any(w[16:18]) else None) == getattr(value, "key_id", None)
    assert (struct.pack(">2q", *w[18:20]).hex() if any(w[18:20]) else None) == getattr(value, "source_key_id", None)
    assert w[12] == getattr(value, "rotation_step", 0)
    assert w[24 : 24 + w[13]] == getattr(value, "batch_shape", ())


def test_kinds_are_numbered_as_in_the_core():
    text = (GO / "kind.go").read_text()
    block = text[text.index("const (") : text.index("kinds\n")]
    names = re.findall(r"(?m)^\t([A-Z]\w*)", block)
    ours = {"SECRET_KEY": "SecretKey", "PUBLIC_KEY": "PublicKey", "SWITCH_KEY": "SwitchKey"}
    assert names == [ours.get(kind.name, kind.name.capitalize()) for kind in Kind]
    assert [KEY, PARAMETERS] == [ciphertext().key_id, ciphertext().parameters]
