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

    With ``{dataset}`` in the name there is one figure for each data set. `design` names a module of
    `toplabel.reproduction.report.figures` and the `drawing.Design` in it, `source` the figure or
    section of a paper that it answers to. `page` is where it stands in the report: a study, of which a
    figure of one data set shows the methods, or one of
    `toplabel.reproduction.report.write.RESERVED`. Without a page of its own a figure of a `dataset`,
    which is a name or ``{dataset}``, stands with the study of the set. `inputs` are the files that it is
    made from, `cell_files` those of each cell of the data set besides; "tune" stands for the files of
    the tuning.
    """

    name: str
    design: str
    source: str = ""
    page: str = "figures"
    dataset: str = ""
    inputs: tuple[str, ...] = ()
    cell_files: tuple[str, ...] = ()

    @property
    def of_run(self) -> bool:
        """True if it shows measured results; the others need neither a study nor its data sets."""
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

    `name`, `design` and `source` are those of a `Figure`, the name with its data set. `dataset`, `title`
    and `split` are name, title and first split of this set; of each method that is shown `methods`
    has `name`, `label` and `k`.
    """

    name: str
    design: str
    source: str = ""
    dataset: str = ""
    title: str = ""
    split: str = ""
    methods: Sequence[Mapping[str, Any]] = ()


def _of_times(number: str, design: str, timing: str) -> Figure:
    """Return a row of TPAMI Fig. 3, by a part of it, as "3a"."""
    name = f"tpami2017_figure0{number.replace('-', '')}"
    inputs = (f"results/timing/{timing}.csv", f"results/timing/{timing}.json")
    return Figure(name, f"tpami.{design}", f"TPAMI 2017, Fig. {number}", "speed", inputs=inputs)


def _set_sizes(dataset: str) -> Figure:
    return Figure(
        f"set_sizes_{dataset}",
        "curves.SET_SIZES",
        page="set_sizes",
        dataset=dataset,
        inputs=(f"results/{dataset}/data/meta.json",),
        cell_files=("selection.csv", "models.npz"),
    )


_WITH_SET_SIZES = (
    *("letter", "caltech101_silhouettes", "news20"),
    *("landsat", "optdigits", "pendigits", "usps"),
)
FIGURES = (
    Figure(
        "tpami2017_figure04",
        "tpami.CIRCLE",
        "TPAMI 2017, Fig. 4",
        dataset="circle",
        inputs=("results/circle/data/meta.json",),
        cell_files=("selection.csv", "models.npz"),
    ),
    Figure("selection_{dataset}", "curves.SELECTION", dataset=_SET, cell_files=("tune",)),
    Figure(
        "learning_{dataset}",
        "curves.LEARNING",
        dataset=_SET,
        cell_files=("curve.csv", "evaluation.csv"),
    ),
    Figure("tpami2017_figure02", "formulas.LAMBERT", "TPAMI 2017, Fig. 2"),
    Figure("nips2015_figure02", "formulas.SIMPLICES", "NIPS 2015, Fig. 2"),
    Figure("nips2012_figure01", "formulas.DECODING", "NIPS 2012, Fig. 1", "simplex_coding"),
    Figure("nips2012_figure02", "formulas.LEVELS", "NIPS 2012, Fig. 2", "simplex_coding"),
    _of_times("3a", "PROJECTIONS", "projections"),
    _of_times("3b-c", "CONVERGENCE", "convergence"),
    _of_times("3d", "SOFTMAX", "softmax"),
    *map(_set_sizes, _WITH_SET_SIZES),
)


def row_of(name: str) -> Figure | None:
    """Return the row of a figure, or None for one that another program left in the folder."""
    return next((row for row in FIGURES if row.dataset_of(name) is not None), None)


def figure_files(name: str) -> list[str]:
    """Return the files of a figure."""
    return [f"results/figures/{name}.{suffix}" for suffix in ("svg", "csv", "json")]
