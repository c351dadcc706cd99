"""Finds the Go toolchain that builds the extension."""

import os
import re
import shutil
import subprocess

GO_MINIMUM = (1, 26)


def find_go() -> str | None:
    """The path of a Go of at least GO_MINIMUM, or None where there is none."""
    go = shutil.which("go")
    if go is None:
        return None
    try:
        answer = subprocess.run([go, "env", "GOVERSION"], capture_output=True, text=True, check=True, env=go_environment())
    except (OSError, subprocess.CalledProcessError):
        return None
    version = re.match(r"go(\d+)\.(\d+)", answer.stdout)
    if version is None or tuple(map(int, version.groups())) < GO_MINIMUM:
        return None
    return go


def go_environment() -> dict[str, str]:
    """The environment of every go command: the local toolchain, whatever go.mod files around us say."""
    return dict(os.environ, GOTOOLCHAIN="local", GOWORK="off", CGO_ENABLED="1")
