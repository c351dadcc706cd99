"""What users of comparable libraries suffered from, tried on the Engine; each test names its case."""

import gc
import itertools
import math
import os
import pathlib
import threading
import time

import numpy as np
import pytest
import torch
from engines import P13, P14, TINY, live_handles, square, tiny, values
from fhelium import Ciphertext, CkksConfig, HeadroomWarning, _binding, linalg
from fhelium.eager import Engine
from fhelium.errors import (
    ComponentsError,
    EncodeOverflowError,
    FHEliumError,
    KeyAbsentError,
    MaximumDepthError,
    MessageError,
    ScaleMismatchError,
    TransparentCiphertextError,
)


@pytest.fixture(scope="module")
def p13():
    return Engine(P13)


def real(engine, ct):
    return engine.decrypt_message(ct, is_real=True)


def ntt(engine, ct):
    return engine.coefficient_domain_to_ntt_domain(ct)


def test_a01_an_unrescaled_product_is_not_added(p13):
    # case A01 (2). Mutant: let sameScale in Go take the left operand's scale.
    fresh = p13.encrypt_message(0.5, output_domain="ntt")
    product = p13.relinearize(p13.multiply(fresh, fresh), output_domain="ntt")
    for attempt in (lambda: p13.add(product, fresh), lambda: p13.add(fresh, product), lambda: p13.subtract_(fresh.clone(), product)):
        with pytest.raises(ScaleMismatchError) as caught:
            attempt()
        detail = caught.value.detail
        assert "2^80" in detail and "2^40" in detail and detail.count("depth 0") == 2 and "rescale" in detail


def test_a01_the_same_sum_works_step_by_step(p13):
    # case A01 (1) by hand: the scale of the fresh operand is chosen, none is overwritten.
    x = p13.encrypt_message(0.5)
    product = square(p13, x)
    again = p13.encrypt_message(0.5, depth=1, scale=product.scale)
    assert (real(p13, p13.add(product, again)) - 0.75).abs().max() < 1e-5


def test_a02_levels_run_out_by_name(p13):
    # case A02. Mutant: drop wantRoom in Go, which lets the product wrap.
    x = p13.encrypt_message(values(p13.num_slots))
    one = square(p13, x)
    two = square(p13, one)
    with pytest.raises(MaximumDepthError) as caught:
        square(p13, two)
    assert caught.value.code == "levels-exhausted" and "depth 2 of 2" in caught.value.detail
    assert "longer chain" in caught.value.detail and "2^" in caught.value.detail
    with pytest.raises(MaximumDepthError, match="depth 2"):
        p13.rescale_to_next_depth(two)
    m = values(p13.num_slots)
    for ct, wanted in ((x, m), (one, m**2), (two, m**4)):
        assert (real(p13, ct) - wanted).abs().max() < 1e-4


@pytest.mark.parametrize("number", [4e5, -4e5])
def test_a03_what_fits_the_last_depth_is_kept(p13, number):
    # case A03. Mutant: refuse whatever does not fit one word or one prime.
    got = p13.decode(p13.encode(number, depth=2), is_real=True)
    assert (got / number - 1).abs().max() < 1e-6


@pytest.mark.parametrize("number", [7e5, -7e5])
def test_a03_what_does_not_fit_the_last_depth_is_refused(p13, number):
    # case A03, reference rule 37. Mutant: compare without the sign, or with the modulus and not its half.
    for attempt in (lambda: p13.encode(number, depth=2), lambda: p13.encrypt_message(number, depth=2), lambda: p13.prepare_compressed_plaintext([number] * 4, depth=2)):
        with pytest.raises(EncodeOverflowError) as caught:
            attempt()
        assert "depth 2" in caught.value.detail and "700000" in caught.value.detail
    assert (p13.decode(p13.encode(number, depth=1), is_real=True) / number - 1).abs().max() < 1e-6


def test_a03_a_spike_fits_at_the_top_only(p13):
    # case A03. Mutant: limit coefficients to int64.
    spike = torch.zeros(p13.num_slots, dtype=torch.float64)
    spike[5] = 1e12
    with pytest.raises(EncodeOverflowError, match="in slot 5"):
        p13.encode(spike, depth=2)
    assert (p13.decode(p13.encode(spike), is_real=True) - spike).abs().max() <= 1e3
    rows = p13.integer_coefficients_to_rns(p13.encode(spike))
    got = p13.decode(p13.decrypt(p13.encrypt(rows)), is_real=True)
    assert (got - spike).abs().max() <= 1e3


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf"), 1e306])
def test_a03_the_first_bad_slot_is_named(p13, bad):
    # case A03. Mutant: a check by (x > limit), which NaN passes.
    message = values(p13.num_slots)
    message[7], message[1000] = bad, bad
    with pytest.raises(MessageError, match="slot 7"):
        p13.encode(message)
    with pytest.raises(MessageError, match="slot 7"):
        p13.encrypt_message(message.to(torch.complex128) * (1j if np.isfinite(bad) else 1))
    with pytest.raises(MessageError, match=r"slot 7 of batch member \(1,\)|slot 7"):
        p13.encode(torch.stack([torch.zeros_like(message), message]))


def test_a05_rotation_amounts_have_one_form(p13):
    # case A05. Mutant: keep a step as it is written, or roll the other way.
    n = p13.num_slots
    v = torch.arange(n, dtype=torch.float64) / n
    ct = p13.encrypt_message(v)
    steps = [0, 1, -1, -3, n - 1, n, n + 1, -n - 1]
    many = p13.rotate_many_by_steps(ct, steps)
    unhoisted = p13.rotate_many_by_steps(ct, steps, use_hoisting=False)
    for step, hoisted, single in zip(steps, many, unhoisted, strict=True):
        wanted = torch.from_numpy(np.roll(v.numpy(), step))
        for got in (p13.rotate_by_step(ct, step), hoisted, single):
            assert (real(p13, got) - wanted).abs().max() < 1e-5, step
            assert got.data.data_ptr() != ct.data.data_ptr()
    assert sorted(p13.rotation_keys) == [-3, -1, 1]


@pytest.mark.parametrize(("made", "asked"), [(-1, 4095), (4095, -1), (4096 + 2, 2), (2048, -2048)])
def test_a05_equal_amounts_share_a_key(p13, made, asked):
    # case A05. Mutant: normalize at use and not at creation.
    server = Engine(P13, allow_automatic_key_generation=False)
    server.set_rotation_key(p13.create_rotation_key(made))
    x = values(p13.num_slots)
    got = server.rotate_by_step(p13.encrypt_message(x), asked)
    assert (real(p13, got) - x.roll(asked)).abs().max() < 1e-5


def test_a05_a_missing_key_is_named(p13):
    # case A05, mistake 5.
    server = Engine(P13, allow_automatic_key_generation=False)
    server.set_rotation_key(p13.create_rotation_key(4))
    ct = p13.encrypt_message([1.0])
    for step in (0, 4096, -8192):
        assert (real(p13, server.rotate_by_step(ct, step)) - real(p13, ct)).abs().max() < 1e-9
    with pytest.raises(KeyAbsentError, match=r"step 3.*\[4\]"):
        server.rotate_by_step(ct, 3)


def test_a06_results_without_a_secret_are_refused_unless_asked_for(p13):
    # case A06. Mutant: drop checkSecret in Go, or look at component 0.
    x = p13.encrypt_message(values(p13.num_slots))
    y = ntt(p13, x)
    zeros = p13.prepare_plaintext_for_multiplication(p13.encode(torch.zeros(p13.num_slots)))
    attempts = {
        "x − x": lambda e, **o: e.subtract(x, x, **o),
        "x · 0.0": lambda e, **o: e.multiply_scalar(x, 0.0, **o),
        "x · 0": lambda e, **o: e.multiply_integer_scalar(x, 0, **o),
        "x · zeros": lambda e, **o: e.multiply_plaintext(y, zeros, **o),
        "x + (−x)": lambda e, **o: e.sum_ciphertexts([x, e.negate(x)], **o),
        "batch": lambda e, **o: e.sum_ciphertext_batch(Ciphertext.stack_batch([x, e.negate(x)]), **o),
        "products": lambda e, **o: e.sum_plaintext_products([y], [zeros], **o),
        "groups": lambda e, **o: e.sum_plaintext_product_groups([y], [[zeros], [zeros]], **o),
        "one of a batch": lambda e, **o: e.subtract(Ciphertext.stack_batch([x, x]), Ciphertext.stack_batch([x, e.negate(x)]), **o),
    }
    lax = Engine(P13, allow_transparent=True)
    for name, attempt in attempts.items():
        with pytest.raises(TransparentCiphertextError, match="ciphertext-transparent"):
            attempt(p13)
        with pytest.raises(TransparentCiphertextError):
            attempt(lax, allow_transparent=False)
        for result in (attempt(p13, allow_transparent=True), attempt(lax)):
            member = result.select_batch(0) if result.is_batched else result
            assert not member.data[1:].any() and p13.decrypt_message(member).abs().max() <= 1e-6, name
    fresh = p13.encrypt_zero_like(x)
    assert fresh.c1.any() and p13.decrypt_message(fresh).abs().max() <= 1e-6


def test_a08_a_list_of_one_is_treated_as_any_other(p13):
    # case A08. Mutant: return the only element of a list.
    x = p13.encrypt_message(0.25)
    total = p13.sum_ciphertexts([x])
    p13.add_scalar(total, 1.0, inplace=True)
    assert (real(p13, x) - 0.25).abs().max() < 1e-6 and (real(p13, total) - 1.25).abs().max() < 1e-6
    stranger = Engine(TINY)
    with pytest.raises(FHEliumError, match="state-parameters-mismatch"):
        p13.sum_ciphertexts([stranger.encrypt_message(1.0)])
    with pytest.raises(FHEliumError, match="argument-invalid"):
        p13.sum_ciphertexts([])


def test_a17_shared_results_carry_the_noise_that_was_asked_for(p13):
    # case A17. Mutant: drop the flood, or add it once and subtract it again.
    x = torch.arange(-512, 512, dtype=torch.float64) / 1024
    for ct in (p13.encrypt_message(x), p13.encrypt_message(x)):
        shared = p13.decrypt_message(ct, is_real=True, share_bits=20)[:1024]
        error = (shared - x).abs()
        assert error.max() <= 2.0**-20
        # The documented noise: a slot's deviation is 2^-b/6.5, half of it in the real part.
        assert 0.5 * 2.0**-20 / 6.5 < error.pow(2).mean().sqrt() < 2.0**-20 / 6.5
        raw = (p13.decrypt_message(ct, is_real=True)[:1024] - x).abs()
        assert raw.max() < error.max()
        assert not torch.equal(shared, p13.decrypt_message(ct, is_real=True, share_bits=20)[:1024])
    for bits in (0, -1, 53, float("nan"), True, "20"):
        with pytest.raises(FHEliumError):
            p13.decrypt(ct, share_bits=bits)
    with pytest.raises(FHEliumError, match="at most .* bits can be shared"):
        p13.decrypt(ct, share_bits=52)


def resident_bytes():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_a11_too_little_room_is_named():
    # case A11 (1). Mutant: compare the scale with the whole modulus and not with the last group's.
    n = tiny().N
    found = (k * 2 * n + 1 for k in range((1 << 30) // (2 * n), 0, -1))
    small = list(itertools.islice((q for q in found if all(q % d for d in range(3, math.isqrt(q) + 1, 2))), 2))
    assert 59 < math.log2(math.prod(small)) < 60
    groups = [*tiny().q_depth_groups[:-1], small]
    with pytest.raises(FHEliumError, match="modulus-invalid.*below 2"):
        CkksConfig.parse(tiny(), q_depth_groups=[*groups[:-1], [(1 << 60) - 93]], default_scale=2.0**59)
    with pytest.raises(FHEliumError, match="config-headroom-invalid.*60.00 bits and the default scale 59.00"):
        CkksConfig.parse(tiny(), q_depth_groups=groups, default_scale=2.0**59)
    with pytest.warns(HeadroomWarning, match=r"the last depth has 3\.0 bits above the default scale 2\*\*57"):
        CkksConfig.parse(tiny(), q_depth_groups=groups, default_scale=2.0**57)


def test_a20_loops_do_not_grow():
    # case A20. Mutant: keep every result's tensors in a list in Cpu.run.
    engine = Engine(P14)
    x = values(engine.num_slots)
    handles = live_handles()
    for turn in range(300):
        y = ntt(engine, engine.encrypt_message(x))
        try:
            z = engine.multiply(y, y)
            del z
            if turn % 3 == 0:
                engine.add(y, engine.ntt_domain_to_coefficient_domain(y))
        except FHEliumError:
            pass
        if turn == 100:
            gc.collect()
            early = resident_bytes()
    gc.collect()
    assert resident_bytes() - early < 20 << 20
    assert live_handles() == handles


def test_a21_exactly_the_keys_asked_for(p13):
    # case A21. Mutant: make all powers of two besides.
    estimate = p13.estimate_key_bytes(rotations=[1, 2, 4])
    c = p13.config
    assert estimate == 3 * 2 * len(c.digits) * c.total_num_primes * c.N * 8
    keys = p13.create_rotation_keys([1, 2, 4])
    assert len(keys) == 3 and keys.nbytes == estimate
    tight = Engine(P13, key_budget=estimate - 1)
    with pytest.raises(MemoryError, match="key-budget-exceeded"):
        tight.create_rotation_keys([1, 2, 4])
    with pytest.raises(FHEliumError):
        p13.create_rotation_keys("everything")


def test_r1_rotating_before_relinearizing_is_refused(p13):
    # case R1. Mutant: rotate the first two components of three.
    y = ntt(p13, p13.encrypt_message(values(p13.num_slots)))
    product = p13.multiply(y, y)
    key = p13.rotation_key(1)
    for attempt in (
        lambda: p13.rotate_by_step(product, 1),
        lambda: p13.rotate_with_key(product, key),
        lambda: p13.rotate_many_by_steps(product, [1, 2]),
        lambda: p13.rotate_many_with_keys(product, [key]),
        lambda: p13.rotate_by_step_(product, 1),
    ):
        with pytest.raises(ComponentsError, match="relinearize"):
            attempt()


def test_r2_other_threads_run_meanwhile():
    # case R2. Mutant: hold the interpreter's lock in pybind_Run.
    engine = Engine(P13)
    y = ntt(engine, engine.encrypt_message(values(32, engine.num_slots)))
    _ = engine.relinearization_key
    count, stop = [0], threading.Event()

    def tick():
        while not stop.is_set():
            count[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        ticks = []
        for _ in range(8):
            before = count[0]
            engine.relinearize(engine.multiply(y, y))
            ticks.append(count[0] - before)
    finally:
        stop.set()
        thread.join()
    assert sum(ticks) > 20 * len(ticks), ticks


def test_r3_a_million_numbers_cross_at_once(monkeypatch):
    # case R3. Mutant: encode one message of the batch a call.
    engine = Engine(tiny())
    engine.decode(engine.encode([1.0]))
    crossings = []
    original = (_binding.call, _binding.run)
    monkeypatch.setattr(_binding, "call", lambda f, *a: crossings.append(f.__name__) or original[0](f, *a))
    monkeypatch.setattr(_binding, "run", lambda f, *a: crossings.append(f.__name__) or original[1](f, *a))
    engine.decode(engine.encode([1.0]))
    of_one = crossings[:]
    assert of_one.count("pybind_Run") == 2 and len(of_one) <= 6
    million = values(1 << 10, engine.num_slots)
    got = engine.decode(engine.encode(million), is_real=True)
    assert crossings == 2 * of_one and (got - million).abs().max() < 1e-9


def test_r9_sums_and_means_keep_the_scale(p13):
    # case R9. Mutant: multiply the scale by the number of slots.
    x = values(p13.num_slots)
    ct = p13.encrypt_message(x)
    total = linalg.sum_slots(p13, ct)
    assert total.scale == ct.scale and total.depth == ct.depth
    assert (real(p13, total) - x.sum()).abs().max() < 1e-3
    mean = linalg.mean_slots(p13, ct)
    assert abs(mean.scale / ct.scale - 1) < 0.01
    assert (real(p13, mean) - x.mean()).abs().max() < 1e-6


def test_r10_very_many_encryptions_on_one_engine():
    # case R10. Mutant: draw from one stream that ends or repeats.
    engine = Engine(CkksConfig.parse(tiny(), logN=10, q_depth_groups=tiny().q_depth_groups[-1:]))
    first = set()
    message = values(1000, 4)
    for _ in range(98):
        ct = engine.encrypt_message(message)
        first.update(ct.c1[:, 0, 0].tolist())
    for _ in range(2000):
        last = engine.encrypt_message(message[0])
        first.add(last.c1[0, 0].item())
    # 10^5 draws of a 50-bit number: 5 pairs in 10^6 meetings would be equal by chance.
    assert len(first) >= 100_000 - 3
    assert (real(engine, last)[:4] - message[0]).abs().max() < 1e-6
    assert (real(engine, ct)[:, :4] - message).abs().max() < 1e-6
