"""The table of the figures: what each is made from, and its place in the report.

Targets, rules and reports read it. It imports nothing that draws, so that it is read fast.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

#: All numbers of the run and of the papers (`toplabel.reproduction.compare.cells`).
CELLS = "results/cells.csv"
_SET = "{dataset}"


@dataclass(frozen=True)
class Figure:
    """A row of the table, for the files ``results/figures/<name>.svg``, ``.csv`` and ``.json``.

    Attributes
    ----------
    name : str
        With ``{dataset}`` in it, there is one figure for each data set.
    module : str
        The module of `toplabel.reproduction.report.figures` with its words, numbers and drawing.
    source : str
        The figure or section of a paper that it answers to, as "TPAMI 2017, Fig. 4".
    page : str
        Where it stands in the report: a study, of which a figure of one data set shows the methods, or
        one of `toplabel.reproduction.report.pages.RESERVED`.
    dataset : str
        The set that is shown, or ``{dataset}``. Without a page of its own the figure stands with the
        study of the set.
    inputs : tuple of str
        The files that it is made from.
    cell_files : tuple of str
        The files of each cell of the data set that it is made from besides; "tune" stands for the
        files of the tuning.
    """

    name: str
    module: str
    source: str = ""
    page: str = "figures"
    dataset: str = ""
    inputs: tuple[str, ...] = ()
    cell_files: tuple[str, ...] = ()

    @property
    def of_run(self) -> bool:
        """Whether it shows measured results; the others need neither a study nor its data sets."""
        return bool(self.cell_files) or CELLS in self.inputs

    def of(self, dataset: str) -> str:
        """Return the name of the figure of a data set."""
        return self.name.replace(_SET, dataset)

    def dataset_of(self, name: str) -> str | None:
        """Return the data set of a figure that this row describes, "" without one, or None if the
        row describes another figure.
        """
        before, of_each, after = self.name.partition(_SET)
        if of_each and name.startswith(before) and name.endswith(after):
            return name.removeprefix(before).removesuffix(after)
        return self.dataset if name == self.name else None


@dataclass(frozen=True)
class FigureTask:
    """A figure to draw.

    Attributes
    ----------
    name : str
        That of a figure of the registry, with its data set in place of ``{dataset}``.
    module : str
        The module of `toplabel.reproduction.report.figures` with its words, numbers and drawing.
    source : str
        The figure or section of a paper that it answers to.
    dataset, title, split : str
        Name, title and first split of the data set of the figure; empty without one.
    methods : sequence of mapping
        The methods that are shown: `name`, `label` and `k` of each.
    """

    name: str
    module: str
    source: str = ""
    dataset: str = ""
    title: str = ""
    split: str = ""
    methods: Sequence[Mapping[str, Any]] = ()


def _timing(name: str) -> tuple[str, ...]:
    return f"results/timing/{name}.csv", f"results/timing/{name}.json"


def _set_sizes(dataset: str) -> Figure:
    return Figure(
        f"set_sizes_{dataset}",
        "set_sizes",
        page="set_sizes",
        dataset=dataset,
        inputs=(f"results/{dataset}/data/meta.json",),
        cell_files=("selection.csv", "models.npz"),
    )


FIGURES = (
    Figure(
        "tpami2017_figure04",
        "circle",
        "TPAMI 2017, Fig. 4",
        dataset="circle",
        inputs=("results/circle/data/meta.json",),
        cell_files=("selection.csv", "models.npz"),
    ),
    Figure("selection_{dataset}", "selection", dataset=_SET, cell_files=("tune",)),
    Figure("tpami2017_figure02", "lambert", "TPAMI 2017, Fig. 2"),
    Figure("nips2015_figure02", "simplices", "NIPS 2015, Fig. 2"),
    Figure("nips2012_figure01", "decoding", "NIPS 2012, Fig. 1", "simplex_coding"),
    Figure("nips2012_figure02", "levels", "NIPS 2012, Fig. 2", "simplex_coding"),
    Figure(
        "tpami2017_figure03a",
        "projections",
        "TPAMI 2017, Fig. 3a",
        "speed",
        inputs=_timing("projections"),
    ),
    Figure(
        "tpami2017_figure03bc",
        "convergence",
        "TPAMI 2017, Fig. 3b-c",
        "speed",
        inputs=_timing("convergence"),
    ),
    Figure(
        "tpami2017_figure03d",
        "softmax",
        "TPAMI 2017, Fig. 3d",
        "speed",
        inputs=_timing("softmax"),
    ),
    _set_sizes("letter"),
    _set_sizes("caltech101_silhouettes"),
    _set_sizes("news20"),
    _set_sizes("landsat"),
    _set_sizes("optdigits"),
    _set_sizes("pendigits"),
    _set_sizes("usps"),
)


def row_of(name: str) -> Figure | None:
    """Return the row of a figure, or None for one that another program left in the folder."""
    return next((row for row in FIGURES if row.dataset_of(name) is not None), None)


def figure_files(name: str) -> list[str]:
    """Return the files of a figure."""
    return [f"results/figures/{name}.{suffix}" for suffix in ("svg", "csv", "json")]


def table_files(name: str) -> list[str]:
    """Return the files of a table."""
    return [f"results/tables/{name}.{suffix}" for suffix in ("csv", "json")]
