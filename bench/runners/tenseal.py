"""TenSEAL, which wraps SEAL in vectors that relinearize and rescale by themselves."""

import importlib.metadata

import tenseal

from .serve import Library, Operation, messages, serve


def setup(case):
    n = 1 << case["logN"]
    widths = [*case["log_q"], 60]
    context = tenseal.context(
        tenseal.SCHEME_TYPE.CKKS,
        n,
        coeff_mod_bit_sizes=widths,
        encryption_type=tenseal.ENCRYPTION_TYPE.SYMMETRIC,
        n_threads=case["threads"],
    )
    context.global_scale = 2.0 ** case["log_scale"]
    x, y = messages(n // 2)
    a, b = tenseal.ckks_vector(context, x), tenseal.ckks_vector(context, y)

    def reveal(vector):
        return vector.decrypt()

    operations = {
        "multiply": Operation(lambda: a * b, reveal, x * y),
        "decrypt": Operation(lambda: reveal(a), lambda message: message, x),
        "add": Operation(lambda: a + b, reveal, x + y),
    }
    lacks = dict.fromkeys(("rotate", "hoisted", "rotation_keys"), "no rotation in its API")
    lacks |= dict.fromkeys(("encrypt_public", "encrypt_secret", "encode", "multiply_plain"), "encodes in the same call")
    facts = {
        "version": importlib.metadata.version("tenseal"),
        "N": n,
        "q_limbs": len(widths) - 1,
        "p_limbs": 1,
        "digits": len(widths) - 1,
        "log_qp": sum(widths),
        "depth": case["depth"],
        "log_scale": case["log_scale"],
        "note": "one special prime, so QP is narrower",
    }
    return Library(facts, operations, lacks)


if __name__ == "__main__":
    serve(setup)
