"""The door between Python and the Go core: errors, jobs, signals, threads, handles and memory."""

import ast
import copy
import gc
import pathlib
import pickle
import random
import signal
import subprocess
import sys
import threading
import tomllib

import pytest
import torch

import fhelium
from engines import live_handles
from fhelium import _binding
from fhelium._binding import go
from fhelium.errors import FHEliumError

PACKAGE = pathlib.Path(fhelium.__file__).parent
PROJECT = pathlib.Path(__file__).resolve().parent.parent


def word() -> torch.Tensor:
    return torch.zeros(1, dtype=torch.int64)


def run_python(code: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, **options)


def test_version_is_the_project_s():
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    assert _binding.call(go.pybind_Version) == project["version"]
    assert _binding.call(go.pybind_BuildInfo).startswith(f"fhelium {project['version']}, go1.")


def test_only_the_binding_imports_the_extension():
    importers = {p.name for p in PACKAGE.rglob("*.py") if "_fhgo" in p.read_text()}
    assert importers == {"_binding.py"}


def test_stubs_name_every_function():
    tree = ast.parse((PACKAGE / "_fhgo.pyi").read_text())
    described = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert described == {name for name in dir(go) if name.startswith("pybind_")}
    assert all(ast.get_docstring(node) for node in tree.body if isinstance(node, ast.FunctionDef))


# Errors.


@pytest.mark.parametrize(
    ("function", "arguments", "code"),
    [
        (go.pybind_HandleFree, (-1,), "handle-invalid"),
        (go.pybind_SetWorkers, (0,), "workers-invalid"),
        (go.pybind_ProbeJob, (0, 1), "buffer-invalid"),
        (go.pybind_ProbeJob, (9, 1), "buffer-invalid"),
        (go.pybind_ProbePanic, (False,), "internal-panic"),
        (go.pybind_ProbePanic, (True,), "internal-panic"),
    ],
)
def test_errors_have_codes(function, arguments, code):
    for through in (_binding.call, _binding.run):
        with pytest.raises(FHEliumError) as caught:
            through(function, *arguments)
        assert caught.value.code == code
        assert caught.value.__cause__ is None and caught.value.__suppress_context__
    assert _binding.call(go.pybind_Workers) >= 1, "the process goes on after every error"


def test_wrong_argument_types_never_reach_go():
    for argument in ("1", 1.5, None, [1], 2**63, torch.zeros(2)):
        with pytest.raises((TypeError, OverflowError, RuntimeError)) as caught:
            _binding.call(go.pybind_HandleFree, argument)
        assert not isinstance(caught.value, FHEliumError)
    with pytest.raises(TypeError):
        _binding.call(go.pybind_HandleFree)


# Jobs.


def test_a_job_ends_with_its_result():
    for milliseconds in (0, 60):
        out = word()
        before = live_handles()
        assert _binding.run(go.pybind_ProbeJob, out.data_ptr(), milliseconds) is None
        assert out.item() == 1
        assert live_handles() == before


def test_other_threads_run_during_a_job_and_a_call():
    """R2: the interpreter's lock is free while Go works."""
    out = word()
    done = threading.Event()
    count = 0
    worker = threading.Thread(target=lambda: (_binding.run(go.pybind_ProbeJob, out.data_ptr(), 200), done.set()))
    worker.start()
    while not done.is_set():
        count += 1
    worker.join()
    assert count > 1000


INTERRUPTED = """
import os, signal, sys, threading, time
import torch
from fhelium import _binding

asked = None
def handler(number, frame):
    global asked
    asked = time.perf_counter()
    raise KeyboardInterrupt

signal.signal(signal.SIGINT, handler)
def tell():
    while not _binding.call(_binding.go.pybind_HandleCount):
        time.sleep(0.01)
    print("the job goes on", flush=True)

out = torch.zeros(1, dtype=torch.int64)
threading.Thread(target=tell).start()
try:
    _binding.run(_binding.go.pybind_ProbeJob, out.data_ptr(), 600_000)
except KeyboardInterrupt:
    took = time.perf_counter() - asked
print(took, out.item(), _binding.call(_binding.go.pybind_HandleCount))
_binding.run(_binding.go.pybind_ProbeJob, out.data_ptr(), 30)
print(out.item())
"""


def test_ctrl_c_from_another_process_ends_a_job():
    """The job stops within half a second, keeps no handle, changes nothing, and the next one works."""
    child = subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "the job goes on\n"
    try:
        child.send_signal(signal.SIGINT)
        text, _ = child.communicate(timeout=60)
    finally:
        child.kill()
    took, out, handles, out_of_next = text.split()
    assert float(took) < 0.5
    assert (out, handles, out_of_next) == ("0", "0", "1")


class Alarm(Exception):
    pass


def test_no_signal_loses_a_job():
    """Signals that arrive just as a call becomes a job, its grace of 15 ms over, leave no job behind.

    Fails when run() assigns the handle that the function returns, in place of letting C code store it.
    """

    def handler(number, frame):
        raise Alarm

    before = live_handles()
    generator = random.Random(1)
    previous = signal.signal(signal.SIGALRM, handler)
    try:
        for _ in range(60):
            out = word()
            try:
                signal.setitimer(signal.ITIMER_REAL, generator.uniform(0.012, 0.018))
                _binding.run(go.pybind_ProbeJob, out.data_ptr(), 600_000)
            except Alarm:
                assert out.item() == 0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert live_handles() == before


def test_a_handler_s_own_exception_is_kept():
    def handler(number, frame):
        raise RuntimeError("the handler's: own")

    before = live_handles()
    previous = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(RuntimeError, match="own"):
            _binding.run(go.pybind_ProbeJob, word().data_ptr(), 600_000)
    finally:
        signal.signal(signal.SIGALRM, previous)
    assert live_handles() == before


# Signals that other tools use.


def test_profilers_and_broken_pipes_work_beside_go():
    answer = run_python(
        "import signal, sys, os, faulthandler, torch\n"
        "faulthandler.enable()\n"
        "from fhelium import _binding\n"
        "ticks = 0\n"
        "def tick(number, frame):\n"
        "    global ticks; ticks += 1\n"
        "signal.signal(signal.SIGPROF, tick)\n"
        "signal.setitimer(signal.ITIMER_PROF, 0.002, 0.002)\n"
        "while ticks < 20: _binding.call(_binding.go.pybind_Workers)\n"
        "signal.setitimer(signal.ITIMER_PROF, 0)\n"
        "r, w = os.pipe(); os.close(r)\n"
        "try: os.write(w, b'x')\n"
        "except BrokenPipeError: print('broken pipe')\n"
    )
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "broken pipe\n", "")


def test_a_crash_is_still_reported_by_faulthandler():
    for order in ("faulthandler.enable(); from fhelium import _binding", "from fhelium import _binding; faulthandler.enable()"):
        answer = run_python(f"import faulthandler, os, signal; {order}; os.kill(os.getpid(), signal.SIGSEGV)")
        assert answer.returncode == -signal.SIGSEGV
        assert "Segmentation fault" in answer.stderr


# Threads.


def test_workers_follow_torch():
    before = torch.get_num_threads()
    try:
        for threads in (1, 3, before):
            torch.set_num_threads(threads)
            assert _binding.call(go.pybind_Workers) == threads
    finally:
        torch.set_num_threads(before)


def test_handles_and_jobs_from_many_threads():
    before = live_handles()
    faults = []

    def work():
        for _ in range(20):
            out = word()
            _binding.run(go.pybind_ProbeJob, out.data_ptr(), 1)
            if out.item() != 1:
                faults.append(out)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    assert live_handles() == before


# Handles and memory.


def go_value(out: torch.Tensor) -> _binding.Handle:
    """A Go value of a known life: a job that goes on until it is freed."""
    return _binding.Handle(_binding.call(go.pybind_ProbeJob, out.data_ptr(), 600_000))


def test_handle_frees_its_value():
    out = word()
    before = live_handles()
    handle = go_value(out)
    assert live_handles() == before + 1 and not handle.closed
    assert _binding.call(go.pybind_JobWait, handle, 0) == 0, "a Handle passes as its number"
    handle.close()
    handle.close()
    assert live_handles() == before and handle.closed
    with pytest.raises(FHEliumError) as caught:
        _binding.call(go.pybind_JobWait, handle, 0)
    assert caught.value.code == "handle-invalid"
    handle = go_value(out)
    del handle
    assert live_handles() == before


def test_handle_is_neither_copied_nor_pickled():
    handle = go_value(word())
    for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="neither copied nor pickled"):
            duplicate(handle)
    handle.close()


def resident() -> int:
    gc.collect()
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(not pathlib.Path("/proc/self/statm").exists(), reason="needs Linux's account of resident memory")
@pytest.mark.parametrize(("function", "arguments"), [(go.pybind_BuildInfo, ()), (go.pybind_HandleFree, (-1,)), (go.pybind_Workers, ())])
def test_calls_leak_nothing(function, arguments):
    """A20 for single calls: gopy 0.4.10 leaks 31 bytes and more with every bare error.

    Go's heap grows and shrinks meanwhile, so the best of several rounds counts: a leak shows in each.
    """
    calls = 50_000
    growth = []
    for _ in range(6):
        before = resident()
        for _ in range(calls):
            try:
                function(*arguments)
            except RuntimeError:
                pass
        growth.append((resident() - before) / calls)
    assert min(growth[1:]) < 8, "bytes a call"


# Importing.


def test_import_is_quick_and_quiet():
    code = (
        "import time, torch\n"
        "begin = time.perf_counter()\n"
        "import fhelium\n"
        "import fhelium._binding\n"
        "import sys; sys.exit(int(1000 * (time.perf_counter() - begin)))"
    )
    answers = [run_python(code) for _ in range(3)]
    assert all(answer.stdout == answer.stderr == "" for answer in answers)
    assert min(answer.returncode for answer in answers) <= 200, "milliseconds beyond torch's own"
