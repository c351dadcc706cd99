"""Writes docs/precision.md: what each preset's arithmetic is good for, measured.

Messages are random points of the unit circle, whose products are known
exactly: the product of exp(2πi·k/M) and exp(2πi·l/M) has k + l modulo M. Bits
are -log2 of the largest error over all slots, of real and imaginary part.

    python docs/precision.py [--largest LOGN] [--check]
"""

from __future__ import annotations

import argparse
import math
import pathlib
import time

import torch

import fhelium as fh
from fhelium.eager import Engine

MODULUS = 1_000_003

HEAD = """# Precision

Bits of precision, -log2 of the largest error of any slot's real or imaginary part, for messages on the unit circle and every preset up to N = 2^{largest}.
"One product" multiplies by a fresh ciphertext of the same depth and scale, relinearizes and rescales; "full depth" does so until no level is left.
The last column is how far the scale strays from the default on the way, in bits.
Written by `make precision`; the encryption noise is random, so that a run may differ by a few tenths.

| preset | security bits | after encryption | one product | full depth | scale drift |
|---|---|---|---|---|---|
"""


def points(k: torch.Tensor) -> torch.Tensor:
    return torch.polar(torch.ones(k.shape, dtype=torch.float64), k.to(torch.float64) * (2 * math.pi / MODULUS))


def bits(engine: Engine, value: fh.Ciphertext, k: torch.Tensor) -> float:
    error = torch.view_as_real(engine.decrypt_message(value) - points(k)).abs().max().item()
    return -math.log2(error)


def measure(preset: fh.Preset) -> tuple[str, float]:
    """One row of the table, and the bits left at full depth."""
    with Engine(preset) as engine:
        generator = torch.Generator().manual_seed(1)
        k = torch.randint(0, MODULUS, (engine.num_slots,), generator=generator)
        value = engine.encrypt_message(points(k))
        found, drift = [bits(engine, value, k)], 0.0
        for depth in range(engine.max_depth):
            factor = torch.randint(0, MODULUS, (engine.num_slots,), generator=generator)
            other = engine.encrypt_message(points(factor), depth=depth, scale=value.scale)
            pair = (engine.coefficient_domain_to_ntt_domain(v) for v in (value, other))
            value = engine.rescale_to_next_depth(engine.relinearize(engine.multiply(*pair)))
            k = (k + factor) % MODULUS
            drift = max(drift, abs(math.log2(value.scale / engine.config.default_scale)))
            if depth == 0:
                found.append(bits(engine, value, k))
        found.append(bits(engine, value, k))
        security = "none (tests only)" if "insecure" in preset.value else str(engine.config.security_bits)
    return f"| {preset.value} | {security} | " + " | ".join(f"{b:.1f}" for b in found) + f" | {drift:.4f} |", found[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=16, metavar="LOGN", help="leave out larger rings")
    parser.add_argument("--check", action="store_true", help="measure and print, but write nothing")
    arguments = parser.parse_args()
    rows = []
    for preset in fh.Preset:
        if fh.CkksConfig.parse(preset).logN > arguments.largest:
            continue
        begun = time.monotonic()
        row, left = measure(preset)
        print(f"{row}  {time.monotonic() - begun:.0f} s", flush=True)
        if left < 4:
            raise SystemExit(f"{preset.value} has only {left:.1f} bits left at full depth")
        rows.append(row)
    if not arguments.check:
        pathlib.Path(__file__).with_name("precision.md").write_text(HEAD.format(largest=arguments.largest) + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
