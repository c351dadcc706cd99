"""What came out: the numbers, the checks on them, and the tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import torch
from rich.table import Table

from ..config import CkksConfig
from ..values.state import scale_text

# A larger error could change a prediction; a smaller one would mean that nothing was encrypted.
LARGEST_ERROR = 1e-3
SMALLEST_ERROR = 1e-12
LEAST_ACCURACY = 0.9


class Comparison(NamedTuple):
    """The clear and the encrypted run on the same images."""

    images: int
    clear_accuracy: float
    encrypted_accuracy: float
    agreeing: int
    """Images for which both runs predict the same digit."""
    errors: dict[str, tuple[float, float]]
    """By layer, the median and the largest of |encrypted - clear|."""
    largest_argument: float
    """The largest size of an activation's argument; the polynomial is fitted up to 1."""

    @property
    def logit_error(self) -> float:
        """The largest error of a logit."""
        return self.errors["logits"][1]


class Crossing(NamedTuple):
    """What the search of the bytes that crossed found."""

    scanned: int
    """Bytes in both directions."""
    found: int
    """Blocks of the secret key among them."""
    forms: int
    """Forms in which the key was looked for."""
    planted: int
    """Forms that were found where a piece of them had been planted."""
    server_secret_key: str
    """What the server's engine answered when asked for a secret key."""


class Check(NamedTuple):
    """Something that has to hold, and the numbers that say whether it does."""

    name: str
    passed: bool
    detail: str


def compare(clear: Mapping[str, torch.Tensor], encrypted: Mapping[str, torch.Tensor], labels: torch.Tensor) -> Comparison:
    """Compares layers by name: clear [images, features], encrypted [images, at least as many]."""
    errors = {}
    for name, wanted in clear.items():
        error = (encrypted[name][:, : wanted.shape[1]] - wanted).abs()
        errors[name] = (float(error.median()), float(error.max()))
    logits = clear["logits"]
    expected = logits.argmax(1)
    predicted = encrypted["logits"][:, : logits.shape[1]].argmax(1)
    return Comparison(
        images=len(labels),
        clear_accuracy=float((expected == labels).double().mean()),
        encrypted_accuracy=float((predicted == labels).double().mean()),
        agreeing=int((expected == predicted).sum()),
        errors=errors,
        largest_argument=max(float(value.abs().max()) for name, value in clear.items() if name.startswith("linear")),
    )


def checks(found: Comparison, crossing: Crossing, accuracy: float) -> list[Check]:
    """All that has to hold; accuracy is the network's in the clear, on all held-out images."""
    error = found.logit_error
    return [
        Check("both runs predict the same digits", found.agreeing == found.images, f"{found.agreeing} of {found.images}"),
        Check(f"logit errors below {LARGEST_ERROR:g}", error < LARGEST_ERROR, f"largest {error:.1e}"),
        Check(f"logit errors above {SMALLEST_ERROR:g}: it was encrypted", error > SMALLEST_ERROR, f"largest {error:.1e}"),
        Check("activations in their fitted range", found.largest_argument <= 1, f"largest argument {found.largest_argument:.2f} of 1"),
        Check("the network learned the digits", accuracy >= LEAST_ACCURACY, f"{accuracy:.1%}, at least {LEAST_ACCURACY:.0%}"),
        Check("the secret key did not cross", crossing.found == 0, f"{crossing.found} pieces in {crossing.scanned:,} bytes"),
        Check("planted pieces of it are found", crossing.planted == crossing.forms > 0, f"{crossing.planted} of {crossing.forms} forms"),
        Check("the server has no secret key", crossing.server_secret_key == "secret-key-absent", crossing.server_secret_key),
    ]


def parameters_table(config: CkksConfig) -> Table:
    """The parameters, and the security table's answer for them."""
    security = config.security_assessment
    return _table(
        "Parameters and security",
        {
            "preset": str(config.preset),
            "ring dimension N, slots": f"{config.N:,}, {config.num_slots:,}",
            "log2 QP, and the most allowed": f"{security.modulus_bits} of {security.budget_bits} bits",
            "security": f"{security.target_bits} bits, classical: {security.status}",
            "secret, error": f"{security.secret_distribution}, Gaussian of deviation {security.error_stddev:g}",
            "depth, scale": f"{config.max_depth}, {scale_text(config.default_scale)}",
        },
    )


def result_table(found: Comparison, evaluating: float) -> Table:
    """Accuracy and errors; evaluating is the seconds that the server computed."""
    return _table(
        f"{found.images} held-out images",
        {
            "accuracy, clear": f"{found.clear_accuracy:.2%}",
            "accuracy, encrypted": f"{found.encrypted_accuracy:.2%}",
            "predictions that agree": f"{found.agreeing} of {found.images}, {found.agreeing / found.images:.0%}",
            "largest logit error": f"{found.logit_error:.2e}",
            "largest argument of an activation": f"{found.largest_argument:.3f} of the fitted 1",
            "encrypted evaluation": f"{1000 * evaluating / found.images:.1f} ms an image",
        },
    )


def bytes_table(sizes: Mapping[str, int], keys: int, ciphertexts: int, crossing: Crossing) -> Table:
    """Bytes of what crossed, by what it was, and what the search of it found."""
    return _table(
        "What crossed",
        {
            f"{keys} evaluation keys": _size(sizes["keys"]),
            f"images, {ciphertexts} ciphertexts": _size(sizes["images"]),
            "logits, encrypted": _size(sizes["logits"]),
            "results of the other layers": _size(sizes["intermediate results"]),
            "searched for the secret key": f"{crossing.scanned:,} bytes",
            "found of it, in any form": f"{crossing.found} pieces",
        },
    )


def time_table(seconds: Mapping[str, float]) -> Table:
    """Seconds by what took them, and their shares."""
    total = sum(seconds.values())
    rows = {what: f"{s:6.2f} s  {s / total:4.0%}" for what, s in seconds.items()}
    return _table("Where the time went", rows | {"together": f"{total:6.2f} s"})


def checks_table(found: list[Check]) -> Table:
    """Whether each check holds."""
    table = Table(title="Checks", title_justify="left", show_header=False)
    for check in found:
        table.add_row("[green]holds[/]" if check.passed else "[bold red]FAILS[/]", check.name, check.detail)
    return table


def _table(title: str, rows: Mapping[str, str]) -> Table:
    table = Table(title=title, title_justify="left", show_header=False)
    for what, value in rows.items():
        table.add_row(what, value)
    return table


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB"
