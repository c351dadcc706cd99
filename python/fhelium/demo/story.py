"""The demo from beginning to end."""

from __future__ import annotations

import argparse
import multiprocessing
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path

import torch
from rich.console import Console

from ..config import CkksConfig, Preset
from . import client, digits, keyscan, model, packing, picture, report, server
from .progress import Narrator
from .wire import PeerError, Wire

PRESET = Preset.slots8192_scale40_depth7_int64
_EPOCHS, _QUICK_EPOCHS = 40, 15
_QUICK_IMAGES = 64
_PATIENCE = 5.0  # seconds that the server has to end after its last message


def tell(options: argparse.Namespace, console: Console) -> int:
    """Runs everything and gives the exit status: 0 where all checks hold, else 1."""
    narrator = Narrator(console)
    train, held_out = digits.load(options.seed)
    count = options.images or (_QUICK_IMAGES if options.quick else digits.HELD_OUT)
    pixels, labels = held_out.pixels[:count], held_out.labels[:count]
    epochs = _QUICK_EPOCHS if options.quick else _EPOCHS
    with narrator.step("server: train the network", total=epochs) as advance:
        network = model.train(train, options.seed, epochs, advance)
    with torch.no_grad():
        clear = {client.INPUT: pixels} | network.trace(pixels)
        right = network.trace(held_out.pixels)["logits"].argmax(1) == held_out.labels

    with _server(network) as wire:
        outcome = client.classify(wire, CkksConfig.parse(PRESET), pixels, narrator)
    with narrator.step("search what crossed for the secret key"):
        crossing = _search(outcome, wire)

    found = report.compare(clear, outcome.values, labels)
    with narrator.step("draw"):
        picture.draw(options.picture, clear, outcome.values, found, pixels, labels)
    checks = report.checks(found, crossing, float(right.double().mean()))
    ciphertexts = -(-count // packing.LANES)
    tables = [
        report.parameters_table(outcome.config),
        report.bytes_table(outcome.sizes, len(outcome.rotation_steps) + 1, ciphertexts, crossing),
        report.time_table(_times(narrator, outcome)),
        report.result_table(found, outcome.evaluating),
        report.checks_table(checks),
    ]
    for table in tables:
        console.print("", table)
    console.print(f"\npicture: {options.picture}", highlight=False, soft_wrap=True)
    return 0 if all(check.passed for check in checks) else 1


@contextmanager
def _server(network: model.Network) -> Iterator[Wire]:
    """The server in a process of its own, started before any key exists, and the client's end of the wire to it."""
    context = multiprocessing.get_context("spawn")  # the Go core does not survive a fork
    ours, theirs = context.Pipe()
    layers = [(name, [tensor.numpy() for tensor in tensors]) for name, tensors in network.layers()]
    process = context.Process(target=server.serve, args=(theirs, layers), daemon=True)
    _start_deaf(process)
    theirs.close()  # so that the pipe breaks when the server ends
    try:
        yield Wire(ours, record=True)
        process.join(_PATIENCE)
    except PeerError as error:
        process.join(_PATIENCE)
        raise PeerError(f"{error} (server's exit status: {process.exitcode})") from None
    finally:
        ours.close()
        process.terminate()
        process.join()


def _start_deaf(process: BaseProcess) -> None:
    """Starts a process that hears no Ctrl-C while it starts, when it could only fail with a traceback."""
    ours = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # the new process inherits this
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, ours)


def _search(outcome: client.Outcome, wire: Wire) -> report.Crossing:
    """Searches all bytes that crossed; and, to check the search, the encrypted images with pieces of the key in them."""
    forms = keyscan.forms(outcome.engine, outcome.secret_key)
    scan = keyscan.KeyScan(forms)
    carrier = max(wire.crossed, key=len)[: 1 << 16]
    planted = [any(f.form == form for f in scan([keyscan.plant(carrier, row)])) for form, row in forms.items()]
    return report.Crossing(
        scanned=sum(map(len, wire.crossed)),
        found=len(scan(wire.crossed)),
        forms=len(forms),
        planted=sum(planted),
        server_secret_key=outcome.server_secret_key,
    )


def _times(narrator: Narrator, outcome: client.Outcome) -> dict[str, float]:
    """Seconds by what took them, without overlaps."""
    steps = ("server: train the network", "server: start, and encode the network", "client: make keys", "client: encrypt")
    return {step: narrator.seconds[step] for step in steps} | {
        "transfer: to bytes, across, back": outcome.crossing,
        "server: evaluate": outcome.evaluating,
        "client: decrypt": narrator.seconds["client: decrypt"],
        "search for the secret key": narrator.seconds["search what crossed for the secret key"],
        "draw": narrator.seconds["draw"],
    }


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(prog="python -m fhelium.demo", description="Classifies handwritten digits while they are encrypted.")
    parser.add_argument("--images", type=int, metavar="N", help=f"held-out images to classify, 1 to {digits.HELD_OUT} (default: all)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the training (default: 0); keys are always random")
    parser.add_argument("--quick", action="store_true", help=f"train for a shorter time, and classify {_QUICK_IMAGES} images")
    parser.add_argument("--picture", type=Path, default=Path("out/demo.png"), metavar="PATH", help="where the picture goes (default: out/demo.png)")
    read = parser.parse_args(arguments)
    if read.images is not None and not 1 <= read.images <= digits.HELD_OUT:
        parser.error(f"--images {read.images}: 1 to {digits.HELD_OUT} are held out")
    if not -(1 << 63) <= read.seed < 1 << 63:
        parser.error(f"--seed {read.seed}: an integer of 64 bits is needed")
    return read
