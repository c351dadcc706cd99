"""Where images lie in the slots: feature f of image v is slot f * 128 + v.

So one ciphertext of 8,192 slots carries 128 images of 64 features, a layer
serves all of them at once, and more images are more ciphertexts of one batch.
"""

from __future__ import annotations

import torch

FEATURES = 64
LANES = 128


def pack(features: torch.Tensor) -> torch.Tensor:
    """float64 [images, 64] to messages [ciphertexts, 8192]; lanes without an image hold zeros."""
    count = -(-len(features) // LANES)
    padded = features.new_zeros(count * LANES, FEATURES)
    padded[: len(features)] = features
    return padded.view(count, LANES, FEATURES).transpose(1, 2).reshape(count, FEATURES * LANES)


def unpack(slots: torch.Tensor, images: int, features: int) -> torch.Tensor:
    """Messages [ciphertexts, 8192] to [images, features]."""
    return slots.view(-1, FEATURES, LANES).transpose(1, 2).reshape(-1, FEATURES)[:images, :features]


def spread(vector: torch.Tensor) -> torch.Tensor:
    """One number a feature, [at most 64], to the slots of all images, [8192]; the other features get zeros."""
    padded = vector.new_zeros(FEATURES)
    padded[: len(vector)] = vector
    return padded.repeat_interleave(LANES)
