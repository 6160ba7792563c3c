"""The section on speed: the tables of results/bench, the targets first, as text."""

from __future__ import annotations

from dataclasses import dataclass

from toplabel._core.files import FileError
from toplabel.reproduction.reporting import numbers
from toplabel.reproduction.reporting.inputs import ReportInputs
from toplabel.reproduction.reporting.sections import PlainTable, lined_up
from toplabel.reproduction.reporting.trace import Trace


@dataclass(frozen=True)
class Layout:
    """How a table of results/bench is shown.

    Attributes
    ----------
    name : str
        Of the file, without suffix.
    title, caption : str
    columns : list of str
        Those of the file that are shown.
    distinct : bool
        Whether rows that look the same are shown once.
    """

    name: str
    title: str
    caption: str
    columns: list[str]
    distinct: bool = False


#: In the order of the report.
LAYOUTS = (
    Layout(
        "targets",
        "Targets",
        "What the project sets out to reach, and what was measured, all in one run with one thread. A "
        "number after > is a lower bound: the other solver was given up before it was as accurate.",
        ["work", "case", "target", "measured", "verdict", "by", "note"],
    ),
    Layout(
        "machine",
        "The machine",
        "Measured limits, libraries and versions of the benchmark’s run.",
        ["what", "value", "unit", "note"],
    ),
    Layout(
        "training",
        "The problems",
        "Synthetic problems (a, b, c, text, gram) and published data sets.",
        ["shape", "sizes", "C"],
        distinct=True,
    ),
    Layout(
        "training",
        "Time to (P − P*)/P* ≤ 1e−3",
        "Seconds of the loosest setting that is accurate enough, and the ratio to ours by epochs. All are "
        "scored by the same objective; where a solver was given up, the time is that of its last try.",
        [
            *("shape", "loss", "solver", "setting", "seconds", "ratio", "excess", "reached"),
            *("gflops", "dgemm_share", "memory_share", "note"),
        ],
    ),
    Layout(
        "epochs",
        "Seconds an epoch",
        "The mean of the first five epochs, and the ratio to the loss that is the baseline.",
        [
            *("shape", "loss", "k", "gamma", "baseline", "milliseconds", "ratio"),
            *("gflops", "dgemm_share"),
        ],
    ),
    Layout(
        "blas_share",
        "Time in matrix products",
        "Share of an epoch that is spent inside BLAS-3.",
        [
            *("sizes", "loss", "gamma", "milliseconds", "blas_milliseconds", "share", "calls"),
            *("blas_gflops", "dgemm_share"),
        ],
    ),
    Layout(
        "precision",
        "float32 and float64",
        "Time to a relative gap of 1e−4, certified in float64 from the model alone; the ratio is the time "
        "of float64 over that of the row.",
        [
            *("shape", "loss", "gamma", "dtype", "seconds", "epochs", "status"),
            *("milliseconds_per_epoch", "gap", "certified_gap", "ratio"),
        ],
    ),
    Layout(
        "passes",
        "Passes",
        "Passes over the data until the certified relative gap is at most 1e−3, plain and accelerated; r is that of "
        "the last step, 0 where the passes stayed plain; visits are the rows visited, in passes. Empty: not in 3000.",
        ["shape", "loss", "k", "gamma", "C", "plain", "accelerated", "ratio", "r", "visits"],
    ),
    Layout(
        "path",
        "Warm starts",
        "20 values of C, trained without warm starts (cold), each from the one before (warm), and warm with plain "
        "passes; the ratio is that of the plain to the accelerated warm path.",
        [
            *("shape", "loss", "gamma", "cold_epochs", "warm_epochs", "plain_epochs"),
            *("cold_seconds", "warm_seconds", "plain_seconds"),
            *("seconds_ratio", "worst_gap", "note"),
        ],
    ),
    Layout(
        "projections",
        "Projections",
        "The ratio is to variable fixing; the share of memory bandwidth that of a copy of the same size.",
        [
            *("projection", "dimension", "algorithm", "milliseconds", "ratio"),
            *("gb_per_second", "memory_share"),
        ],
    ),
    Layout(
        "special",
        "V(t) = W(exp t)",
        "Speed, and the largest relative error against extended precision.",
        ["solver", "clone", "mvalues_per_second", "ratio", "largest_relative_error", "note"],
    ),
)
# Headings that are not the column's name with a capital letter.
_HEADINGS = {
    "by": "Distance",
    "note": "Remark",
    "shape": "Problem",
    "excess": "(P − P*)/P*",
    "gflops": "GFLOP/s",
    "dgemm_share": "of dgemm",
    "memory_share": "of memory",
    "k": "k",
    "gamma": "γ",
    "r": "r",
    "milliseconds": "ms",
    "blas_milliseconds": "ms in BLAS",
    "blas_gflops": "GFLOP/s inside",
    "dtype": "Type",
    "milliseconds_per_epoch": "ms an epoch",
    "certified_gap": "Certified",
    "cold_epochs": "Epochs, cold",
    "warm_epochs": "Epochs, warm",
    "plain_epochs": "Epochs, plain",
    "cold_seconds": "Seconds, cold",
    "warm_seconds": "Seconds, warm",
    "plain_seconds": "Seconds, plain",
    "seconds_ratio": "Ratio",
    "worst_gap": "Worst gap",
    "gb_per_second": "GB/s",
    "clone": "Instructions",
    "mvalues_per_second": "10⁶ values/s",
    "largest_relative_error": "Relative error",
}
_TEXT = {"measured", "note"}  # even where it looks like a number, as a version does
_SMALL = {"excess", "gap", "certified_gap", "worst_gap", "largest_relative_error"}


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
                raise FileError(f"{file}: the column '{column}' is missing")
        rows = [
            [_text(row[column], column) for column in layout.columns] for _, row in frame.iterrows()
        ]
        if layout.distinct:
            rows = [list(row) for row in dict.fromkeys(map(tuple, rows)) if all(row)]
        rows, numeric = lined_up(rows, len(layout.columns))
        headings = [_HEADINGS.get(column, column.capitalize()) for column in layout.columns]
        anchor = f"speed-{len(found) + 1}"
        link = trace.link(file)
        found.append(
            PlainTable(
                anchor, layout.title, layout.caption, headings, rows, file, link, numeric=numeric
            )
        )
    return found


def _text(value: str, column: str) -> str:
    """Return a value of a table as it is shown; what is no number stays as it is."""
    if column in _TEXT:
        return value
    try:
        number = float(value)
    except ValueError:
        return value
    if column.endswith("share"):
        return f"{numbers.fixed(100 * number, 0)} %"
    if column in _SMALL:
        return numbers.small(number)
    if column == "dimension":
        return numbers.count(int(number))
    return numbers.compact(number, 3)
