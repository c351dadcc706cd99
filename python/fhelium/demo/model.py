"""A small network whose activations are polynomials, because sums and products are all that ciphertexts can do.

The activation is a fit of SiLU on [-4, 4]. The factor 4 belongs to the layer
before it, so that the polynomial's argument lies in [-1, 1]; training keeps it
there.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from ..polynomial import chebyshev_fit
from .digits import CLASSES, PIXELS, Digits

HIDDEN = 64
DEGREE = 2
SILU_RANGE = 4.0

# Arguments beyond this part of the fitted range cost the training something.
_WISH = 0.5
_BATCH = 64


class Network(nn.Module):
    """64 pixels to 64 to 64 to 10 logits, in float64, with a polynomial after each hidden layer."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.ModuleList(nn.Linear(i, o, dtype=torch.float64) for i, o in ((PIXELS, HIDDEN), (HIDDEN, HIDDEN), (HIDDEN, CLASSES)))
        self.coefficients = chebyshev_fit(lambda u: nn.functional.silu(SILU_RANGE * u), DEGREE)

    def activation(self, u: torch.Tensor) -> torch.Tensor:
        """The polynomial of u, from its Chebyshev coefficients."""
        before, at = torch.ones_like(u), u
        total = self.coefficients[0] + self.coefficients[1] * u
        for c in self.coefficients[2:]:
            before, at = at, 2 * u * at - before
            total = total + c * at
        return total

    def trace(self, pixels: torch.Tensor) -> dict[str, torch.Tensor]:
        """What every layer gives, by its name, each float64 [images, features]."""
        found = {}
        value = pixels
        for i, linear in enumerate(self.linear, 1):
            last = i == len(self.linear)
            value = found["logits" if last else f"linear {i}"] = linear(value)
            if not last:
                value = found[f"activation {i}"] = self.activation(value)
        return found

    def layers(self) -> list[tuple[str, list[torch.Tensor]]]:
        """Each layer's name and numbers: weight [out, in] and bias [out] of a linear one, coefficients of an activation."""
        found = []
        for i, linear in enumerate(self.linear, 1):
            last = i == len(self.linear)
            found.append(("logits" if last else f"linear {i}", [numbers.detach() for numbers in linear.parameters()]))
            if not last:
                found.append((f"activation {i}", [self.coefficients]))
        return found


def arguments(trace: dict[str, torch.Tensor]) -> list[torch.Tensor]:
    """The activations' arguments in a trace; the polynomial is fitted where they lie in [-1, 1]."""
    return [value for name, value in trace.items() if name.startswith("linear")]


def train(digits: Digits, seed: int, epochs: int, advance: Callable[[], None]) -> Network:
    """Trains a network; advance is called after each epoch.

    One thread computes, so that a seed gives one network however many there are.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return _train(digits, seed, epochs, advance)
    finally:
        torch.set_num_threads(threads)


def _train(digits: Digits, seed: int, epochs: int, advance: Callable[[], None]) -> Network:
    shuffles = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = Network()
    optimizer = torch.optim.AdamW(network.parameters(), weight_decay=1e-4)
    batches = -(-len(digits.pixels) // _BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-2, total_steps=epochs * batches)
    for _ in range(epochs):
        for chosen in torch.randperm(len(digits.pixels), generator=shuffles).split(_BATCH):
            trace = network.trace(digits.pixels[chosen])
            excess = sum((u.abs() - _WISH).clamp(min=0).square().sum(1).mean() for u in arguments(trace))
            loss = nn.functional.cross_entropy(trace["logits"], digits.labels[chosen], label_smoothing=0.05) + 2 * excess
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        advance()
    return network
