"""What the demo says while it works: a bar on a terminal, a plain line a step elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

Advance = Callable[[], None]


class Narrator:
    """Names each step, shows how far it is, and keeps its seconds."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.seconds: dict[str, float] = {}

    @contextmanager
    def step(self, title: str, total: int = 1) -> Iterator[Advance]:
        """A step of `total` parts; the function that it gives is called after each part."""
        start = time.perf_counter()
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=self.console, transient=True, disable=not self.console.is_terminal) as bar:
            task = bar.add_task(title, total=total)
            yield lambda: bar.advance(task)
        self.seconds[title] = time.perf_counter() - start
        count = f", {total} parts" if total > 1 else ""
        self.console.print(f"{title}: {self.seconds[title]:.2f} s{count}", highlight=False)
