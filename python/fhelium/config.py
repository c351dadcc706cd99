"""Parameters: literal in, checked and immutable out. The Go core makes every check."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn, Self

from .errors import refusal
from .presets import Preset
from .security import STANDARD_SIGMA, SecurityAssessment, assess_security
from .values.parameters import learn, mark_insecure
from .values.state import BASES, check_name, check_scale, consecutive, integer, real, scale_text

__all__ = [
    "DEFAULT_CPU_NTT_BACKEND",
    "DEFAULT_NTT_BACKEND",
    "SUPPORTED_NTT_BACKENDS",
    "CkksConfig",
    "HeadroomWarning",
    "Preset",
    "SecurityAssessment",
    "assess_security",
    "compatible_ntt_backends",
]

SUPPORTED_NTT_BACKENDS = ("auto", "portable", "avx2", "avx512")
"""The kernels that an engine can be asked for; "auto" is what the environment variable FHELIUM_KERNELS names, or the fastest of the machine."""
DEFAULT_NTT_BACKEND = "auto"
DEFAULT_CPU_NTT_BACKEND = "auto"

_DUMP_VERSION = 1
_REQUIRED = {"default_scale", "q_depth_groups", "p_moduli", "logN"}
_FIELDS = _REQUIRED | {"sigma", "security_bits", "enforce_security_budget", "galois_generator", "preset"}


class HeadroomWarning(UserWarning):
    """The last depth has fewer than 8 bits above the default scale: larger messages wrap around there."""


def compatible_ntt_backends(logN: int) -> tuple[str, ...]:
    """The names in SUPPORTED_NTT_BACKENDS that this machine can transform rings of dimension 2^logN with, for logN of 10 … 17."""
    log = integer(logN, "logN")
    if not 10 <= log <= 17:
        raise refusal("config-ring-dimension-invalid", f"logN is {log}; it has to be 10 … 17")
    from ._binding import call, go

    return ("auto", *json.loads(call(go.pybind_Kernels)))


class CkksConfig:
    """A checked, immutable parameter set.

    q_depth_groups are the primes of Q by depth: a rescale at depth d drops
    group d; the last group is terminal. p_moduli are the special primes of key
    switching. All are distinct primes below 2^50, 1 modulo 2N for the ring
    dimension N = 2^logN. sigma is the standard deviation of the errors.

    The modulus QP is checked against the security table unless
    enforce_security_budget is False; such parameters are for tests, and repr
    and saved values say so. Refuses with ConfigurationError, and warns with
    HeadroomWarning where the last depth leaves messages little room. A preset's
    name is a label, refused where the fields are not the preset's.
    """

    __slots__ = ("_facts", "_json", "_literal")

    _facts: dict[str, Any]
    _json: str
    _literal: dict[str, Any]

    def __init__(
        self,
        *,
        default_scale: float,
        q_depth_groups: Iterable[Iterable[int]],
        p_moduli: Iterable[int],
        logN: int,
        sigma: float = STANDARD_SIGMA,
        security_bits: int = 128,
        enforce_security_budget: bool = True,
        galois_generator: int = 3,
        preset: str | None = None,
    ) -> None:
        if not isinstance(enforce_security_budget, bool):
            raise refusal("argument-type", f"enforce_security_budget is a {type(enforce_security_budget).__name__}; a bool is needed")
        literal = {
            "logN": integer(logN, "logN"),
            "q_depth_groups": [_moduli(group, "a depth group") for group in _listed(q_depth_groups, "q_depth_groups")],
            "p_moduli": _moduli(p_moduli, "p_moduli"),
            "default_scale": check_scale(default_scale),
            "sigma": real(sigma, "sigma"),
            "security_bits": integer(security_bits, "security_bits"),
            "enforce_security_budget": enforce_security_budget,
            "galois_generator": integer(galois_generator, "galois_generator"),
        }
        if preset is not None:
            if not isinstance(preset, str):
                raise refusal("argument-type", f"preset is a {type(preset).__name__}; a str is needed")
            literal["preset"] = preset
        self._check(json.dumps(literal))

    def _check(self, text: str) -> None:
        """Lets the Go core check a literal, and keeps what it says."""
        from ._binding import call, go

        facts = json.loads(call(go.pybind_ConfigCheck, text))
        literal = facts.pop("config")
        literal |= {name: float(literal[name]) for name in ("default_scale", "sigma")}  # JSON spells whole numbers without a point
        put = object.__setattr__
        put(self, "_facts", facts)
        put(self, "_literal", literal)
        put(self, "_json", json.dumps(literal))
        learn(self.fingerprint, self)
        if self.insecure:
            mark_insecure(self.fingerprint)
        if self.headroom_bits < 8:
            warnings.warn(
                f"the last depth has {self.headroom_bits:.1f} bits above the default scale {scale_text(self.default_scale)}; "
                f"messages of 2**{self.headroom_bits - 1:.1f} and more in size wrap around there, 8 bits are wise",
                HeadroomWarning,
                stacklevel=3,
            )

    @classmethod
    def parse(cls, source: Preset | CkksConfig | str | Mapping[str, Any], **overrides: Any) -> Self:
        """The configuration of a preset, of its dashed name, or of a dumped mapping, with some fields replaced.

        An unknown field is a TypeError; a dump of another version is refused as
        `config-version`.
        """
        if isinstance(source, CkksConfig):
            source = source.dumps()
        elif isinstance(source, Preset):
            source = source.value
        if isinstance(source, str):
            from ._binding import call, go

            fields = json.loads(call(go.pybind_PresetConfig, source.replace("_", "-")))
        elif isinstance(source, Mapping):
            fields = dict(source)
            version = fields.pop("fhelium_config", _DUMP_VERSION)
            if version != _DUMP_VERSION:
                raise refusal("config-version", f"a dump of version {version!r}; this release reads {_DUMP_VERSION}, dump it again")
        else:
            raise refusal("argument-type", f"cannot read parameters from a {type(source).__name__}; a Preset or a mapping is needed")
        if overrides:
            fields = {name: field for name, field in fields.items() if name != "preset"} | overrides
        if unknown := fields.keys() - _FIELDS:
            raise refusal("argument-type", f"unknown fields {sorted(map(str, unknown))}; the fields are {sorted(_FIELDS)}")
        if missing := _REQUIRED - fields.keys():
            raise refusal("argument-type", f"fields {sorted(missing)} are missing")
        return cls(**fields)

    def dumps(self) -> dict[str, Any]:
        """The exact values with a version stamp: a mapping of plain numbers, lists and texts, which parse reads back."""
        dumped: dict[str, Any] = {"fhelium_config": _DUMP_VERSION} | json.loads(self._json)
        return dumped

    def to_json(self) -> str:
        """The canonical text that the Go core reads."""
        return self._json

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise refusal("value-immutable", f"CkksConfig.{name} cannot be set; CkksConfig.parse(config, {name}=...) makes another one")

    def __delattr__(self, name: str) -> NoReturn:
        raise refusal("value-immutable", f"CkksConfig.{name} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        return self._literal == other._literal if isinstance(other, CkksConfig) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __reduce__(self) -> tuple[Any, ...]:
        return CkksConfig.parse, (self.dumps(),)

    def __repr__(self) -> str:
        name = f"preset={self.preset!r}, " if self.preset else ""
        shape = f"logN={self.logN}, max_depth={self.max_depth}, default_scale={scale_text(self.default_scale)}"
        primes = f"primes={self.num_q_primes}+{self.num_p_primes}, total_modulus_bits={self.total_modulus_bits}"
        security = "INSECURE" if self.insecure else f"{self.security_bits} bits"
        return f"CkksConfig({name}{shape}, {primes}, security={security}, parameters={self.fingerprint[:8]})"

    # What was given.

    @property
    def preset(self) -> str | None:
        """The dashed name of the preset, or None."""
        return self._literal.get("preset") or None

    @property
    def default_scale(self) -> float:
        """The scale of a message where no other is named."""
        return float(self._literal["default_scale"])

    @property
    def q_depth_groups(self) -> tuple[tuple[int, ...], ...]:
        """The primes of Q by depth."""
        return tuple(tuple(group) for group in self._literal["q_depth_groups"])

    @property
    def p_moduli(self) -> tuple[int, ...]:
        """The special primes."""
        return tuple(self._literal["p_moduli"])

    @property
    def logN(self) -> int:
        """log2 of the ring dimension."""
        return int(self._literal["logN"])

    @property
    def sigma(self) -> float:
        """The standard deviation of the errors."""
        return float(self._literal["sigma"])

    @property
    def security_bits(self) -> int:
        """The target: 128, 192 or 256."""
        return int(self._literal["security_bits"])

    @property
    def enforce_security_budget(self) -> bool:
        """Whether parameters without a confirmed target were refused."""
        return bool(self._literal["enforce_security_budget"])

    @property
    def galois_generator(self) -> int:
        """The generator of the slots' rotations, 3 or 5."""
        return int(self._literal["galois_generator"])

    # What follows.

    @property
    def N(self) -> int:
        """The ring dimension, 2^logN."""
        return 1 << self.logN

    @property
    def num_slots(self) -> int:
        """N/2, the number of complex values of a message."""
        return self.N // 2

    @property
    def max_depth(self) -> int:
        """The number of rescales that a fresh ciphertext can take."""
        return len(self._literal["q_depth_groups"]) - 1

    @property
    def q_moduli(self) -> tuple[int, ...]:
        """The primes of Q at depth 0; their ids are 0 … num_q_primes-1."""
        return tuple(prime for group in self._literal["q_depth_groups"] for prime in group)

    @property
    def moduli(self) -> tuple[int, ...]:
        """All primes by id: those of Q, then the special ones."""
        return self.q_moduli + self.p_moduli

    @property
    def num_q_primes(self) -> int:
        """The number of primes of Q at depth 0."""
        return sum(map(len, self._literal["q_depth_groups"]))

    @property
    def num_p_primes(self) -> int:
        """The number of special primes."""
        return len(self._literal["p_moduli"])

    @property
    def total_num_primes(self) -> int:
        """The number of all primes."""
        return self.num_q_primes + self.num_p_primes

    @property
    def total_modulus_bits(self) -> int:
        """The exact bit length of QP."""
        return self.security_assessment.modulus_bits

    @property
    def maximum_modulus_bits(self) -> int | None:
        """The largest bit length of QP that the security table allows; None where it has no row."""
        return self.security_assessment.budget_bits or None

    @property
    def fingerprint(self) -> str:
        """128 bits, as 32 hex digits, that are equal where residues mean the same: primes, ring, generator and sigma."""
        return str(self._facts["fingerprint"])

    @property
    def digits(self) -> tuple[tuple[int, int], ...]:
        """The key-switching digits: ranges of prime ids, the end excluded."""
        return tuple((start, end) for start, end in self._facts["digits"])

    @property
    def headroom_bits(self) -> float:
        """How many bits wider than the default scale the terminal group is."""
        return float(self._facts["headroom_bits"])

    @property
    def insecure(self) -> bool:
        """Whether the security table does not confirm the target: such parameters are for tests."""
        return bool(self._facts["insecure"])

    @property
    def security_assessment(self) -> SecurityAssessment:
        """The security table's answer for a ternary secret and the whole of QP."""
        return SecurityAssessment(**self._facts["security"])

    def validate_security_budget(self) -> None:
        """Refuses parameters that the security table does not confirm, also where the budget is not enforced."""
        found = self.security_assessment
        if found.status == "exceeds":
            raise refusal(
                "security-budget-exceeded",
                f"QP has {found.modulus_bits} bits and ring dimension {found.ring_dimension} allows {found.budget_bits} for "
                f"{found.target_bits}-bit security; use fewer or narrower primes, or a larger ring",
            )
        if found.status != "meets":
            raise refusal("security-unsupported", f"{found.reason}; use parameters of the table")

    # By depth, 0 … max_depth; any other is refused as `depth-invalid`.

    def depth_remaining(self, depth: int) -> int:
        """The number of rescales that are left at a depth."""
        return self.max_depth - self._depth(depth)

    def rescale_divisor(self, depth: int) -> int:
        """The product of the group that a rescale at a depth drops, exactly. Refused as `levels-exhausted` at max_depth."""
        if self._depth(depth) == self.max_depth:
            raise refusal("levels-exhausted", f"depth {depth} is the last, so nothing is left to rescale by; use parameters of more depth")
        return math.prod(self._literal["q_depth_groups"][depth])

    def q_row_start(self, depth: int) -> int:
        """The id of the first prime that is active at a depth."""
        return int(self._facts["group_starts"][self._depth(depth)])

    def active_q_moduli(self, depth: int) -> tuple[int, ...]:
        """The primes of Q that are active at a depth."""
        return self.q_moduli[self.q_row_start(depth) :]

    def prime_ids(self, depth: int, modulus_basis: str = "Q") -> tuple[int, ...]:
        """The ids of a value's limbs at a depth, in order."""
        first = self.q_row_start(depth)
        end = self.num_q_primes if check_name(modulus_basis, BASES, "modulus_basis") == "Q" else self.total_num_primes
        return consecutive(first, end - first)

    def _depth(self, depth: int) -> int:
        number = integer(depth, "depth")
        if not 0 <= number <= self.max_depth:
            raise refusal("depth-invalid", f"depth {number} is outside 0 … {self.max_depth} of these parameters")
        return number


def _listed(items: object, what: str) -> list[Any]:
    if isinstance(items, (str, bytes, Mapping)) or not isinstance(items, Iterable):
        raise refusal("argument-type", f"{what} is a {type(items).__name__}; a sequence is needed")
    return list(items)


def _moduli(items: object, what: str) -> list[int]:
    moduli = [integer(m, f"a modulus of {what}") for m in _listed(items, what)]
    for m in moduli:
        if not 0 < m < 1 << 50:
            raise refusal("config-modulus-invalid", f"a modulus of {m.bit_length()} bits in {what}; moduli are primes below 2^50")
    return moduli
