"""What every runner written in Python does: requests from standard input, answers to standard output.

A request and its answer are one line of JSON each:

    {"setup": {...case...}}                  {"facts": {...}}
    {"time": operation, "repeat": k}         {"seconds": [... k numbers ...]}
    {"check": operation}                     {"bits": b}, or null where the result is no message
"""

from __future__ import annotations

import contextlib
import gc
import json
import math
import os
import sys
import time
from dataclasses import dataclass

import numpy


@dataclass
class Operation:
    """`run` makes the result, and nothing else; `reveal` gives its slots, which should be `expected`; `after` tidies up."""

    run: object
    reveal: object = None
    expected: object = None
    after: object = None


@dataclass
class Library:
    """A library that is set up: what it says of its parameters, its operations, and why it lacks the others."""

    facts: dict
    operations: dict
    lacks: dict


def messages(slots):
    """The two messages that all runners compute with."""
    k = numpy.arange(slots, dtype=numpy.float64)
    return numpy.cos(k), numpy.sin(2 * k + 1)


def seconds(operation, repeat):
    """The time of each of some repetitions. Its result is made anew in each, and freed outside the time."""
    found = []
    gc.disable()
    for _ in range(repeat):
        begun = time.perf_counter()
        result = operation.run()
        found.append(time.perf_counter() - begun)
        del result
        if operation.after:
            operation.after()
    gc.enable()
    return found


def bits(operation):
    """-log2 of the largest error of any slot."""
    if operation.reveal is None:
        return None
    error = numpy.abs(numpy.asarray(operation.reveal(operation.run())) - operation.expected).max()
    return -math.log2(max(error, 2.0**-60))


def serve(setup):
    """Answers until standard input ends. `setup` makes a Library of a case."""
    # Whatever a library prints itself goes to standard error, not between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    library = None
    with contextlib.suppress(KeyboardInterrupt):
        for line in sys.stdin:
            request = json.loads(line)
            if "setup" in request:
                library = setup(request["setup"])
                answer = {"facts": {**library.facts, "operations": list(library.operations), "lacks": library.lacks}}
            elif "time" in request:
                answer = {"seconds": seconds(library.operations[request["time"]], request["repeat"])}
            else:
                answer = {"bits": bits(library.operations[request["check"]])}
            print(json.dumps(answer), file=answers, flush=True)
