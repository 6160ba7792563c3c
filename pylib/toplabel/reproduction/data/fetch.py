"""Raw files: which of them can be had, and how each comes to ``data/raw/<set>/``: from a mirror folder, the
checkout or the official address.

A mirror folder holds ``<set>/<file>``, plain or with .xz, .gz or .bz2 added; a user's own file in
``data/raw/<set>/`` may be compressed, too. A file arrives uncompressed and whole, or not at all. Its
size and its SHA-256 are compared where the registry has them.
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
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from toplabel.reproduction.config.datasets import Registry
from toplabel.reproduction.config.entry import Entry, RawFile
from toplabel.reproduction.files import PathLike, atomic_path, file_sum

RAW = "data/raw"
SHIPPED = "data/embedded"
"""The folder of the checkout with the raw files that it ships."""
MIRROR_VARIABLE = "TOPLABEL_MIRROR"

_DECOMPRESSORS: dict[str, Callable[[Any], Any]] = {
    ".xz": lzma.open,
    ".gz": gzip.open,
    ".bz2": bz2.open,
}
_CHUNK = 2**20
_SHOWN = 3  # of the names of missing files
_WAIT = 4.0  # seconds for an answer of a host
_LONGEST = 2**33  # bytes of a download or a compressed file when no size is registered
_TIMEOUT = 30.0  # seconds for an answer, or for going on, while a file is fetched


class FetchError(ValueError):
    """A raw file is not available."""


NOT_PUBLISHED = "their data are published by nobody"
NOT_REACHED = "their data have an address that was not reached, or not asked"
NOT_ASKED = "their data are here, and this run does not ask for them"
"""Why a data set is missing; what it waits for comes behind a colon."""


@dataclass(frozen=True)
class FetchTask:
    """A raw file to bring: what is registered of it, and of the data set that it is of."""

    dataset: str
    folder: str
    file: RawFile
    waits_for: str | None


@dataclass(frozen=True)
class Places:
    """Places to look for raw files: folders, in their order, and whether the network is asked.

    A file is the same wherever it comes from, so no job runs again because of these.
    """

    mirrors: tuple[str, ...]
    download: bool


def mirror_folders(configured: Iterable[PathLike], root: PathLike) -> list[Path]:
    """Return the folders to look for raw files in, the first to be asked first.

    These are the folders of the environment variable TOPLABEL_MIRROR (separated as in PATH), the
    configured ones, and the folder with the files that the checkout `root` ships.
    """
    named = os.environ.get(MIRROR_VARIABLE, "").split(os.pathsep)
    folders = [Path(os.path.expanduser(name)) for name in (*named, *configured) if str(name)]
    return list(dict.fromkeys([*folders, Path(root) / SHIPPED]))


def find(name: str, folders: Iterable[Path]) -> Path | None:
    """Return the first copy of a file, plain or compressed; None when no folder has one."""
    return next((path for folder in folders for path in copies(name, folder)), None)


def copies(name: str, folder: Path) -> list[Path]:
    """Return the copies of a file that a folder has: the plain one first, then compressed ones."""
    paths = [folder / (name + suffix) for suffix in ("", *_DECOMPRESSORS)]
    return [path for path in paths if path.is_file()]


def check_only_copy(file: RawFile, folder: Path) -> None:
    """Refuse a file without a registered sum that a folder has plain and compressed: one of the two
    may be older, and nothing says which is meant.
    """
    paths = [] if file.sha256 else copies(file.name, folder)
    if len(paths) > 1:
        names = " and ".join(path.name for path in paths)
        raise FetchError(f"{folder} has {names}; remove all but the one that is meant")


def raw_path(folder: str, name: str, raw_folder: PathLike) -> Path:
    """Return the path of a raw file in a data set's folder, with the suffix of its compression if it
    has one.

    A file that is not there has its plain path.
    """
    whole = Path(raw_folder) / folder
    return find(name, [whole]) or whole / name


def fetch_file(task: FetchTask, target: Path, places: Places) -> None:
    """Bring one raw file of a data set to the path `target`, whole or not at all.

    The mirrors are asked in their order (see `mirror_folders`), then, where the network may be asked,
    the official address. A FetchError says that it is not available, damaged, or not the registered one.
    """
    file = task.file
    folders = [Path(mirror) / task.folder for mirror in places.mirrors]
    if copy := find(file.name, folders):
        check_only_copy(file, copy.parent)
        try:
            with atomic_path(target) as path, path.open("wb") as output:
                read_raw(file, copy, output.write)
        except OSError as error:
            raise FetchError(f"{copy}: cannot be copied to {target} ({error.strerror})") from None
        return
    looked = f"it is not in {' nor in '.join(map(str, (target.parent, *folders)))}"
    where = f"data set '{task.dataset}': {file.name} could not be had: {looked}"
    if file.url is None:
        waits = f"; it waits for {task.waits_for}" if task.waits_for else ""
        raise FetchError(f"{where}, and no address is registered{waits}")
    if not places.download:
        raise FetchError(f"{where}, and the network is not to be used ({file.url})")
    try:
        _download(file, target)
    except (http.client.HTTPException, OSError) as error:
        is_status = isinstance(error, urllib.error.HTTPError)
        reason = error if is_status else getattr(error, "reason", None) or error
        raise FetchError(f"{where}, and {file.url} failed ({reason})") from None


def read_raw(file: RawFile, path: Path, write: Callable[[bytes], Any] = len) -> tuple[str, int]:
    """Read a raw file, decompress it, and compare it with what the registry says of it.

    `write` takes the uncompressed content, piece by piece. Return its SHA-256 and size. A file that
    is damaged or not the registered one is a `FetchError`.
    """
    with path.open("rb") as stream:
        return _read(file, stream, str(path), write)


def _read(
    file: RawFile, stream: Any, origin: str, write: Callable[[bytes], Any]
) -> tuple[str, int]:
    suffix = Path(origin).suffix
    content = _DECOMPRESSORS[suffix](stream) if suffix in _DECOMPRESSORS else stream
    is_bounded = suffix in _DECOMPRESSORS or origin == file.url
    most = file.size or (_LONGEST if is_bounded else math.inf)
    digest, size = hashlib.sha256(), 0
    try:
        while piece := content.read(_CHUNK):
            size += len(piece)
            if size > most:
                why = "the registry has" if file.size else "are taken where no `size` is registered"
                raise FetchError(f"{origin}: more than the {most} bytes that {why}")
            digest.update(piece)
            write(piece)
    except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
        if getattr(error, "errno", None) is not None:
            raise  # of the disk or the network
        raise FetchError(f"{origin}: truncated or damaged {suffix} file ({error})") from None
    sha256 = digest.hexdigest()
    if file.sha256 not in (None, sha256):
        message = f"sha256 is {sha256} ({size} bytes), the registry has {file.sha256}"
        raise FetchError(f"{origin}: {message}")
    if file.size not in (None, size):
        raise FetchError(f"{origin}: {size} bytes, the registry has {file.size}")
    return sha256, size


def _download(file: RawFile, target: Path) -> None:
    with (
        open_address(file.url, _TIMEOUT) as stream,
        atomic_path(target) as path,
        path.open("wb") as output,
    ):
        promised = stream.length
        _read(file, stream, file.url, output.write)
        if stream.length:  # bytes that did not come: a broken connection reads like the file's end
            got = promised - stream.length
            raise FetchError(f"{file.url}: broke off after {got} of {promised} bytes")


def open_address(url: str, timeout: float, method: str = "GET") -> Any:
    """Ask an https address, which may redirect to another https address."""
    request = urllib.request.Request(url, headers={"User-Agent": "toplabel"}, method=method)
    answer = urllib.request.urlopen(request, timeout=timeout)
    if not answer.url.startswith("https://"):
        answer.close()
        raise urllib.error.URLError(f"{url} redirects to {answer.url}, which is no https address")
    return answer


# ---- before the first job -------------------------------------------------------------------------


def missing_reason(
    entry: Entry, raw_folder: PathLike, mirrors: Sequence[PathLike] = (), download: bool = False
) -> str:
    """Return why a data set cannot be had, in one line, or "" when it can.

    Only the existence of files is checked, not their content. With `download` the hosts of the
    official addresses are asked for what no folder has, each host once.
    """
    folders = [Path(folder) / entry.folder for folder in (raw_folder, *mirrors)]
    missing = [file for file in entry.files if find(file.name, folders) is None]
    if not missing:
        return ""
    more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
    listed = ", ".join(file.name for file in missing[:_SHOWN]) + more
    reason = f"{listed} not found in data/raw, {SHIPPED} or a mirror ({MIRROR_VARIABLE})"
    if download and all(file.url for file in missing):
        hosts = dict.fromkeys(urllib.parse.urlsplit(file.url).netloc for file in missing)
        silent = [f"{host}: {why}" for host in hosts if (why := unreachable(host))]
        return f"{reason}; {silent[0]}" if silent else ""
    return f"{reason}; waits for {entry.waits_for}" if entry.waits_for else reason


@cache
def unreachable(host: str) -> str:
    """Return why a host does not answer, or "" when it does."""
    try:
        open_address(f"https://{host}/", _WAIT, "HEAD").close()
    except urllib.error.HTTPError:
        return ""  # it answers; some servers refuse HEAD
    except (OSError, ValueError) as error:
        return f"no answer, {getattr(error, 'reason', None) or error}"
    return ""


@dataclass(frozen=True, eq=False)
class RawFiles:
    """The raw files as far as the plan knows them."""

    registry: Registry
    places: Places

    @cache  # noqa: B019  it lives as long as the process
    def missing(self, dataset: str) -> str:
        """Return why a data set cannot be had, or "".

        A set that is made of another one needs that one, and features of a network need PyTorch.
        """
        if self.registry[dataset].network is not None and find_spec("torch") is None:
            return "PyTorch is not installed: pip install 'toplabel[torch]'"
        origin = self.registry[self.registry.origin_of(dataset)]
        return missing_reason(origin, RAW, self.places.mirrors, self.places.download)

    def absence(self, dataset: str) -> str:
        """Return whether the data of a set are here, have an address, or are published by nobody,
        with what the set waits for.
        """
        entry = self.registry[self.registry.origin_of(dataset)]
        if not missing_reason(entry, RAW, self.places.mirrors):
            return NOT_ASKED
        kind = NOT_PUBLISHED if entry.waits_for and not entry.is_published else NOT_REACHED
        return f"{kind}: {entry.waits_for}" if entry.waits_for else kind

    @cache  # noqa: B019
    def files(self, dataset: str) -> list[str]:
        """Return the paths of the raw files that a data set is prepared from."""
        entry = self.registry[dataset]
        return [str(raw_path(entry.folder, file.name, RAW)) for file in entry.files]

    @cached_property
    def fetched(self) -> dict[str, FetchTask]:
        """The files that rule `fetch` brings, by path, each of the first data set that has it.

        They have a registered sum or address, or a mirror has them. Other files are the user's own, and so
        is a file without a registered sum that is there: no copy of a mirror replaces it.
        """
        fetched: dict[str, FetchTask] = {}
        for dataset, entry in self.registry.items():
            for file, path in zip(entry.files, self.files(dataset), strict=True):
                task = FetchTask(dataset, entry.folder, file, entry.waits_for)
                is_plain = Path(path).name == file.name
                has_origin = not Path(path).is_file() if self._copy(task) else bool(file.url)
                if is_plain and (file.sha256 or has_origin):
                    fetched.setdefault(path, task)
        return fetched

    def _copy(self, task: FetchTask) -> Path | None:
        """Return the copy of a file in a mirror; None where none has it."""
        return find(task.file.name, [Path(mirror) / task.folder for mirror in self.places.mirrors])

    @cache  # noqa: B019
    def own_sums(self, dataset: str) -> dict[str, str]:
        """Return the SHA-256 of the user's own files of a data set, by their paths.

        A file that a mirror's copy brings is the user's own from then on, so it has its sum before.
        """
        sums = {}
        for path in self.files(dataset):
            task = self.fetched.get(path)
            if task is None and Path(path).is_file():
                sums[path] = file_sum(path)
            elif task and not task.file.sha256 and (copy := self._copy(task)):
                with suppress(FetchError):  # the job that fetches it tells of the damage
                    sums[path], _ = read_raw(task.file, copy)
        return sums
