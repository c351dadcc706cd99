"""FHElium 0.30 on the CPU, whose import name is ours too: it is installed in an environment of its own."""

import importlib.metadata
import math

import fhelium
import numpy
import torch
from fhelium.eager import Engine

from .serve import Library, Operation, messages, serve


def parameters(case):
    """The preset, where it has the depth of the case: its special primes suit no other."""
    preset = fhelium.CkksConfig.parse(fhelium.Preset(case["preset"]))
    if case["depth"] == preset.max_depth:
        return preset
    raise ValueError(f"it has {case['preset']}, of depth {preset.max_depth}, and {case['depth']} is wanted")


def setup(case):
    torch.set_num_threads(case["threads"])
    config = parameters(case)
    engine = Engine(config)
    x, y = messages(engine.num_slots)
    first, second = torch.from_numpy(x), torch.from_numpy(y)

    def encode(message):
        return engine.prepare_plaintext_for_multiplication(engine.plaintext(message))

    def multiply():
        return engine.rescale_to_next_depth(engine.relinearize(engine.multiply(a, b), output_domain="ntt"))

    def reveal(ciphertext):
        return engine.decrypt_message(ciphertext, is_real=True).numpy()

    coefficients, other, factor = engine.encode(first), engine.encode(second), encode(second)
    keys = [engine.create_rotation_key(step, engine.secret_key) for step in range(1, 9)]
    a, b = (engine.encrypt(p, output_domain="ntt") for p in (coefficients, other))
    flat = engine.ntt_domain_to_coefficient_domain(a)
    operations = {
        "multiply": Operation(multiply, reveal, x * y),
        "rotate": Operation(lambda: engine.rotate_with_key(a, keys[0], output_domain="ntt"), reveal, numpy.roll(x, 1)),
        "hoisted": Operation(lambda: engine.rotate_many_with_keys(flat, keys, output_domain="ntt"), lambda r: reveal(r[-1]), numpy.roll(x, 8)),
        "encrypt_public": Operation(lambda: engine.encrypt(coefficients, output_domain="ntt"), reveal, x),
        "decrypt": Operation(lambda: engine.decrypt_message(a, is_real=True), lambda message: message.numpy(), x),
        "encode": Operation(lambda: encode(first)),
        "add": Operation(lambda: engine.add(a, b), reveal, x + y),
        "multiply_plain": Operation(lambda: engine.multiply_plaintext(a, factor), reveal, x * y),
        "rotation_keys": Operation(lambda: [engine.create_rotation_key(step, engine.secret_key) for step in range(1, case["keys"] + 1)]),
    }
    moduli = [q for group in config.q_depth_groups for q in group] + list(config.p_moduli)
    facts = {
        "version": importlib.metadata.version("fhelium"),
        "N": engine.ring_dimension,
        "q_limbs": len(moduli) - len(config.p_moduli),
        "p_limbs": len(config.p_moduli),
        "digits": engine.key_digit_count,
        "log_qp": round(sum(map(math.log2, moduli)), 1),
        "depth": engine.max_depth,
        "log_scale": math.log2(config.default_scale),
        "note": "hoisted rotations start from coefficients, as it demands; its public keys have no special primes",
    }
    return Library(facts, operations, {"encrypt_secret": "no encryption under the secret key in its API"})


if __name__ == "__main__":
    serve(setup)
