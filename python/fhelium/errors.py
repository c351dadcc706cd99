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

    Made of one text, "code: detail". A text without a code gets "internal".
    """

    codes: ClassVar[frozenset[str]] = frozenset()
    """The codes of this class itself; its subclasses have their own."""

    code: str
    """Names the kind of refusal; stable between releases."""
    detail: str
    """What was wrong, both sides' values, and the way out."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        match = _TEXT.fullmatch(text)
        self.code, self.detail = match.groups() if match else ("internal", text)

    def __str__(self) -> str:
        # Not the builtin's: KeyError would quote the text.
        return f"{self.code}: {self.detail}"


# Parameters.


class ConfigurationError(FHEliumError, ValueError):
    """Parameters, or moduli and degrees inside the Go core, that cannot be used; an unknown preset or transform."""

    codes = frozenset({
        "basis-invalid", "config-chain-invalid", "config-generator-invalid", "config-headroom-invalid", "config-json-invalid",
        "config-modulus-invalid", "config-modulus-repeated", "config-ring-dimension-invalid", "config-security-target-invalid",
        "config-sigma-invalid", "config-special-moduli-invalid", "config-version", "degree-invalid", "embed-ring",
        "modulus-invalid", "ntt-backend-unknown", "ntt-backend-unsupported", "preset-mismatch", "preset-unknown", "reconstruct-moduli", "root-absent",
    })  # fmt: skip


class SecurityBudgetExceededError(ConfigurationError):
    """The modulus QP is wider than the security table allows for the ring and the target."""

    codes = frozenset({"security-budget-exceeded"})


class SecurityParametersUnsupportedError(ConfigurationError):
    """The security table has no row for the ring and the target, or is not made for the secret or sigma."""

    codes = frozenset({"security-unsupported"})


# Arguments.


class ArgumentError(FHEliumError, ValueError):
    """An argument outside its range, or that does not fit the others: a shape, prime ids, residues, a rotation step."""

    codes = frozenset({
        "argument-invalid", "compression-lossy", "galois-invalid", "layout-invalid", "prime-ids-invalid", "residue-out-of-range",
        "rotation-step-mismatch", "shape-invalid",
    })  # fmt: skip


class ArgumentTypeError(FHEliumError, TypeError):
    """An argument of a type, or a tensor of a dtype or layout, that the function does not take."""

    codes = frozenset({"argument-type", "dtype-invalid"})


class ImmutableError(FHEliumError, AttributeError):
    """An attempt to change what stays as it was made, or to write a tensor that torch would not write."""

    codes = frozenset({"value-immutable"})


class MessageError(FHEliumError, ValueError):
    """A message that no plaintext can hold: empty, too long, of the wrong type, or with a value that is not finite."""

    codes = frozenset({"encode-not-finite", "encode-slots", "message-invalid"})


class EncodeOverflowError(MessageError, OverflowError):
    """A number that, times its scale, reaches half the modulus at its depth or leaves the range of float64."""

    codes = frozenset({"encode-overflow"})


# State.


class StateError(FHEliumError, RuntimeError):
    """A value whose state does not admit the operation."""


class ScaleError(StateError, ValueError):
    """Something is wrong with a scale."""


class InvalidScaleError(ScaleError):
    """A scale that is not a finite number above 0, or so small that a message would be lost in rounding."""

    codes = frozenset({"encode-scale", "scale-invalid", "scale-underflow"})


class ScaleMismatchError(ScaleError):
    """Scales that differ, or a reinterpretation that would change too much."""

    codes = frozenset({"scale-reinterpretation", "state-scale-mismatch"})


class DepthError(StateError, ValueError):
    """A depth outside its range, or depths that differ."""

    codes = frozenset({"depth-invalid", "state-depth-mismatch"})


class MaximumDepthError(DepthError):
    """The modulus chain has no room left for the operation: no further level, or no modulus wide enough for the scale."""

    codes = frozenset({"levels-exhausted"})


class PolynomialDomainError(StateError, ValueError):
    """Coefficients where evaluations are needed, or the other way round."""

    codes = frozenset({"state-domain-mismatch"})


class ResidueRepresentationError(StateError, ValueError):
    """Residues in another form than the plain one; see `residue_representation`."""

    codes = frozenset({"residue-representation-unsupported"})


class ModulusBasisError(StateError, ValueError):
    """Rows of other primes than the operation needs, or than the other operand has."""

    codes = frozenset({"state-basis-mismatch", "state-rows-mismatch"})


class NeedsAllRowsError(ModulusBasisError):
    """The operation mixes rows, and the operand holds only some of them."""

    codes = frozenset({"operation-needs-all-rows"})


class ComponentsError(StateError, ValueError):
    """A ciphertext with another number of components than the operation takes."""

    codes = frozenset({"state-components-mismatch"})


class BatchError(StateError, ValueError):
    """Batch axes that do not fit together, an empty one, or too many."""

    codes = frozenset({"state-batch-mismatch"})


class BatchAxisError(BatchError, IndexError):
    """A batch axis, or an index along one, that does not exist."""

    codes = frozenset({"batch-index-invalid"})


class ValueKindError(StateError, ValueError, TypeError):
    """Another type or representation of value than the operation takes."""

    codes = frozenset({"state-kind-mismatch"})


class ParametersMismatchError(StateError, ValueError):
    """A value of other parameters than the engine's, or than its partner's."""

    codes = frozenset({"state-parameters-mismatch"})


class KeyMismatchError(StateError, ValueError):
    """Values or keys that belong to different secret keys, or name none where one is needed."""

    codes = frozenset({"state-key-mismatch"})


class DecryptOverflowError(StateError, OverflowError):
    """A decrypted message and the noise for sharing it (`share_bits`) together reach half the modulus.

    Without that noise there is no such check: a message that has outgrown the
    modulus wraps around and looks like any other.
    """

    codes = frozenset({"decrypt-overflow"})


class TransparentCiphertextError(StateError, ValueError):
    """A result that carries no secret: anyone could read it."""

    codes = frozenset({"ciphertext-transparent"})


class PlacementError(StateError, ValueError):
    """Tensors on different devices, or one without memory."""

    codes = frozenset({"placement-mixed"})


class DeviceUnsupportedError(PlacementError, NotImplementedError):
    """A device on which fhelium cannot compute, or that this machine does not have."""

    codes = frozenset({"device-unsupported"})


# Keys.


class KeyAbsentError(FHEliumError, KeyError):
    """A public or evaluation key that is needed and is neither here nor allowed to be made."""

    codes = frozenset({"key-absent"})


class EvaluationKeysAbsentError(KeyAbsentError, ValueError):
    """Evaluation keys that `EvaluationKeySet.require` asks for are not in the set; the detail lists them all."""

    codes = frozenset({"evaluation-keys-absent"})


class SecretKeyAbsentError(StateError):
    """There is no secret key here."""

    codes = frozenset({"secret-key-absent"})


class KeyBudgetError(StateError, MemoryError):
    """Evaluation keys that would take more memory than the engine's key budget."""

    codes = frozenset({"key-budget-exceeded"})


class SecretKeyExportError(FHEliumError, PermissionError):
    """A secret key is about to leave the process without an explicit word."""

    codes = frozenset({"secret-key-export"})


# Bytes and files.


class ValueBytesError(FHEliumError, ValueError):
    """Bytes that are not a whole value."""

    codes = frozenset({"bytes-damaged"})


class ValueBytesVersionError(ValueBytesError):
    """Bytes of a version that this release does not read."""

    codes = frozenset({"bytes-version"})


class ValueBytesTypeError(ValueBytesError, TypeError):
    """Bytes of another type of value than was asked for, or of none that there is."""

    codes = frozenset({"bytes-type"})


class ValueFileExistsError(FHEliumError, FileExistsError):
    """There is a file already, and overwriting was not asked for."""

    codes = frozenset({"file-exists"})


class ValueFileNotFoundError(FHEliumError, FileNotFoundError):
    """There is no such file or folder."""

    codes = frozenset({"file-absent"})


class ValueFileUnusableError(FHEliumError, OSError):
    """The system does not read or write the file: it is a folder, or there is no permission or no room."""

    codes = frozenset({"file-unusable"})


# The machinery.


class ExecutionError(FHEliumError, RuntimeError):
    """The call cannot be carried out: the engine is closed, the process was forked, or fhelium has a bug."""

    codes = frozenset({
        "after-fork", "buffer-invalid", "cancelled", "engine-closed", "frame-invalid", "handle-invalid", "internal",
        "internal-panic", "workers-invalid",
    })  # fmt: skip


class MemoryExhaustedError(FHEliumError, MemoryError, RuntimeError):
    """More memory than there is."""

    codes = frozenset({"memory-exhausted"})


_CLASSES = [kind for kind in list(vars().values()) if isinstance(kind, type) and issubclass(kind, FHEliumError)]

CODES: dict[str, type[FHEliumError]] = {code: kind for kind in _CLASSES for code in kind.codes}
"""Every code, the Go core's and this package's own, and the class of its exceptions."""


def from_text(text: str) -> FHEliumError:
    """Makes the exception of a text "code: detail". A code that is not listed gives an ExecutionError."""
    match = _TEXT.fullmatch(text)
    return CODES.get(match[1] if match else "internal", ExecutionError)(text)


def refusal(code: str, detail: str) -> FHEliumError:
    """Makes the exception of a listed code."""
    return CODES[code](f"{code}: {detail}")


__all__ = ["CODES", "from_text", "refusal"] + [kind.__name__ for kind in _CLASSES]
