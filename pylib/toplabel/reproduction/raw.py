"""The raw files of all data sets, as files of the graph: data/raw/<folder>/<name>."""

from __future__ import annotations

import urllib.error
import urllib.parse
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path

from toplabel.reproduction.config.datasets import Registry
from toplabel.reproduction.config.entry import Entry, RawFile
from toplabel.reproduction.data.fetch import (
    MIRROR_VARIABLE,
    SHIPPED,
    FetchTask,
    PathLike,
    Places,
    find,
    open_address,
    raw_path,
)
from toplabel.reproduction.files import file_sum

RAW = "data/raw"
_SHOWN = 3  # of the names of missing files
_WAIT = 4.0  # seconds for an answer of a host


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
    """What is known of raw files before the first job.

    `mirrors` are the folders to look in, besides data/raw; with `download` the hosts of addresses may be
    asked.
    """

    registry: Registry
    mirrors: list[Path]
    download: bool

    @cache  # noqa: B019  it lives as long as the process
    def missing(self, dataset: str) -> str:
        """Return why a data set cannot be had, or "".

        A set that is made of another one needs that one, and features of a network need PyTorch.
        """
        if self.registry[dataset].network is not None and find_spec("torch") is None:
            return "PyTorch is not installed: pip install 'toplabel[torch]'"
        origin = self.registry[self.registry.origin_of(dataset)]
        return missing_reason(origin, Path(RAW), self.mirrors, self.download)

    @cache  # noqa: B019
    def files(self, dataset: str) -> list[str]:
        """Return the paths of the raw files that a data set is prepared from."""
        entry = self.registry[dataset]
        return [str(raw_path(entry.folder, file.name, RAW)) for file in entry.files]

    @cached_property
    def fetched(self) -> dict[str, str]:
        """The files that rule `fetch` brings, each with a data set that it is of.

        They have a registered sum or address, or a mirror has them. Other files are the user's own.
        """
        fetched: dict[str, str] = {}
        for dataset, entry in self.registry.items():
            for file, path in zip(entry.files, self.files(dataset), strict=True):
                is_plain = Path(path).name == file.name
                if is_plain and (file.sha256 or file.url or self._copy(dataset, file)):
                    fetched.setdefault(path, dataset)
        return fetched

    def _copy(self, dataset: str, file: RawFile) -> Path | None:
        """Return the copy of a file in a mirror; None where none has it."""
        folder = self.registry[dataset].folder
        return find(file.name, [mirror / folder for mirror in self.mirrors])

    def source(self, path: str) -> list[str]:
        """Return the file of a mirror that a file is a copy of, as an input of rule `fetch`.

        A file with a registered sum has none: its content does not depend on where it comes from.
        """
        file = self._file(path)
        copy = None if file.sha256 else self._copy(self.fetched[path], file)
        return [str(copy)] if copy else []

    def fetch_task(self, path: str) -> FetchTask:
        """Return what rule `fetch` is told of a file."""
        return FetchTask.of(self.registry[self.fetched[path]], self._file(path))

    @property
    def places(self) -> Places:
        """Where rule `fetch` looks for files."""
        return Places(tuple(map(str, self.mirrors)), self.download)

    def _file(self, path: str) -> RawFile:
        return self.registry[self.fetched[path]].file(Path(path).name)

    def own_sums(self, dataset: str) -> dict[str, str]:
        """Return the SHA-256 of the user's own files of a data set, by their paths."""
        own = (path for path in self.files(dataset) if path not in self.fetched)
        return {path: file_sum(path) for path in own if Path(path).is_file()}
