"""Tensors that do not fit in memory, or are in none, and devices that do not exist: each a named refusal."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import pytest
import torch
from engines import kit, state, tiny
from fhelium import Ciphertext, CompressedPlaintext, Plaintext, load_value, save_value
from fhelium.eager import Engine
from fhelium.errors import FHEliumError
from torch._subclasses.fake_tensor import FakeTensorMode

HUGE = 1 << 33  # messages, of 2^50 bytes in all
_ONE = torch.ones(1, 1, 1, dtype=torch.int64)


@pytest.fixture(scope="module")
def k():
    return kit(Engine(tiny()))


def refused(codes, call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's about fake and nested tensors
        with pytest.raises(FHEliumError) as caught:
            call()
    assert caught.value.code in codes.split(), caught.value
    return caught.value


def _many(value):
    """So many equal messages that a tensor of its own cannot hold them; torch's view of them takes no memory."""
    start = value._BATCH_START["data"]
    shape = value.data.shape
    return value.with_data(value.data.unsqueeze(start).expand(*shape[:start], HUGE, *shape[start:]))


LARGE: dict[str, Any] = {
    "operation": lambda k: k.engine.negate(_many(k.ct)),
    "in place": lambda k: k.engine.negate_(_many(k.ct)),
    "clone": lambda k: _many(k.ct).clone(),
    "copy": lambda k: _many(k.ct).to("cpu", copy=True),
    "pickle": lambda k: pickle.dumps(_many(k.ct)),
    "bytes": lambda k: _many(k.ct).to_bytes(),
    "stack": lambda k: Ciphertext.stack_batch([_many(k.ct)] * 2),
    "message": lambda k: k.engine.encode(torch.ones(1).expand(1 << 38, 1024)),
    "double message": lambda k: k.engine.encode(torch.ones(1, dtype=torch.float64).expand(1 << 38, 1024)),
    "sequence": lambda k: k.engine.encode(range(1 << 47)),
    "plaintext": lambda k: Plaintext(torch.ones(1).expand(1 << 38, 1024), 0, 2.0),
    "integers": lambda k: Plaintext(data=torch.ones(1).double().expand(1 << 38, 1024), scale=2.0, representation="integer_coefficients"),
    "zeros": lambda k: k.engine.zero_plaintext_like(_many(k.pt)),
    "cyclic": lambda k: CompressedPlaintext(_ONE.expand(HUGE, 1, 1), 1 << 20, "cyclic", 0, 2.0, prime_ids=[0]).to_plaintext(),
    "contiguous": lambda k: CompressedPlaintext(_ONE.expand(HUGE, 1, 1), 1 << 20, "contiguous", 0, 2.0, prime_ids=[0]).to_plaintext(),
}


@pytest.mark.parametrize("name", LARGE)
def test_what_does_not_fit_is_refused(k, name):
    # Fault: torch's RuntimeError.
    error = refused("memory-exhausted", lambda: LARGE[name](k))
    assert isinstance(error, MemoryError) and isinstance(error, RuntimeError)
    assert "bytes" in error.detail or name == "sequence"


def test_a_result_that_does_not_fit_is_refused(k, monkeypatch):
    # Fault: torch's RuntimeError. Mutant: allocate outside the try.
    def full(*_, **__):
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes")

    before, data = state(k.ct), k.ct.to_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(torch, "empty", full)
        error = refused("memory-exhausted", lambda: k.engine.negate_(k.ct))
        refused("memory-exhausted", lambda: Ciphertext.from_bytes(data))
    assert f"{k.ct.nbytes} bytes" in error.detail and state(k.ct) == before


def _wrapper(tensor):
    class Wrapper(torch.Tensor):
        @staticmethod
        def __new__(cls):
            return torch.Tensor._make_wrapper_subclass(cls, tensor.shape, dtype=tensor.dtype)

        @classmethod
        def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
            raise NotImplementedError(str(function))

    return Wrapper()


def _freed(tensor):
    tensor = tensor.clone()
    tensor.untyped_storage().resize_(0)
    return tensor


# How a call gets a tensor that is in no memory.
NOWHERE: dict[str, Any] = {
    "fake": lambda t, use: use(FakeTensorMode().from_tensor(t)),
    "wrapper": lambda t, use: use(_wrapper(t)),
    "freed": lambda t, use: use(_freed(t)),
    "zero": lambda t, use: use(torch._efficientzerotensor(t.shape, dtype=t.dtype)),
    "vmap": lambda t, use: torch.func.vmap(lambda x: (use(x), x)[1])(torch.stack((t, t))),
    "functionalize": lambda t, use: torch.func.functionalize(lambda x: (use(x), x)[1])(t),
    "meta": lambda t, use: use(t.to("meta")),
}

USES: dict[str, Any] = {
    "first": lambda k, t: k.engine.add(k.ct.with_data(t), k.ct),
    "second": lambda k, t: k.engine.add(k.ct, k.ct.with_data(t)),
    "in place": lambda k, t: k.engine.negate_(k.ct.with_data(t)),
    "bytes": lambda k, t: k.ct.with_data(t).to_bytes(),
    "home": lambda k, t: k.engine.negate(k.ct.with_data(t).cpu().clone()),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("how", NOWHERE)
def test_values_in_no_memory_are_refused(k, how, use):
    # Fault: a RuntimeError of data_ptr, or the address 0.
    if (how, use) in (("zero", "bytes"), ("zero", "home"), ("freed", "home")):
        return  # a copy of zeros has memory, and one of a freed storage reads it
    before = state(k.ct)
    refused("placement-mixed device-unsupported", lambda: NOWHERE[how](k.ct.data, lambda t: USES[use](k, t)))
    assert state(k.ct) == before


@pytest.mark.parametrize("how", ["fake", "wrapper", "vmap", "functionalize", "meta"])
@pytest.mark.parametrize("entry", ["encode", "encrypt_message", "plaintext", "prepare_compressed_plaintext"])
def test_messages_in_no_memory_are_refused(k, how, entry):
    # Fault: DataDependentOutputException, RuntimeError.
    message = torch.ones(64, dtype=torch.float64)
    if (how, entry) != ("functionalize", "plaintext"):
        refused("placement-mixed device-unsupported", lambda: NOWHERE[how](message, getattr(k.engine, entry)))


@pytest.mark.filterwarnings("ignore")  # the prototype of nested tensors
def test_what_torch_calls_a_tensor_and_is_none(k):
    nested = [torch.nested.nested_tensor([torch.ones(3), torch.ones(2)], layout=layout) for layout in (torch.strided, torch.jagged)]
    for message in (*nested, torch.ones(3).to_sparse(), torch.nn.UninitializedParameter()):
        refused("dtype-invalid message-invalid", lambda message=message: k.engine.encode(message))
    integers = torch.nested.nested_tensor([torch.ones(2, 4, 8, dtype=torch.int64)] * 2)
    for data in (integers, k.ct.data.to_sparse(), torch.nn.UninitializedParameter(dtype=torch.int64, requires_grad=False)):
        refused("dtype-invalid argument-type", lambda data=data: k.ct.with_data(data))


def test_a_view_that_negates_is_refused(k):
    # Fault: the memory was read without its sign, so the result was that of another value.
    x = torch.tensor([1 + 2j] * 8, dtype=torch.complex128).conj().imag
    assert x.is_neg()
    refused("dtype-invalid", lambda: Plaintext(data=x, representation="approximate_coefficients", scale=1.0))
    Plaintext(data=x.resolve_neg(), representation="approximate_coefficients", scale=1.0)
    assert torch.equal(Plaintext(x, 0, 1.0).message, x)


@pytest.mark.parametrize("call", ["add", "encode", "decrypt", "clone", "create_secret_key", "from_bytes"])
def test_nothing_is_computed_where_tensors_are_fake(k, call):
    # Fault: results at the address 0; an AssertionError of torch.
    data = k.ct.to_bytes()
    calls = {
        "add": lambda: k.engine.add(k.ct, k.ct),
        "encode": lambda: k.engine.encode([1.0]),
        "decrypt": lambda: k.engine.decrypt(k.ct),
        "clone": k.ct.clone,
        "create_secret_key": k.engine.create_secret_key,
        "from_bytes": lambda: Ciphertext.from_bytes(data),
    }
    with FakeTensorMode():
        refused("placement-mixed", calls[call])
    torch.func.vmap(lambda x: (k.engine.add(k.ct, k.ct), x)[1])(torch.ones(2))


DEVICES: list[Any] = ["x", "", "cuda", "cuda:99", -1, 2**70, True, 1.5, [], torch.float32, b"cpu", object()]


@pytest.mark.parametrize("bad", DEVICES, ids=lambda bad: repr(bad)[:20])
def test_senseless_devices_are_refused(k, bad, tmp_path):
    # Faults: torch's errors; True and torch.float32 taken for something else by `to`.
    if bad in ("cuda", "cuda:99") and torch.cuda.is_available():
        pytest.skip("there is one")
    save_value(k.ct, tmp_path / "v")
    for call in (
        lambda: k.engine.decode(k.approximate, device=bad),
        lambda: k.engine.decrypt_message(k.ct, device=bad),
        lambda: k.ct.to(bad),
        lambda: k.engine.rotation_keys.to(bad),
        lambda: load_value(tmp_path / "v", bad),
    ):
        refused("argument-type argument-invalid device-unsupported", call)
    assert k.engine.decode(k.approximate, device="meta").is_meta


def test_what_is_on_meta_cannot_come_back(k):
    # Fault: torch's NotImplementedError.
    for call in (k.ct.to("meta").cpu, k.ct.to("meta").to_bytes, lambda: k.engine.negate(k.ct.to("meta"))):
        refused("placement-mixed device-unsupported", call)
