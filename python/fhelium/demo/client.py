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
class Session:
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
        return self.engine.config

    @property
    def secret_key(self) -> SecretKey:
        return self.engine.secret_key


def classify(wire: Wire, config: CkksConfig, images: torch.Tensor, narrator: Narrator) -> Session:
    """Has a server compute on encrypted images float64 [images, 64]."""
    session = Session(Engine(config))
    with narrator.step("server: start, and encode the network"):
        wire.send("parameters", config=config.dumps())
        needs, _ = wire.receive("needs")
    session.rotation_steps = needs["rotation_steps"]
    keys = _make_keys(session, narrator)
    encrypted = _encrypt(session, images, narrator)

    crossing = time.perf_counter()
    with narrator.step("client: send keys and images"):
        for name, value in (("keys", keys), ("images", encrypted)):
            body = value.to_bytes()
            session.sizes[name] = len(body)
            wire.send(name, body)
    results = _receive(session, wire, needs["layers"], narrator)
    session.crossing = time.perf_counter() - crossing - session.evaluating
    _decrypt(session, {INPUT: encrypted} | results, len(images), narrator)
    return session


def _make_keys(session: Session, narrator: Narrator) -> EvaluationKeySet:
    """The secret key, and exactly the evaluation keys that the server asked for."""
    engine, steps = session.engine, session.rotation_steps
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


def _encrypt(session: Session, images: torch.Tensor, narrator: Narrator) -> Ciphertext:
    with narrator.step("client: encrypt"):
        encrypted = session.engine.encrypt_message(pack(images))
    return encrypted


def _receive(session: Session, wire: Wire, layers: list[str], narrator: Narrator) -> dict[str, Ciphertext]:
    """The encrypted result of each layer."""
    results: dict[str, Ciphertext] = {}
    with narrator.step("server: evaluate, layer by layer", total=len(layers)) as advance:
        for name in layers:
            facts, body = wire.receive("result")
            results[name] = Ciphertext.from_bytes(body)
            session.evaluating += facts["seconds"]
            what = "logits" if name == layers[-1] else "intermediate results"
            session.sizes[what] = session.sizes.get(what, 0) + len(body)
            advance()
        done, _ = wire.receive("done")
    session.server_secret_key = done["secret_key"]
    return results


def _decrypt(session: Session, encrypted: dict[str, Ciphertext], images: int, narrator: Narrator) -> None:
    with narrator.step("client: decrypt", total=len(encrypted)) as advance:
        for name, ciphertext in encrypted.items():
            slots = session.engine.decrypt_message(ciphertext, is_real=True)
            session.values[name] = unpack(slots, images, FEATURES)
            advance()
