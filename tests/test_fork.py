"""A19: the Go runtime does not survive fork, so a forked process refuses at once and never hangs."""

import gc
import multiprocessing
import os

import pytest
import torch
from torch.utils.data import DataLoader, Dataset

from fhelium import Preset, _binding
from fhelium._binding import go
from fhelium.eager import Engine
from fhelium.errors import FHEliumError

pytestmark = [
    pytest.mark.timeout(120),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"),
]
PATIENCE = 30  # seconds


def work(_: object = None) -> int:
    """One multiplication by an engine of this process: 2 · 0.5, rounded."""
    with Engine(Preset("slots1024-scale40-depth3-int64-insecure")) as engine:
        x, y = (engine.coefficient_domain_to_ntt_domain(engine.encrypt_message(v)) for v in (2.0, 0.5))
        product = engine.decrypt_message(engine.relinearize(engine.multiply(x, y)), is_real=True)
    return round(product[7].item())


class Operations(Dataset):
    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> int:
        return work()


@pytest.fixture(autouse=True)
def parent_has_used_the_library():
    assert work() == 1


def refused(error: FHEliumError) -> bool:
    return error.code == "after-fork" and "spawn" in error.detail and "forkserver" in error.detail


def test_pool_of_forked_processes_is_refused():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for answer in [pool.apply_async(work) for _ in range(2)]:
            with pytest.raises(FHEliumError) as caught:
                answer.get(PATIENCE)
            assert refused(caught.value)


def test_data_loader_with_forked_workers_is_refused():
    loader = DataLoader(Operations(), num_workers=2, multiprocessing_context="fork", timeout=PATIENCE)
    with pytest.raises(Exception, match="after-fork: .*spawn") as caught:
        list(loader)
    assert "Traceback" in str(caught.value), "torch shows the worker's own traceback"


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_other_start_methods_work(method):
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map_async(work, range(4)).get(2 * PATIENCE) == [1] * 4


def test_data_loader_with_spawned_workers_works():
    loader = DataLoader(Operations(), num_workers=1, multiprocessing_context="spawn", timeout=2 * PATIENCE)
    assert [int(item) for batch in loader for item in batch] == [1] * 4


def leave_it_alone(handle: _binding.Handle) -> None:
    """What a forked worker does that never uses the library: it forgets what it inherited."""
    handle.close()
    del handle
    gc.collect()


def test_forked_process_that_never_calls_ends_normally():
    out = torch.zeros(1, dtype=torch.int64)
    handle = _binding.Handle(_binding.call(go.pybind_ProbeJob, out.data_ptr(), 600_000))
    child = multiprocessing.get_context("fork").Process(target=leave_it_alone, args=(handle,))
    child.start()
    child.join(PATIENCE)
    assert child.exitcode == 0
    assert not handle.closed
    assert _binding.call(go.pybind_JobWait, handle, 0) == 0, "the parent's value lives on"
    handle.close()


def test_every_door_refuses_in_a_forked_process():
    def enter(door) -> None:
        try:
            door(go.pybind_Workers)
        except FHEliumError as error:
            os._exit(0 if refused(error) else 2)
        os._exit(3)

    for door in (_binding.call, _binding.run):
        child = multiprocessing.get_context("fork").Process(target=enter, args=(door,))
        child.start()
        child.join(PATIENCE)
        assert child.exitcode == 0
