"""The picture: clear against encrypted logits, error by layer, and some of the images."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import torch
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import FigureBase
from matplotlib.layout_engine import ConstrainedLayoutEngine

from .report import LARGEST_ERROR, Comparison

_SHOWN = 12
_BLUE, _ORANGE, _RED, _GREEN, _GREY = "#2166ac", "#e08214", "#b2182b", "#1b7837", "#777777"


def draw(
    path: Path,
    clear: Mapping[str, torch.Tensor],
    encrypted: Mapping[str, torch.Tensor],
    found: Comparison,
    pixels: torch.Tensor,
    labels: torch.Tensor,
) -> None:
    """Writes a PNG; its folder is made where it is missing."""
    logits = clear["logits"]
    predictions = encrypted["logits"][:, : logits.shape[1]]
    style: Any = {"font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": 11, "axes.titlelocation": "left"}
    with pyplot.rc_context(style):
        figure = pyplot.figure(figsize=(13, 7.0), layout=ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.08))
        figure.suptitle(
            f"{found.images} handwritten digits, classified while encrypted: {found.encrypted_accuracy:.1%} right, "
            f"{found.agreeing} of {found.images} as in the clear",
            fontsize=13,
        )
        halves: Any = figure.subfigures(2, 1, height_ratios=(2.6, 1))
        above, below = halves
        axes = above.subplots(1, 3, width_ratios=(1, 1, 1.15))
        _scatter(axes[0], logits, predictions)
        _difference(axes[1], logits, predictions)
        _layers(axes[2], found)
        _images(below, pixels, labels, predictions)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=130)
        pyplot.close(figure)


def _scatter(axes: Axes, clear: torch.Tensor, encrypted: torch.Tensor) -> None:
    low, high = float(clear.min()), float(clear.max())
    axes.plot([low, high], [low, high], color=_GREY, linewidth=0.8, zorder=0)
    axes.scatter(clear.flatten(), encrypted.flatten(), s=6, color=_BLUE, alpha=0.5, linewidths=0)
    axes.set(title="Logits", xlabel="computed in the clear", ylabel="computed encrypted")


def _difference(axes: Axes, clear: torch.Tensor, encrypted: torch.Tensor) -> None:
    error = encrypted - clear
    power = int(torch.log10(error.abs().max().clamp(min=1e-300)).floor())
    axes.axhline(0, color=_GREY, linewidth=0.8, zorder=0)
    axes.scatter(clear.flatten(), error.flatten() / 10.0**power, s=6, color=_ORANGE, alpha=0.5, linewidths=0)
    axes.set(title="Their difference", xlabel="logit in the clear", ylabel=f"encrypted − clear, in $10^{{{power}}}$")


def _layers(axes: Axes, found: Comparison) -> None:
    names = list(found.errors)
    median, largest = zip(*found.errors.values(), strict=True)
    for errors, color, what in ((largest, _RED, "largest"), (median, _BLUE, "median")):
        axes.plot(names, errors, "o-", color=color)
        axes.annotate(what, (0, errors[0]), (0, 7), textcoords="offset points", color=color)
    axes.axhline(LARGEST_ERROR, color=_GREY, linestyle="--", linewidth=0.8)
    axes.annotate("limit for logits", (0, LARGEST_ERROR), (0, 4), textcoords="offset points", color=_GREY)
    axes.set(title="Error by layer, |encrypted − clear|", yscale="log")
    axes.set_xticks(range(len(names)), names, rotation=25, ha="right")
    axes.set_ylim(top=LARGEST_ERROR * 8)
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)


def _images(figure: FigureBase, pixels: torch.Tensor, labels: torch.Tensor, logits: torch.Tensor) -> None:
    """Up to 12 images; the last ones are among those that were read wrongly, where there are any."""
    predicted = logits.argmax(1)
    wrong = predicted != labels
    shown = torch.cat([(~wrong).nonzero().flatten()[: _SHOWN - min(int(wrong.sum()), 3)], wrong.nonzero().flatten()])[:_SHOWN]
    for axes, i in zip(figure.subplots(1, _SHOWN, squeeze=False)[0], shown.tolist() + [None] * _SHOWN, strict=False):
        axes.axis("off")
        if i is None:
            continue
        axes.imshow(pixels[i].view(8, 8), cmap="gray_r", vmin=0, vmax=1)
        right = not wrong[i]
        text = f"read as {predicted[i]}" if right else f"read as {predicted[i]},\nis {labels[i]}"
        axes.set_title(text, loc="center", color=_GREEN if right else _RED, fontsize=10)
