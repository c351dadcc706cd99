"""Interleaved measurement: whatever slows the machine down slows all libraries alike."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable
from typing import Any

from .runner import Runner, RunnerError

OURS = "fhelium"
SLOW_ROUNDS = 3


def measure(
    runners: dict[str, Runner],
    case: dict[str, Any],
    operations: Iterable[str],
    rounds: int,
    slice_seconds: float,
    say: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Sets every library up for a case and measures it.

    In each round, each operation is run by each library in turn: once without
    the clock, since others had the machine before, then as often as fits into
    slice_seconds, at least once; what takes a second or more is in
    the first SLOW_ROUNDS only. A library that ends is left out
    from there on, and `failures` says why. The result can be written as JSON:
    facts and bits by library, times by operation, library and round.
    """
    result: dict[str, Any] = {"case": case, "facts": {}, "bits": {}, "times": {name: {} for name in operations}, "failures": {}}

    def ask(library: str, **request: Any) -> Any:
        if library in result["failures"]:
            return None
        try:
            (answer,) = runners[library].ask(**request).values()
        except RunnerError as error:
            result["failures"][library] = str(error)
            return None
        return answer

    for library in runners:
        say(f"{library}: keys")
        if (facts := ask(library, setup=case)) is not None:
            result["facts"][library] = facts
    repeats, slow = {}, set()
    for name in operations:
        for library, facts in result["facts"].items():
            if name not in facts["operations"]:
                continue
            say(f"{library}: {name}, checked")
            result["bits"].setdefault(library, {})[name] = ask(library, check=name)
            if alone := ask(library, time=name, repeat=1):
                repeats[name, library] = max(1, min(50, int(slice_seconds / alone[0])))
                slow |= {name} if alone[0] >= 1 else set()
    for number in range(rounds):
        for (name, library), repeat in repeats.items():
            if name in slow and number >= SLOW_ROUNDS:
                continue
            say(f"round {number + 1} of {rounds}: {name}, {library}")
            if found := ask(library, time=name, repeat=1 + repeat):
                result["times"][name].setdefault(library, []).append(found[1:])
    return result


def median(rounds: list[list[float]]) -> float:
    """Of all single repetitions."""
    return statistics.median(second for one in rounds for second in one)


def quartiles(rounds: list[list[float]]) -> tuple[float, float]:
    """The lower and upper quartile of all single repetitions."""
    return _quartiles([second for one in rounds for second in one])


def ratio(times: dict[str, list[list[float]]], library: str) -> tuple[float, float, float]:
    """How many times as long as ours a library takes: by medians, and the quartiles of the same by rounds."""
    ours, theirs = times[OURS], times[library]
    by_round = [statistics.median(t) / statistics.median(o) for t, o in zip(theirs, ours, strict=False)]
    return (median(theirs) / median(ours), *_quartiles(by_round))


def fastest(times: dict[str, list[list[float]]]) -> str | None:
    """The fastest library beside ours."""
    others = {library: median(rounds) for library, rounds in times.items() if library != OURS}
    return min(others, key=others.__getitem__, default=None)


def _quartiles(numbers: list[float]) -> tuple[float, float]:
    if len(numbers) == 1:
        return numbers[0], numbers[0]
    low, _, high = statistics.quantiles(numbers, n=4, method="inclusive")
    return low, high
