"""What is measured: the operations, and the parameters by ring dimension."""

from __future__ import annotations

OPERATIONS = {
    "multiply": "multiply + relinearize + rescale",
    "rotate": "rotate",
    "hoisted": "8 hoisted rotations",
    "encrypt_public": "encrypt, public key",
    "encrypt_secret": "encrypt, secret key",
    "decrypt": "decrypt and decode",
    "encode": "encode",
    "add": "add",
    "multiply_plain": "multiply by plaintext",
    "rotation_keys": "make rotation keys",
}
"""The operations in the order of the tables.

Messages fill all slots with real numbers. Operands are fresh, at depth 0, encrypted under the secret key;
plaintexts are encoded before the clock starts. Results are whole ciphertexts of evaluations, as the operands are.
"""


def _case(logN: int, preset: str, log_q: list[int], log_p: list[int], digits: int, keys: int) -> dict:
    return {
        "logN": logN,
        "preset": preset,
        "depth": len(log_q) - 1,
        "log_scale": 40,
        "log_q": log_q,
        "log_p": log_p,
        "digits": digits,
        "keys": keys,
    }


# log_q and log_p are the widths for libraries that take them, the prime that is left last first. They make
# QP as wide as ours, to 2 %, and the digits as many; keys is how many rotation keys are made. At 2^13 ours
# are primes of a preset for 2^14: that for 2^13 keeps 60 bits at its last depth, in two primes. At 2^16
# ours has fewer levels than the preset: the keys of a library with one special prime grow with their square.
CASES = {
    13: _case(13, "slots8192-scale40-depth7-int64", [50, 40, 40], [50], 3, 64),
    14: _case(14, "slots8192-scale40-depth7-int64", [50] + 7 * [40], 2 * [50], 4, 64),
    15: _case(15, "slots16384-scale40-depth16-int64", [50] + 16 * [40], 3 * [50], 6, 16),
    16: _case(16, "slots32768-scale40-depth34-int64", [50] + 25 * [40], 6 * [42], 5, 2),
}
"""By log2 of the ring dimension."""
