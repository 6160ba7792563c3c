"""Whether the raw files of a data set can be had, asked before the first job."""

from __future__ import annotations

import urllib.error
import urllib.parse
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from toplabel.reproduction.config.entry import Entry
from toplabel.reproduction.datasets.fetch import open_address
from toplabel.reproduction.datasets.locate import available

_TIMEOUT = 4.0  # seconds


def unreachable(url: str) -> str:
    """Ask the host of an address for the address' header.

    Returns
    -------
    str
        Why there is no answer; empty when there is one. A host that did not answer is not asked
        again in this process.
    """
    host = urllib.parse.urlsplit(url).netloc
    if host not in _silent:
        _silent[host] = _ask(url)
    return _silent[host]


_silent: dict[str, str] = {}


def _ask(url: str) -> str:
    try:
        with open_address(url, _TIMEOUT, "HEAD"):
            return ""
    except urllib.error.HTTPError:
        return ""  # it answers; some servers refuse HEAD
    except (urllib.error.URLError, OSError, ValueError) as error:
        return f"no answer, {getattr(error, 'reason', None) or error}"


def reason_missing(
    entry: Entry,
    raw_folder: Path,
    mirrors: Sequence[Path],
    download: bool,
    silence: Callable[[str], str] = unreachable,
) -> str:
    """Say why a data set cannot be had; empty when it can.

    Parameters
    ----------
    entry : Entry
    raw_folder : Path
        ``data/raw``.
    mirrors : sequence of Path
    download : bool
        Whether the official addresses may be asked.
    silence : callable
        Why an address does not answer; one address of each host is asked.
    """
    at_hand, reason = available(entry, raw_folder, mirrors)
    if at_hand:
        return ""
    if not download or not entry.is_readable:
        return reason
    urls = [
        file.url
        for file in entry.files
        if not available(replace(entry, files=(file,)), raw_folder, mirrors)[0]
    ]
    if None in urls:
        return reason
    for host, url in {urllib.parse.urlsplit(url).netloc: url for url in urls}.items():
        if why := silence(url):
            return f"{reason}; {host}: {why}"
    return ""


def lacking_torch() -> str:
    """Return why no network can be trained; empty where PyTorch is installed."""
    there = find_spec("torch") is not None
    return "" if there else "PyTorch is not installed: pip install 'toplabel[torch]'"
