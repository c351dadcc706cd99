"""What an engine's results cost the system that it runs on."""

import subprocess
import sys

import pytest

FAULTS = """
import resource, torch
from fhelium.eager import Engine

engine = Engine("slots4096-scale40-depth2-int64")
x = engine.encrypt_message(torch.linspace(-1, 1, engine.num_slots), output_domain="ntt")
def work():
    return [engine.negate(x) for _ in range(64)]
def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
size = sum(y.nbytes for y in work()) / resource.getpagesize()
work()
before = faults()
for _ in range(5):
    work()
print((faults() - before) / 5 / size)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts the page faults of glibc's allocator")
def test_results_do_not_pay_for_their_pages_each_time():
    # Fault: results of 16 MiB a call were given back to the system when freed, and cost 7 ms of page faults at
    # the next call. Mutant: _keep_memory does nothing.
    done = subprocess.run([sys.executable, "-c", FAULTS], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 0.1
