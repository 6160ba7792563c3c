"""The replication paper: a PDF document whose every number comes from the kept run."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from datetime import datetime
from importlib import resources
from pathlib import Path
from typing import Any

from toplabel._core.files import atomic_path
from toplabel.reproduction.reporting.pdf import compiled

_MAIN = "replication.typ"
_FILES = (_MAIN, "references.yml")


def write_replication(
    facts: Mapping[str, Any],
    pictures: Mapping[str, str],
    created: datetime,
    out_path: str | Path,
) -> None:
    """Set the paper; the same facts give the same bytes.

    Parameters
    ----------
    facts : mapping
        What the template prints, as plain data.
    pictures : mapping of str to str
        Standalone SVG by file name.
    created : datetime
        The date of the run.
    out_path : path-like

    Raises
    ------
    FileError
        The document cannot be set, or the file cannot be written.
    """
    templates = resources.files("toplabel.reproduction.reporting").joinpath("templates")
    with tempfile.TemporaryDirectory() as folder, atomic_path(out_path) as path:
        root = Path(folder)
        for name in _FILES:
            (root / name).write_text(templates.joinpath(name).read_text("utf-8"), encoding="utf-8")
        for name, svg in pictures.items():
            (root / name).write_text(svg, encoding="utf-8")
        content = json.dumps(facts, ensure_ascii=False)
        (root / "content.json").write_text(content, encoding="utf-8")
        path.write_bytes(compiled(root, _MAIN, created))
