"""The server: owns the network, computes on what it cannot read, and holds no secret key."""

from __future__ import annotations

import signal
import time
from multiprocessing.connection import Connection

import numpy as np
import torch

from .. import polynomial
from ..config import CkksConfig
from ..eager import Engine
from ..errors import FHEliumError
from ..linalg import LinearTransform
from ..values import Ciphertext, EvaluationKeySet
from .packing import FEATURES, LANES, spread
from .wire import PeerError, Wire

Layers = list[tuple[str, list[np.ndarray]]]
"""Each layer's name and numbers, as model.Network.layers gives them."""


class Linear:
    """Weights [out, in] and a bias [out], encoded for ciphertexts of one depth; takes one depth."""

    def __init__(self, engine: Engine, depth: int, weight: torch.Tensor, bias: torch.Tensor) -> None:
        self.depth = depth + 1
        self.transform = LinearTransform.from_matrix(engine, weight, size=FEATURES, lanes=LANES, depth=depth)
        # The transform keeps the scale to the bit, so the bias is encoded at the scale of the images.
        self.bias = engine.prepare_plaintext_for_addition(engine.plaintext(spread(bias), depth=self.depth))

    def __call__(self, engine: Engine, value: Ciphertext) -> Ciphertext:
        return engine.add_plaintext(self.transform(engine, value), self.bias)


class Activation:
    """A polynomial of Chebyshev coefficients on [-1, 1]."""

    def __init__(self, depth: int, coefficients: torch.Tensor) -> None:
        self.coefficients = coefficients
        self.depth = depth + polynomial.depth(len(coefficients) - 1)

    def __call__(self, engine: Engine, value: Ciphertext) -> Ciphertext:
        return polynomial.evaluate(engine, value, self.coefficients, basis="chebyshev")


def serve(connection: Connection, layers: Layers) -> None:
    """Serves one client, and ends. Run in a process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the client's, who ends this process
    wire = Wire(connection)
    try:
        _serve(wire, layers)
    except FHEliumError as error:
        wire.send("error", text=f"the server refused: {error}")
    except PeerError:
        pass  # the client has gone


def _serve(wire: Wire, layers: Layers) -> None:
    facts, _ = wire.receive("parameters")
    # This engine may make no keys: it has what the client sends.
    engine = Engine(CkksConfig.parse(facts["config"]), allow_automatic_key_generation=False)
    compiled = _compile(engine, layers)
    steps = sorted({step for layer in compiled if isinstance(layer, Linear) for step in layer.transform.rotation_steps})
    wire.send("needs", rotation_steps=steps, layers=[name for name, _ in layers])

    _, body = wire.receive("keys")
    engine.set_evaluation_keys(EvaluationKeySet.from_bytes(body))
    _, body = wire.receive("images")
    value = Ciphertext.from_bytes(body)
    # A real service returns the last result alone: what lies between says much
    # about the weights. Here it lets the client draw the error by layer.
    for layer in compiled:
        start = time.perf_counter()
        value = layer(engine, value)
        seconds = time.perf_counter() - start
        wire.send("result", value.to_bytes(), seconds=seconds)
    wire.send("done", secret_key=_refusal(engine))


def _compile(engine: Engine, layers: Layers) -> list[Linear | Activation]:
    """All layers, each for the depth at which the one before it ends."""
    compiled: list[Linear | Activation] = []
    depth = 0
    for _, arrays in layers:
        numbers = [torch.from_numpy(array) for array in arrays]
        layer = Linear(engine, depth, *numbers) if len(numbers) == 2 else Activation(depth, *numbers)
        compiled.append(layer)
        depth = layer.depth
    return compiled


def _refusal(engine: Engine) -> str:
    """How the engine answers when it is asked for a secret key: with the code of a refusal."""
    try:
        return type(engine.secret_key).__name__
    except FHEliumError as error:
        return error.code
