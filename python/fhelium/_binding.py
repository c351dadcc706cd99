"""The one door between Python and the Go core.

No other module imports the extension. `call` serves functions that answer at
once, `run` those that may go on as a job, and `Handle` owns a Go value.
"""

import os
import weakref
from collections.abc import Callable
from itertools import starmap
from typing import NoReturn, ParamSpec, TypeVar

import torch

from . import _fhgo as go

__all__ = ["Handle", "call", "go", "run"]

P = ParamSpec("P")
R = TypeVar("R")

# How long a job is waited for before Python may handle signals, in milliseconds.
PATIENCE = 20

_workers = 0  # what the Go core was last told
_forked = False


def _mark_fork() -> None:
    global _forked
    _forked = True


os.register_at_fork(after_in_child=_mark_fork)


def call(function: Callable[P, R], *arguments: P.args) -> R:
    """Calls a function of the facade, and raises its error as the exception of its code.

    Refuses with `after-fork` in a process that was forked from one in which the
    Go core was loaded.
    """
    if _forked or torch.get_num_threads() != _workers:
        _prepare()
    try:
        return function(*arguments)
    except RuntimeError as error:
        _raise(error)


def run(function: Callable[P, int], *arguments: P.args) -> None:
    """Calls a function that gives 0 or the handle of a job, and returns when the work is done.

    Python handles its signals meanwhile. If one raises (Ctrl-C does), or
    anything else does, the job is stopped, and no worker touches the caller's
    tensors when the exception leaves here.
    """
    if _forked or torch.get_num_threads() != _workers:
        _prepare()
    started: list[int] = []
    try:
        # A signal's exception can replace the result of any call that the
        # interpreter makes. Here C code stores the handle, so that it is never lost.
        started.extend(starmap(function, (arguments,)))
        handle = started[0]
        while handle and not go.pybind_JobWait(handle, PATIENCE):
            pass
    except BaseException as error:
        if started and started[0]:
            _stop(started[0])
        if type(error) is RuntimeError:
            _raise(error)
        raise


def _stop(handle: int) -> None:
    """Stops a job that may have ended already; its own error is of no interest."""
    try:
        go.pybind_JobCancel(handle)
    except RuntimeError:
        pass


def _prepare() -> None:
    """Refuses in a forked process, and lets the Go core use as many threads as torch."""
    global _workers
    if _forked:
        from .errors import from_text

        raise from_text(
            "after-fork: this process was forked from one that had loaded fhelium, and the Go runtime does not survive a fork; "
            'start worker processes with the "spawn" or "forkserver" method of multiprocessing '
            '(DataLoader: multiprocessing_context="spawn")'
        )
    threads = torch.get_num_threads()
    go.pybind_SetWorkers(threads)
    _workers = threads


def _raise(error: RuntimeError) -> NoReturn:
    from .errors import from_text

    raise from_text(str(error)) from None


class Handle:
    """Owns one Go value: frees it when closed or forgotten, whichever comes first."""

    __slots__ = ("__weakref__", "_finalizer", "_number")

    def __init__(self, number: int) -> None:
        self._number = number
        self._finalizer = weakref.finalize(self, _free, number)
        self._finalizer.atexit = False  # the process's end frees everything

    def __index__(self) -> int:
        """The number that the facade knows the value by. A closed handle's is refused there as `handle-invalid`."""
        return self._number

    @property
    def closed(self) -> bool:
        return not self._finalizer.alive

    def close(self) -> None:
        """Frees the Go value; closing again does nothing."""
        self._finalizer()

    def __repr__(self) -> str:
        return f"<Handle {self._number}{' closed' if self.closed else ''}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Handle names a Go value of this process: it can be neither copied nor pickled")


def _free(number: int) -> None:
    if _forked:
        return  # the value is the parent's, and Go is not alive here
    try:
        go.pybind_HandleFree(number)
    except RuntimeError:
        pass  # a job's handle ends with the job
