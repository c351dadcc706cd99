"""Values: tensors with exact CKKS state, and nothing else."""

from .ciphertext import Ciphertext, SeededCiphertext
from .compressed import CompressedPlaintext
from .key_sets import EvaluationKeyRequirements, EvaluationKeySet, RotationKeySet
from .keys import ConjugationKey, KeySwitchKey, PublicKey, RelinearizationKey, RotationKey, SecretKey
from .plaintext import Plaintext
from .resident import TensorResident
from .state import CompressedPlaintextLayout, ModulusBasis, PlaintextRepresentation, PolynomialDomain, ResidueRepresentation

__all__ = [
    "Ciphertext",
    "CompressedPlaintext",
    "CompressedPlaintextLayout",
    "ConjugationKey",
    "EvaluationKeyRequirements",
    "EvaluationKeySet",
    "KeySwitchKey",
    "ModulusBasis",
    "Plaintext",
    "PlaintextRepresentation",
    "PolynomialDomain",
    "PublicKey",
    "RelinearizationKey",
    "ResidueRepresentation",
    "RotationKey",
    "RotationKeySet",
    "SecretKey",
    "SeededCiphertext",
    "TensorResident",
]
