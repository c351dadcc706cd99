"""Microsoft SEAL by the package seal-python. One special prime, so a digit is a limb."""

import importlib.metadata

import numpy
import seal

from .serve import Library, Operation, messages, serve


def setup(case):
    n = 1 << case["logN"]
    parameters = seal.EncryptionParameters(seal.scheme_type.ckks)
    parameters.set_poly_modulus_degree(n)
    widths = [*case["log_q"], 60]
    parameters.set_coeff_modulus(seal.CoeffModulus.Create(n, widths))
    context = seal.SEALContext(parameters, True, seal.sec_level_type.none)
    keygen = seal.KeyGenerator(context)
    secret, public, relinearization = keygen.secret_key(), keygen.create_public_key(), keygen.create_relin_keys()
    galois = seal.GaloisKeys()
    keygen.create_galois_keys([1], galois)
    encoder, evaluator = seal.CKKSEncoder(context), seal.Evaluator(context)
    encryptor, decryptor = seal.Encryptor(context, public, secret), seal.Decryptor(context, secret)
    scale = 2.0 ** case["log_scale"]
    x, y = messages(n // 2)

    def multiply():
        product = evaluator.multiply(a, b)
        evaluator.relinearize_inplace(product, relinearization)
        evaluator.rescale_to_next_inplace(product)
        return product

    def rotation_keys():
        keys = seal.GaloisKeys()
        keygen.create_galois_keys(list(range(1, case["keys"] + 1)), keys)
        return keys

    def reveal(ciphertext):
        return encoder.decode(decryptor.decrypt(ciphertext))

    plaintext, factor = encoder.encode(x, scale), encoder.encode(y, scale)
    a, b = encryptor.encrypt_symmetric(plaintext), encryptor.encrypt_symmetric(factor)
    operations = {
        "multiply": Operation(multiply, reveal, x * y),
        "rotate": Operation(lambda: evaluator.rotate_vector(a, 1, galois), reveal, numpy.roll(x, -1)),
        "encrypt_public": Operation(lambda: encryptor.encrypt(plaintext), reveal, x),
        "encrypt_secret": Operation(lambda: encryptor.encrypt_symmetric(plaintext), reveal, x),
        "decrypt": Operation(lambda: reveal(a), lambda message: message, x),
        "encode": Operation(lambda: encoder.encode(x, scale)),
        "add": Operation(lambda: evaluator.add(a, b), reveal, x + y),
        "multiply_plain": Operation(lambda: evaluator.multiply_plain(a, factor), reveal, x * y),
        "rotation_keys": Operation(rotation_keys),
    }
    facts = {
        "version": importlib.metadata.version("seal-python"),
        "N": n,
        "q_limbs": len(widths) - 1,
        "p_limbs": 1,
        "digits": len(widths) - 1,
        "log_qp": sum(widths),
        "depth": case["depth"],
        "log_scale": case["log_scale"],
        "note": "one special prime, so QP is narrower; one operation runs on one thread",
    }
    return Library(facts, operations, {"hoisted": "no hoisting in its API"})


if __name__ == "__main__":
    serve(setup)
