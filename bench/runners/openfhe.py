"""OpenFHE by its own Python binding: hybrid key switching, rescales by hand."""

import importlib.metadata
import math

import openfhe

from .serve import Library, Operation, messages, serve


def context(case):
    parameters = openfhe.CCParamsCKKSRNS()
    parameters.SetSecurityLevel(openfhe.HEStd_NotSet)  # or the ring would follow from it
    parameters.SetRingDim(1 << case["logN"])
    parameters.SetBatchSize(1 << (case["logN"] - 1))
    parameters.SetMultiplicativeDepth(case["depth"])
    parameters.SetScalingModSize(case["log_scale"])
    parameters.SetFirstModSize(case["log_q"][0])
    parameters.SetScalingTechnique(openfhe.FIXEDMANUAL)
    parameters.SetKeySwitchTechnique(openfhe.HYBRID)
    parameters.SetNumLargeDigits(case["digits"])
    made = openfhe.GenCryptoContext(parameters)
    for feature in (openfhe.PKE, openfhe.KEYSWITCH, openfhe.LEVELEDSHE):
        made.Enable(feature)
    return made


def setup(case):
    cc = context(case)
    x, y = messages(1 << (case["logN"] - 1))
    pair = cc.KeyGen()
    secret, public = pair.secretKey, pair.publicKey
    cc.EvalMultKeyGen(secret)

    def eight_keys():
        cc.EvalRotateKeyGen(secret, list(range(1, 9)))

    eight_keys()

    def reveal(ciphertext):
        return cc.Decrypt(secret, ciphertext).GetRealPackedValueArray()

    def hoisted():
        digits = cc.EvalFastRotationPrecompute(a)
        return [cc.EvalFastRotation(a, step, digits) for step in range(1, 9)]

    def rotation_keys():
        # It keeps keys, and does not make again those that there are.
        cc.ClearEvalAutomorphismKeys()
        cc.EvalRotateKeyGen(secret, list(range(1, case["keys"] + 1)))

    plaintext, factor = cc.MakeCKKSPackedPlaintext(x), cc.MakeCKKSPackedPlaintext(y)
    a, b = cc.Encrypt(secret, plaintext), cc.Encrypt(secret, factor)
    operations = {
        "multiply": Operation(lambda: cc.Rescale(cc.EvalMult(a, b)), reveal, x * y),
        "rotate": Operation(lambda: cc.EvalRotate(a, 1), reveal, roll(x, 1)),
        "hoisted": Operation(hoisted, lambda results: reveal(results[-1]), roll(x, 8)),
        "encrypt_public": Operation(lambda: cc.Encrypt(public, plaintext), reveal, x),
        "encrypt_secret": Operation(lambda: cc.Encrypt(secret, plaintext), reveal, x),
        "decrypt": Operation(lambda: reveal(a), lambda message: message, x),
        "encode": Operation(lambda: cc.MakeCKKSPackedPlaintext(x)),
        "add": Operation(lambda: cc.EvalAdd(a, b), reveal, x + y),
        "multiply_plain": Operation(lambda: cc.EvalMult(a, factor), reveal, x * y),
        "rotation_keys": Operation(rotation_keys, after=eight_keys),
    }
    q_limbs, log_q = case["depth"] + 1, math.log2(cc.GetElementParams().GetModulus())
    p_limbs = limbs_of_key(cc, secret, case) - q_limbs
    facts = {
        "version": importlib.metadata.version("openfhe"),
        "N": cc.GetRingDimension(),
        "q_limbs": q_limbs,
        "p_limbs": p_limbs,
        "digits": case["digits"],
        "log_qp": round(log_q + 60 * p_limbs, 1),
        "depth": cc.GetMultiplicativeDepth(),
        "log_scale": math.log2(cc.GetScalingFactorReal(0)),
        "note": "its special primes have 60 bits, and their number follows from the digits",
    }
    return Library(facts, operations, {})


def limbs_of_key(cc, secret, case):
    """The limbs of QP, by the size of a key: 2 · digits · limbs · N words of 8 bytes."""
    held = openfhe.SerializeEvalMultKeyString(openfhe.BINARY, secret.GetKeyTag())
    return len(held) // (16 * case["digits"] << case["logN"])


def roll(message, step):
    """To the left, as OpenFHE rotates."""
    return [*message[step:], *message[:step]]


if __name__ == "__main__":
    serve(setup)
