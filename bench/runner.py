"""A library under measurement: a process that answers lines of JSON."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import tempfile
import threading
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[1]


class RunnerError(Exception):
    """A runner has ended, or does not answer; the text says why."""


class Runner:
    """Starts a command and keeps it until `close`. `limit` is how many seconds an answer may take."""

    def __init__(self, command: list[str], threads: int = 1, limit: float = 900) -> None:
        count = str(threads)
        # Threads that wait for work must not take the processor from the next library.
        environment = os.environ | {"OMP_NUM_THREADS": count, "GOMAXPROCS": count, "OMP_WAIT_POLICY": "passive", "PYTHONDONTWRITEBYTECODE": "1"}
        self._limit = limit
        self._errors = tempfile.TemporaryFile("w+", errors="replace")
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True, cwd=ROOT, env=environment
            )
        except OSError as error:
            raise RunnerError(str(error)) from None
        # Where memory ends, this is what the system should take.
        pathlib.Path(f"/proc/{self._process.pid}/oom_score_adj").write_text("1000")

    def ask(self, **request: Any) -> dict[str, Any]:
        """The answer to one request; RunnerError where there is none."""
        late = threading.Event()
        alarm = threading.Timer(self._limit, lambda: (late.set(), self._process.kill()))
        alarm.start()
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
            return json.loads(line)
        except (BrokenPipeError, json.JSONDecodeError):
            self.close()
            raise RunnerError(f"no answer in {self._limit:.0f} s" if late.is_set() else self._last_words()) from None
        finally:
            alarm.cancel()

    def close(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.communicate()

    def _last_words(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read().strip().splitlines()
        return lines[-1] if lines else f"ended with status {self._process.returncode}"
