"""The Engine as an object: made, shown, closed; where it computes; what it never does."""

import copy
import os
import pickle
import signal
import subprocess
import sys
import threading

import fhelium
import pytest
import torch
from engines import TINY, kit, live_handles, square, tiny, values
from fhelium import CkksConfig, Preset, _binding
from fhelium.eager import Engine, implementations
from fhelium.errors import DeviceUnsupportedError, ExecutionError, FHEliumError, PlacementError, SecurityBudgetExceededError

go = _binding.go


def test_an_engine_takes_parameters_in_every_form():
    by_name, by_preset, by_mapping = Engine(TINY), Engine(Preset(TINY)), Engine(tiny().dumps())
    assert by_name.config == by_preset.config == by_mapping.config == Engine(tiny()).config
    assert Engine().config.preset == "slots16384-scale40-depth16-int64"
    for bad in ("slots1", 7, {"logN": 11}):
        with pytest.raises(FHEliumError):
            Engine(bad)


def test_properties_tell_the_parameters():
    e = Engine(tiny())
    c = tiny()
    assert (e.ring_dimension, e.num_slots, e.max_depth, e.dtype) == (c.N, c.N // 2, c.max_depth, torch.int64)
    assert e.galois_generator == c.galois_generator and e.key_digit_count == len(c.digits)
    assert e.depth0_qp_prime_ids == tuple(range(c.total_num_primes))
    assert e.depth_remaining(1) == c.max_depth - 1 == e.depth_remaining(e.encrypt_message([1.0], depth=1))
    assert e.ntt_backend_name() in fhelium.compatible_ntt_backends(c.logN)[1:]
    assert Engine(tiny(), ntt_backend="portable").ntt_backend_name("cpu") == "portable"


def test_all_kernels_give_the_same_bits():
    # Mutant: a reduction less anywhere in the assembly.
    results = []
    for name in fhelium.compatible_ntt_backends(tiny().logN):
        e = Engine(tiny(), ntt_backend=name, insecure_fixed_seed=1)
        x = e.encrypt_message(values(e.num_slots))
        results.append([e.rotate_by_step(square(e, x), 3).data, e.relinearization_key.data, e.decrypt(x).data])
    for other in results[1:]:
        assert all(torch.equal(a, b) for a, b in zip(results[0], other, strict=True))


@pytest.mark.parametrize("name", ["portable", "avx2", "sse"])
def test_the_environment_names_the_kernels_of_auto(name):
    # Mutant: read the variable for every engine.
    code = "from fhelium.eager import Engine; import sys; print(Engine(sys.argv[1]).ntt_backend_name(), Engine(sys.argv[1], ntt_backend='portable').ntt_backend_name())"
    run = subprocess.run([sys.executable, "-c", code, TINY], env=os.environ | {"FHELIUM_KERNELS": name}, capture_output=True, text=True)
    if name in fhelium.compatible_ntt_backends(tiny().logN):
        assert run.stdout.split() == [name, "portable"], run.stderr
    else:
        assert "ntt-backend-un" in run.stderr and "FHELIUM_KERNELS" in run.stderr


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"ntt_backend": "radix16"}, "ntt-backend-unknown"),
        ({"ntt_backend": 2}, "ntt-backend-unknown"),
        ({"rns_dtype": torch.int32}, "dtype-invalid"),
        ({"key_budget": -1}, "argument-invalid"),
        ({"key_budget": "1GB"}, "argument-type"),
        ({"insecure_fixed_seed": b"short"}, "argument-invalid"),
        ({"insecure_fixed_seed": "word"}, "argument-type"),
    ],
)
def test_bad_options_are_refused(options, code):
    before = live_handles()
    with pytest.raises(FHEliumError) as caught:
        Engine(tiny(), **options)
    assert caught.value.code == code and live_handles() == before


def test_over_budget_parameters_are_refused_before_any_table():
    # Reference rule 35. Mutant: leave the check to the first operation.
    with pytest.raises(SecurityBudgetExceededError):
        Engine(CkksConfig.parse(tiny(), enforce_security_budget=True))
    with pytest.raises(SecurityBudgetExceededError):
        Engine({name: field for name, field in tiny().dumps().items() if name != "preset"} | {"enforce_security_budget": True})


def test_the_configuration_cannot_be_changed():
    # row 002-15. Mutant: drop Operations.__setattr__.
    e = Engine(tiny())
    for name in ("config", "_config", "_settings", "secret_key", "anything"):
        with pytest.raises(AttributeError) as caught:
            setattr(e, name, None)
        assert caught.value.code == "value-immutable"
    with pytest.raises(AttributeError):
        del e._config
    assert not hasattr(e, "__dict__")


def test_tables_are_made_by_the_first_operation_and_not_again():
    # row 002-7. Mutant: build the tables in EngineNew.
    e = Engine(tiny())
    handle = e._live()
    assert go.pybind_EngineTableBytes(handle) == 0 and e._bundles == {}
    ct = e.encrypt_message([1.0])
    first = go.pybind_EngineTableBytes(handle)
    assert first > 0
    e.encrypt_message([2.0])
    e.add(ct, ct)
    assert go.pybind_EngineTableBytes(handle) == first


def test_engines_share_nothing():
    # row 002-8. Mutant: a class-level inventory.
    one, two = Engine(tiny()), Engine(tiny())
    one.encrypt_message([1.0])
    assert two._inventory.symbols() == [] and two._bundles == {} and go.pybind_EngineTableBytes(two._live()) == 0
    assert one.secret_key.key_id != two.secret_key.key_id


def test_no_process_group_is_needed():
    # row 002-9. Mutant: import torch.distributed in the package, or ask for the rank in Engine's constructor.
    code = f"""
import sys, torch
for name in [name for name in sys.modules if name.startswith("torch.distributed")]:
    sys.modules[name] = None  # torch loads it by itself; here nobody can
del torch.distributed
import fhelium.linalg, fhelium.polynomial
from fhelium.eager import Engine
e = Engine("{TINY}")
assert abs(e.decrypt_message(e.rotate_by_step(e.encrypt_message([1.0]), 1))[1] - 1.0) < 1e-5
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_closing_frees_at_once_and_later_use_is_refused():
    # case A20. Mutant: close() that only drops the keys.
    before = live_handles()
    with Engine(tiny()) as e:
        k = kit(e)
        assert live_handles() == before + 1
    assert live_handles() == before
    e.close()
    assert e._inventory.symbols() == []
    for attempt in (
        lambda: e.add(k.ct, k.ct2),
        lambda: e.encrypt_message([1.0]),
        lambda: e.encode([1.0]),
        lambda: e.reinterpret_at_scale(k.ct, 1.0),
        lambda: e.decrypt(k.ct),
        lambda: e.secret_key,
        lambda: e.rotation_key(1),
        lambda: e.rotation_keys,
        lambda: e.evaluation_keys,
        lambda: e.create_secret_key(),
        lambda: e.set_secret_key(k.secret),
        lambda: e.__enter__(),
    ):
        with pytest.raises(ExecutionError) as caught:
            attempt()
        assert caught.value.code == "engine-closed"
    assert "closed" in repr(e) and e.num_slots == 1024
    again = Engine(tiny())
    again.set_secret_key(k.secret)
    assert (again.decrypt_message(k.ct, is_real=True) - k.message).abs().max() < 1e-6


def test_a_forgotten_engine_frees_its_handle():
    # case A20. Mutant: a module-level list of engines.
    before = live_handles()
    for _ in range(50):
        Engine(tiny()).encrypt_message([1.0])
    assert live_handles() == before


def test_engines_are_neither_copied_nor_pickled():
    # case A16. Mutant: the default __reduce_ex__, which would carry the secret key.
    e = Engine(tiny())
    e.encrypt_message([1.0])
    for attempt in (lambda: pickle.dumps(e), lambda: copy.copy(e), lambda: copy.deepcopy(e)):
        with pytest.raises(FHEliumError, match="evaluation_keys"):
            attempt()


def test_repr_shows_what_matters_and_no_secret():
    e = Engine(tiny(), insecure_fixed_seed=7, allow_transparent=True)
    e.encrypt_message([1.0])
    shown = repr(e)
    for word in (TINY, "N=2048", "2**40", "INSECURE parameters", "INSECURE fixed seed", "allow_transparent", "secret-key"):
        assert word in shown
    assert "INSECURE" not in repr(Engine("slots4096-scale40-depth2-int64"))
    assert e.secret_key.key_id[:8] not in shown and str(e.secret_key.data[0, 0].item()) not in shown.replace("2048", "")


def test_a_fixed_seed_repeats_everything_and_none_repeats_nothing():
    # Reference rule 36. Mutant: ignore the seed, or use it for keys only.
    def run(seed):
        e = Engine(tiny(), insecure_fixed_seed=seed)
        return e.encrypt_message([0.5]).data, e.secret_key.data, e.secret_key.key_id, e.rotation_key(1).data

    for seed in (7, b"\x01" * 32):
        first, second = run(seed), run(seed)
        assert all(torch.equal(a, b) if isinstance(a, torch.Tensor) else a == b for a, b in zip(first, second, strict=True))
    assert not torch.equal(run(7)[0], run(8)[0])
    assert not torch.equal(run(None)[1], run(None)[1])


def test_ctrl_c_stops_a_long_call_and_changes_nothing():
    # Bad input: Ctrl-C. Mutant: call pybind_Run without waiting for its job, or write in place while computing.
    e = Engine("slots4096-scale40-depth2-int64")
    e.rotation_key(1)
    target = e.encrypt_message(values(64, e.num_slots))
    before = target.data.clone()
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(100):
            e.rotate_by_step_(target.clone(), 1)
            e.rotate_by_step_(target, 0)
    timer.join()
    assert torch.equal(target.data, before)
    assert (e.decrypt_message(e.rotate_by_step(target.select_batch(3), 1), is_real=True) - e.decrypt_message(target, is_real=True)[3].roll(1)).abs().max() < 1e-5


# A second kind of device, made of the first: torch's meta tensors have no
# memory, so that whatever touches them outside their own bundle fails.


class Shadow:
    """Computes on meta tensors by remembering the calls; results are meta tensors of the planned shapes."""

    def __init__(self, engine, device):
        self.device, self.calls = device, []
        self._cpu = implementations.Cpu(engine, torch.device("cpu"))

    def run(self, name, operands, ints, floats, room, allow_transparent):
        self.calls.append(name)
        here = [value if not hasattr(value, "to") else value._map(lambda t: torch.zeros(t.shape, dtype=t.dtype, device="cpu")) for value in operands]
        return [result.to(self.device) for result in self._cpu.run(name, here, ints, floats, room, True)]

    def plan(self, name, operands, ints, floats, room):
        return self._cpu.plan(name, operands, ints, floats, room)


@pytest.fixture
def two_devices(monkeypatch):
    monkeypatch.setitem(implementations.IMPLEMENTATIONS, "meta", Shadow)
    return torch.device("meta")


def test_one_engine_computes_where_the_operands_are(two_devices):
    # row 002-1, row 002-4, row 002-7. Mutant: always take the CPU's bundle, or move the right operand to the left's device.
    e = Engine(tiny())
    k = kit(e)
    assert list(e._bundles) == [torch.device("cpu")]
    away = k.ct.to(two_devices)
    moved = e.add(away, away)
    assert moved.device == two_devices and set(e._bundles) == {torch.device("cpu"), two_devices}
    assert e._bundles[two_devices].calls == ["add"] and e.negate(k.ct).device.type == "cpu"
    pointer = k.ct.data.data_ptr()
    for attempt in (lambda: e.add(k.ct, away), lambda: e.add(away, k.ct), lambda: e.sum_ciphertexts([k.ct, k.ct, away])):
        with pytest.raises(PlacementError, match="cpu.*meta|meta.*cpu") as caught:
            attempt()
        assert caught.value.code == "placement-mixed"
    assert e._bundles[two_devices].calls == ["add"] and k.ct.data.data_ptr() == pointer and away.device == two_devices


def test_a_key_elsewhere_is_refused_or_copied_once(two_devices):
    # row 002-5, row 002-6. Mutant: no refresh when the key's tensor was written to, or a copy for each call.
    e = Engine(tiny())
    k = kit(e)
    away = k.ct.to(two_devices)
    with pytest.raises(PlacementError) as caught:
        e.rotate_by_step(away, 1)
    assert caught.value.code == "placement-mixed" and "cpu" in caught.value.detail and "meta" in caught.value.detail
    copying = Engine(tiny(), allow_automatic_key_replication=True)
    copying.set_secret_key(k.secret)
    copying.set_rotation_key(k.rotation)
    first = copying._at("rotation-key:1", k.rotation, away)
    assert first.device == two_devices and copying._at("rotation-key:1", k.rotation, away) is first
    copying.rotate_by_step(away, 1)
    assert copying._at("rotation-key:1", k.rotation, away) is first
    k.rotation.data.add_(0)
    second = copying._at("rotation-key:1", k.rotation, away)
    assert second is not first and copying._at("rotation-key:1", k.rotation, away) is second
    assert copying.rotation_keys[1] is k.rotation and k.rotation.device.type == "cpu"
    copying.set_rotation_key(copying.create_rotation_key(1))
    assert copying._at("rotation-key:1", copying.rotation_keys[1], away) is not second


def test_factories_follow_torchs_default_device(two_devices):
    # row 002-2, row 002-3. Mutant: ignore torch.get_default_device(), or prefer it to the argument.
    e = Engine(tiny())
    with torch.device("meta"):
        assert e.create_secret_key().device == two_devices
        assert e.create_secret_key(device="cpu").device.type == "cpu"
        assert e.encode(torch.ones(4, device="cpu")).device.type == "cpu"  # a tensor stays where it is
        assert e.encode([1.0], device="cpu").device.type == "cpu"
    assert e.create_secret_key().device.type == "cpu"
    assert e.create_secret_key(device="meta").device == two_devices


def test_devices_without_an_implementation_are_refused():
    # Mutant: fall back to the CPU.
    e = Engine(tiny())
    k = kit(e)
    for device in ("cuda", "meta"):
        for attempt in (
            lambda d=device: e.create_secret_key(device=d),
            lambda d=device: e.encode([1.0], device=d),
            lambda d=device: e.encrypt_message([1.0], device=d),
            lambda d=device: e.encrypt(k.integers, device=d),
        ):
            with pytest.raises(DeviceUnsupportedError) as caught:
                attempt()
            assert caught.value.code == "device-unsupported" and device in caught.value.detail and "cpu" in caught.value.detail
    with pytest.raises(DeviceUnsupportedError):
        e.add(k.ct.to("meta"), k.ct.to("meta"))
    with pytest.raises(DeviceUnsupportedError):
        e.encode(torch.ones(4, device="meta"))
    with torch.device("meta"), pytest.raises(DeviceUnsupportedError):
        e.create_secret_key()
    for device in ("nowhere", 3.5):
        with pytest.raises(FHEliumError):
            e.encode([1.0], device=device)


def test_values_move_by_to_alone():
    # row 002-17. Mutant: a method of Engine that takes a value's tensor away.
    e = Engine(tiny())
    ct = e.encrypt_message(values(4))
    moved = ct.to("meta")
    assert moved is not ct and moved.device.type == "meta" and ct.device.type == "cpu"
    assert not [name for name in dir(e) if name in ("to", "cpu", "cuda", "move", "send")]
