"""The figures: what each shows, the script and the files behind it, and its place in the report.

Targets and reports read this one list; the rules are in workflow/rules/figures.smk. A new figure:
docs/extend.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

_SET = "{dataset}"


@dataclass(frozen=True)
class Figure:
    """A figure: `results/figures/<name>.svg`, `.csv` and `.json`.

    Attributes
    ----------
    name : str
        With `{dataset}` in it, one figure for each data set.
    title : str
        In a few words.
    script : str
        Of workflow/scripts, without suffix; its rule has the same name.
    source : str
        The figure or section of a paper that it answers to, as "TPAMI 2017, Fig. 4".
    page : str
        Where it stands in the report: a study, or one of
        `toplabel.reproduction.report.pages.RESERVED`.
    dataset : str
        In place of a page, the set that is shown: the figure stands with the study of that set.
    shows : str
        What it shows of the measured results: the "selections" or the "evaluations" of a data set,
        or the "run", all of them; empty for a figure that shows none.
    tables : tuple of str
        Tables that the script writes besides.
    brings : tuple of str
        Files of other rules that belong to the same target.
    """

    name: str
    title: str
    script: str
    source: str = ""
    page: str = "figures"
    dataset: str = ""
    shows: Literal["", "selections", "evaluations", "run"] = ""
    tables: tuple[str, ...] = ()
    brings: tuple[str, ...] = ()

    @property
    def of_run(self) -> bool:
        """Whether it shows measured results; the others need neither a study nor its data sets."""
        return bool(self.shows)

    @property
    def of_dataset(self) -> bool:
        """Whether it shows results of one data set."""
        return self.shows in ("selections", "evaluations")

    @property
    def files(self) -> list[str]:
        """All files of its target."""
        tables = [file for name in self.tables for file in table_files(name)]
        return [*figure_files(self.name), *tables, *self.brings]

    def of(self, dataset: str) -> str:
        """Return the name of the figure of a data set."""
        return self.name.replace(_SET, dataset)

    def dataset_of(self, name: str) -> str | None:
        """Return the data set of a figure that this row describes, which may be ""; None for
        another figure.
        """
        before, of_each, after = self.name.partition(_SET)
        if of_each and name.startswith(before) and name.endswith(after):
            return name.removeprefix(before).removesuffix(after)
        return self.dataset if name == self.name else None


FIGURES = (
    Figure(
        "tpami2017_figure04",
        "Synthetic data on the unit circle, and what each method predicts",
        "draw_circle",
        source="TPAMI 2017, Fig. 4",
        dataset="circle",
        shows="selections",
    ),
    Figure(
        "selection_{dataset}",
        "Validation value against C",
        "draw_selection",
        dataset=_SET,
        shows="selections",
    ),
    Figure(
        "topk_{dataset}",
        "Top-k accuracy against k",
        "draw_topk",
        dataset=_SET,
        shows="evaluations",
    ),
    Figure(
        "gaps",
        "Relative duality gap of every trained model",
        "draw_gaps",
        page="run",
        shows="run",
    ),
    Figure(
        "tpami2017_figure02",
        "V(t), the Lambert W function of the exponent",
        "draw_mathematics",
        source="TPAMI 2017, Fig. 2",
    ),
    Figure(
        "nips2015_figure02",
        "The top-k simplices in three dimensions",
        "draw_mathematics",
        source="NIPS 2015, Fig. 2",
    ),
    Figure(
        "losses_1d",
        "The losses and their smoothings along a line of scores",
        "draw_mathematics",
    ),
    Figure(
        "nips2012_figure01",
        "Decoding with the simplex coding of three classes",
        "draw_mathematics",
        source="NIPS 2012, Fig. 1",
        page="simplex_coding",
    ),
    Figure(
        "nips2012_figure02",
        "Level sets of the simplex losses for three classes",
        "draw_mathematics",
        source="NIPS 2012, Fig. 2",
        page="simplex_coding",
    ),
    Figure(
        "tpami2017_figure03a",
        "Scaling of the projections",
        "draw_scaling",
        source="TPAMI 2017, Fig. 3a",
        page="speed",
        tables=("table02",),
    ),
    Figure(
        "tpami2017_figure03bc",
        "Duality gap and validation accuracy against time",
        "draw_convergence",
        source="TPAMI 2017, Fig. 3b-c",
        page="speed",
    ),
    Figure(
        "tpami2017_figure03d",
        "Training the softmax with several solvers",
        "draw_softmax",
        source="TPAMI 2017, Fig. 3d",
        page="speed",
        tables=("figure03d",),
    ),
    Figure(
        "calibration",
        "Where scores of least risk are Bayes optimal, three classes",
        "draw_calibration",
        source="TPAMI 2017, section 4",
        page="calibration",
        brings=(
            "results/tables/calibration.csv",
            "results/tables/calibration.json",
            "results/calibration/cases.csv",
            "results/calibration/minima.csv",
        ),
    ),
)


#: Figures of no run that are drawn from formulas alone, by one script.
MATHEMATICS = tuple(figure.name for figure in FIGURES if figure.script == "draw_mathematics")


def row_of(name: str) -> Figure | None:
    """Return the row of a figure; None for one that another program left in the folder."""
    return next((row for row in FIGURES if row.dataset_of(name) is not None), None)


def figure_files(name: str) -> list[str]:
    """Return files of a figure."""
    return [f"results/figures/{name}.{suffix}" for suffix in ("svg", "csv", "json")]


def table_files(name: str) -> list[str]:
    """Return files of a table."""
    return [f"results/tables/{name}.{suffix}" for suffix in ("csv", "json")]
