"""What this process has learnt about parameter sets, by their fingerprints.

A value knows its parameters by their fingerprint only. Whether they are secure
is a property of the parameters, so CkksConfig says here which fingerprints are
insecure, files carry the mark, and repr shows it.
"""

from typing import Any

_insecure: set[str] = set()
_known: dict[str, Any] = {}


def learn(fingerprint: str, config: Any) -> None:
    """Keeps the CkksConfig of a fingerprint, the first one that is made."""
    _known.setdefault(fingerprint, config)


def known(fingerprint: str | None) -> Any | None:
    """The CkksConfig of a fingerprint, where one was made in this process."""
    return _known.get(fingerprint or "")


def mark_insecure(fingerprint: str) -> None:
    """Says that the parameters of a fingerprint do not meet the security table."""
    _insecure.add(fingerprint)


def is_insecure(fingerprint: str | None) -> bool:
    """Whether the parameters of a fingerprint are known to be insecure."""
    return fingerprint in _insecure
