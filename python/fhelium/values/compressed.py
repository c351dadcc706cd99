"""Plaintexts whose rows repeat a few words, stored once."""

from collections.abc import Sequence
from typing import Self

import torch

from ..errors import refusal
from .batched import Batched
from .placement import named
from .plaintext import Plaintext
from .record import Kind, Record
from .state import (
    BASES,
    DOMAINS,
    LAYOUTS,
    check_batch,
    check_depth,
    check_identity,
    check_name,
    check_prime_ids,
    check_residues,
    check_ring,
    check_scale,
    check_tensor,
    integer,
    same_device,
)

_AXES = "[*batch, limb, U]"


class CompressedPlaintext(Batched):
    """A plaintext of residues that stores U unique words of each row of N: int64 [*batch, limb, U].

    U is a power of two below N = ring_dimension. The layout says where the
    words of a row go:

    - "cyclic": residue j is word j mod U.
    - "contiguous": residue j is word j·U/N, rounded down.
    - "strided_sparse": residue j·N/U is word j; all others are the row's
      implicit word, in implicit_data, int64 [*batch, limb]. The other layouts
      have no implicit_data.

    Compression is lossless: what does not fit a layout to the bit is refused.
    A message of one period of slots is contiguous in the NTT domain and
    strided-sparse in the coefficient domain.
    """

    __slots__ = (
        "compression_layout", "data", "depth", "implicit_data", "modulus_basis", "parameters", "polynomial_domain", "prime_ids",
        "ring_dimension", "scale",
    )  # fmt: skip

    _TENSORS = ("data", "implicit_data")
    _BESIDE = "implicit_data"
    _STATE = (
        "ring_dimension", "compression_layout", "depth", "scale", "polynomial_domain", "modulus_basis", "prime_ids", "parameters",
    )  # fmt: skip
    _BATCH_START = {"data": 0, "implicit_data": 0}

    representation = "rns"
    """A compressed plaintext holds residues."""
    is_rns = True
    """A compressed plaintext holds residues."""

    implicit_data: torch.Tensor | None
    compression_layout: str
    depth: int
    scale: float
    polynomial_domain: str
    modulus_basis: str
    prime_ids: tuple[int, ...]
    parameters: str | None

    def __init__(
        self,
        data: torch.Tensor,
        ring_dimension: int,
        compression_layout: str,
        depth: int,
        scale: float,
        polynomial_domain: str = "ntt",
        modulus_basis: str = "Q",
        residue_representation: str = "standard",
        prime_ids: Sequence[int] | None = None,
        implicit_data: torch.Tensor | None = None,
        *,
        parameters: str | None = None,
    ) -> None:
        check_tensor(data, (torch.int64,), _AXES, 2)
        check_batch(data.shape[:-2])
        ring = check_ring(integer(ring_dimension, "ring_dimension"))
        check_unique(data.shape[-1], ring)
        if data.shape[-2] < 1:
            raise refusal("shape-invalid", f"shape {tuple(data.shape)} has no limbs; {_AXES} is needed")
        check_name(compression_layout, LAYOUTS, "compression_layout")
        _check_implicit(data, compression_layout, implicit_data)
        check_residues(residue_representation)
        depth = check_depth(depth)
        self._set(
            data=data,
            ring_dimension=ring,
            compression_layout=compression_layout,
            depth=depth,
            scale=check_scale(scale),
            polynomial_domain=check_name(polynomial_domain, DOMAINS, "polynomial_domain"),
            modulus_basis=check_name(modulus_basis, BASES, "modulus_basis"),
            prime_ids=check_prime_ids(prime_ids, data.shape[-2], depth),
            implicit_data=implicit_data,
            parameters=check_identity(parameters, "parameters"),
        )

    @property
    def unique_count(self) -> int:
        """U, the number of stored words of a row."""
        return self.data.shape[-1]

    @classmethod
    def from_plaintext(cls, plaintext: Plaintext, unique_count: int, compression_layout: str) -> Self:
        """Compresses residues, and refuses as `compression-lossy` unless every row is of the layout to the bit."""
        if not isinstance(plaintext, Plaintext) or not plaintext.is_rns:
            found = f"a plaintext of {plaintext.representation}" if isinstance(plaintext, Plaintext) else f"a {type(plaintext).__name__}"
            raise refusal("state-kind-mismatch", f"{found} cannot be compressed; a plaintext of residues (rns) is needed")
        dense, ring = plaintext.data, plaintext.ring_dimension
        unique = integer(unique_count, "unique_count")
        check_unique(unique, ring)
        check_name(compression_layout, LAYOUTS, "compression_layout")
        implicit = None
        if compression_layout == "cyclic":
            data = dense[..., :unique]
        else:
            data = dense[..., :: ring // unique]
            implicit = dense[..., 1].contiguous() if compression_layout == "strided_sparse" else None
        state = {name: getattr(plaintext, name) for name in ("depth", "scale", "polynomial_domain", "modulus_basis", "prime_ids", "parameters")}
        compressed = cls(data.contiguous(), ring, compression_layout, implicit_data=implicit, **state)
        if not torch.equal(compressed.decompress_data(), dense):
            raise refusal(
                "compression-lossy",
                f"the rows are not {compression_layout} with {unique} unique words of {ring}; compression would change them. "
                "Use another layout or more words, or keep the plaintext as it is",
            )
        return compressed

    def decompress_data(self) -> torch.Tensor:
        """The residues int64 [*batch, limb, N] that this stands for, in a tensor of its own."""
        with named(f"rows of {self.data.nbytes // self.unique_count * self.ring_dimension} bytes"):
            return self._decompress()

    def _decompress(self) -> torch.Tensor:
        ring, unique = self.ring_dimension, self.unique_count
        if self.compression_layout == "cyclic":
            return self.data.repeat((1,) * (self.data.dim() - 1) + (ring // unique,))
        if self.implicit_data is None:
            return self.data.repeat_interleave(ring // unique, dim=-1)
        dense = self.implicit_data.unsqueeze(-1).repeat((1,) * self.implicit_data.dim() + (ring,))
        dense[..., :: ring // unique] = self.data
        return dense

    def to_plaintext(self) -> Plaintext:
        """The same plaintext with all N residues of each row."""
        state = {name: getattr(self, name) for name in ("depth", "scale", "polynomial_domain", "modulus_basis", "prime_ids", "parameters")}
        return Plaintext._trusted(message=None, data=self.decompress_data(), representation="rns", **state)

    def with_data(self, data: torch.Tensor) -> Self:
        """The same state and implicit words with other unique words."""
        return type(self)(**(self._fields() | {"data": data}))

    def with_storage(self, data: torch.Tensor, implicit_data: torch.Tensor | None = None) -> Self:
        """The same state with other unique words and other implicit words."""
        return type(self)(**(self._fields() | {"data": data, "implicit_data": implicit_data}))

    def _limb_axes(self) -> dict[str, int]:
        axes = super()._limb_axes()
        return axes if self.implicit_data is None else axes | {"implicit_data": self.implicit_data.dim() - 1}

    def _describe(self) -> Record:
        return Record(
            Kind.COMPRESSED,
            depth=self.depth,
            scale=self.scale,
            domain=DOMAINS.index(self.polynomial_domain),
            basis=BASES.index(self.modulus_basis),
            first=self.prime_ids[0],
            rows=self.data.shape[-2],
            ring=self.ring_dimension,
            unique=self.data.shape[-1],
            layout=1 + LAYOUTS.index(self.compression_layout),
            batch=self.batch_shape,
            parameters=self.parameters,
            elements=self.data.numel(),
            implicit=0 if self.implicit_data is None else self.implicit_data.numel(),
        )


def check_unique(unique: int, ring: int) -> None:
    """Refuses a number of unique words that is no power of two below the ring dimension."""
    if not 1 <= unique < ring or unique & (unique - 1):
        raise refusal("layout-invalid", f"{unique} unique words of {ring}; a power of two below the ring dimension is needed")


def _check_implicit(data: torch.Tensor, layout: str, implicit: torch.Tensor | None) -> None:
    if layout != "strided_sparse":
        if implicit is not None:
            raise refusal("layout-invalid", f"implicit_data with layout {layout!r}; only 'strided_sparse' has implicit words")
        return
    if implicit is None:
        raise refusal("layout-invalid", "layout 'strided_sparse' without implicit_data; one word [*batch, limb] is needed for each row")
    check_tensor(implicit, (torch.int64,), "[*batch, limb]", 1)
    if implicit.shape != data.shape[:-1]:
        raise refusal("shape-invalid", f"implicit_data of shape {tuple(implicit.shape)} for data of shape {tuple(data.shape)}; one word a row is needed")
    same_device(data, implicit)
