"""The platform tag of a wheel."""

import pathlib
import platform
import re


def wheel_platform(default: str, shared_object: pathlib.Path) -> str:
    """The manylinux tag of the newest glibc symbol that a shared object uses; elsewhere than on Linux, the default."""
    if not default.startswith("linux"):
        return default
    versions = {tuple(map(int, v)) for v in re.findall(rb"GLIBC_(\d+)\.(\d+)", shared_object.read_bytes())}
    if not versions:
        raise SystemExit("fhelium: this C library is not glibc; Go's shared objects cannot be loaded by dlopen with musl, so there is no wheel for it")
    major, minor = max(versions)
    return f"manylinux_{major}_{minor}_{platform.machine()}"
