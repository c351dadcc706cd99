"""fhelium, of this tree: values stay in the NTT domain, where those of the other libraries are too."""

import importlib.metadata
import math

import numpy
import torch

import fhelium
from fhelium.eager import Engine

from .serve import Library, Operation, messages, serve


def parameters(case):
    """The preset at the case's ring dimension, without the levels and the special primes that the case does not have."""
    preset = fhelium.CkksConfig.parse(case["preset"])
    if (case["logN"], case["depth"]) == (preset.logN, preset.max_depth):
        return preset
    groups = preset.q_depth_groups
    wide = sum(case["log_p"])
    return fhelium.CkksConfig(
        default_scale=preset.default_scale,
        q_depth_groups=groups[: case["depth"]] + groups[-1:],
        p_moduli=preset.p_moduli[: wide // preset.p_moduli[0].bit_length()],
        logN=case["logN"],
    )


def setup(case):
    torch.set_num_threads(case["threads"])
    config = parameters(case)
    engine = Engine(config)
    x, y = messages(engine.num_slots)
    first, second = torch.from_numpy(x), torch.from_numpy(y)

    def encode(message):
        return engine.prepare_plaintext_for_multiplication(engine.plaintext(message))

    def multiply():
        return engine.multiply_relinearize_rescale(a, b, output_domain="ntt")

    def reveal(ciphertext):
        return engine.decrypt_message(ciphertext, is_real=True).numpy()

    plaintext, factor = encode(first), encode(second)
    steps = list(range(1, 9))
    keys = [engine.create_rotation_key(step) for step in steps]
    a, b = (engine.expand(engine.encrypt_with_secret_key(p)) for p in (plaintext, factor))
    operations = {
        "multiply": Operation(multiply, reveal, x * y),
        "rotate": Operation(lambda: engine.rotate_with_key(a, keys[0], output_domain="ntt"), reveal, numpy.roll(x, 1)),
        "hoisted": Operation(lambda: engine.rotate_many_with_keys(a, keys, output_domain="ntt"), lambda r: reveal(r[-1]), numpy.roll(x, 8)),
        "encrypt_public": Operation(lambda: engine.encrypt(plaintext, output_domain="ntt"), reveal, x),
        "encrypt_secret": Operation(lambda: engine.expand(engine.encrypt_with_secret_key(plaintext)), reveal, x),
        "decrypt": Operation(lambda: engine.decrypt_message(a, is_real=True), lambda message: message.numpy(), x),
        "encode": Operation(lambda: encode(first)),
        "add": Operation(lambda: engine.add(a, b), reveal, x + y),
        "multiply_plain": Operation(lambda: engine.multiply_plaintext(a, factor), reveal, x * y),
        "rotation_keys": Operation(lambda: [engine.create_rotation_key(step) for step in range(1, case["keys"] + 1)]),
    }
    facts = {
        "version": importlib.metadata.version(fhelium.__name__) + ", " + engine.ntt_backend_name(),
        "N": config.N,
        "q_limbs": config.num_q_primes,
        "p_limbs": config.num_p_primes,
        "digits": len(config.digits),
        "log_qp": round(sum(map(math.log2, config.moduli)), 1),
        "depth": config.max_depth,
        "log_scale": math.log2(config.default_scale),
        "note": "multiply + relinearize + rescale is one call, which divides and rounds once",
    }
    return Library(facts, operations, {})


if __name__ == "__main__":
    serve(setup)
