"""Files that appear whole or not at all."""

import os
import pathlib
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Self

from ._container import damaged, parts
from .errors import FHEliumError, refusal

Path = str | os.PathLike[str]


class File:
    """A file that is read in order; it may shrink meanwhile."""

    def __init__(self, path: Path) -> None:
        source = _path(path)
        with _usable(source):
            if not stat.S_ISREG(os.stat(source).st_mode):
                raise refusal("file-unusable", f"{str(source)!r} is a folder or a device; the path of a file is needed")
            self._file = open(source, "rb", buffering=0)  # noqa: SIM115, closed by __exit__
            self.size = os.fstat(self._file.fileno()).st_size
        self._source = source

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._file.close()

    def read_into(self, target: memoryview) -> None:
        """Fills the target with the next bytes of the file."""
        for part in parts(target):
            while part:
                with _usable(self._source):
                    count = self._file.readinto(part)
                if not count:
                    raise damaged("the file ended before the value did")
                part = part[count:]


def write_whole(path: Path, pieces: Iterable[bytes | memoryview], *, overwrite: bool) -> None:
    """Writes pieces to a file that only the user may read; they are on the disk when this returns.

    Refuses as `file-exists` unless overwrite is True, as `file-absent` where
    the folder is missing, and as `file-unusable` where the system refuses.
    """
    target = _path(path)
    with _usable(target):
        if not target.parent.is_dir():
            raise refusal("file-absent", f"there is no folder {str(target.parent)!r}; make it first")
        if target.is_dir():
            raise refusal("file-unusable", f"{str(target)!r} is a folder; the path of a file is needed")
        if not overwrite and os.path.lexists(target):
            raise _exists(target)
        _write(target, pieces, overwrite)


def _write(target: pathlib.Path, pieces: Iterable[bytes | memoryview], overwrite: bool) -> None:
    descriptor, name = tempfile.mkstemp(prefix=".fhelium-", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(file.fileno(), stat.S_IRUSR | stat.S_IWUSR)
            for piece in pieces:
                for part in parts(piece):
                    file.write(part)
            file.flush()
            os.fsync(file.fileno())
        _publish(name, target, overwrite)
        _sync_folder(target.parent)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)


def _path(path: Path) -> pathlib.Path:
    if not isinstance(path, (str, os.PathLike)):
        raise refusal("argument-type", f"a {type(path).__name__} is no path; a str or a PathLike is needed")
    name = os.fspath(path)
    if not isinstance(name, str):
        raise refusal("argument-type", f"the path of a {type(path).__name__} is a {type(name).__name__}; a str is needed")
    if not name or "\0" in name:
        raise refusal("argument-invalid", f"path {name!r:.80} names no file")
    return pathlib.Path(name)


@contextmanager
def _usable(target: pathlib.Path) -> Iterator[None]:
    """Names what the system raises over a file."""
    try:
        yield
    except FHEliumError:
        raise
    except FileNotFoundError:
        raise refusal("file-absent", f"there is no file {str(target)!r}") from None
    except (OSError, UnicodeEncodeError) as error:
        raise refusal("file-unusable", f"{str(target)!r:.300} cannot be used: {getattr(error, 'strerror', None) or error}") from error


def _exists(target: pathlib.Path) -> FHEliumError:
    return refusal("file-exists", f"{str(target)!r} exists; overwrite=True replaces it")


def _publish(name: str, target: pathlib.Path, overwrite: bool) -> None:
    """Gives a finished file its name. Without overwrite, the second of two writers is refused."""
    if not overwrite:
        try:
            os.link(name, target)
            return
        except FileExistsError:
            raise _exists(target) from None
        except OSError:  # a file system without hard links
            if os.path.lexists(target):
                raise _exists(target) from None
    os.replace(name, target)


def _sync_folder(folder: pathlib.Path) -> None:
    """Makes a new name last; some file systems cannot, and need not."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
