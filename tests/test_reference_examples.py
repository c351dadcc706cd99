"""The eager examples that FHElium 0.30.0 publishes run unmodified against this package."""

import os
import pathlib
import subprocess
import sys
import tarfile
import textwrap

import pytest

REFERENCE = "0.30.0"
SMALL = ("--preset", "slots4096-scale40-depth2-int64")
EXAMPLES = {
    "01_eager_basics.py": (),
    "02_eager_key_materials.py": ("--rotations", "1,-1,4097"),
    "03_eager_modulus_chain.py": (),
    "04_eager_scale_management.py": (),
    "05_eager_ntt_reuse.py": ("--pair-count", "2"),
    "06_eager_rotation_hoisting.py": ("--counts", "2,3", "--warmup", "0", "--runs", "1"),
    "07_eager_batching.py": ("--size", "4", "--batch-sizes", "1,2", "--warmup", "0", "--runs", "1"),
    "08_eager_compressed_plaintext.py": ("--iterations", "1",),
}  # fmt: skip

# pip asks a source distribution's build backend for metadata before it keeps
# the file. The examples need nothing built, so this stands in for the backend.
BACKEND = '''
import pathlib

def prepare_metadata_for_build_wheel(folder, config_settings=None):
    info = pathlib.Path(folder, "fhelium-{0}.dist-info")
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\\nName: fhelium\\nVersion: {0}\\n")
    return info.name
'''

# Runs one example after the other in one process, so that torch loads once.
DRIVER = """
import contextlib, io, runpy, sys, torch
sys.path.insert(0, sys.argv[1])
for name, *arguments in eval(sys.argv[2]):
    sys.argv = [name, *arguments]
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            runpy.run_path(sys.path[0] + "/" + name, run_name="__main__")
    except BaseException as error:
        print(f"FAILED {name}: {type(error).__name__}: {error}", flush=True)
        raise
    torch.set_default_device(None)
    print(f"RAN {name} {len(printed.getvalue())}", flush=True)
"""


@pytest.fixture(scope="module")
def examples(tmp_path_factory) -> pathlib.Path:
    """The folder of the published examples, or a skip that says why there is none."""
    folder = tmp_path_factory.mktemp("reference")
    backend = folder / "backend" / "scikit_build_core"
    backend.mkdir(parents=True)
    (backend / "__init__.py").touch()
    (backend / "build.py").write_text(BACKEND.format(REFERENCE))
    command = [
        sys.executable, "-m", "pip", "download", f"fhelium=={REFERENCE}", "--no-deps", "--no-binary", "fhelium", "--no-build-isolation",
        "--ignore-requires-python", "--disable-pip-version-check", "--dest", str(folder), "--timeout", "10", "--retries", "1",
    ]  # fmt: skip
    environment = os.environ | {"PYTHONPATH": str(backend.parent)}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        pytest.skip("the reference's source distribution could not be fetched: pip took more than two minutes")
    archive = folder / f"fhelium-{REFERENCE}.tar.gz"
    if not archive.exists():
        reason = (done.stderr.strip().splitlines() or ["pip gave no reason"])[-1]
        pytest.skip(f"the reference's source distribution could not be fetched: {reason}")
    with tarfile.open(archive) as tar:
        tar.extractall(folder, members=[m for m in tar if f"fhelium-{REFERENCE}/examples/" in m.name], filter="data")
    return folder / f"fhelium-{REFERENCE}" / "examples"


def test_eager_examples_run_unmodified(examples):
    # Mutant: any name, default or shape of the Engine that differs from the
    # published ones fails an example, for each checks its own results.
    runs = [(name, *SMALL, *arguments) for name, arguments in EXAMPLES.items()]
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(DRIVER), str(examples), repr(runs)], capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    ran = dict(line.split()[1:] for line in done.stdout.splitlines() if line.startswith("RAN"))
    assert list(ran) == list(EXAMPLES)
    assert all(int(printed) > 50 for printed in ran.values())
