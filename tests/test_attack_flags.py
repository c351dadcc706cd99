"""Flags that are no bool: each a named refusal, and nothing done."""

from __future__ import annotations

from typing import Any

import pytest
from fhelium.eager import arguments
from fhelium.errors import FHEliumError

JUNK: list[Any] = ["no", "", 0, 1, 0.0, [], [1], b"x", object()]


@pytest.mark.parametrize("bad", [*JUNK, None], ids=repr)
def test_a_flag_is_a_bool(bad):
    # Fault: inplace="no" wrote in place. Mutant: `return bool(x)`.
    with pytest.raises(TypeError) as caught:
        arguments.flag(bad, "inplace")
    assert isinstance(caught.value, FHEliumError)
    assert caught.value.code == "argument-type" and caught.value.detail.startswith(f"inplace is a {type(bad).__name__};")
    assert arguments.flag(True, "inplace") is True and arguments.flag(False, "inplace") is False
