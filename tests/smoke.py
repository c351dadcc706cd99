"""A short life of the installed package, for any CPython. Prints nothing and exits 0 when all is well.

With the argument `without-torch` a stand-in takes torch's place, and only the
binding is used: it needs no more of torch than the number of its threads.
"""

import ctypes
import gc
import importlib.util
import multiprocessing
import os
import signal
import sys
import types


def binding_alone():
    """fhelium._binding without the package's own imports, which need torch."""
    torch = types.ModuleType("torch")
    torch.get_num_threads = lambda: 2
    sys.modules["torch"] = torch
    spec = importlib.util.find_spec("fhelium")
    package = types.ModuleType("fhelium")
    package.__path__ = list(spec.submodule_search_locations)
    sys.modules["fhelium"] = package
    from fhelium import _binding

    return _binding


def binding():
    import fhelium  # noqa: F401
    from fhelium import _binding

    return _binding


def refuses(code, function, *arguments):
    try:
        function(*arguments)
    except Exception as error:
        assert getattr(error, "code", None) == code, error
    else:
        raise AssertionError(f"{code} expected")


def calls_and_errors(b):
    assert b.call(b.go.pybind_BuildInfo).startswith("fhelium ")
    assert b.call(b.go.pybind_SetWorkers, 2) >= 1
    for _ in range(1000):
        refuses("handle-invalid", b.call, b.go.pybind_HandleFree, -1)
    refuses("internal-panic", b.call, b.go.pybind_ProbePanic, True)
    refuses("buffer-invalid", b.run, b.go.pybind_ProbeJob, 0, 1)


def jobs(b):
    out = ctypes.c_int64(0)
    for milliseconds in (0, 40):
        out.value = 0
        b.run(b.go.pybind_ProbeJob, ctypes.addressof(out), milliseconds)
        assert out.value == 1
    out.value = 0
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        b.run(b.go.pybind_ProbeJob, ctypes.addressof(out), 600_000)
    except KeyboardInterrupt:
        assert out.value == 0
    else:
        raise AssertionError("the job was not stopped")
    handle = b.Handle(b.call(b.go.pybind_ProbeJob, ctypes.addressof(out), 600_000))
    assert b.call(b.go.pybind_HandleCount) == 1
    del handle
    gc.collect()
    assert b.call(b.go.pybind_HandleCount) == 0


def fork(b):
    child = os.fork()
    if child == 0:
        try:
            refuses("after-fork", b.call, b.go.pybind_Workers)
        except BaseException:
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def round_trip():
    import torch
    from fhelium import Preset
    from fhelium.eager import Engine

    x = torch.linspace(-1, 1, 1024, dtype=torch.float64)
    with Engine(Preset("slots1024-scale40-depth3-int64-insecure")) as engine:
        ntt = engine.coefficient_domain_to_ntt_domain(engine.encrypt_message(x))
        square = engine.rescale_to_next_depth(engine.relinearize(engine.multiply(ntt, ntt)))
        assert (engine.decrypt_message(square, is_real=True) - x * x).abs().max() < 1e-5


if __name__ == "__main__":
    without_torch = sys.argv[1:] == ["without-torch"]
    module = binding_alone() if without_torch else binding()
    calls_and_errors(module)
    jobs(module)
    if sys.version_info < (3, 12):  # later Pythons warn of every fork of a process with threads
        fork(module)
    if not without_torch:
        round_trip()
    assert multiprocessing.active_children() == []
