"""The keys of an Engine: made, held, found, missing, and counted."""

import gc
import threading

import pytest
import torch
from engines import TINY, square, square_product, tiny, values
from fhelium import EvaluationKeySet, Preset, RotationKey, RotationKeySet
from fhelium.config import CkksConfig
from fhelium.eager import Engine
from fhelium.eager.engine import DEFAULT_KEY_BUDGET
from fhelium.eager.inventory import _paths
from fhelium.errors import FHEliumError, KeyAbsentError, KeyBudgetError, KeyMismatchError, SecretKeyAbsentError


@pytest.fixture
def engine():
    return Engine(tiny())


def evaluator(owner: Engine, *steps: int) -> Engine:
    """An engine without secret that may make no keys, with rotation keys of an owner."""
    other = Engine(tiny(), allow_automatic_key_generation=False)
    for step in steps:
        other.set_rotation_key(owner.rotation_key(step))
    return other


def test_the_first_encryption_makes_a_secret_and_a_public_key(engine):
    assert engine._inventory.symbols() == []
    engine.encrypt_message([1.0])
    assert engine._inventory.symbols() == ["secret-key", "public-key"]
    assert engine.public_key.key_id == engine.secret_key.key_id


def test_a_missing_rotation_key_is_made_and_kept(engine):
    # Reference rule 18. Mutant: rotate_by_step that does not install what it makes.
    x = values(engine.num_slots)
    ct = engine.encrypt_message(x)
    first = engine.rotate_by_step(ct, 5)
    key = engine.rotation_keys[5]
    engine.rotate_by_step(ct, 5 + engine.num_slots)
    assert engine.rotation_keys[5] is key and list(engine.rotation_keys) == [5]
    assert (engine.decrypt_message(first, is_real=True) - x.roll(5)).abs().max() < 1e-6


def test_without_generation_rotations_are_composed_of_the_fewest_keys(engine):
    # Reference rule 18. Mutant: a path of 4 ones for step 4, or depth-first search.
    other = evaluator(engine, 1, 4, -8)
    assert other.rotation_key_steps(4) == [4]
    assert sorted(other.rotation_key_steps(5)) == [1, 4]
    assert sorted(other.rotation_key_steps(-7)) == [-8, 1]
    assert other.rotation_key_steps(other.num_slots) == []
    x = values(engine.num_slots)
    rotated = other.rotate_by_step(engine.encrypt_message(x), -7)
    assert (engine.decrypt_message(rotated, is_real=True) - x.roll(-7)).abs().max() < 1e-6
    many = other.rotate_many_by_steps(engine.encrypt_message(x), [4, 5, 0, 4, -7])
    for step, result in zip([4, 5, 0, 4, -7], many, strict=True):
        assert (engine.decrypt_message(result, is_real=True) - x.roll(step)).abs().max() < 1e-6, step
    assert len({result.data.data_ptr() for result in many}) == 5


def test_what_the_keys_cannot_reach_is_refused_by_name(engine):
    # Reference rule 18. Mutant: visited[0] left unset, which loops or gives step 0.
    other = evaluator(engine, 2, 8)
    ct = engine.encrypt_message([1.0])
    with pytest.raises(KeyAbsentError, match=r"step 3.*\[2, 8\]"):
        other.rotate_by_step(ct, 3)
    with pytest.raises(KeyError):
        other.rotation_key(3)
    with pytest.raises(KeyAbsentError):
        other.rotate_many_by_steps(ct, [2, 3])
    assert not list(evaluator(engine).rotation_keys)


def test_an_engine_without_a_secret_composes_though_it_may_make_keys(engine):
    # Mutant: ask for a direct key wherever generation is allowed.
    server = Engine(tiny())
    for step in (1, 4):
        server.set_rotation_key(engine.rotation_key(step))
    x = values(engine.num_slots)
    got = server.rotate_by_step(engine.encrypt_message(x), 5)
    assert (engine.decrypt_message(got, is_real=True) - x.roll(5)).abs().max() < 1e-6
    assert server._inventory.symbols() == ["rotation-key:1", "rotation-key:4"]


def test_a_key_without_identity_is_not_installed(engine):
    # Mutant: format the missing identity, which ends in a TypeError of Python's.
    secret = engine.secret_key
    bare = type(secret)(secret.data, secret.prime_ids, parameters=secret.parameters)
    for target in (engine, Engine(tiny())):
        with pytest.raises(KeyMismatchError, match="no key_id"):
            target.set_secret_key(bare)


def test_paths_are_shortest_against_a_plain_search():
    # Mutant: mark targets as reached only after all steps of a level, or forget the modulus.
    slots = 64
    for steps in ([1], [3, -5], [8, 9, -32], [2, 4]):
        before, by = _paths(steps, slots)
        distance = {0: 0}
        frontier = [0]
        while frontier:
            frontier = [t for place in frontier for step in steps if (t := (place + step) % slots) not in distance and not distance.update({t: distance[place] + 1})]
        for place in range(slots):
            assert (before[place] >= 0) == (place in distance)
            length, at = 0, place
            while before[place] >= 0 and at:
                assert (before[at] + by[at]) % slots == at
                at, length = int(before[at]), length + 1
            if place in distance:
                assert length == distance[place]


def test_a_removed_key_takes_its_paths_along(engine):
    # Mutant: keep the table of paths when a key goes.
    other = evaluator(engine, 1, 4)
    assert len(other.rotation_key_steps(5)) == 2
    removed = other.remove_evaluation_key("rotation-key:4")
    assert removed is engine.rotation_keys[4]
    assert len(other.rotation_key_steps(5)) == 5
    with pytest.raises(KeyAbsentError):
        other.remove_evaluation_key("rotation-key:4")


def test_missing_keys_are_refused_as_their_builtins(engine):
    # Reference rule 19. Mutant: create a relinearization key in _key_for regardless of the setting.
    other = evaluator(engine)
    ct = engine.encrypt_message([0.5])
    ntt = engine.coefficient_domain_to_ntt_domain(ct)
    product = engine.multiply(ntt, ntt)
    with pytest.raises(KeyError) as caught:
        other.relinearize(product)
    assert caught.value.code == "key-absent" and "relinearization-key" in caught.value.detail
    for attempt in (lambda: other.decrypt(ct), lambda: other.secret_key, other.create_public_key):
        with pytest.raises(RuntimeError) as caught:
            attempt()
        assert caught.value.code == "secret-key-absent"
    with pytest.raises(KeyError):
        other.encrypt_message([1.0])
    with pytest.raises(KeyError):
        engine.conjugate(ct)
    with pytest.raises(KeyError):
        _ = engine.conjugation_key


def test_the_conjugation_key_works_once_installed(engine):
    x = torch.complex(values(engine.num_slots), values(engine.num_slots, seed=3))
    engine.set_conjugation_key(engine.create_conjugation_key())
    result = engine.decrypt_message(engine.conjugate(engine.encrypt_message(x)))
    assert (result - x.conj()).abs().max() < 1e-6


def test_decryption_never_makes_a_secret(engine):
    # Mutant: decrypt through the property secret_key, which makes one in an empty engine.
    ct = engine.encrypt_message([1.0])
    empty = Engine(tiny())
    with pytest.raises(SecretKeyAbsentError):
        empty.decrypt_message(ct)
    for attempt in (lambda: empty.rotate_by_step(ct, 1), lambda: empty.relinearize(square_product(engine, ct))):
        with pytest.raises(KeyAbsentError):
            attempt()
    assert empty._inventory.symbols() == []


def test_an_engine_with_a_clients_public_key_makes_no_secret(engine):
    # Mutant: make a secret whenever none is there; it would drop the client's keys.
    server = Engine(tiny())
    server.set_public_key(engine.public_key)
    assert engine.decrypt_message(server.encrypt_message([0.25]), is_real=True)[0] == pytest.approx(0.25, abs=1e-6)
    with pytest.raises(SecretKeyAbsentError):
        _ = server.secret_key
    assert server._inventory.symbols() == ["public-key"]


def test_another_secret_drops_all_other_keys(engine):
    # Reference rule 20. Mutant: keep the public key when the secret changes.
    square(engine, engine.encrypt_message([0.5]))
    engine.rotation_key(1)
    old = engine.secret_key
    engine.set_secret_key(old)
    assert len(engine._inventory.symbols()) == 4
    engine.set_secret_key(engine.create_secret_key())
    assert engine._inventory.symbols() == ["secret-key"]
    assert engine.secret_key.key_id != old.key_id


def test_keys_of_another_secret_are_not_installed(engine):
    # mistake 5. Mutant: no owner check in KeyInventory.install.
    stranger = Engine(tiny())
    engine.encrypt_message([1.0])
    before = engine._inventory.symbols()
    for install in (
        lambda: engine.set_public_key(stranger.public_key),
        lambda: engine.set_rotation_key(stranger.rotation_key(1)),
        lambda: engine.set_evaluation_keys(EvaluationKeySet(rotations=RotationKeySet([stranger.rotation_key(2)]))),
    ):
        with pytest.raises(KeyMismatchError) as caught:
            install()
        assert engine.secret_key.key_id[:8] in caught.value.detail and stranger.secret_key.key_id[:8] in caught.value.detail
    assert engine._inventory.symbols() == before


def test_keys_are_installed_and_taken_out_by_symbol(engine):
    relinearization, rotation = engine.create_relinearization_key(), engine.create_rotation_key(-1)
    engine.install_evaluation_key("relinearization-key", relinearization)
    engine.install_evaluation_key(f"rotation-key:{engine.num_slots - 1}", rotation)
    assert engine.relinearization_key is relinearization and engine.rotation_keys[-1] is rotation
    assert engine.remove_evaluation_key("rotation-key:-1") is rotation
    for symbol, code in (("rotation-key", "argument-invalid"), ("rotation-key:x", "argument-invalid"), (7, "argument-invalid"), ("secret-key", "argument-invalid")):
        with pytest.raises(FHEliumError) as caught:
            engine.install_evaluation_key(symbol, rotation)
        assert caught.value.code == code
    with pytest.raises(FHEliumError, match="rotation-step-mismatch"):
        engine.install_evaluation_key("rotation-key:2", rotation)
    with pytest.raises(FHEliumError, match="argument-type"):
        engine.set_rotation_key(relinearization)


def test_a_set_of_evaluation_keys_serves_another_engine(engine):
    x = values(engine.num_slots)
    ct = engine.encrypt_message(x)
    square(engine, ct)
    engine.rotation_key(3)
    server = Engine(tiny(), allow_automatic_key_generation=False)
    server.set_evaluation_keys(engine.evaluation_keys)
    result = server.rotate_by_step(square(server, ct), 3)
    assert (engine.decrypt_message(result, is_real=True) - (x * x).roll(3)).abs().max() < 1e-5
    assert "secret-key" not in server._inventory.symbols()


def test_the_estimate_is_the_size(engine):
    # case A21. Mutant: forget the special primes' rows, or count steps that are equal modulo the slots twice.
    n = engine.num_slots
    keys = engine.create_rotation_keys([1, 2, 4, 1 + n, 0, -n])
    assert sorted(keys) == [1, 2, 4]
    assert engine.estimate_key_bytes(rotations=[1, 2, 4, 1 + n, 0]) == keys.nbytes
    assert engine.estimate_key_bytes(rotations=3) == keys.nbytes
    assert engine.estimate_key_bytes(relinearization=True, conjugation=True) == 2 * keys[1].nbytes
    assert engine.estimate_key_bytes(rotations="all") == (n - 1) * keys[1].nbytes
    for bad in ("every", True, 3.5, [1.5], -1):
        with pytest.raises(FHEliumError):
            engine.estimate_key_bytes(rotations=bad)


def test_over_budget_is_refused_before_anything_is_made():
    # case A21. Mutant: check the budget after making the keys, or one key at a time.
    one = Engine(tiny()).estimate_key_bytes(rotations=1)
    engine = Engine(tiny(), key_budget=2 * one)
    ct = engine.encrypt_message([1.0])
    with pytest.raises(KeyBudgetError, match=str(3 * one)) as caught:
        engine.create_rotation_keys([1, 2, 4])
    assert isinstance(caught.value, MemoryError) and caught.value.code == "key-budget-exceeded"
    with pytest.raises(KeyBudgetError):
        engine.rotate_many_by_steps(ct, [1, 2, 4])
    with pytest.raises(KeyBudgetError):
        engine.create_rotation_keys("all")
    assert not list(engine.rotation_keys)
    engine.rotate_many_by_steps(ct, [1, 2, 1])
    for attempt in (lambda: engine.rotation_key(4), lambda: engine.relinearize(square_product(engine, ct)), engine.create_conjugation_key):
        with pytest.raises(KeyBudgetError):
            attempt()
    engine.remove_evaluation_key("rotation-key:2")
    engine.rotation_key(4)


def test_the_default_budget_admits_sixteen_keys_of_the_largest_preset():
    # Mutant: a budget of 16 GiB, or one that never refuses.
    sizes = []
    for preset in Preset:
        c = CkksConfig.parse(preset)
        sizes.append(2 * len(c.digits) * c.total_num_primes * c.N * 8)
    assert 16 * max(sizes) <= DEFAULT_KEY_BUDGET < 18 * max(sizes)


def test_a_failed_making_of_many_keys_installs_none(engine, monkeypatch):
    # Mutant: install each key as soon as it is made.
    ct = engine.encrypt_message([1.0])
    make, made = Engine._create, []

    def fail_on_second(self, symbol, secret):
        if made:
            raise KeyboardInterrupt
        made.append(make(self, symbol, secret))
        return made[0]

    monkeypatch.setattr(Engine, "_create", fail_on_second)
    with pytest.raises(KeyboardInterrupt):
        engine.rotate_many_by_steps(ct, [1, 2])
    assert not list(engine.rotation_keys)


def test_threads_make_a_missing_key_once(engine, monkeypatch):
    # case A18. Mutant: look for the key outside the lock.
    ct = engine.encrypt_message([1.0])
    make, made = Engine._create, []

    def counted(self, symbol, secret):
        made.append(symbol)
        return make(self, symbol, secret)

    monkeypatch.setattr(Engine, "_create", counted)
    barrier = threading.Barrier(8)

    def work():
        barrier.wait()
        engine.rotate_by_step(ct, 1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert made == ["rotation-key:1"]


def test_a_key_without_identity_encrypts_nothing(engine):
    # Fault: ciphertexts that no key decrypts. Mutant: check the kind of the key alone.
    ct = engine.encrypt_message([1.0])
    public, secret = (key._with(key_id=None) for key in (engine.public_key, engine.secret_key))
    for attempt in (
        lambda: engine.encrypt_message([1.0], public_key=public),
        lambda: engine.encrypt(engine.plaintext([1.0]), public),
        lambda: engine.encrypt_zero_like(ct, public),
        lambda: engine.encrypt_with_secret_key([1.0], secret),
        lambda: engine.create_public_key(secret),
        lambda: engine.create_rotation_key(1, secret),
    ):
        with pytest.raises(KeyMismatchError, match="no key_id"):
            attempt()


def test_a_key_with_a_residue_out_of_range_is_not_installed(engine):
    # Fault: it was installed, and refused at its first use. Mutant: plan its validation alone.
    key = RotationKey.from_bytes(engine.create_rotation_key(1).to_bytes())
    key.data[0, 0, 0, 0] = 1 << 60
    with pytest.raises(FHEliumError, match="residue-out-of-range"):
        engine.set_rotation_key(key)
    assert not list(engine.rotation_keys)


@pytest.mark.parametrize("device", [2**70, b"cpu", "nowhere", True, -5])
def test_a_senseless_device_is_named(engine, device):
    # Fault: torch's own ValueError. Mutant: catch RuntimeError alone.
    with pytest.raises(FHEliumError):
        engine.create_secret_key(device=device)


def test_values_outlive_their_engine():
    # row 002-16. Mutant: keep the engine's handle in the value and free it.
    engine = Engine(tiny())
    x = values(engine.num_slots)
    ct, secret = engine.encrypt_message(x), engine.secret_key
    del engine
    gc.collect()
    second = Engine(TINY)
    second.set_secret_key(secret)
    assert (second.decrypt_message(ct, is_real=True) - x).abs().max() < 1e-6


def test_a_foreign_key_identity_is_not_taken_for_a_key(engine):
    # mistake 8. Mutant: compare only the first half of the identities in Go.
    stranger = Engine(tiny())
    ct = engine.encrypt_message([1.0])
    with pytest.raises(KeyMismatchError) as caught:
        stranger.decrypt(ct, stranger.secret_key)
    assert ct.key_id[:8] in str(caught.value) and stranger.secret_key.key_id[:8] in str(caught.value)
