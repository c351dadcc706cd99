"""Compares fhelium with other libraries for CKKS: installs them, runs them interleaved, prints ratios.

    python -m bench.run [--quick] [--threads 2] [--logN 14 15] [--write-docs]
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import pathlib
import platform
from typing import Any

from rich.console import Console

from . import document, own, peers, report
from .cases import CASES, OPERATIONS
from .measure import OURS, measure
from .runner import ROOT, Runner, RunnerError

QUICK_KEYS = 16
RESULTS = ROOT / "bench" / "results"


def main() -> None:
    options = _options()
    console = Console()
    if not console.is_terminal:
        console.width = 120
    if options.read:
        found = json.loads(options.read.read_text())
    else:
        found = _measured(options, console)
        RESULTS.mkdir(exist_ok=True)
        path = RESULTS / f"{found['date'].replace(' ', '-').replace(':', '')}-threads{options.threads}.json"
        path.write_text(json.dumps(found, indent=1) + "\n")
        console.print(f"written: {path.relative_to(ROOT)}")
    report.show(console, found)
    if options.write_docs:
        document.write(found, ROOT / "docs")
        console.print("written: docs/bench.md, docs/bench.svg")
    if any(OURS in measured["failures"] for measured in found["cases"]):
        raise SystemExit(f"{OURS} itself failed")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="N = 2^14 only, 3 rounds: about two minutes")
    parser.add_argument("--threads", type=int, default=1, help="threads of every library that can use them (default 1)")
    parser.add_argument("--logN", type=int, nargs="+", choices=CASES, help="ring dimensions (default: all)")
    parser.add_argument("--rounds", type=int, help="rounds over all operations and libraries (default 7)")
    parser.add_argument("--peers", nargs="*", choices=peers.PEERS, default=peers.PEERS, help="libraries to compare with (default: all)")
    parser.add_argument("--operations", nargs="+", choices=OPERATIONS, default=list(OPERATIONS), help="operations (default: all)")
    parser.add_argument("--fhelium030", action="store_true", help="also FHElium 0.30, built from source in an environment of its own (5 GB)")
    parser.add_argument("--write-docs", action="store_true", help="write docs/bench.md and docs/bench.svg")
    parser.add_argument("--read", type=pathlib.Path, metavar="JSON", help="show a former run's results, and measure nothing")
    options = parser.parse_args()
    options.logN = options.logN or ([14] if options.quick else list(CASES))
    options.rounds = options.rounds or (3 if options.quick else 7)
    if options.rounds < 1 or options.threads < 1:
        parser.error("--rounds and --threads are at least 1")
    return options


def _measured(options: argparse.Namespace, console: Console) -> dict[str, Any]:
    commands, unavailable = {}, {}
    for library in (OURS, *options.peers, *([peers.FHELIUM030] if options.fhelium030 else [])):
        try:
            commands[library] = peers.command(library)
        except peers.Unavailable as reason:
            unavailable[library] = str(reason)
    cases = []
    for logN in options.logN:
        # Processes of their own for each ring dimension: their keys do not add up.
        runners: dict[str, Runner] = {}
        for library, command in commands.items():
            try:
                runners[library] = Runner(command, options.threads)
            except RunnerError as reason:
                unavailable[library] = str(reason)
        try:
            with console.status(f"N = 2^{logN}") as status:
                case = CASES[logN] | {"threads": options.threads} | ({"keys": QUICK_KEYS} if options.quick else {})
                slice_seconds = 0.03 if options.quick else 0.1
                say = lambda text, logN=logN: status.update(f"N = 2^{logN}: {text}")  # noqa: E731
                cases.append(measure(runners, case, options.operations, options.rounds, slice_seconds, say))
        finally:
            for runner in runners.values():
                runner.close()
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M:%S"),
        "machine": _machine(),
        "threads": options.threads,
        "rounds": options.rounds,
        "libraries": list(commands),
        "unavailable": unavailable,
        "cases": cases,
        "own": own.figures(14 if 14 in options.logN else options.logN[-1], options.rounds),
    }


def _machine() -> str:
    """The processor, its number of cores and how busy it was."""
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.processor())
    return f"{model}, {os.cpu_count()} processors, load {os.getloadavg()[1]:.1f}"


if __name__ == "__main__":
    main()
