"""The bytes of saved values: one safetensors blob with a strict header and a digest of everything.

    8 bytes            length of the header, little-endian, a multiple of 8
    header             JSON, one spelling only, padded with spaces
    tensors            their elements, little-endian, one after the other

The header's metadata hold the format, the schema version, the manifest (what
the tensors are, see `serialization`) and the digest: SHA-256 of the whole blob
with the digest's own 64 digits as zeros. It finds damage and is no signature.

Reading trusts nothing. The header is matched by regular expressions, so that
nothing recurses; every length is compared with the length of the blob before
memory is taken; and a header that does not spell its own content the way the
writer does is refused, which leaves no room for repeated keys and the like.
"""

import ctypes
import hashlib
import hmac
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Protocol

import torch

from .errors import FHEliumError, refusal
from .values.placement import address, named

SCHEMA_VERSION = 1

_DTYPES = {"I64": torch.int64, "F64": torch.float64}
_DTYPE_NAMES = {dtype: name for name, dtype in _DTYPES.items()}
_ZEROS = "0" * 64
_PART = 1 << 25  # bytes

_VERSION = re.compile(rb'"fhelium\.schema_version":"(\d{1,9})"')
_HEADER = re.compile(
    rb'\{"__metadata__":\{"fhelium\.digest":"([0-9a-f]{64})","fhelium\.format":"value","fhelium\.manifest":"((?:[^"\\]++|\\.)*+)",'
    rb'"fhelium\.schema_version":"\d{1,9}"\}((?:,"[^"\\]++":\{[^{}]*+\})*+)\} *+'
)
_SHAPE = rb"(?:\d{1,15}(?:,\d{1,15}){0,15})?"
_ENTRY = re.compile(rb',"([^"\\]{1,64})":\{"data_offsets":\[(\d{1,15}),(\d{1,15})\],"dtype":"(I64|F64)","shape":\[(' + _SHAPE + rb")\]\}")


class Source(Protocol):
    """Bytes in order, of a known total size."""

    size: int

    def read_into(self, target: memoryview) -> None:
        """Fills the target with the next bytes, or refuses as `bytes-damaged`."""


@dataclass(frozen=True)
class Entry:
    """One tensor: where its elements lie, counted from the end of the header, and what they are."""

    name: str
    dtype: torch.dtype
    shape: tuple[int, ...]
    begin: int
    end: int

    def json(self) -> str:
        """The entry as the header spells it."""
        fields = {"data_offsets": [self.begin, self.end], "dtype": _DTYPE_NAMES[self.dtype], "shape": list(self.shape)}
        return f'"{self.name}":{_dumps(fields)}'


@dataclass(frozen=True)
class Header:
    """A header that was read and found whole; the digest is not yet compared with the tensors."""

    manifest: str
    entries: tuple[Entry, ...]
    digest: str
    pieces: tuple[bytes | memoryview, ...]
    """All bytes before the tensors, with the digest as zeros."""


def damaged(what: str) -> FHEliumError:
    """The refusal of bytes that are not what a writer made."""
    return refusal("bytes-damaged", f"{what}; ask for the value again, or restore it from a copy")


def write(manifest: str, tensors: Mapping[str, torch.Tensor]) -> list[bytes | memoryview]:
    """The blob in pieces. The pieces view the tensors, which are int64 or float64, contiguous and in host memory."""
    entries, views, end = [], [], 0
    for name, tensor in tensors.items():
        views.append(view(tensor))
        begin, end = end, end + len(views[-1])
        entries.append(Entry(name, tensor.dtype, tuple(tensor.shape), begin, end))
    raw = _header(manifest, entries, _ZEROS)
    if len(raw) - 8 > longest_header(len(raw) + end):
        raise refusal("argument-invalid", f"{len(entries)} tensors of {end} bytes in all are too small to be saved in one value; save fewer together")
    digest = _digest([raw, *views])
    return [raw.replace(_ZEROS.encode(), digest.encode(), 1), *views]


def view(tensor: torch.Tensor) -> memoryview:
    """The memory of a contiguous tensor as bytes, valid as long as the tensor is.

    Refuses as `placement-mixed` a tensor whose memory is not there: a fake one, or one whose storage was freed.
    """
    return memoryview((ctypes.c_char * (tensor.numel() * tensor.element_size())).from_address(address(tensor))).cast("B")


def read_header(source: Source) -> Header:
    """Reads and checks everything before the tensors. The length of the blob bounds the memory that it takes."""
    if source.size < 16:
        raise damaged(f"there are {source.size} bytes, fewer than any value has")
    prefix = bytes(_take(source, 8))
    length = int.from_bytes(prefix, "little")
    if length > min(longest_header(source.size), source.size - 8) or length % 8:
        raise damaged(f"the header claims {length} bytes, of {source.size} in all")
    text = _take(source, length)
    versions = set(_VERSION.findall(text))
    if versions and versions != {str(SCHEMA_VERSION).encode()}:
        found = ", ".join(sorted(v.decode() for v in versions))
        raise refusal("bytes-version", f"schema version {found}, this release reads {SCHEMA_VERSION}; the bytes are of another release, or damaged")
    match = _HEADER.fullmatch(text)
    if match is None:
        raise damaged("the header is not that of a value of fhelium")
    entries = _entries(text, *match.span(3))
    if (entries[-1].end if entries else 0) != source.size - 8 - length:
        raise damaged(f"the header describes {entries[-1].end if entries else 0} bytes of tensors, and {source.size - 8 - length} are there")
    digest = match[1].decode()
    try:
        manifest = json.loads(text[match.start(2) - 1 : match.end(2) + 1])
        spelled = _header(manifest, entries, digest)
    except (ValueError, UnicodeError):
        raise damaged("the manifest is not text") from None
    if memoryview(spelled)[8:] != text:
        raise damaged("the header does not spell its content as a writer does")
    begin, end = match.span(1)
    return Header(manifest, entries, digest, (prefix, memoryview(text)[:begin], _ZEROS.encode(), memoryview(text)[end:]))


def longest_header(size: int) -> int:
    """Bytes of the longest header of a blob of a size, which bounds the memory that reading it takes. Half a kilobyte describes a key of 100 and more."""
    return (1 << 16) + size // 8


def read_tensors(source: Source, header: Header) -> dict[str, torch.Tensor]:
    """Reads the tensors, and refuses unless the digest is that of the whole blob."""
    tensors, views = {}, []
    for entry in header.entries:
        with named(f"a tensor of {entry.end - entry.begin} bytes"):
            tensor = torch.empty(entry.shape, dtype=entry.dtype, device="cpu")
        views.append(view(tensor))
        source.read_into(views[-1])
        tensors[entry.name] = tensor
    if not hmac.compare_digest(_digest([*header.pieces, *views]), header.digest):
        raise damaged("the digest is another than the bytes have, so some of them were changed")
    return tensors


def _entries(text: bytearray, at: int, stop: int) -> tuple[Entry, ...]:
    """The tensors in a part of a header; they follow one another without a gap."""
    entries: list[Entry] = []
    end = 0
    while at < stop:
        match = _ENTRY.match(text, at, stop)
        if match is None:
            raise damaged("the header describes a tensor that no value has")
        shape = tuple(int(extent) for extent in match[5].split(b",")) if match[5] else ()
        entry = Entry(match[1].decode("ascii", "replace"), _DTYPES[match[4].decode()], shape, int(match[2]), int(match[3]))
        if entry.begin != end or entry.end <= end or prod(shape) * 8 != entry.end - entry.begin:
            raise damaged(f"tensor {entry.name[:40]!r} of shape {shape} is said to lie at bytes {entry.begin} … {entry.end}")
        entries.append(entry)
        at, end = match.end(), entry.end
    return tuple(entries)


def _header(manifest: str, entries: Iterable[Entry], digest: str) -> bytes:
    """The header and the length before it, as the writer spells them."""
    metadata = {
        "fhelium.digest": digest,
        "fhelium.format": "value",
        "fhelium.manifest": manifest,
        "fhelium.schema_version": str(SCHEMA_VERSION),
    }
    text = "".join(['{"__metadata__":', _dumps(metadata), *("," + entry.json() for entry in entries), "}"]).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text


def _dumps(content: object) -> str:
    return json.dumps(content, separators=(",", ":"), sort_keys=True)


def parts(piece: bytes | memoryview) -> Iterator[memoryview]:
    """Bytes in parts that are handled soon, so that Python sees Ctrl-C in between."""
    whole = memoryview(piece)
    for at in range(0, len(whole), _PART):
        yield whole[at : at + _PART]


def _digest(pieces: Iterable[bytes | memoryview]) -> str:
    state = hashlib.sha256()
    for piece in pieces:
        for part in parts(piece):
            state.update(part)
    return state.hexdigest()


def _take(source: Source, count: int) -> bytearray:
    buffer = bytearray(count)
    source.read_into(memoryview(buffer))
    return buffer
