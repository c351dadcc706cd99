"""The coordinates of a value's state: their names, and the checks that every constructor makes."""

import math
import numbers
import operator
from functools import lru_cache
from typing import Any, Literal, get_args

import torch
from torch.nn.parameter import is_lazy

from ..errors import refusal

PlaintextRepresentation = Literal["slots", "integer_coefficients", "approximate_coefficients", "rns"]
"""What a plaintext holds: a cleartext message, coefficients, or residues."""
PolynomialDomain = Literal["coefficient", "ntt"]
"""Coefficients in natural order, or evaluations in bit-reversed order."""
ModulusBasis = Literal["Q", "QP"]
"""Rows of the active primes of Q, or of those and then of the special primes P."""
ResidueRepresentation = Literal["standard"]
"""Residues are always the plain representative in [0, q); there is no Montgomery form."""
CompressedPlaintextLayout = Literal["cyclic", "contiguous", "strided_sparse"]
"""How a row of U unique words gives N residues; see `CompressedPlaintext`."""

DOMAINS: tuple[str, ...] = get_args(PolynomialDomain)
BASES: tuple[str, ...] = get_args(ModulusBasis)
LAYOUTS: tuple[str, ...] = get_args(CompressedPlaintextLayout)
REPRESENTATIONS: tuple[str, ...] = get_args(PlaintextRepresentation)

_WORD = 1 << 63

MAX_BATCH_AXES = 8
"""The most batch axes of a value; a record has room for no more."""


def integer(x: object, what: str) -> int:
    """An argument as an int of 64 bits. bool, float and str are refused."""
    if isinstance(x, (bool, torch.Tensor)):
        raise refusal("argument-type", f"{what} is a {type(x).__name__}; an int is needed")
    try:
        number = operator.index(x)  # type: ignore[arg-type]
    except TypeError:
        raise refusal("argument-type", f"{what} is a {type(x).__name__}; an int is needed") from None
    if not -_WORD <= number < _WORD:
        raise refusal("argument-invalid", f"{what} has {number.bit_length()} bits; at most 63 fit")
    return number


def real(x: object, what: str) -> float:
    """An argument as a finite float. bool and str are refused."""
    if isinstance(x, bool) or not isinstance(x, numbers.Real):
        raise refusal("argument-type", f"{what} is a {type(x).__name__}; a real number is needed")
    try:
        number = float(x)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise refusal("argument-invalid", f"{what} is {number}; a finite number is needed")
    return number


def flag(x: object, what: str) -> bool:
    """An argument as a bool. Whatever else Python takes for true or false, such as "no" or 0, is refused."""
    if x is True or x is False:
        return x
    raise refusal("argument-type", f"{what} is a {type(x).__name__}; True or False is needed")


def sequence(x: Any, what: str) -> tuple[Any, ...]:
    """What an iterable holds. An error of its own, while it is run through, is its owner's."""
    try:
        items = iter(x)
    except (TypeError, ValueError, RuntimeError):  # the latter two of tensors
        raise refusal("argument-type", f"{what} are a {type(x).__name__}; a sequence is needed") from None
    return tuple(items)


def check_depth(depth: object) -> int:
    """A depth: an int of at least 0. The parameters bound it from above."""
    number = integer(depth, "depth")
    if number < 0:
        raise refusal("depth-invalid", f"depth {number}; 0 is the depth of a fresh value, and depths only grow")
    return number


def check_scale(scale: object) -> float:
    """A scale: a finite real number above 0, as a float. bool and str are refused."""
    if isinstance(scale, bool) or not isinstance(scale, numbers.Real):
        raise refusal("scale-invalid", f"scale {scale!r} is a {type(scale).__name__}; a finite number above 0 is needed")
    try:
        number = float(scale)
    except OverflowError:
        number = math.inf
    if not 0 < number < math.inf:
        raise refusal("scale-invalid", f"scale {number}; a finite number above 0 is needed")
    return number


def check_name(name: object, allowed: tuple[str, ...], what: str) -> str:
    """One of a few names."""
    if not isinstance(name, str):
        raise refusal("argument-type", f"{what} is a {type(name).__name__}; one of {', '.join(map(repr, allowed))} is needed")
    if name not in allowed:
        raise refusal("argument-invalid", f"{what} {name!r} does not exist; choose from {', '.join(map(repr, allowed))}")
    return name


def check_residues(form: object) -> None:
    """Refuses every residue representation but "standard"."""
    if not isinstance(form, str) or form != "standard":
        raise refusal(
            "residue-representation-unsupported",
            f"residue representation {form!r}; residues are always 'standard', the plain representative in [0, q), "
            "so no conversion to or from Montgomery form is ever needed",
        )


@lru_cache(maxsize=512)
def consecutive(first: int, count: int) -> tuple[int, ...]:
    """The prime ids first … first + count - 1. Values share the tuples."""
    return tuple(range(first, first + count))


def check_prime_ids(prime_ids: object, rows: int, least: int) -> tuple[int, ...]:
    """Prime ids: as many as rows, consecutive, beginning at `least` or later."""
    if prime_ids is None:
        raise refusal("prime-ids-invalid", f"prime_ids is missing; {rows} ids are needed, one a limb, such as config.prime_ids(depth)")
    if isinstance(prime_ids, (str, bytes)):
        raise refusal("argument-type", f"prime_ids are a {type(prime_ids).__name__}; a sequence of ints is needed")
    ids = tuple(integer(i, "a prime id") for i in sequence(prime_ids, "prime_ids"))
    if len(ids) != rows:
        raise refusal("prime-ids-invalid", f"{len(ids)} prime ids for {rows} limbs; each limb has one")
    if ids != consecutive(ids[0], rows):
        raise refusal("prime-ids-invalid", f"prime ids {ids} are not consecutive; limbs are in the order of the chain, without a gap")
    if ids[0] < least:
        raise refusal("prime-ids-invalid", f"the first prime id is {ids[0]}, but depth {least} has dropped the primes below {least}")
    return consecutive(ids[0], rows)


def check_key_primes(prime_ids: object, rows: int) -> tuple[int, ...]:
    """Prime ids of a key, which holds the rows of depth 0."""
    ids = check_prime_ids(prime_ids, rows, 0)
    if ids[0] != 0:
        raise refusal("prime-ids-invalid", f"the first prime id is {ids[0]}; a key holds the rows of depth 0, from prime 0 on")
    return ids


def check_identity(identity: object, what: str) -> str | None:
    """A fingerprint or a key's identity: 32 hex digits, or None where it is not known."""
    if identity is None:
        return None
    if not isinstance(identity, str):
        raise refusal("argument-type", f"{what} is a {type(identity).__name__}; 32 hex digits or None are needed")
    if len(identity) != 32 or not set(identity) <= set("0123456789abcdef"):
        raise refusal("argument-invalid", f"{what} {identity[:40]!r}; 32 lower-case hex digits or None are needed")
    return None if identity == "0" * 32 else identity


def check_tensor(data: object, dtypes: tuple[torch.dtype, ...], axes: str, least: int) -> torch.Tensor:
    """A dense tensor of one of the dtypes, with at least the given number of axes."""
    if not isinstance(data, torch.Tensor) or is_lazy(data):
        raise refusal("argument-type", f"the data are a {type(data).__name__}; a tensor {axes} is needed")
    if data.dtype not in dtypes:
        names = " or ".join(str(d).removeprefix("torch.") for d in dtypes)
        raise refusal("dtype-invalid", f"the data are {str(data.dtype).removeprefix('torch.')}; {names} is needed")
    if data.layout != torch.strided or data.is_nested:
        raise refusal("dtype-invalid", f"the data have the layout {data.layout}{' and are nested' * data.is_nested}; a dense (strided) tensor is needed")
    if data.is_neg() or data.is_conj():
        raise refusal("dtype-invalid", "the data are a view that negates its memory; resolve_neg() makes them numbers of their own")
    if data.dim() < least:
        raise refusal("shape-invalid", f"shape {tuple(data.shape)} has {data.dim()} axes; {axes} is needed")
    return data


def check_ring(n: int) -> int:
    """A ring dimension: a power of two of at least 2."""
    if n < 2 or n & (n - 1):
        raise refusal("shape-invalid", f"{n} residues a limb; the ring dimension is a power of two")
    return n


def check_batch(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Batch axes: at most 8, none empty."""
    if 0 in shape:
        raise refusal("state-batch-mismatch", f"batch axes {tuple(shape)}: an axis of 0 messages is empty; leave empty batches out")
    if len(shape) > MAX_BATCH_AXES:
        raise refusal("state-batch-mismatch", f"{len(shape)} batch axes; at most {MAX_BATCH_AXES} are possible, flatten some of them")
    return tuple(shape)


def check_rows(shape: tuple[int, ...], axes: str) -> None:
    """The last two axes of residues: limbs, then a power of two of words."""
    if shape[-2] < 1:
        raise refusal("shape-invalid", f"shape {tuple(shape)} has no limbs; {axes} is needed")
    check_ring(shape[-1])


def same_device(*tensors: torch.Tensor | None) -> None:
    """Refuses tensors of one value on different devices."""
    devices = {t.device for t in tensors if t is not None}
    if len(devices) > 1:
        places = " and ".join(sorted(map(str, devices)))
        raise refusal("placement-mixed", f"the tensors of one value are on {places}; move them to one device first")


def scale_text(scale: float) -> str:
    """A scale for messages: a power of two where it is one."""
    mantissa, exponent = math.frexp(scale)
    return f"2**{exponent - 1}" if mantissa == 0.5 else f"2**{math.log2(scale):.6f}"
