"""Whether the raw files of a data set can be had, asked before the first job."""

from __future__ import annotations

import urllib.error
import urllib.parse
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from toplabel.reproduction.config.entry import Entry
from toplabel.reproduction.data.fetch import open_address
from toplabel.reproduction.data.locate import available

_TIMEOUT = 4.0  # seconds
_silent: dict[str, str] = {}  # why a host did not answer, which is asked once


def unreachable(url: str) -> str:
    """Return why the host of an address does not answer; empty when it does."""
    host = urllib.parse.urlsplit(url).netloc
    if host not in _silent:
        try:
            with open_address(url, _TIMEOUT, "HEAD"):
                _silent[host] = ""
        except urllib.error.HTTPError:
            _silent[host] = ""  # it answers; some servers refuse HEAD
        except (urllib.error.URLError, OSError, ValueError) as error:
            _silent[host] = f"no answer, {getattr(error, 'reason', None) or error}"
    return _silent[host]


def reason_missing(
    entry: Entry,
    raw_folder: Path,
    mirrors: Sequence[Path],
    download: bool,
    silence: Callable[[str], str] = unreachable,
) -> str:
    """Say why a data set cannot be had; empty when it can.

    With `download` the official addresses may be asked, of each host one; `silence` says why one
    does not answer.
    """
    at_hand, reason = available(entry, raw_folder, mirrors)
    if at_hand:
        return ""
    each = [replace(entry, files=(file,)) for file in entry.files]
    missing = [one.files[0].url for one in each if not available(one, raw_folder, mirrors)[0]]
    if not download or not entry.is_readable or None in missing:
        return reason
    for host, url in {urllib.parse.urlsplit(url).netloc: url for url in missing}.items():
        if why := silence(url):
            return f"{reason}; {host}: {why}"
    return ""


def lacking_torch() -> str:
    """Return why no network can be trained; empty where PyTorch is installed."""
    there = find_spec("torch") is not None
    return "" if there else "PyTorch is not installed: pip install 'toplabel[torch]'"
