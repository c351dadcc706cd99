"""The exceptions of fhelium.

Every refusal has a stable kebab-case *code* and a *detail*: what was wrong, both
sides' values, and the way out. `str(error)` is "code: detail". Each class is an
FHEliumError and also the builtin exception that a Python programmer expects.

A refusal changes nothing: operands, results and the inventory of keys are as
they were before the call.
"""

import re
from typing import ClassVar

_TEXT = re.compile(r"([a-z][a-z0-9]*(?:-[a-z0-9]+)*): (.*)", re.DOTALL)


class FHEliumError(Exception):
    """The root of all exceptions of fhelium.

    Made of one text, "code: detail"; a text without a code gets its class's.
    """

    default_code: ClassVar[str] = "internal"

    code: str
    """Names the kind of refusal; stable between releases."""
    detail: str
    """What was wrong, both sides' values, and the way out."""
    owner: int | None
    """The participant that refused, in a world of several; else None."""

    def __init__(self, text: str, *, owner: int | None = None) -> None:
        super().__init__(text)
        match = _TEXT.fullmatch(text)
        self.code, self.detail = match.groups() if match else (self.default_code, text)
        self.owner = owner

    def __str__(self) -> str:
        # Not the builtin's: KeyError would quote the text.
        return f"{self.code}: {self.detail}"


# Parameters.


class ConfigurationError(FHEliumError, ValueError):
    """Parameters that cannot be used."""

    default_code = "config-invalid"


class SecurityBudgetExceededError(ConfigurationError):
    """The modulus QP is wider than the security table allows for the ring."""

    default_code = "security-budget-exceeded"


class SecurityParametersUnsupportedError(ConfigurationError):
    """The security table has no row for the parameters."""

    default_code = "security-unsupported"


# Arguments.


class ArgumentError(FHEliumError, ValueError):
    """An argument outside its range."""

    default_code = "argument-invalid"


class ArgumentTypeError(FHEliumError, TypeError):
    """An argument of a type that the function does not take."""

    default_code = "argument-type"


class ImmutableError(FHEliumError, AttributeError):
    """An attempt to change what stays as it was made."""

    default_code = "value-immutable"


class MessageError(FHEliumError, ValueError):
    """A message that no plaintext can hold."""

    default_code = "message-invalid"


class EncodeOverflowError(MessageError, OverflowError):
    """A value too large for the modulus at its depth."""

    default_code = "encode-overflow"


# State.


class StateError(FHEliumError, RuntimeError):
    """A value whose state does not admit the operation."""

    default_code = "state-invalid"


class ScaleError(StateError, ValueError):
    """Something is wrong with a scale."""

    default_code = "scale-invalid"


class InvalidScaleError(ScaleError):
    """A scale that is not a finite number above 0, or would fall below the rounding error of a rescale."""


class ScaleMismatchError(ScaleError):
    """Scales that differ, or a reinterpretation that would change too much."""

    default_code = "state-scale-mismatch"


class DepthError(StateError, ValueError):
    """A depth outside its range, or depths that differ."""

    default_code = "depth-invalid"


class MaximumDepthError(DepthError):
    """The modulus chain has no room left for the operation."""

    default_code = "levels-exhausted"


class PolynomialDomainError(StateError, ValueError):
    """Coefficients where evaluations are needed, or the other way round."""

    default_code = "state-domain-mismatch"


class ResidueRepresentationError(StateError, ValueError):
    """Residues in another form than the plain one; see `residue_representation`."""

    default_code = "residue-representation-unsupported"


class ModulusBasisError(StateError, ValueError):
    """Rows of other primes than the operation needs."""

    default_code = "state-basis-mismatch"


class NeedsAllRowsError(ModulusBasisError):
    """The operation mixes rows, and the operand holds only some of them."""

    default_code = "operation-needs-all-rows"


class ComponentsError(StateError, ValueError):
    """A ciphertext with another number of components than the operation takes."""

    default_code = "state-components-mismatch"


class BatchError(StateError, ValueError):
    """Batch axes that do not fit together, or an empty one."""

    default_code = "state-batch-mismatch"


class BatchAxisError(BatchError, IndexError):
    """A batch axis, or an index along one, that does not exist."""

    default_code = "batch-index-invalid"


class ValueKindError(StateError, ValueError, TypeError):
    """Another type or representation of value than the operation takes."""

    default_code = "state-kind-mismatch"


class ParametersMismatchError(StateError, ValueError):
    """A value of other parameters than the engine's, or than its partner's."""

    default_code = "state-parameters-mismatch"


class KeyMismatchError(StateError, ValueError):
    """Values or keys that belong to different secret keys."""

    default_code = "state-key-mismatch"


class DecryptOverflowError(StateError, OverflowError):
    """The decrypted message has wrapped around the modulus."""

    default_code = "decrypt-overflow"


class TransparentCiphertextError(StateError, ValueError):
    """A result that carries no secret: anyone could read it."""

    default_code = "ciphertext-transparent"


class PlacementError(StateError, ValueError):
    """Operands on different devices, or on one that the operation cannot use."""

    default_code = "placement-mixed"


class DeviceUnsupportedError(PlacementError, NotImplementedError):
    """A device for which fhelium has no implementation."""

    default_code = "device-unsupported"


# Keys.


class KeyAbsentError(FHEliumError, KeyError):
    """An evaluation key that is needed and is neither installed nor allowed to be made."""

    default_code = "key-absent"


class EvaluationKeysAbsentError(KeyAbsentError, ValueError):
    """Several evaluation keys that a computation needs are not in a set."""

    default_code = "evaluation-keys-absent"


class SecretKeyAbsentError(StateError):
    """There is no secret key here."""

    default_code = "secret-key-absent"


class KeyBudgetError(StateError, MemoryError):
    """A key that would take more memory than the engine's key budget."""

    default_code = "key-budget-exceeded"


class SecretKeyExportError(FHEliumError, PermissionError):
    """A secret key is about to leave the process without an explicit word."""

    default_code = "secret-key-export"


# Bytes and files.


class ValueBytesError(FHEliumError, ValueError):
    """Bytes that are not a whole value."""

    default_code = "bytes-damaged"


class ValueBytesVersionError(ValueBytesError):
    """Bytes of a version that this release does not read."""

    default_code = "bytes-version"


class ValueBytesTypeError(ValueBytesError, TypeError):
    """Bytes of another type of value than was asked for."""

    default_code = "bytes-type"


class ValueFileExistsError(FHEliumError, FileExistsError):
    """There is a file already, and overwriting was not asked for."""

    default_code = "file-exists"


class ValueFileNotFoundError(FHEliumError, FileNotFoundError):
    """There is no such file or folder."""

    default_code = "file-absent"


class ValueFileUnusableError(FHEliumError, OSError):
    """The system does not read or write the file: it is a folder, or there is no permission or no room."""

    default_code = "file-unusable"


# The machinery.


class ExecutionError(FHEliumError, RuntimeError):
    """The call cannot be carried out: the engine is closed, the process was forked, or fhelium has a bug."""

    default_code = "internal"


class MemoryExhaustedError(FHEliumError, MemoryError, RuntimeError):
    """More memory than there is."""

    default_code = "memory-exhausted"


# The class of every code, the Go core's and this package's own.
_CLASSES: dict[type[FHEliumError], tuple[str, ...]] = {
    ConfigurationError: (
        "basis-invalid", "config-chain-invalid", "config-generator-invalid", "config-headroom-invalid", "config-invalid",
        "config-json-invalid", "config-modulus-invalid", "config-modulus-repeated", "config-ring-dimension-invalid",
        "config-security-target-invalid", "config-sigma-invalid", "config-special-moduli-invalid", "config-version",
        "degree-invalid", "embed-ring", "modulus-invalid", "ntt-backend-unknown", "preset-mismatch", "preset-unknown",
        "reconstruct-moduli", "root-absent",
    ),
    SecurityBudgetExceededError: ("security-budget-exceeded",),
    SecurityParametersUnsupportedError: ("security-unsupported",),
    ArgumentError: (
        "argument-invalid", "compression-lossy", "galois-invalid", "layout-invalid", "prime-ids-invalid",
        "residue-out-of-range", "rotation-step-mismatch", "shape-invalid",
    ),
    ArgumentTypeError: ("argument-type", "dtype-invalid"),
    ImmutableError: ("value-immutable",),
    MessageError: ("encode-not-finite", "encode-slots", "message-invalid"),
    EncodeOverflowError: ("encode-overflow",),
    StateError: ("state-invalid",),
    InvalidScaleError: ("encode-scale", "scale-invalid", "scale-underflow"),
    ScaleMismatchError: ("scale-reinterpretation", "state-scale-mismatch"),
    DepthError: ("depth-invalid", "state-depth-mismatch"),
    MaximumDepthError: ("levels-exhausted",),
    PolynomialDomainError: ("state-domain-mismatch",),
    ResidueRepresentationError: ("residue-representation-unsupported",),
    ModulusBasisError: ("state-basis-mismatch", "state-rows-mismatch"),
    NeedsAllRowsError: ("operation-needs-all-rows",),
    ComponentsError: ("state-components-mismatch",),
    BatchError: ("state-batch-mismatch",),
    BatchAxisError: ("batch-index-invalid",),
    ValueKindError: ("state-kind-mismatch",),
    ParametersMismatchError: ("state-parameters-mismatch",),
    KeyMismatchError: ("state-key-mismatch",),
    DecryptOverflowError: ("decrypt-overflow",),
    TransparentCiphertextError: ("ciphertext-transparent",),
    PlacementError: ("placement-mixed",),
    DeviceUnsupportedError: ("device-unsupported",),
    KeyAbsentError: ("key-absent",),
    EvaluationKeysAbsentError: ("evaluation-keys-absent",),
    SecretKeyAbsentError: ("secret-key-absent",),
    KeyBudgetError: ("key-budget-exceeded",),
    SecretKeyExportError: ("secret-key-export",),
    ValueBytesError: ("bytes-damaged",),
    ValueBytesVersionError: ("bytes-version",),
    ValueBytesTypeError: ("bytes-type",),
    ValueFileExistsError: ("file-exists",),
    ValueFileNotFoundError: ("file-absent",),
    ValueFileUnusableError: ("file-unusable",),
    MemoryExhaustedError: ("memory-exhausted",),
    ExecutionError: (
        "after-fork", "buffer-invalid", "cancelled", "engine-closed", "frame-invalid", "handle-invalid", "internal",
        "internal-panic", "workers-invalid",
    ),
}  # fmt: skip

CODES: dict[str, type[FHEliumError]] = {code: kind for kind, codes in _CLASSES.items() for code in codes}
"""Every code and the class of its exceptions."""


def from_text(text: str, *, owner: int | None = None) -> FHEliumError:
    """Makes the exception of a text "code: detail". A code that is not listed gives an ExecutionError."""
    match = _TEXT.fullmatch(text)
    return CODES.get(match[1] if match else "internal", ExecutionError)(text, owner=owner)


def refusal(code: str, detail: str) -> FHEliumError:
    """Makes the exception of a listed code."""
    return CODES[code](f"{code}: {detail}")


_exported: list[type[FHEliumError]] = [FHEliumError, ScaleError, *_CLASSES]
__all__ = ["CODES", "from_text", "refusal"] + [kind.__name__ for kind in _exported]
