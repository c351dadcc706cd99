"""What values are made of: fields, layouts, checks and records. No engine is needed."""


import math
import pathlib
import pickle
import pickletools
import re
import struct

import numpy
import pytest
import samples
import torch
from fhelium import errors
from fhelium.values import (
    Ciphertext,
    CompressedPlaintext,
    EvaluationKeySet,
    Plaintext,
    RotationKeySet,
    SeededCiphertext,
)
from fhelium.values.record import Kind
from fhelium.values.resident import TYPES
from samples import (
    BATCHED,
    KEY,
    KEYS,
    PARAMETERS,
    STATE,
    N,
    ciphertext,
    compressed,
    plaintext,
    residues,
)

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

SENT = {"RotationKeySet": {"keys"}}
"""What a pickle holds where that is not the fields by their names."""


def slots(kind: type) -> set[str]:
    """All attributes that an object of the type can hold."""
    named = {name for base in kind.__mro__ for name in getattr(base, "__slots__", ())}
    return named | set(kind.__dataclass_fields__ if hasattr(kind, "__dataclass_fields__") else ())


@pytest.mark.parametrize("name", FIELDS)
def test_a_value_holds_exactly_these_fields(name):
    # row 002-40: no engine, rank, group, sharding, history, path in a value. Mutant: add a slot "path" to Ciphertext.
    # row 002-28: no process group either. `_packed` is the state again, in the form in which it crosses; `_vouched` says who looked at the residues.
    assert FIELDS.keys() == TYPES.keys()
    assert slots(TYPES[name]) - {"__weakref__", "_packed", "_vouched"} == set(FIELDS[name].split())


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
    # row 002-28, 002-40. Mutants: let __reduce_ex__ send a path, a group or a number beside the fields.
    allowed = {"fhelium", "torch", "collections", "_codecs"}
    modules = set()
    for opcode, argument, _ in pickletools.genops(pickle.dumps(value, 2)):
        if opcode.name == "GLOBAL":
            modules.add(argument.split()[0].split(".")[0])
    assert modules <= allowed
    _, (name, fields) = value.__reduce_ex__(2)
    assert name == type(value).__name__ and set(fields) == SENT.get(name, set(FIELDS[name].split()))


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
    # row 002-36: CompressedPlaintext [*batch, limb, unique].
    # Mutants: take the batch of a ciphertext from axis 0, or that of the others from axis 1.
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
    # row 002-37: implicit_data where strided-sparse, and only there. Mutants: demand it in no layout; accept it in all.
    with pytest.raises((ValueError, TypeError)) as caught:
        CompressedPlaintext(residues(3, bad.get("unique", 4)), bad.get("ring", N), bad.get("layout", "cyclic"), implicit_data=bad.get("implicit"), **STATE)
    assert isinstance(caught.value, errors.FHEliumError)


def test_tensors_of_one_value_share_a_device():
    with pytest.raises(errors.PlacementError):
        SeededCiphertext(residues(3, N), residues(4).to("meta"), **STATE)


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
