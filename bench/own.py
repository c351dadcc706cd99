"""What needs no other library: Python's share of a call, what hoisting gains, and what a second thread does."""

from __future__ import annotations

import hashlib
import statistics
import threading
import time
from collections.abc import Callable
from typing import Any
from unittest import mock

import torch

from fhelium import _binding
from fhelium.eager import Engine

from .cases import CASES
from .runners import ours

SMALLEST = "slots1024-scale40-depth3-int64-insecure"


def figures(logN: int, rounds: int) -> dict[str, Any]:
    """All figures, at one ring dimension; times are in seconds."""
    engine = Engine(ours.parameters(CASES[logN]))
    a = engine.coefficient_domain_to_ntt_domain(engine.encrypt_message(torch.ones(engine.num_slots)))
    keys = [engine.create_rotation_key(step) for step in range(1, 9)]

    def multiply():
        return engine.multiply_relinearize_rescale(a, a, output_domain="ntt")

    def rotate():
        return [engine.rotate_with_key(a, key, output_domain="ntt") for key in keys]

    def hoisted():
        return engine.rotate_many_with_keys(a, keys, output_domain="ntt")

    one, two, spin, both, single, many = ([] for _ in range(6))
    for _ in range(rounds):
        torch.set_num_threads(1)
        one += _times(multiply, 10)
        single += _times(rotate, 2)
        many += _times(hoisted, 2)
        spin.append(_spin(1))
        torch.set_num_threads(2)
        two += _times(multiply, 10)
        both.append(_spin(2))
    torch.set_num_threads(1)
    middle = statistics.median
    return {
        "logN": logN,
        "python_share": python_share(),
        "hoisting": middle(single) / middle(many),
        "threads": middle(one) / middle(two),
        "spin": 2 * middle(spin) / middle(both),
    }


def sentences(found: dict[str, Any]) -> list[str]:
    """The figures in words."""
    place = f"at N = 2^{found['logN']}"
    return [
        f"Python's share of one eager call (an add at N = 2^11, without its computing): {1e6 * found['python_share']:.1f} µs",
        f"8 hoisted rotations beside 8 single ones by the same keys, {place}, one thread: {found['hoisting']:.2f}× as fast",
        f"multiply + relinearize + rescale {place} on two threads: {found['threads']:.2f}× as fast as on one, where spin loops gain "
        f"{found['spin']:.2f}×: {found['threads'] / found['spin']:.2f} of that",
    ]


def python_share(rounds: int = 15, calls: int = 1000) -> float:
    """Seconds of one `add` without its computing, the least of some rounds.

    The computing is one call into the Go core, which is left out; checking,
    planning (in Go, too), making the result's tensor and its value stay.
    """
    engine = Engine(SMALLEST)
    x = engine.encrypt_message(torch.ones(engine.num_slots))
    with mock.patch.object(_binding, "run", lambda function, *arguments: None):
        return min(_seconds(lambda: engine.add(x, x), calls) for _ in range(rounds))


def _times(work: Callable[[], Any], repeat: int) -> list[float]:
    """Seconds of each repetition, after one that is not counted."""
    work()
    return [_seconds(work, 1) for _ in range(repeat)]


def _seconds(work: Callable[[], Any], repeat: int) -> float:
    begun = time.perf_counter()
    for _ in range(repeat):
        work()
    return (time.perf_counter() - begun) / repeat


def _spin(threads: int) -> float:
    """Seconds in which each of some threads computes the same, in registers alone."""
    workers = [threading.Thread(target=hashlib.pbkdf2_hmac, args=("sha256", b"", b"", 100_000)) for _ in range(threads)]
    begun = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return time.perf_counter() - begun
