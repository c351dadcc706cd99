"""CKKS homomorphic encryption for PyTorch, with a core in Go.

Values are torch tensors with exact state; `fhelium.eager.Engine` computes on
them. Importing starts nothing: the Go core loads with the first configuration.
"""

import importlib
from typing import Any

from . import errors
from .config import (
    DEFAULT_CPU_NTT_BACKEND,
    DEFAULT_NTT_BACKEND,
    SUPPORTED_NTT_BACKENDS,
    CkksConfig,
    HeadroomWarning,
    Preset,
    SecurityAssessment,
    assess_security,
    compatible_ntt_backends,
)
from .serialization import ValueFileMetadata, inspect_value, load_value, save_value
from .values import (
    Ciphertext,
    CompressedPlaintext,
    CompressedPlaintextLayout,
    ConjugationKey,
    EvaluationKeyRequirements,
    EvaluationKeySet,
    KeySwitchKey,
    ModulusBasis,
    Plaintext,
    PlaintextRepresentation,
    PolynomialDomain,
    PublicKey,
    RelinearizationKey,
    ResidueRepresentation,
    RotationKey,
    RotationKeySet,
    SecretKey,
    SeededCiphertext,
    TensorResident,
)

__version__ = "0.1.0"

__all__ = [
    "DEFAULT_CPU_NTT_BACKEND",
    "DEFAULT_NTT_BACKEND",
    "SUPPORTED_NTT_BACKENDS",
    "Ciphertext",
    "CkksConfig",
    "CompressedPlaintext",
    "CompressedPlaintextLayout",
    "ConjugationKey",
    "EvaluationKeyRequirements",
    "EvaluationKeySet",
    "HeadroomWarning",
    "KeySwitchKey",
    "ModulusBasis",
    "Plaintext",
    "PlaintextRepresentation",
    "PolynomialDomain",
    "Preset",
    "PublicKey",
    "RelinearizationKey",
    "ResidueRepresentation",
    "RotationKey",
    "RotationKeySet",
    "SecretKey",
    "SecurityAssessment",
    "SeededCiphertext",
    "TensorResident",
    "ValueFileMetadata",
    "__version__",
    "assess_security",
    "compatible_ntt_backends",
    "errors",
    "inspect_value",
    "load_value",
    "save_value",
]

_SUBPACKAGES = ("eager", "linalg", "polynomial")


def __getattr__(name: str) -> Any:
    """Imports a subpackage when it is first asked for."""
    if name in _SUBPACKAGES:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
