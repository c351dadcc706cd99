"""The client: owns the images and the secret key, and sees the results."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import torch

from ..config import CkksConfig
from ..eager import Engine
from ..values import Ciphertext, EvaluationKeySet, RotationKeySet, SecretKey
from .packing import FEATURES, pack, unpack
from .progress import Narrator
from .wire import Wire

INPUT = "images"
"""The name under which the client's own fresh ciphertexts are decrypted."""


@dataclass
class Outcome:
    """What the client has at the end."""

    engine: Engine
    rotation_steps: list[int] = field(default_factory=list)
    values: dict[str, torch.Tensor] = field(default_factory=dict)
    """The decrypted result of each layer, float64 [images, 64]; unused features are noise."""
    sizes: dict[str, int] = field(default_factory=dict)
    """Bytes of what crossed, by what it was."""
    evaluating: float = 0.0
    """Seconds that the server computed."""
    crossing: float = 0.0
    """Seconds for values to become bytes, cross, and become values, on both sides."""
    server_secret_key: str = ""
    """What the server answered when its engine was asked for a secret key."""

    @property
    def config(self) -> CkksConfig:
        """The parameters of the keys."""
        return self.engine.config

    @property
    def secret_key(self) -> SecretKey:
        """The key that never leaves the client."""
        return self.engine.secret_key


def classify(wire: Wire, config: CkksConfig, images: torch.Tensor, narrator: Narrator) -> Outcome:
    """Has a server compute on encrypted images float64 [images, 64]."""
    outcome = Outcome(Engine(config))
    with narrator.step("server: start, and encode the network"):
        wire.send("parameters", config=config.dumps())
        needs, _ = wire.receive("needs")
    outcome.rotation_steps = needs["rotation_steps"]
    keys = _make_keys(outcome, narrator)
    encrypted = _encrypt(outcome, images, narrator)

    crossing = time.perf_counter()
    with narrator.step("client: send keys and images"):
        for name, value in (("keys", keys), ("images", encrypted)):
            body = value.to_bytes()
            outcome.sizes[name] = len(body)
            wire.send(name, body)
    results = _receive(outcome, wire, needs["layers"], narrator)
    outcome.crossing = time.perf_counter() - crossing - outcome.evaluating
    _decrypt(outcome, {INPUT: encrypted} | results, len(images), narrator)
    return outcome


def _make_keys(outcome: Outcome, narrator: Narrator) -> EvaluationKeySet:
    """The secret key, and exactly the evaluation keys that the server asked for."""
    engine, steps = outcome.engine, outcome.rotation_steps
    with narrator.step("client: make keys", total=len(steps) + 2) as advance:
        engine.set_secret_key(engine.create_secret_key())
        engine.set_public_key(engine.create_public_key())
        advance()
        relinearization = engine.create_relinearization_key()
        advance()
        rotations = RotationKeySet()
        for step in steps:
            rotations.add(engine.create_rotation_key(step))
            advance()
    return EvaluationKeySet(rotations, relinearization)


def _encrypt(outcome: Outcome, images: torch.Tensor, narrator: Narrator) -> Ciphertext:
    with narrator.step("client: encrypt"):
        encrypted = outcome.engine.encrypt_message(pack(images))
    return encrypted


def _receive(outcome: Outcome, wire: Wire, layers: list[str], narrator: Narrator) -> dict[str, Ciphertext]:
    """The encrypted result of each layer."""
    results: dict[str, Ciphertext] = {}
    with narrator.step("server: evaluate, layer by layer", total=len(layers)) as advance:
        for name in layers:
            facts, body = wire.receive("result")
            results[name] = Ciphertext.from_bytes(body)
            outcome.evaluating += facts["seconds"]
            what = "logits" if name == layers[-1] else "intermediate results"
            outcome.sizes[what] = outcome.sizes.get(what, 0) + len(body)
            advance()
        done, _ = wire.receive("done")
    outcome.server_secret_key = done["secret_key"]
    return results


def _decrypt(outcome: Outcome, encrypted: dict[str, Ciphertext], images: int, narrator: Narrator) -> None:
    with narrator.step("client: decrypt", total=len(encrypted)) as advance:
        for name, ciphertext in encrypted.items():
            slots = outcome.engine.decrypt_message(ciphertext, is_real=True)
            outcome.values[name] = unpack(slots, images, FEATURES)
            advance()
