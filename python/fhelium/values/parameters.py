"""What this process has learnt about parameter sets: which ones are for tests alone.

A value knows its parameters by their fingerprint only, and whether they are
secure is a property of the parameters. So CkksConfig says here which
fingerprints are insecure, files carry the mark, and repr shows it.
"""

_insecure: set[str] = set()


def mark_insecure(fingerprint: str) -> None:
    """Says that the parameters of a fingerprint do not meet the security table."""
    _insecure.add(fingerprint)


def is_insecure(fingerprint: str | None) -> bool:
    """Whether the parameters of a fingerprint are known to be insecure."""
    return fingerprint in _insecure
