"""Tables of what was measured, for the terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from . import own
from .cases import OPERATIONS
from .measure import OURS, fastest, median, quartiles, ratio


def show(console: Console, report: dict[str, Any]) -> None:
    """Prints a whole report: a table of ratios, of parameters and of precision for each ring dimension, then what is missing."""
    for measured in report["cases"]:
        libraries = [name for name in report["libraries"] if name in measured["facts"]]
        console.print(_ratios(report, measured, libraries), _parameters(measured, libraries), _bits(measured, libraries))
        for text in missing(measured):
            console.print(text, style="dim", markup=False)
    for text in own.sentences(report["own"]):
        console.print(text, markup=False)
    for library, reason in report["unavailable"].items():
        console.print(f"{library} is not compared: {reason}", style="yellow", markup=False)


def _ratios(report: dict[str, Any], measured: dict[str, Any], libraries: list[str]) -> Table:
    threads = f"{report['threads']} thread" + "s" * (report["threads"] > 1)
    title = f"N = 2^{measured['case']['logN']}, {threads}, {report['rounds']} rounds: how many times as long as {OURS}"
    table = Table("operation", f"{OURS}, ms", *libraries[1:], "fastest peer", title=title)
    for name, times in measured["times"].items():
        if OURS not in times:
            continue
        low, high = map(milliseconds, quartiles(times[OURS]))
        best = fastest(times)
        cells = [cell(times, library) for library in libraries[1:]]
        own = f"{milliseconds(median(times[OURS]))}\n{low} – {high}"
        table.add_row(label(name, measured["case"]), own, *cells, f"{ratio(times, best)[0]:.1f}×" if best else "–", end_section=True)
    return table


def cell(times: dict[str, Any], library: str) -> str:
    """The ratio of a library, and its quartiles by rounds."""
    if library not in times:
        return "–"
    return "{:.1f}×\n{:.1f} – {:.1f}".format(*ratio(times, library))


def _parameters(measured: dict[str, Any], libraries: list[str]) -> Table:
    table = Table("library", "version", "limbs of Q + P", "digits", "log2 QP", "depth", "log2 scale", title="parameters")
    for library in libraries:
        table.add_row(library, *parameters(measured["facts"][library]))
    return table


def parameters(facts: dict[str, Any]) -> list[str]:
    """What a library said of itself, in the order of the columns; "?" where it does not tell."""
    known = {name: str(value) for name, value in facts.items()}
    limbs = f"{known.get('q_limbs', '?')} + {known.get('p_limbs', '?')}"
    scale = f"{facts['log_scale']:.1f}" if "log_scale" in facts else "?"
    return [known["version"], limbs, *(known.get(name, "?") for name in ("digits", "log_qp", "depth")), scale]


def _bits(measured: dict[str, Any], libraries: list[str]) -> Table:
    table = Table("operation", *libraries, title="bits of precision of the result")
    for name in measured["times"]:
        found = [measured["bits"].get(library, {}).get(name) for library in libraries]
        if any(found):
            table.add_row(label(name, measured["case"]), *(f"{bits:.1f}" if bits else "–" for bits in found))
    return table


def missing(measured: dict[str, Any]) -> list[str]:
    """A sentence for each thing that a library does in its own way, or not at all."""
    found = []
    for library, facts in measured["facts"].items():
        if "note" in facts:
            found.append(f"{library}: {facts['note']}")
        reasons: dict[str, list[str]] = {}
        for name, reason in facts["lacks"].items():
            reasons.setdefault(reason, []).append(OPERATIONS[name])
        found += [f"{library}, {'; '.join(names)}: {reason}" for reason, names in reasons.items()]
    return found + [f"{library} failed: {reason}" for library, reason in measured["failures"].items()]


def label(name: str, case: dict[str, Any]) -> str:
    return f"make {case['keys']} rotation keys" if name == "rotation_keys" else OPERATIONS[name]


def milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:.3g}" if seconds < 1 else f"{1000 * seconds:.0f}"
