"""``python -m toplabel.reproduction.report.archive RESULTS ZIP``: the report as one file, for a
release or a web server.

The pages are written anew without links to results/, which is not in the archive. A path of the
machine, as that of a mirror or of a config file, keeps its last part alone; names of hosts are left
out.
"""

from __future__ import annotations

import re
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from toplabel._core.files import FileError, atomic_path
from toplabel.reproduction.report.crate import write_crate
from toplabel.reproduction.report.html import write_html
from toplabel.reproduction.report.inputs import ReportInputs, load_inputs
from toplabel.reproduction.report.metadata import write_data
from toplabel.reproduction.report.pdf import write_pdf

LARGEST = 15 * 10**6
"""Bytes of the archive."""
_ROOTS = "home|root|Users|tmp|work|mnt|media|opt|srv|scratch|data|var|private|Volumes"
_ROOTS += "|gpfs|lustre|beegfs|nfs|net|cluster|projects?|users|storage|workspace"
#: An absolute path in a text, but not the path of a web address.
_PATH = re.compile(rf"(?<![\w.:/<~-])/(?:{_ROOTS})\d*(?![\w-])(?:/[^\s\"'`,;()<>\\]+)*/?")
_TEXTS = (".html", ".csv", ".json")
_FOLDER = "toplabel-report"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # of all members, so that the same report gives the same bytes


def write_archive(results: str | Path, path: str | Path, checkout: str | Path) -> None:
    """Write the report of a results folder as a ZIP file of at most `LARGEST` bytes.

    Parameters
    ----------
    results : path-like
        A whole results folder.
    path : path-like
        The archive.
    checkout : path-like
        The folder with the Snakefile, for the RO-Crate.

    Raises
    ------
    FileError
        As `load_inputs`; or a file still names a path of this machine, or the archive is too large.
        Then nothing is written.
    """
    inputs = load_inputs(results)
    inputs = replace(inputs, run=inputs.run | {"nodes": []})  # names of hosts
    clean = _without_paths(inputs)
    with tempfile.TemporaryDirectory() as temporary, atomic_path(path) as out:
        folder = Path(temporary) / "reports"
        write_data(inputs, folder / "data")
        for file in sorted((folder / "data").rglob("*")):
            if file.suffix in _TEXTS:
                file.write_text(without_paths(file.read_text("utf-8")), encoding="utf-8")
        write_html(clean, folder / "index.html")
        write_pdf(clean, folder / "toplabel.pdf")
        write_crate(clean, folder, checkout)
        _pack(folder, out)
        if (size := out.stat().st_size) > LARGEST:
            raise FileError(f"{path}: {size:,} bytes, more than {LARGEST:,}")


def without_paths(text: str) -> str:
    """Return a text in which absolute paths of a machine keep their last part alone."""
    return _PATH.sub(lambda found: Path(found[0]).name, text)


def _without_paths(inputs: ReportInputs) -> ReportInputs:
    """Return inputs without paths of the machine, and without the folder that links lead to."""
    frames = ("comparison", "datasets", "failures")
    return replace(
        inputs,
        folder=Path("results.not.here"),
        run=_mapped(inputs.run, without_paths),
        **{name: _clean(getattr(inputs, name)) for name in frames},
    )


def _clean(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(**{"reason": frame["reason"].map(without_paths)}) if len(frame) else frame


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    """Change all texts in lists and mappings."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _mapped(one, change) for key, one in value.items()}
    if isinstance(value, list):
        return [_mapped(one, change) for one in value]
    return value


def _pack(folder: Path, out: Path) -> None:
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for file in sorted(folder.rglob("*")):
            if not file.is_file():
                continue
            name = file.relative_to(folder).as_posix()
            content = file.read_bytes()
            if file.suffix in _TEXTS and (left := _PATH.search(content.decode("utf-8"))):
                raise FileError(f"{name}: names a path of this machine, {left[0]}")
            member = zipfile.ZipInfo(f"{_FOLDER}/{name}", _EPOCH)
            member.external_attr = 0o644 << 16
            archive.writestr(member, content, zipfile.ZIP_DEFLATED, 9)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python -m toplabel.reproduction.report.archive RESULTS ZIP")
    try:
        write_archive(sys.argv[1], sys.argv[2], Path.cwd())
    except FileError as error:
        sys.exit(str(error))
