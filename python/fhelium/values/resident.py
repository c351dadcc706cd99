"""What all values share: tensors that can be moved, and a state that cannot be changed."""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, ClassVar, Self

import torch

from ..errors import refusal
from .parameters import is_insecure
from .placement import moved, named, place
from .record import Record
from .state import flag, scale_text

TYPES: dict[str, type[TensorResident]] = {}
"""Every type of value by its name."""


class TensorResident:
    """Something that holds tensors, on one device.

    A value holds tensors and state, and nothing else: no engine, rank, group,
    path or history. It belongs to the application, lives as long as that wants,
    and moves by `to`, `cpu` and `pin_memory` only.
    """

    __slots__ = ()

    def __init_subclass__(cls, abstract: bool = False) -> None:
        if not abstract:
            TYPES[cls.__name__] = cls

    def _tensors(self) -> Iterator[torch.Tensor]:
        raise NotImplementedError

    def _map(self, function: Callable[[torch.Tensor], torch.Tensor]) -> Self:
        """The same value with each tensor replaced by the function's, or the value itself where none changes."""
        raise NotImplementedError

    @property
    def device(self) -> torch.device | None:
        """Where the tensors are; None where there are none."""
        devices = {t.device for t in self._tensors()}
        if len(devices) > 1:
            places = " and ".join(sorted(map(str, devices)))
            raise refusal("placement-mixed", f"the tensors are on {places}; `to` brings them to one device")
        return devices.pop() if devices else None

    @property
    def nbytes(self) -> int:
        """The exact number of bytes of all elements. Nothing is enforced by it."""
        return sum(t.numel() * t.element_size() for t in self._tensors())

    @property
    def storage_nbytes(self) -> int:
        """The number of bytes that the tensors keep alive: more than `nbytes` for a view."""
        return sum({s.data_ptr(): s.nbytes() for s in (t.untyped_storage() for t in self._tensors())}.values())

    @property
    def is_cpu(self) -> bool:
        """Whether all tensors are in host memory."""
        return all(t.is_cpu for t in self._tensors())

    @property
    def is_cuda(self) -> bool:
        """Whether all tensors are on CUDA devices."""
        return all(t.is_cuda for t in self._tensors())

    @property
    def is_pinned(self) -> bool:
        """Whether all tensors are in page-locked host memory."""
        return all(t.is_pinned() for t in self._tensors())

    def to(self, device: torch.device | str | int, *, non_blocking: bool = False, copy: bool = False) -> Self:
        """The value on a device; the value itself where nothing has to move and no copy is asked for. State and bits stay equal."""
        target = place(device)
        ways = {"non_blocking": flag(non_blocking, "non_blocking"), "copy": flag(copy, "copy")}
        return self._map(lambda t: moved(t, target, **ways))

    def cpu(self) -> Self:
        """The value in host memory."""
        return self.to("cpu")

    def pin_memory(self) -> Self:
        """The value in page-locked host memory, from which copies to an accelerator can be asynchronous."""
        with named(f"page-locked memory of {self.nbytes} bytes", "device-unsupported"):
            return self._map(lambda t: t if t.is_pinned() else t.pin_memory())

    def clone(self) -> Self:
        """A copy with tensors of its own, contiguous."""
        with named(f"a copy of {self.nbytes} bytes"):
            return self._map(lambda t: t.clone(memory_format=torch.contiguous_format))

    def to_bytes(self, *, allow_secret: bool = False) -> bytes:
        """The value as bytes, with its whole state; `from_bytes` in any process gives it back.

        A value that holds a secret key refuses as `secret-key-export` unless
        allow_secret is True: the bytes are not encrypted.
        """
        from ..serialization import to_bytes

        return to_bytes(self, allow_secret=allow_secret)

    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview) -> Self:
        """The value of bytes that `to_bytes` or `save_value` made.

        Refuses as `bytes-damaged`, `bytes-version`, or `bytes-type` where the
        bytes are of another type; nothing is allocated that the length of the
        bytes does not warrant.
        """
        from ..serialization import from_bytes

        return from_bytes(data, cls)


class Value(TensorResident, abstract=True):
    """A value of one or two tensors and an immutable state.

    `_TENSORS` and `_STATE` are all fields there are. Copies, pickles and files
    carry exactly these, and rebuild the value by its checking constructor.
    """

    # The packed state, made when first needed; and the fingerprint of the parameters
    # below whose primes the residues are known to lie, as those that an engine has
    # computed or looked at do. Neither is part of a pickle or a file.
    __slots__ = ("__weakref__", "_packed", "_vouched")

    _TENSORS: ClassVar[tuple[str, ...]] = ("data",)
    _STATE: ClassVar[tuple[str, ...]]
    _BESIDE: ClassVar[str | None] = None
    """The name of the tensor of implicit words or of a seed, where there can be one."""

    data: torch.Tensor
    _packed: bytes | None
    _vouched: str | None

    residue_representation = "standard"
    """Residues are always plain, in [0, q)."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in self._TENSORS + self._STATE or hasattr(type(self), name):
            raise refusal("value-immutable", f"{type(self).__name__}.{name} cannot be set: a value keeps the state it was made with")
        raise refusal("value-immutable", f"{type(self).__name__} has no field {name!r}, and takes none: it holds tensors and state only")

    def __delattr__(self, name: str) -> None:
        raise refusal("value-immutable", f"{type(self).__name__}.{name} cannot be deleted")

    @classmethod
    def _trusted(cls, **fields: Any) -> Self:
        """A value of fields that are known to fit together, without the checks of the constructor."""
        self = object.__new__(cls)
        self._set(**fields)
        return self

    def _set(self, **fields: Any) -> None:
        put = object.__setattr__
        for name, value in fields.items():
            put(self, name, value)
        put(self, "_packed", None)
        put(self, "_vouched", None)

    def _fields(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._TENSORS + self._STATE}

    def _commit_(self, result: Self) -> Self:
        """Ends an operation in place: writes the result's numbers into this tensor and takes its state.

        A result of fewer limbs, as of a rescale, leaves a view of the tensor's
        last limbs; one of fewer components a view of the first ones. A tensor
        that cannot be written is refused before anything has changed.
        """
        data = self.data
        if result.data.shape != data.shape:
            rows = result.data.shape[-2]
            data = data.narrow(-2, data.shape[-2] - rows, rows)[: result.data.shape[0]]
        _require_writable(data)
        fields = result._fields() | {"data": data, "_packed": None, "_vouched": result._vouched}
        # C code goes through the steps, so that no signal's exception comes between them.
        steps = [partial(data.copy_, result.data), *(partial(object.__setattr__, self, *field) for field in fields.items())]
        deque(map(operator.call, steps), maxlen=0)
        return self

    @property
    def _main(self) -> torch.Tensor:
        """The tensor that holds the numbers, beside implicit words or a seed."""
        return self.data

    def _with(self, **changes: Any) -> Self:
        """The value with other state, or with tensors of no other residues."""
        made = self._trusted(**(self._fields() | changes))
        object.__setattr__(made, "_vouched", self._vouched)
        return made

    def _tensors(self) -> Iterator[torch.Tensor]:
        return (t for name in self._TENSORS if (t := getattr(self, name)) is not None)

    def _map(self, function: Callable[[torch.Tensor], torch.Tensor]) -> Self:
        old = {name: t for name in self._TENSORS if (t := getattr(self, name)) is not None}
        new = {name: function(t) for name, t in old.items()}
        return self if all(new[name] is old[name] for name in old) else self._with(**new)

    def _describe(self) -> Record:
        """The state as the Go core sees it."""
        raise NotImplementedError

    def _record(self) -> bytes:
        """The packed state, without addresses."""
        packed = self._packed
        if packed is None:
            packed = self._describe().pack()
            object.__setattr__(self, "_packed", packed)
        return packed

    def __reduce_ex__(self, protocol: object) -> tuple[Any, ...]:
        fields = self._fields()
        for name in self._TENSORS:
            if (t := fields[name]) is not None and t.untyped_storage().nbytes() != t.numel() * t.element_size():
                with named(f"a copy of {t.nbytes} bytes"):
                    fields[name] = t.clone(memory_format=torch.contiguous_format)  # a view must not carry its base along
        return rebuild, (type(self).__name__, fields)

    def __copy__(self) -> Self:
        return self._with()

    def __repr__(self) -> str:
        text = ", ".join(f"{name}={shown}" for name, shown in self._shown() if shown is not None)
        return f"{type(self).__name__}({text})"

    def _shown(self) -> Iterator[tuple[str, object]]:
        """What repr shows: state, and never a number of the tensors."""
        for name in self._STATE:
            shown = getattr(self, name)
            if name == "scale":
                shown = scale_text(shown)
            elif name == "prime_ids" and shown:
                shown = f"{shown[0]}..{shown[-1]}"
            elif name in ("parameters", "key_id", "source_key_id"):
                shown = shown and shown[:8]
            yield name, shown
        yield "shape", "x".join(map(str, self._main.shape)) or "scalar"
        yield "device", self.device
        if is_insecure(getattr(self, "parameters", None)):
            yield "security", "INSECURE"


def _require_writable(data: torch.Tensor) -> None:
    """Refuses a tensor that torch would not write, or whose elements share memory."""
    reached = 0  # elements from the first to the last one along the axes so far
    for stride, extent in sorted((s, n) for s, n in zip(data.stride(), data.shape, strict=True) if n > 1):
        if stride <= reached:
            raise refusal("shape-invalid", f"elements of the tensor share memory (shape {tuple(data.shape)}, strides {data.stride()}); clone() the value to write it")
        reached += stride * (extent - 1)
    if data.is_inference() and not torch.is_inference_mode_enabled():
        raise refusal("value-immutable", "the tensor was made in inference mode, and cannot be written outside; clone() the value to write it")
    if data.requires_grad and data.is_leaf and torch.is_grad_enabled():
        raise refusal("value-immutable", "the tensor requires a gradient, and cannot be written; detach() and wrap it again to write it")


def rebuild(name: str, fields: dict[str, Any]) -> TensorResident:
    """Makes a value of its type's name and its fields: what a pickle calls."""
    if name not in TYPES:
        raise refusal("bytes-type", f"there is no type of value {name[:40]!r}")
    return TYPES[name](**fields)


# torch.load reads values without weights_only=False: the constructors check what they are given.
torch.serialization.add_safe_globals([rebuild])
