"""The names under which published and measured numbers meet: keys of methods, and names of tables.

Papers print a method by the label of its row: ``topk_svm_alpha`` with k = 1 in one table is
``svm_multi`` in another. Keys hold text, as the CSV files do; an empty text means "not stated" or
"does not apply".
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from toplabel._core.catalogue import LOSSES
from toplabel.reproduction.files import PathLike


class Key(NamedTuple):
    """A method in canonical form; all fields are text."""

    method: str
    k: str
    gamma: str
    kernel: str


def canonical_key(method: object, k: object = "", gamma: object = "", kernel: object = "") -> Key:
    """Return the one key that all names of a method share.

    The top-k hinges with k = 1 are the multiclass SVM of the same gamma, the top-k entropies with k
    = 1 are the softmax loss (TPAMI section 3.2, Table 1). A hinge without gamma has gamma = 0; a
    loss without k or gamma has none, whatever the table says. Methods of other authors keep what
    they have. Empty, None and NaN are the same; so are 1, 1.0, "1" and "1.0". What is neither empty
    nor a number is a ValueError.

    >>> canonical_key("topk_svm_beta", 1, 0.0, "linear")
    Key(method='svm_multi', k='', gamma='0', kernel='linear')
    """
    name, k_text, gamma_text = _text(method), number_text(k, "k"), number_text(gamma, "gamma")
    loss = LOSSES.get(name)
    if loss is not None and k_text == "1":
        loss = LOSSES[loss.at_one or name]
    if loss is not None:
        name = loss.key
        k_text = k_text if loss.top_k else ""
        gamma_text = (gamma_text or "0") if loss.smoothing else ""
    return Key(name, k_text, gamma_text, _text(kernel))


def key_of(row: Mapping[str, object]) -> Key:
    """Return the key of a row of a result file."""
    return canonical_key(row["method"], row["k"], row["gamma"], row["kernel"])


def number_text(value: object, name: str) -> str:
    """Return a number in its shortest form ("1", "0.5"); nothing, None and NaN are empty.

    A ValueError names the argument, when it is neither empty nor a finite number.
    """
    text = _text(value)
    if not text:
        return ""
    try:
        number = float(text)
    except ValueError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a number or empty, got {value!r}")
    return f"{number:.12g}"


def _text(value: object) -> str:
    if value is None or (isinstance(value, numbers.Real) and math.isnan(value)):
        return ""
    text = str(value).strip()
    return "" if text in ("nan", "<NA>") else text


# ---- published tables ----------------------------------------------------------------------------

_TABLE_FILE = re.compile(r"(?P<source>[a-z]+[0-9]{4})_table(?P<table>[0-9]+)")
_MAIN = "tpami2017_"  # the paper whose tables need no prefix: table05 is tpami2017_table05
OTHER_COLUMNS = frozenset(["tpami2017_table02"])
"""Published tables of runtimes, which are no cells of data set, method and metric."""


def short_name(name: str) -> str:
    """Return the short form of a published table's name; any other name stays as it is."""
    return name.removeprefix(_MAIN)


def whole_name(name: str) -> str:
    """Return the name of a published table's file in data/published, given its short name."""
    return name if _TABLE_FILE.fullmatch(name) else f"{_MAIN}{name}"


def table_name(source: str, table: str) -> str:
    """Name a published table in short: "table05" of the main paper, or "cvpr2016_table07"."""
    return short_name(f"{source}_table{int(table):02d}")


def published_tables(folder: PathLike) -> dict[str, tuple[str, str]]:
    """Return source and number, as ("tpami2017", "5"), of the published tables by short name."""
    tables = {}
    for path in sorted(Path(folder).glob("*.csv")):
        match = _TABLE_FILE.fullmatch(path.stem)
        if match and path.stem not in OTHER_COLUMNS:
            tables[short_name(path.stem)] = (match["source"], str(int(match["table"])))
    return tables
