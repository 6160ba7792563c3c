"""Bring raw files from a mirror or the official address, and check their sums.

A file arrives in ``data/raw/<set>/`` uncompressed and whole, or not at all; from the network by
https alone, and never longer than what is registered. Pooch could replace `_download` only: it has
no mirror folders, and checks the sum of the compressed file.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import http.client
import lzma
import math
import os
import urllib.error
import urllib.parse
import urllib.request
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from toplabel._core.files import atomic_path
from toplabel.reproduction.config.entry import Entry, RawFile
from toplabel.reproduction.data.locate import FetchError, find, folders_of, form_of

NOT_COMPARABLE = "NOT_COMPARABLE.txt"
"""In the folder of a set: its files are no features of the papers; the text says what they are."""

_CHUNK = 1 << 20
_LONGEST = 2**33  # bytes that are taken from an address when no size is registered
_FREE, _RATIO = 2**26, 100  # likewise of a compressed file: bytes of its content, per byte read
_DECOMPRESSORS = {".xz": lzma.open, ".gz": gzip.open, ".bz2": bz2.open}
_DAMAGE = (EOFError, OSError, lzma.LZMAError, zlib.error)


class ChecksumError(FetchError):
    """A raw file is not the one that the registry describes."""


def fetch(
    entry: Entry,
    raw_folder: str | os.PathLike[str],
    mirrors: Sequence[str | os.PathLike[str]] = (),
    network: bool = True,
    timeout: float = 30.0,
) -> list[Path]:
    """Bring the raw files of a data set to ``raw_folder/<set>/``, uncompressed and checked.

    Parameters
    ----------
    entry : Entry
    raw_folder : path-like
        ``data/raw``.
    mirrors : sequence of path-like
        Folders that hold ``<set>/<file>``, plain or with .xz, .gz or .bz2 added.
    network : bool
        Whether to ask the official address when no folder has the file.
    timeout : float
        Seconds to wait for the address to answer, or to go on.

    Returns
    -------
    list of Path
        The files in the order of the registry; empty for an embedded set.

    Raises
    ------
    ChecksumError
        A file is not the registered one (both sums or sizes are named).
    FetchError
        A file is not available, or a copy of it is damaged.
    """
    if not entry.is_readable:
        raise FetchError(f"data set '{entry.name}' waits for {entry.waits_for}")
    folders = folders_of(entry, raw_folder, mirrors)
    files = [
        file
        for registered in entry.files
        for file in form_of(entry, registered, folders) or (registered,)
    ]
    _fetch_mark(files, folders)
    return [_fetch_file(entry, file, Path(raw_folder), mirrors, network, timeout) for file in files]


def find_checked(
    entry: Entry,
    file: RawFile,
    raw_folder: str | os.PathLike[str],
    mirrors: Sequence[str | os.PathLike[str]] = (),
) -> Path | None:
    """Return where a file of a data set stands, plain or compressed; None when no folder has it.

    Raises
    ------
    ChecksumError
        It is not the registered one.
    """
    found = _find(file, folders_of(entry, raw_folder, mirrors))
    if found is None:
        return None
    path, suffix = found
    with path.open("rb") as stream:
        _consume(file, _pieces(file, stream, suffix, str(path)), str(path))
    return path


def sha256_of(path: str | os.PathLike[str]) -> tuple[str, int]:
    """SHA-256 (hexadecimal) and size in bytes of a file."""
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest(), stream.tell()


def check_sum(file: RawFile, sha256: str, size: int, where: str) -> None:
    """Compare what was measured with the registry.

    Raises
    ------
    ChecksumError
        Naming both sums, or both sizes when no sum is registered.
    """
    if file.sha256 is not None and sha256 != file.sha256:
        raise ChecksumError(
            f"{where}: sha256 is {sha256} ({size} bytes), the registry has {file.sha256}"
            + (f" ({file.size} bytes)" if file.size is not None else "")
        )
    if file.size is not None and size != file.size:
        raise ChecksumError(f"{where}: {size} bytes, the registry has {file.size}")


def _fetch_mark(files: Iterable[RawFile], folders: Sequence[Path]) -> None:
    """Copy the file that marks features as not comparable from the folder that they are taken from.

    The first folder is data/raw: files that are there already have their mark, or none.
    """
    target = folders[0] / NOT_COMPARABLE
    origins = [found[0].parent for file in files if (found := find(file, folders))]
    marks = [folder / NOT_COMPARABLE for folder in origins if folder != folders[0]]
    marks = [mark for mark in marks if mark.is_file()]
    if marks and not target.is_file():
        _refuse_link(marks[0])
        with atomic_path(target) as temporary:
            temporary.write_bytes(marks[0].read_bytes())


def _fetch_file(
    entry: Entry,
    file: RawFile,
    raw_folder: Path,
    mirrors: Sequence[str | os.PathLike[str]],
    network: bool,
    timeout: float,
) -> Path:
    target = raw_folder / entry.folder / file.name
    if target.is_file():
        sha256, size = sha256_of(target)
        check_sum(file, sha256, size, f"{target} (remove it to have it fetched again)")
        return target
    folders = folders_of(entry, raw_folder, mirrors)
    found = _find(file, folders)
    if found is not None:
        _copy(file, *found, target)
        return target
    what = f"data set '{entry.name}': {file.name} could not be had"
    looked = f"it is not in {' nor in '.join(map(str, folders))}"
    if file.url is None:
        waits = f"; it waits for {entry.waits_for}" if entry.waits_for else ""
        raise FetchError(f"{what}: {looked}, and no address is registered{waits}")
    if not network:
        raise FetchError(f"{what}: {looked}, and the network is not to be used ({file.url})")
    try:
        _download(file, file.url, target, timeout)
    except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
        is_status = isinstance(error, urllib.error.HTTPError)
        reason = error if is_status else getattr(error, "reason", None) or error
        raise FetchError(f"{what}: {looked}, and {file.url} failed ({reason})") from None
    return target


def _find(file: RawFile, folders: Sequence[Path]) -> tuple[Path, str] | None:
    """Find a file; without a registered sum, one that a mirror only links to is refused."""
    found = find(file, folders)
    if found is not None and file.sha256 is None and found[0].parent != folders[0]:
        _refuse_link(found[0])
    return found


def _refuse_link(path: Path) -> None:
    """Refuse a link out of a mirror, which may lead to any file of this machine."""
    if not path.resolve().is_relative_to(path.parents[1].resolve()):
        message = "leads out of the mirror, and the entry has no sha256 for it; copy the file"
        raise FetchError(f"{path}: {message}")


def _copy(file: RawFile, copy: Path, suffix: str, target: Path) -> None:
    try:
        with copy.open("rb") as stream:
            _store(file, stream, suffix, target, str(copy))
    except OSError as error:
        raise FetchError(f"{copy}: cannot be copied to {target} ({error.strerror})") from None


def _download(file: RawFile, url: str, target: Path, timeout: float) -> None:
    suffix = Path(urllib.parse.urlparse(url).path).suffix
    if suffix not in _DECOMPRESSORS or file.name.endswith(suffix):
        suffix = ""
    with open_address(url, timeout) as stream:
        length = stream.headers.get("Content-Length")
        promised = int(length) if length and length.isdecimal() else None
        # A connection that breaks looks like the end of the file to read().
        _store(file, stream, suffix, target, url, None if suffix else promised, _LONGEST)


def open_address(url: str, timeout: float, method: str = "GET") -> BinaryIO:
    """Ask an https address, and what it redirects to if that is one as well.

    Raises
    ------
    OSError
        `urllib.error.URLError` for an address of another kind, and whatever the network raises.
    """
    _check_address(url)
    opener = urllib.request.OpenerDirector()  # the default opener follows redirects to http and ftp
    for handler in (
        urllib.request.ProxyHandler,
        urllib.request.HTTPSHandler,
        urllib.request.HTTPDefaultErrorHandler,
        urllib.request.HTTPErrorProcessor,
        _Redirects,
    ):
        opener.add_handler(handler())
    request = urllib.request.Request(url, headers={"User-Agent": "toplabel"}, method=method)
    return opener.open(request, timeout=timeout)


class _Redirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req, fp, code, msg, headers, newurl):
        _check_address(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _check_address(url: str) -> None:
    if urllib.parse.urlsplit(url).scheme != "https":
        raise urllib.error.URLError(f"{url} is no https address")


def _store(
    file: RawFile,
    stream: BinaryIO,
    suffix: str,
    target: Path,
    origin: str,
    promised: int | None = None,
    longest: float = math.inf,
) -> None:
    """Decompress, check and place a file; the content passes through memory in pieces.

    `promised` is what it must have uncompressed, `longest` what it may have if no size is
    registered.
    """
    with atomic_path(target) as temporary, temporary.open("wb") as output:
        pieces = _pieces(file, stream, suffix, origin, longest)
        _consume(file, pieces, origin, output.write, promised)


def _consume(
    file: RawFile,
    pieces: Iterable[bytes],
    origin: str,
    write: Callable[[bytes], Any] = len,
    promised: int | None = None,
) -> None:
    """Write content piece by piece, if it is to be, and compare it with the registry."""
    digest, size = hashlib.sha256(), 0
    for piece in pieces:
        digest.update(piece)
        size += len(piece)
        write(piece)
    if promised is not None and size != promised:
        raise FetchError(f"{origin}: broke off after {size} of {promised} bytes")
    check_sum(file, digest.hexdigest(), size, origin)


class _Counted:
    """A stream that counts the bytes read from it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self.taken = stream, 0

    def read(self, size: int = -1) -> bytes:
        piece = self._stream.read(size)
        self.taken += len(piece)
        return piece


def _pieces(
    file: RawFile, stream: BinaryIO, suffix: str, origin: str, longest: float = math.inf
) -> Iterator[bytes]:
    """Yield the content, uncompressed; an error as soon as it is longer than it may be."""
    most, why = longest, "are taken at most"
    if file.size is not None:
        most, why = file.size, "the registry has"
    packed, size = _Counted(stream), 0
    plain = _DECOMPRESSORS[suffix](packed) if suffix else packed
    while piece := _read_chunk(plain, suffix, origin):
        size += len(piece)
        if size > most:
            raise ChecksumError(f"{origin}: more than the {most} bytes that {why}")
        if file.size is None and suffix and size > max(_FREE, _RATIO * packed.taken):
            message = f"unpacks to over {_RATIO} times its size; state the file's `size`"
            raise FetchError(f"{origin}: {message} if that is right")
        yield piece


def _read_chunk(stream: BinaryIO, suffix: str, origin: str) -> bytes:
    if not suffix:
        return stream.read(_CHUNK)
    try:
        return stream.read(_CHUNK)
    except _DAMAGE as error:
        raise FetchError(f"{origin}: truncated or damaged {suffix} file ({error})") from None
