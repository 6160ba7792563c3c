"""Reading collected files; every error is one line that names the file, the line and the column."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from toplabel.files import FileError, read_text


def read_json(path: Path, keys: list[str]) -> dict[str, Any]:
    try:
        content = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise FileError(f"{path}:{error.lineno}: {error.msg}") from None
    if not isinstance(content, dict):
        raise FileError(f"{path}: expected an object")
    for key in keys:
        if key not in content:
            raise FileError(f"{path}: the key '{key}' is missing")
    return content


def require(good: pd.Series, frame: pd.DataFrame, path: Path, complaint: str) -> None:
    """Raise for the first row that is not `good`, naming its line and cell."""
    if good.all():
        return
    row = int(np.flatnonzero(~good)[0])
    cell = ", ".join(frame.iloc[row][c] for c in ("dataset", "method", "metric"))
    raise FileError(f"{path}:{row + 2}: {cell}: {complaint}")
