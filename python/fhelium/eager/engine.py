"""The Engine: parameters, keys, and every operation, each computed at once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, NoReturn, Self

import torch

from .. import _binding
from ..config import SUPPORTED_NTT_BACKENDS, CkksConfig
from ..errors import FHEliumError, refusal
from ..presets import Preset
from ..values import Ciphertext
from ..values.state import scale_text
from . import arguments
from .encryption import Encryption
from .inventory import KeyInventory
from .levels import Levels
from .operations import Settings
from .products import Products
from .rotations import Rotations

DEFAULT_PRESET = Preset.slots16384_scale40_depth16_int64

# Admits 16 rotation keys of the largest preset, at most 1.06 GiB each.
DEFAULT_KEY_BUDGET = 18 << 30


class Engine(Encryption, Levels, Rotations, Products):
    """Computes on values of one parameter set, and holds the keys of one secret.

    - ckks_config: a CkksConfig, a Preset, its name, or a dumped mapping.
    - ntt_backend: a name in SUPPORTED_NTT_BACKENDS; the fastest by default. All give the same results.
    - rns_dtype: torch.int64, the only one there is.
    - insecure_fixed_seed: an int, or 32 bytes, from which all randomness grows.
      Whoever knows it can decrypt everything; it is for reproducible tests.
    - allow_automatic_key_generation: make missing public, relinearization and
      rotation keys of the installed secret, and a secret where there is no key
      at all. Conjugation keys are never made unasked.
    - allow_automatic_key_replication: copy keys to the device of the value that
      they meet, and keep the copy.
    - key_budget: most bytes of evaluation keys that are held or about to be
      made. Keys that come from elsewhere count, and are never refused.
    - allow_transparent: give out ciphertexts that carry no secret, such as x − x.

    An engine may be used by many threads at once. Its configuration cannot be
    changed, and it is neither copied nor pickled; values hold no engine and
    outlive it. There is no Montgomery form: residues are always plain, so that
    no conversion between forms exists.
    """

    __slots__ = ()

    def __init__(
        self,
        ckks_config: CkksConfig | Preset | str | Mapping[str, Any] | None = None,
        *,
        ntt_backend: str | None = None,
        rns_dtype: torch.dtype | None = None,
        insecure_fixed_seed: int | bytes | None = None,
        allow_automatic_key_generation: bool = True,
        allow_automatic_key_replication: bool = False,
        key_budget: int = DEFAULT_KEY_BUDGET,
        allow_transparent: bool = False,
    ) -> None:
        config = _config(ckks_config)
        backend = "auto" if ntt_backend is None else ntt_backend
        if not isinstance(backend, str):
            raise refusal("ntt-backend-unknown", f"ntt_backend {backend!r:.80}; one of {', '.join(SUPPORTED_NTT_BACKENDS)} is needed")
        if rns_dtype not in (None, torch.int64):
            raise refusal("dtype-invalid", f"rns_dtype {rns_dtype}; residues are torch.int64")
        budget = arguments.integer(key_budget, "key_budget")
        if budget < 0:
            raise refusal("argument-invalid", f"key_budget {budget} bytes; 0 or more are needed")
        seed = _seed(insecure_fixed_seed)
        put = object.__setattr__
        put(self, "_config", config)
        put(self, "_insecure_seed", bool(seed))
        put(
            self,
            "_settings",
            Settings(
                generate=arguments.flag(allow_automatic_key_generation, "allow_automatic_key_generation"),
                replicate=arguments.flag(allow_automatic_key_replication, "allow_automatic_key_replication"),
                key_budget=budget,
                allow_transparent=arguments.flag(allow_transparent, "allow_transparent"),
            ),
        )
        put(self, "_inventory", KeyInventory(config.num_slots))
        put(self, "_bundles", {})
        put(self, "_handle", _binding.Handle(_binding.call(_binding.go.pybind_EngineNew, config.to_json(), seed, backend)))

    # What the parameters say.

    @property
    def galois_generator(self) -> int:
        """The generator of the rotations, 3 or 5."""
        return self._config.galois_generator

    @property
    def ring_dimension(self) -> int:
        """N."""
        return self._config.N

    @property
    def dtype(self) -> torch.dtype:
        """torch.int64, the element type of residues."""
        return torch.int64

    @property
    def max_depth(self) -> int:
        """The number of rescales that a fresh ciphertext can take."""
        return self._config.max_depth

    @property
    def depth0_qp_prime_ids(self) -> tuple[int, ...]:
        """The ids of all primes: Q, then P."""
        return tuple(range(self._config.total_num_primes))

    def ntt_backend_name(self, device: Any = None) -> str:
        """The kernels that compute on a device: a name in SUPPORTED_NTT_BACKENDS other than "auto"."""
        self._factory_device(device)
        try:
            return _binding.call(_binding.go.pybind_EngineKernels, self._handle.__index__())
        except FHEliumError as error:
            raise self._explain(error) from None

    def depth_remaining(self, value: Any) -> int:
        """The number of rescales left at a depth, or for a value."""
        return self._config.depth_remaining(self._depth(getattr(value, "depth", value)))

    def rescale_divisor(self, *, depth: int) -> int:
        """The product of the primes that a rescale at a depth drops. Refused as `levels-exhausted` at max_depth."""
        return self._config.rescale_divisor(self._depth(depth))

    def rescale_output_scale(self, input_scale: float, *, depth: int) -> float:
        """The scale after a rescale at a depth: exactly input_scale / rescale_divisor(depth), in float64."""
        return arguments.scale(input_scale) / float(self.rescale_divisor(depth=depth))

    # Its life.

    def close(self) -> None:
        """Frees the tables and drops the keys at once. Values stay; using the engine is refused as `engine-closed`."""
        self._handle.close()
        self._inventory.clear()

    def __enter__(self) -> Self:
        self._live()
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise refusal(
            "argument-type",
            "an Engine is neither copied nor pickled, for it may hold a secret key: send engine.config, engine.public_key and "
            "engine.evaluation_keys, and make an Engine there",
        )

    def __repr__(self) -> str:
        config = self._config
        parts = [
            config.preset or f"parameters={config.fingerprint[:8]}",
            f"N={config.N}, max_depth={config.max_depth}, default_scale={scale_text(config.default_scale)}, dtype=int64",
            f"keys=[{', '.join(self._inventory.symbols())}]",
        ]
        if config.insecure:
            parts.append("INSECURE parameters")
        if self._insecure_seed:
            parts.append("INSECURE fixed seed")
        if self._settings.allow_transparent:
            parts.append("allow_transparent")
        if self._handle.closed:
            parts.append("closed")
        return f"Engine({', '.join(parts)})"


def check_engine(engine: Any, *ciphertexts: Any) -> None:
    """Refuses what is no Engine, and operands that are no Ciphertext."""
    Engine._check_value(engine, Engine)
    for value in ciphertexts:
        Engine._check_value(value, Ciphertext)


def _config(source: Any) -> CkksConfig:
    if source is None:
        source = DEFAULT_PRESET
    return source if isinstance(source, CkksConfig) else CkksConfig.parse(source)


def _seed(source: Any) -> str:
    """The 64 hex digits of an insecure seed; "" for the system's entropy."""
    if source is None:
        return ""
    if isinstance(source, (bytes, bytearray)):
        if len(source) != 32:
            raise refusal("argument-invalid", f"insecure_fixed_seed has {len(source)} bytes; 32 are needed")
        return bytes(source).hex()
    return hashlib.sha256(b"%d" % arguments.integer(source, "insecure_fixed_seed")).hexdigest()
