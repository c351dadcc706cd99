"""The 1,797 handwritten digits that scikit-learn ships, 8 by 8 pixels."""

from __future__ import annotations

from typing import NamedTuple

import torch
from sklearn.datasets import load_digits

HELD_OUT = 360
PIXELS = 64
CLASSES = 10


class Digits(NamedTuple):
    """Pixels float64 [images, 64] in [0, 1], and the true digits int64 [images]."""

    pixels: torch.Tensor
    labels: torch.Tensor


def load(seed: int) -> tuple[Digits, Digits]:
    """Digits to train with, and the 360 that are held out."""
    source = load_digits()
    pixels = torch.as_tensor(source.data, dtype=torch.float64) / 16
    labels = torch.as_tensor(source.target, dtype=torch.int64)
    order = torch.randperm(len(pixels), generator=torch.Generator().manual_seed(seed))
    held_out, train = order[:HELD_OUT], order[HELD_OUT:]
    return Digits(pixels[train], labels[train]), Digits(pixels[held_out], labels[held_out])
