"""Checks of collected files; every error is one line that names the file, the line and the cell."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from toplabel.files import FileError


def require(good: pd.Series, frame: pd.DataFrame, path: Path, complaint: str) -> None:
    """Raise for the first row that is not `good`, naming its line and cell."""
    if good.all():
        return
    row = int(np.flatnonzero(~good)[0])
    cell = ", ".join(frame.iloc[row][c] for c in ("dataset", "method", "metric"))
    raise FileError(f"{path}:{row + 2}: {cell}: {complaint}")
