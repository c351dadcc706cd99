"""docs/bench.md and its chart, of a report."""

from __future__ import annotations

import pathlib
from typing import Any

from . import own
from .measure import OURS, median, ratio
from .report import cell, label, milliseconds, missing, parameters

HEAD = """# Speed

How fast each operation is beside other libraries for CKKS: same ring, depth and scale, and a modulus QP of the same width where a library permits, all interleaved in one run.
A cell says how many times as long as fhelium a library takes, by the medians of all repetitions, then the quartiles of that ratio by rounds. In its turn a library runs the operation once without the clock, then for 0.1 s, at least once. What takes a second or more is in the first three rounds only.
Operands are fresh ciphertexts at depth 0, encrypted under the secret key, whose slots are all used; results are ciphertexts of evaluations. fhelium is called through its Python package.
Written by `make bench BENCH=--write-docs`.

![How many times as long as fhelium each library takes](bench.svg)
"""


def write(report: dict[str, Any], folder: pathlib.Path) -> None:
    """Writes bench.md and bench.svg."""
    threads = "one thread" if report["threads"] == 1 else f"{report['threads']} threads"
    lines = [HEAD, f"Measured on {report['date']}: {report['machine']}, {threads}, {report['rounds']} rounds.\n"]
    for measured in report["cases"]:
        libraries = [name for name in report["libraries"] if name in measured["facts"]]
        lines.append(f"## N = 2^{measured['case']['logN']}\n")
        rows = [
            [label(name, measured["case"]), milliseconds(median(times[OURS])), *(cell(times, other).replace("\n", ", ") for other in libraries[1:])]
            for name, times in measured["times"].items()
            if OURS in times
        ]
        lines.append(_table(["", f"{OURS}, ms", *libraries[1:]], rows))
        heads = ["parameters", "version", "limbs of Q + P", "digits", "log2 QP", "depth", "log2 scale"]
        lines.append(_table(heads, [[library, *parameters(measured["facts"][library])] for library in libraries]))
        lines.append(_table(["bits of precision", *libraries], _bits(measured, libraries)))
        lines += [f"- {text}" for text in missing(measured)]
        lines.append("")
    lines += ["## Beside itself\n", *(f"- {text}" for text in own.sentences(report["own"])), ""]
    lines += [f"{library} is not compared: {reason}\n" for library, reason in report["unavailable"].items()]
    folder.joinpath("bench.md").write_text("\n".join(lines).rstrip() + "\n")
    _chart(report, folder / "bench.svg")


def _table(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def _bits(measured: dict[str, Any], libraries: list[str]) -> list[list[str]]:
    rows = []
    for name in measured["times"]:
        found = [measured["bits"].get(library, {}).get(name) for library in libraries]
        if any(found):
            rows.append([label(name, measured["case"]), *(f"{bits:.1f}" if bits else "–" for bits in found)])
    return rows


def _chart(report: dict[str, Any], path: pathlib.Path) -> None:
    """A panel for each ring dimension; a bar for each operation and library, and a line at 1, which is ours."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "fhelium"
    import matplotlib.pyplot as plt

    cases = report["cases"]
    figure, panels = plt.subplots(1, len(cases), figsize=(1.5 + 4.5 * len(cases), 7), squeeze=False, layout="constrained")
    others = [library for library in report["libraries"] if library != OURS]
    height = 0.8 / max(1, len(others))
    for panel, measured in zip(panels[0], cases, strict=True):
        timed = {name: times for name, times in measured["times"].items() if OURS in times}
        for j, library in enumerate(others):
            places = [(i + (j + 0.5) * height - 0.4, ratio(times, library)[0]) for i, times in enumerate(timed.values()) if library in times]
            if places:
                panel.barh(*zip(*places, strict=True), height, label=library, color=f"C{j}")
        panel.axvline(1, color="black", linewidth=1)
        panel.set_xscale("log")
        panel.xaxis.set_major_formatter("{x:g}×")
        panel.set_yticks(range(len(timed)), [label(name, measured["case"]) for name in timed])
        panel.invert_yaxis()
        panel.set_title(f"N = 2^{measured['case']['logN']}")
        panel.set_xlabel(f"times as long as {OURS}")
    handles = {text: handle for panel in panels[0] for handle, text in zip(*panel.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=max(1, len(handles)))
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
