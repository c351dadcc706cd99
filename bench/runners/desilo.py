"""DESILO FHE on the CPU. It chooses all parameters by the depth, and rescales by itself."""

import importlib.metadata

import numpy
from desilofhe import Engine

from .serve import Library, Operation, messages, serve


def setup(case):
    engine = Engine(max_level=case["depth"], thread_count=case["threads"])
    if engine.slot_count != 1 << (case["logN"] - 1):
        raise ValueError(f"at depth {case['depth']} it takes N = {2 * engine.slot_count}, not {1 << case['logN']}")
    secret = engine.create_secret_key()
    public, relinearization = engine.create_public_key(secret), engine.create_relinearization_key(secret)
    keys = [engine.create_fixed_rotation_key(secret, step) for step in range(1, 9)]
    x, y = messages(engine.slot_count)
    plaintext, factor = engine.encode(x), engine.encode(y)
    a, b = engine.encrypt(plaintext, secret), engine.encrypt(factor, secret)

    def reveal(ciphertext):
        return engine.decrypt(ciphertext, secret)

    def rotation_keys():
        return [engine.create_fixed_rotation_key(secret, step) for step in range(1, case["keys"] + 1)]

    operations = {
        "multiply": Operation(lambda: engine.multiply(a, b, relinearization), reveal, x * y),
        "rotate": Operation(lambda: engine.rotate(a, keys[0]), reveal, numpy.roll(x, -1)),
        "hoisted": Operation(lambda: engine.rotate_many(a, keys), lambda results: reveal(results[-1]), numpy.roll(x, -8)),
        "encrypt_public": Operation(lambda: engine.encrypt(plaintext, public), reveal, x),
        "encrypt_secret": Operation(lambda: engine.encrypt(plaintext, secret), reveal, x),
        "decrypt": Operation(lambda: reveal(a), lambda message: message, x),
        "encode": Operation(lambda: engine.encode(x)),
        "add": Operation(lambda: engine.add(a, b), reveal, x + y),
        "rotation_keys": Operation(rotation_keys),
    }
    facts = {
        "version": importlib.metadata.version("desilofhe"),
        "N": 2 * engine.slot_count,
        "depth": engine.max_level,
        "note": "its moduli and scale are not disclosed",
    }
    return Library(facts, operations, {"multiply_plain": "rescales in the same call"})


if __name__ == "__main__":
    serve(setup)
