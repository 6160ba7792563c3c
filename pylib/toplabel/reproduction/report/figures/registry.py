"""The list of figures: the words of each, what it is made from, and its place in the report.

Targets, rules and reports read this list. It imports nothing that draws, so that it is read fast.
"""

from __future__ import annotations

from dataclasses import dataclass

#: All numbers of the run and of the papers (`toplabel.reproduction.compare.cells`).
CELLS = "results/cells.csv"
_SET = "{dataset}"


@dataclass(frozen=True)
class Figure:
    """A figure: ``results/figures/<name>.svg``, ``.csv`` and ``.json``.

    Attributes
    ----------
    name : str
        With ``{dataset}`` in it, there is one figure for each data set.
    module : str
        The module of `toplabel.reproduction.report.figures` with its numbers and drawing.
    title, caption, alt : str
        The words beside it; ``{title}`` in title and alt stands for the title of the data set.
    source : str
        The figure or section of a paper that it answers to, as "TPAMI 2017, Fig. 4".
    page : str
        Where it stands in the report: a study, or one of
        `toplabel.reproduction.report.pages.RESERVED`.
    dataset : str
        The set that is shown, or ``{dataset}``: the figure stands with the study of the set.
    inputs : tuple of str
        The files that it is made from.
    cell_files : tuple of str
        The files of each cell of the data set that it is made from besides; "tune" stands for the
        files of the tuning.
    tables : tuple of str
        The tables that are made with the inputs, and stand beside the figure.
    """

    name: str
    module: str
    title: str
    caption: str
    alt: str
    source: str = ""
    page: str = "figures"
    dataset: str = ""
    inputs: tuple[str, ...] = ()
    cell_files: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()

    @property
    def of_run(self) -> bool:
        """Whether it shows measured results; the others need neither a study nor its data sets."""
        return bool(self.cell_files) or CELLS in self.inputs

    @property
    def files(self) -> list[str]:
        """The files of the figure and of its tables."""
        return [
            *figure_files(self.name),
            *(file for one in self.tables for file in table_files(one)),
        ]

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


def _timing(name: str) -> tuple[str, ...]:
    return f"results/timing/{name}.csv", f"results/timing/{name}.json"


FIGURES = (
    Figure(
        name="tpami2017_figure04",
        module="circle",
        title="Synthetic data on the unit circle, and what each method predicts",
        caption=(
            "Training points inside the black circle, the classes side by side. The inner ring is"
            " the class predicted first at that angle, the outer ring the class predicted second;"
            " the numbers name the classes."
        ),
        alt=(
            "The training points of three classes on the unit circle, drawn once for each method,"
            " with two rings around each circle: the classes with the highest and with the second"
            " highest score by angle."
        ),
        source="TPAMI 2017, Fig. 4",
        dataset="circle",
        inputs=("results/circle/data/meta.json",),
        cell_files=("selection.csv", "models.npz"),
    ),
    Figure(
        name="selection_{dataset}",
        module="selection",
        title="Validation value against C: {title}",
        caption=(
            "The value on the validation part or folds, a panel for each method, all on one scale;"
            " the ring marks the C that was chosen, the dashed line the best value that any method"
            " was chosen with."
        ),
        alt=(
            "Curves of the validation value against C on {title}, a panel for each method, with"
            " the chosen C marked. The values are in the data file of the figure."
        ),
        dataset=_SET,
        cell_files=("tune",),
    ),
    Figure(
        name="topk_{dataset}",
        module="topk",
        title="Top-k accuracy against k: {title}",
        caption=(
            "Test accuracy, for each k of the model that was selected for that k. The dashed grey"
            " line is the softmax, the same in every panel. Bars: one standard deviation over the"
            " splits, where there are several. Hollow marks: as printed in the papers."
        ),
        alt=(
            "Top-k accuracy against k on {title}, a panel for each group of methods, beside the"
            " printed values. The values are in the data file of the figure."
        ),
        dataset=_SET,
        inputs=(CELLS,),
    ),
    Figure(
        name="tpami2017_figure02",
        module="lambert",
        title="V(t), the Lambert W function of the exponent",
        caption=(
            "V(t) = W(exp t) solves v + log v = t; the updates of the entropy losses are made of"
            " it. Dashed: the approximations at both ends."
        ),
        alt=(
            "Two panels. On the left, for negative t on a logarithmic axis, V(t) is nearly the"
            " straight line e to the t and bends below it near 0, where it is 0.567; on the right,"
            " for positive t on a linear axis, it approaches t minus log t."
        ),
        source="TPAMI 2017, Fig. 2",
    ),
    Figure(
        name="nips2015_figure02",
        module="simplices",
        title="The top-k simplices in three dimensions",
        caption=(
            "The sets of dual variables of the top-k SVM, radius 1: the sum is at most 1, and no"
            " entry exceeds the k-th part of the sum (α) or of the radius (β). With k = 1 both are"
            " the simplex."
        ),
        alt=(
            "Six polytopes inside the unit simplex, drawn with the three coordinate axes. With"
            " k = 1 both sets are the unit simplex, with 4 vertices. The set alpha has 4 vertices"
            " with k = 2 and is a segment with k = 3; the set beta has 7 and 8 vertices."
        ),
        source="NIPS 2015, Fig. 2",
    ),
    Figure(
        name="nips2012_figure01",
        module="decoding",
        title="Decoding with the simplex coding of three classes",
        caption=(
            "f(x) decodes to the class of the nearest code vector: the plane is cut along the"
            " dashed rays."
        ),
        alt=(
            "An equilateral triangle around the origin, its corners the three code vectors of"
            " length 1. Three rays from the origin, through the middles of the sides, cut the"
            " plane into three equal sectors: each holds one code vector, and all its points"
            " decode to that class."
        ),
        source="NIPS 2012, Fig. 1",
        page="simplex_coding",
    ),
    Figure(
        name="nips2012_figure02",
        module="levels",
        title="Level sets of the simplex losses for three classes",
        caption=(
            "The loss of a row of class 1 as a function of f(x). SC-SVM is zero in a cone that"
            " stands on c_1, SH-SVM in a half space behind it, S-LS at c_1 alone."
        ),
        alt=(
            "Contours of three losses of the first class over the plane of f, with the triangle of"
            " code vectors. SC-SVM: a cone with its tip at the first code vector. SH-SVM: parallel"
            " lines across it. S-LS: circles around it."
        ),
        source="NIPS 2012, Fig. 2",
        page="simplex_coding",
    ),
    Figure(
        name="tpami2017_figure03a",
        module="projections",
        title="Scaling of the projections",
        caption=(
            "Time of 1000 projections of vectors from N(0, 1), radius 10: simplex, top-k simplices"
            " α, and the bipartite simplex, both sides of dimension d/2, by variable fixing and by"
            " sorting."
        ),
        alt=(
            "Lines of time against dimension on logarithmic axes, nearly straight and parallel:"
            " all projections by variable fixing together, the bipartite simplex by sorting above"
            " them."
        ),
        source="TPAMI 2017, Fig. 3a",
        page="speed",
        inputs=_timing("projections"),
        tables=("table02",),
    ),
    Figure(
        name="tpami2017_figure03bc",
        module="convergence",
        title="Duality gap and validation accuracy against time",
        caption="Points are epochs; the seconds are those of the epochs, without evaluations.",
        alt=(
            "Two panels over the seconds of training: the relative duality gap falls, the"
            " validation accuracy rises and levels off early."
        ),
        source="TPAMI 2017, Fig. 3b-c",
        page="speed",
        inputs=_timing("convergence"),
    ),
    Figure(
        name="tpami2017_figure03d",
        module="softmax",
        title="Training the softmax with several solvers",
        caption="All solvers are scored by the same objective; dotted: the accuracies of the table.",
        alt=(
            "Excess of the softmax objective over its least value against seconds, a curve for"
            " each solver, both axes logarithmic."
        ),
        source="TPAMI 2017, Fig. 3d",
        page="speed",
        inputs=_timing("softmax"),
        tables=("figure03d",),
    ),
    Figure(
        name="calibration",
        module="calibration",
        title="Where scores of least risk are Bayes optimal, three classes",
        caption=(
            "A point of a triangle is a distribution of three classes, a corner certainty of one"
            " class, the middle all alike. The colour says whether every minimiser of the"
            " conditional risk has a Bayes optimal top-1 and top-2 set there."
        ),
        alt=(
            "A triangle for each loss, coloured by whether the scores of least risk order the"
            " classes as the Bayes classifier does: everywhere for the smoothed hinges, and only"
            " in parts for the hinges themselves."
        ),
        source="TPAMI 2017, section 4",
        inputs=("results/calibration/map.csv",),
        tables=("calibration",),
    ),
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
