"""The figures: what each shows, the script and the files behind it, and its place in the report.

Rules (workflow/rules/figures.smk), targets and reports read this one list; a new row:
docs/extend.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

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
        `toplabel.reproduction.reporting.places.RESERVED`.
    dataset : str
        In place of a page, the set that is shown: the figure stands with the study of that set.
    inputs : mapping of str to str
        The files that it is drawn from, by their names in the script.
    cells : tuple of str
        What is taken of each pair of data set and method, as `Targets.figure_inputs` names it.
    tables : tuple of str
        Tables that the script writes besides.
    brings : tuple of str
        Files of other rules that belong to the same target.
    measures : str
        What is timed for it, by a script of its own, `time_<measures>`, that writes its inputs.
    timed : bool
        Whether that is training, which needs a data set, and no other job beside it: its wall time
        is measured. The projections' is CPU time, as in the paper.
    """

    name: str
    title: str
    script: str
    source: str = ""
    page: str = "figures"
    dataset: str = ""
    inputs: Mapping[str, str] = field(default_factory=dict)
    cells: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    brings: tuple[str, ...] = ()
    measures: str = ""
    timed: bool = False

    @property
    def of_run(self) -> bool:
        """Whether it shows measured results; the others need neither a study nor its data sets."""
        return bool(self.cells) or "evaluation" in self.inputs

    @property
    def files(self) -> list[str]:
        """All files of its target."""
        tables = [file for name in self.tables for file in table_files(name)]
        return [*figure_files(self.name), *tables, *self.brings]

    def of(self, dataset: str) -> str:
        """The name of the figure of a data set."""
        return self.name.replace(_SET, dataset)

    def dataset_of(self, name: str) -> str | None:
        """The data set of a figure that this row describes, which may be ""; None for another
        figure.
        """
        before, of_each, after = self.name.partition(_SET)
        if of_each and name.startswith(before) and name.endswith(after):
            return name.removeprefix(before).removesuffix(after)
        return self.dataset if name == self.name else None


def _timed(measures: str) -> dict[str, Any]:
    files = {suffix: f"results/timing/{measures}.{suffix}" for suffix in ("csv", "json")}
    return {"measures": measures, "inputs": files}


FIGURES = (
    Figure(
        "tpami2017_figure04",
        "Synthetic data on the unit circle, and what each method predicts",
        "draw_circle",
        source="TPAMI 2017, Fig. 4",
        dataset="circle",
        inputs={"meta": "results/circle/data/meta.json"},
        cells=("selections", "models"),
    ),
    Figure(
        "selection_{dataset}",
        "Validation value against C",
        "draw_selection",
        dataset=_SET,
        cells=("units",),
    ),
    Figure(
        "topk_{dataset}",
        "Top-k accuracy against k",
        "draw_topk",
        dataset=_SET,
        cells=("evaluations",),
    ),
    Figure(
        "mean_ranks",
        "Mean rank of the methods over data sets",
        "draw_ranks",
        page="multiclass",
        inputs={"evaluation": "results/evaluation.csv"},
    ),
    Figure(
        "gaps",
        "Relative duality gap of every trained model",
        "draw_gaps",
        page="run",
        inputs={"evaluation": "results/evaluation.csv"},
    ),
    Figure(
        "tpami2017_figure02",
        "V(t), the Lambert W function of the exponent",
        "draw_lambert",
        source="TPAMI 2017, Fig. 2",
    ),
    Figure(
        "nips2015_figure02",
        "The top-k simplices in three dimensions",
        "draw_simplices",
        source="NIPS 2015, Fig. 2",
    ),
    Figure(
        "losses_1d",
        "The losses and their smoothings along a line of scores",
        "draw_losses",
    ),
    Figure(
        "nips2012_figure01",
        "Decoding with the simplex coding of three classes",
        "draw_decoding",
        source="NIPS 2012, Fig. 1",
        page="simplex_coding",
    ),
    Figure(
        "nips2012_figure02",
        "Level sets of the simplex losses for three classes",
        "draw_levels",
        source="NIPS 2012, Fig. 2",
        page="simplex_coding",
    ),
    Figure(
        "tpami2017_figure03a",
        "Scaling of the projections",
        "draw_scaling",
        source="TPAMI 2017, Fig. 3a",
        page="speed",
        **_timed("projections"),
        tables=("table02",),
    ),
    Figure(
        "tpami2017_figure03bc",
        "Duality gap and validation accuracy against time",
        "draw_convergence",
        source="TPAMI 2017, Fig. 3b-c",
        page="speed",
        **_timed("convergence"),
        timed=True,
    ),
    Figure(
        "tpami2017_figure03d",
        "Training the softmax with several solvers",
        "draw_softmax",
        source="TPAMI 2017, Fig. 3d",
        page="speed",
        **_timed("softmax"),
        tables=("figure03d",),
        timed=True,
    ),
    Figure(
        "calibration",
        "Where scores of least risk are Bayes optimal, three classes",
        "draw_calibration",
        source="TPAMI 2017, section 4",
        page="calibration",
        inputs={"map": "results/calibration/map.csv"},
        brings=(
            "results/tables/calibration.csv",
            "results/tables/calibration.json",
            "results/calibration/cases.csv",
            "results/calibration/minima.csv",
        ),
    ),
)


def row_of(name: str) -> Figure | None:
    """The row of a figure; None for one that another program left in the folder."""
    return next((row for row in FIGURES if row.dataset_of(name) is not None), None)


def figure_files(name: str) -> list[str]:
    """Files of a figure."""
    return [f"results/figures/{name}.{suffix}" for suffix in ("svg", "csv", "json")]


def table_files(name: str) -> list[str]:
    """Files of a table."""
    return [f"results/tables/{name}.{suffix}" for suffix in ("csv", "json")]
