"""Why measured numbers differ from the printed ones: ``config/differences.yaml``.

``python -m toplabel.reproduction.config.differences FILE PUBLISHED`` prints docs/differences.md.
"""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections.abc import Collection, Mapping
from typing import Annotated

from toplabel.reproduction.config.documents import check, read_yaml
from toplabel.reproduction.config.findings import Pattern, Selector
from toplabel.reproduction.config.model import (
    Closed,
    Name,
    Named,
    RowName,
    Some,
    Text,
    Unique,
    model,
)
from toplabel.reproduction.config.studies import check_names, whole_names


@model
class Cells(Closed):
    """Cells of the papers' tables, and what their reason is known from."""

    tables: Annotated[tuple[Name, ...], Some, Unique]
    """Published tables by their whole names, as `tpami2017_table05`."""
    datasets: Annotated[tuple[Name, ...], Some, Unique]
    """Data sets, by the papers' names."""
    methods: Annotated[tuple[Selector, ...], Some]
    """Methods; `k: metric` is the k of the metric."""
    metrics: Annotated[tuple[Pattern, ...], Some, Unique]
    """`*` stands for any letters and digits, as in `f1_*`."""
    evidence: Text
    """What was measured or is known, in sentences; in the small markup of the reports, as
    SVM^{ML}."""


@model
class Reason(Closed):
    """Why some cells differ."""

    name: RowName
    title: Text
    """In a few words."""
    why: Text
    """In one sentence."""
    cells: Annotated[tuple[Cells, ...], Some]
    """The cells that it is about."""


@model
class DifferencesFile(Closed):
    """Why measured numbers differ from the printed ones (config/differences.yaml)."""

    reasons: Annotated[Mapping[str, Reason], Some, Named]


def load_reasons(
    path: str | os.PathLike[str], published_folder: str | os.PathLike[str]
) -> list[Reason]:
    """Read the reasons and check the tables that they name; a ValueError names file, key and fault."""
    reasons = [*check(read_yaml(path), DifferencesFile, str(path)).reasons.values()]
    known = whole_names(published_folder)
    for reason in reasons:
        for i, cells in enumerate(reason.cells):
            key = f"{path}: reasons.{reason.name}.cells[{i}].tables"
            check_names(key, "table", cells.tables, known)
    return reasons


def page(reasons: Collection[Reason]) -> str:
    """Return the text of docs/differences.md."""
    return "\n".join([_HEAD, *map(_section, reasons)])


_HEAD = """\
# Why numbers differ

`make reference` writes this page from `config/differences.yaml`.
[reports/summary](../reports/summary/README.md) counts, for each reason, the numbers of the kept run
that it covers. The reports show the reason beside the cells that differ, and say which cells have
none. "The experiment" is a variant of the method, of the studies `as_printed` and `readings`; the
reports, and the column `experiment` of `results/differences.csv`, say what it gives. The printed and
the measured number of each cell are in `reports/summary/comparison.csv`, those of other readings in
`reports/summary/readings.csv`.
"""


def _section(reason: Reason) -> str:
    texts = (f"- **{_place(cells)}**: {cells.evidence}" for cells in reason.cells)
    plain = (re.sub(r"\^\{([^{}]*)\}", r"^\1", text) for text in texts)
    lines = (_wrapped(text, "  ") for text in plain)
    return "\n".join([f"## {reason.title}\n", f"{_wrapped(reason.why)}\n", *lines, ""])


def _place(cells: Cells) -> str:
    """Return tables, data sets, methods and metrics in a few words."""
    names = (
        cells.tables,
        cells.datasets,
        tuple(map(_selected, cells.methods)),
        tuple(f"`{metric}`" for metric in cells.metrics),
    )
    return "; ".join(", ".join(some) for some in names)


def _selected(methods: Selector) -> str:
    ks = methods.k if isinstance(methods.k, tuple) else ()
    facts = {
        "k": ", ".join(map(str, ks)),
        "gamma": "" if methods.gamma is None else f"{methods.gamma:g}",
    }
    words = [f"{name} = {value}" for name, value in facts.items() if value]
    words += [f"{methods.kernel} kernel"] if methods.kernel else []
    return f"`{methods.method}`" + (f" ({', '.join(words)})" if words else "")


def _wrapped(text: str, indent: str = "") -> str:
    words = {"break_long_words": False, "break_on_hyphens": False}
    return textwrap.fill(text, 100, subsequent_indent=indent, **words)


if __name__ == "__main__":
    print(page(load_reasons(*sys.argv[1:])), end="")
