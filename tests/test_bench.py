"""The driver of make bench, with runners that only pretend to compute."""

import json
import sys
import textwrap

import pytest
from conftest import PROJECT
from rich.console import Console

from bench import document, peers, report
from bench.cases import CASES, OPERATIONS
from bench.measure import fastest, measure, median, quartiles, ratio
from bench.runner import Runner, RunnerError

FAKE = """
    import itertools, json, sys
    seconds, dies_at, can = json.loads(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3])
    for number, line in enumerate(sys.stdin):
        request = json.loads(line)
        if number == dies_at:
            sys.exit("first line\\nout of luck")
        if "setup" in request:
            answer = {"facts": {"version": "1", "depth": 7, "operations": can, "lacks": {} if "rotate" in can else {"rotate": "cannot turn"}}}
        elif "time" in request:
            answer = {"seconds": [next(times) for _ in range(request["repeat"])]}
        else:
            answer = {"bits": 20.5}
        times = itertools.cycle(seconds)
        print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def fake(tmp_path):
    """Starts a runner whose repetitions take the given seconds in turn, and which ends at a request."""
    script = tmp_path / "fake.py"
    script.write_text(textwrap.dedent(FAKE))
    started = []

    def start(seconds, dies_at=-1, operations=("add", "rotate"), limit=20):
        started.append(Runner([sys.executable, str(script), json.dumps(seconds), str(dies_at), json.dumps(operations)], limit=limit))
        return started[-1]

    yield start
    for runner in started:
        runner.close()


def test_ratio_is_of_medians(fake):
    # Mutants: means for medians, the inverse ratio, quartiles of the other sequence, counting the first repetition.
    runners = {"fhelium": fake([0.02, 0.01, 0.3]), "other": fake([0.04, 0.06, 0.08])}
    times = measure(runners, {"logN": 14}, ["add"], rounds=5, slice_seconds=0.06)["times"]["add"]
    assert times["fhelium"] == [[0.01, 0.3, 0.02]] * 5, "three repetitions of 0.02 s fill the slice, after one that is not counted"
    assert times["other"] == [[0.06]] * 5, "one repetition, however long"
    assert median(times["fhelium"]) == 0.02
    assert quartiles(times["fhelium"]) == (0.01, 0.3)
    assert ratio(times, "other") == pytest.approx((3, 3, 3))
    assert fastest(times) == "other"
    assert fastest({"fhelium": [[1.0]]}) is None


def test_quartiles_of_a_ratio_are_by_rounds():
    # Both slow down together in the second round, which moves the medians and not the ratio.
    times = {"fhelium": [[1.0], [10.0], [1.0]], "other": [[3.0], [30.0], [3.0]]}
    assert ratio(times, "other") == (3, 3, 3)


def test_rounds_are_interleaved(fake):
    said = []
    runners = {"fhelium": fake([0.5]), "other": fake([0.5])}
    measure(runners, {}, ["add", "rotate"], rounds=2, slice_seconds=0.1, say=said.append)
    order = ["add, fhelium", "add, other", "rotate, fhelium", "rotate, other"]
    assert [text.split(": ")[1] for text in said if text.startswith("round")] == order * 2


def test_slow_operations_are_in_fewer_rounds(fake):
    times = measure({"fhelium": fake([1.5])}, {}, ["add"], rounds=7, slice_seconds=0.1)["times"]
    assert times["add"]["fhelium"] == [[1.5]] * 3


@pytest.mark.parametrize("dies_at", [0, 1, 2, 4])
def test_a_runner_that_ends_is_named_and_the_others_go_on(fake, dies_at):
    # Mutant: raise instead of noting the failure; ask a dead runner again.
    runners = {"fhelium": fake([0.5]), "other": fake([0.5], dies_at=dies_at)}
    found = measure(runners, {}, ["add"], rounds=4, slice_seconds=0.1)
    assert found["failures"] == {"other": "out of luck"}
    assert len(found["times"]["add"]["fhelium"]) == 4
    assert len(found["times"]["add"].get("other", [])) == max(0, dies_at - 3)


def test_a_runner_that_hangs_is_ended(tmp_path):
    runner = Runner([sys.executable, "-c", "import time; time.sleep(600)"], limit=0.5)
    with pytest.raises(RunnerError, match="no answer in"):
        runner.ask(setup={})


def test_a_runner_that_cannot_start_says_so():
    with pytest.raises(RunnerError, match="no-such-program"):
        Runner(["/no-such-program"])


def test_serve_times_and_checks(tmp_path):
    """What runners in Python share: a library's own output does not get between the answers."""
    (tmp_path / "library.py").write_text(
        textwrap.dedent("""
            import os
            from bench.runners.serve import Library, Operation, messages, serve

            def setup(case):
                print("a greeting")
                os.system("echo another")
                x, y = messages(case["slots"])
                operations = {"add": Operation(lambda: x + y + 2.0**-10, lambda r: r, x + y), "encode": Operation(lambda: None)}
                return Library({"N": 2 * case["slots"]}, operations, {"rotate": "cannot turn"})

            serve(setup)
        """)
    )
    code = f"import sys; sys.path.insert(0, {str(PROJECT)!r}); import runpy; runpy.run_path({str(tmp_path / 'library.py')!r})"
    runner = Runner([sys.executable, "-c", code], limit=20)
    assert runner.ask(setup={"slots": 8}) == {"facts": {"N": 16, "operations": ["add", "encode"], "lacks": {"rotate": "cannot turn"}}}
    seconds = runner.ask(time="add", repeat=3)["seconds"]
    assert len(seconds) == 3 and all(0 < s < 1 for s in seconds)
    assert runner.ask(check="add")["bits"] == pytest.approx(10, abs=1e-6)
    assert runner.ask(check="encode") == {"bits": None}
    runner.close()


def test_nothing_is_dropped_silently(fake, tmp_path):
    """Lacking operations, failures and libraries that are not there are in the table and in the document."""
    runners = {"fhelium": fake([0.5]), "able": fake([1.5], operations=["add"]), "frail": fake([0.5], dies_at=5)}
    measured = measure(runners, CASES[14], ["add", "rotate"], rounds=2, slice_seconds=0.1)
    found = {
        "date": "2000-01-01", "machine": "a machine", "threads": 1, "rounds": 2, "libraries": list(runners),
        "unavailable": {"absent": "not for this [system]"}, "cases": [measured],
        "own": {"logN": 14, "python_share": 12.5e-6, "hoisting": 2.25, "threads": 1.5, "spin": 1.6},
    }  # fmt: skip
    console = Console(record=True, width=160, file=(tmp_path / "terminal").open("w"))
    report.show(console, found)
    document.write(found, tmp_path)
    for text in (console.export_text(), (tmp_path / "bench.md").read_text()):
        for part in (
            "3.0×", "able, rotate: cannot turn", "frail failed: out of luck", "absent is not compared: not for this [system]", "20.5",
            "12.5 µs", "2.25×", "0.94 of that",
        ):  # fmt: skip
            assert part in text
    assert "<svg" in (tmp_path / "bench.svg").read_text()


def test_a_library_that_cannot_be_installed_has_a_reason(monkeypatch):
    monkeypatch.setitem(peers.PYTHON_PEERS, "openfhe", {"3.99": "openfhe==0"})
    with pytest.raises(peers.Unavailable, match="needs CPython 3.99, which is not here"):
        peers.command("openfhe")


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case["preset"])
def test_moduli_are_as_wide_as_ours(case):
    from bench.runners.ours import parameters

    config = parameters(case)
    assert sum(case["log_q"] + case["log_p"]) == pytest.approx(config.total_modulus_bits, rel=0.02)
    assert (config.logN, config.max_depth, len(config.digits)) == (case["logN"], case["depth"], case["digits"])
    assert -(-len(case["log_q"]) // len(case["log_p"])) == case["digits"], "digits of libraries that have as many limbs in one as P"


def test_runners_know_the_operations():
    """A name that a runner misspells would be missing from the table without a reason."""
    bench = PROJECT / "bench"
    runners = [path for path in (bench / "runners").glob("*.py") if path.name != "serve.py"]
    assert len(runners) == 6
    for path in (*runners, bench / "lattigo" / "setup.go"):
        text = path.read_text()
        assert all(f'"{name}"' in text for name in OPERATIONS), path.name


def test_own_figures_are_plausible():
    # Mutants: leave the computing in Python's share; the inverse of a gain.
    from bench import own

    found = own.figures(13, 1)
    assert 1e-6 < found["python_share"] < 1e-3
    assert 1 < found["hoisting"] < 8
    assert 0.3 < found["threads"] < 3 and 0.5 < found["spin"] < 3
