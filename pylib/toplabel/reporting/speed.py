"""The section on speed: the tables of results/bench, the targets first, as text."""

from __future__ import annotations

from dataclasses import dataclass

from toplabel.reporting import numbers
from toplabel.reporting.inputs import ReportInputs
from toplabel.reporting.reading import ReportInputError
from toplabel.reporting.sections import PlainTable
from toplabel.reporting.trace import Trace


@dataclass(frozen=True)
class Layout:
    """How a table of results/bench is shown.

    Attributes
    ----------
    name : str
        Of the file, without suffix.
    title, caption : str
    columns : dict of str to (str, str)
        For each column of the file that is shown its heading and its kind: text, number, share or small.
    distinct : bool
        Whether rows that look the same are shown once.
    """

    name: str
    title: str
    caption: str
    columns: dict[str, tuple[str, str]]
    distinct: bool = False


_SHAPE = {"shape": ("Problem", "text"), "loss": ("Loss", "text")}
_RATE = {"gflops": ("GFLOP/s", "number"), "dgemm_share": ("of dgemm", "share")}
#: In the order of the report.
LAYOUTS = (
    Layout(
        "targets",
        "Targets",
        "What the project sets out to reach, and what was measured, all in one run with one thread. A "
        "number after > is a lower bound: the other solver was given up before it was as accurate.",
        {
            "work": ("Work", "text"),
            "case": ("Case", "text"),
            "target": ("Target", "text"),
            "measured": ("Measured", "text"),
            "verdict": ("Verdict", "text"),
            "by": ("Distance", "text"),
            "note": ("Remark", "text"),
        },
    ),
    Layout(
        "machine",
        "The machine",
        "Measured limits, libraries and versions of the benchmark's run.",
        {
            "what": ("What", "text"),
            "value": ("Value", "number"),
            "unit": ("Unit", "text"),
            "note": ("Remark", "text"),
        },
    ),
    Layout(
        "training",
        "The problems",
        "Synthetic problems (a, b, c, text, gram) and published data sets.",
        {"shape": ("Problem", "text"), "sizes": ("Sizes", "text"), "C": ("C", "number")},
        distinct=True,
    ),
    Layout(
        "training",
        "Time to (P − P*)/P* ≤ 1e−3",
        "Seconds of the loosest setting that is accurate enough, and the ratio to ours by epochs. All are "
        "scored by the same objective; where a solver was given up, the time is that of its last try.",
        {
            **_SHAPE,
            "solver": ("Solver", "text"),
            "setting": ("Setting", "text"),
            "seconds": ("Seconds", "number"),
            "ratio": ("Ratio", "number"),
            "excess": ("(P − P*)/P*", "small"),
            "reached": ("Reached", "text"),
            **_RATE,
            "memory_share": ("of memory", "share"),
            "note": ("Remark", "text"),
        },
    ),
    Layout(
        "epochs",
        "Seconds an epoch",
        "The mean of the first five epochs, and the ratio to the loss that is the baseline.",
        {
            **_SHAPE,
            "k": ("k", "number"),
            "gamma": ("γ", "number"),
            "baseline": ("Baseline", "text"),
            "milliseconds": ("ms", "number"),
            "ratio": ("Ratio", "number"),
            **_RATE,
        },
    ),
    Layout(
        "blas_share",
        "Time in matrix products",
        "Share of an epoch that is spent inside BLAS-3.",
        {
            "sizes": ("Problem", "text"),
            "loss": ("Loss", "text"),
            "gamma": ("γ", "number"),
            "milliseconds": ("ms", "number"),
            "blas_milliseconds": ("in BLAS", "number"),
            "share": ("Share", "share"),
            "calls": ("Calls", "number"),
            "blas_gflops": ("GFLOP/s inside", "number"),
            "dgemm_share": ("of dgemm", "share"),
        },
    ),
    Layout(
        "precision",
        "float32 and float64",
        "Time to a relative gap of 1e−4, certified in float64 from the model alone; the ratio is the time "
        "of float64 over that of the row.",
        {
            **_SHAPE,
            "gamma": ("γ", "number"),
            "dtype": ("Type", "text"),
            "seconds": ("Seconds", "number"),
            "epochs": ("Epochs", "number"),
            "status": ("Status", "text"),
            "milliseconds_per_epoch": ("ms an epoch", "number"),
            "gap": ("Gap", "small"),
            "certified_gap": ("Certified", "small"),
            "ratio": ("Ratio", "number"),
        },
    ),
    Layout(
        "passes",
        "Passes",
        "Passes over the data until the certified relative gap is at most 1e−3, plain and accelerated; r is that of "
        "the last step, 0 where the passes stayed plain; visits are the rows visited, in passes. Empty: not in 3000.",
        {
            **_SHAPE,
            "k": ("k", "number"),
            "gamma": ("γ", "number"),
            "C": ("C", "number"),
            "plain": ("Plain", "number"),
            "accelerated": ("Accelerated", "number"),
            "ratio": ("Ratio", "number"),
            "r": ("r", "number"),
            "visits": ("Visits", "number"),
        },
    ),
    Layout(
        "path",
        "Warm starts",
        "20 values of C, each trained from nothing (cold) or from the one before (warm), and warm with plain passes; "
        "the ratio is that of the plain to the accelerated warm path.",
        {
            **_SHAPE,
            "gamma": ("γ", "number"),
            "cold_epochs": ("Epochs, cold", "number"),
            "warm_epochs": ("warm", "number"),
            "plain_epochs": ("plain", "number"),
            "cold_seconds": ("Seconds, cold", "number"),
            "warm_seconds": ("warm", "number"),
            "plain_seconds": ("plain", "number"),
            "seconds_ratio": ("Ratio", "number"),
            "worst_gap": ("Worst gap", "small"),
            "note": ("Remark", "text"),
        },
    ),
    Layout(
        "projections",
        "Projections",
        "The ratio is to variable fixing; the share of memory bandwidth that of a copy of the same size.",
        {
            "projection": ("Projection", "text"),
            "dimension": ("Dimension", "count"),
            "algorithm": ("Algorithm", "text"),
            "milliseconds": ("ms", "number"),
            "ratio": ("Ratio", "number"),
            "gb_per_second": ("GB/s", "number"),
            "memory_share": ("of memory", "share"),
        },
    ),
    Layout(
        "special",
        "V(t) = W(exp t)",
        "Speed, and the largest relative error against extended precision.",
        {
            "solver": ("Function", "text"),
            "clone": ("Instructions", "text"),
            "mvalues_per_second": ("10⁶ values/s", "number"),
            "ratio": ("Ratio to SciPy", "number"),
            "largest_relative_error": ("Relative error", "small"),
            "note": ("Remark", "text"),
        },
    ),
)


def build_speed(inputs: ReportInputs, trace: Trace) -> list[PlainTable]:
    """Return the tables of the benchmark that are there, as text."""
    found = []
    for layout in LAYOUTS:
        frame = inputs.bench.get(layout.name)
        if frame is None:
            continue
        file = f"bench/{layout.name}.csv"
        for column in layout.columns:
            if column not in frame.columns:
                raise ReportInputError(f"{file}: the column '{column}' is missing")
        rows = [
            [_text(row[column], kind) for column, (_, kind) in layout.columns.items()]
            for _, row in frame.iterrows()
        ]
        if layout.distinct:
            rows = [list(row) for row in dict.fromkeys(map(tuple, rows)) if all(row)]
        headings = [heading for heading, _ in layout.columns.values()]
        anchor = f"speed-{len(found) + 1}"
        link = trace.link(file)
        found.append(PlainTable(anchor, layout.title, layout.caption, headings, rows, file, link))
    return found


def _text(value: str, kind: str) -> str:
    """Return a value of a table as it is shown; what is no number stays as it is."""
    try:
        number = float(value)
    except ValueError:
        return value
    if kind == "share":
        return f"{numbers.fixed(100 * number, 0)} %"
    if kind == "small":
        return numbers.small(number)
    if kind == "count":
        return numbers.count(int(number))
    return numbers.compact(number, 3) if kind == "number" else value
