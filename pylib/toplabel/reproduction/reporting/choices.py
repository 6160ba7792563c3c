"""Readings that our numbers follow and that printed test numbers had a part in: which cells depend
on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from toplabel.reproduction.config.readings import Choice


def chosen_for(cells: pd.DataFrame, choices: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return for each cell the title of the first choice that it depends on; empty without one.

    Parameters
    ----------
    cells : DataFrame
        Rows of comparison.csv.
    choices : iterable of mapping
        The fields of `Choice`, as run.json has them.
    """
    known = [Choice(**{name: _frozen(value) for name, value in one.items()}) for one in choices]
    return [
        next((one.title for one in known if one.names(cell)), "")
        for cell in cells.to_dict("records")
    ]


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
