"""The only thing between client and server: a pipe for bytes, with a record of what crossed."""

from __future__ import annotations

import json
from multiprocessing.connection import Connection
from typing import Any


class PeerError(Exception):
    """The other side failed or went away."""


class Wire:
    """One end. A message is a name with plain facts, as JSON, and a body of bytes.

    Nothing is pickled. An end that records keeps every byte of both directions.
    """

    def __init__(self, connection: Connection, *, record: bool = False) -> None:
        self._connection = connection
        self._record = record
        self.crossed: list[bytes] = []

    def send(self, name: str, body: bytes = b"", **facts: Any) -> None:
        """Sends one message."""
        for part in (json.dumps({"name": name} | facts).encode(), body):
            self._keep(part)
            try:
                self._connection.send_bytes(part)
            except OSError:
                raise PeerError("the other side closed the pipe") from None

    def receive(self, name: str) -> tuple[dict[str, Any], bytes]:
        """The facts and the body of the next message, which has to have this name."""
        try:
            head, body = self._connection.recv_bytes(), self._connection.recv_bytes()
        except (EOFError, OSError):
            raise PeerError(f"the other side went away before it sent {name!r}") from None
        self._keep(head)
        self._keep(body)
        facts = json.loads(head)
        if facts["name"] == "error":
            raise PeerError(facts["text"])
        if facts["name"] != name:
            raise PeerError(f"{facts['name']!r} came where {name!r} was expected")
        return facts, body

    def _keep(self, part: bytes) -> None:
        if self._record:
            self.crossed.append(part)
