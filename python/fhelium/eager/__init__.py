"""Immediate execution: an Engine computes each operation when it is called."""

from .engine import Engine
from .messages import PrecisionWarning

__all__ = ["Engine", "PrecisionWarning"]
