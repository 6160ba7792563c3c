"""Tables of times: TPAMI Table 2 beside ours, and how long solvers take to given accuracies."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from toplabel.reproduction.compare.tables import PrintedTable

BIPARTITE = "bipartite simplex"
ACCURACIES = (1e-3, 1e-4, 1e-6)
PRINTED_COLUMNS = ["dimension", "sorting_based_s", "variable_fixing_s", "improvement"]


def projection_table(
    measured: pd.DataFrame, printed: pd.DataFrame, conditions: str
) -> PrintedTable:
    """Put our times of the bipartite projection beside those of TPAMI Table 2, as text.

    `measured` has the columns projection, algorithm, dimension, problems, seconds (of 1000
    problems); `printed` is data/published/tpami2017_table02.csv. Columns whose name begins with
    "seconds" or "ratio" differ from run to run. A printed dimension that was measured with one
    algorithm only, and a missing column, are ValueErrors.
    """
    for column in PRINTED_COLUMNS:
        if column not in printed.columns:
            raise ValueError(f"tpami2017_table02.csv: the column '{column}' is missing")
    ours = measured[measured["projection"] == BIPARTITE]
    ours = ours.pivot_table(index="dimension", columns="algorithm", values="seconds")
    rows = []
    for row in printed.itertuples(index=False):
        if row.dimension not in ours.index:
            continue
        fixing, sorting, vectors = (
            ours.loc[row.dimension, name]
            for name in ("variable fixing", "sorting", "sorting in NumPy")
        )
        if pd.isna([fixing, sorting, vectors]).any():
            raise ValueError(f"dimension {row.dimension}: an algorithm was not measured")
        rows.append(
            {
                "d": str(row.dimension),
                "seconds, ours": f"{fixing:.3g}",
                "seconds, paper's": f"{row.variable_fixing_s:.2f}",
                "ratio, paper's to ours": f"{row.variable_fixing_s / fixing:.1f}",
                "seconds, sorting in C": f"{sorting:.3g}",
                "seconds, sorting in NumPy": f"{vectors:.3g}",
                "seconds, paper's sorting": f"{row.sorting_based_s:.2f}",
                "ratio, best sorting to ours": f"{min(sorting, vectors) / fixing:.1f}",
                "ratio, the paper's": f"{row.improvement:.2f}",
            }
        )
    title = "TPAMI 2017, Table 2: time of 1000 projections onto the bipartite simplex"
    caption = (
        "Entries from N(0, 1), radius 10, both sides of dimension d/2. Where 1000 problems need too much memory, fewer "
        f"were solved, and the time is scaled up. The paper's machine is a Xeon E5-2680 of 2.7 GHz. {conditions}"
    )
    return PrintedTable("table02", title, caption, "tpami2017", "2", "", pd.DataFrame(rows))


def time_to(curves: pd.DataFrame, accuracies: Sequence[float] = ACCURACIES) -> pd.DataFrame:
    """Return when each solver was first as accurate as that; NaN where it never was.

    `curves` has the columns solver, step, excess, seconds; the result solver, accuracy, step,
    seconds, in the order of the solvers.
    """
    rows = []
    for solver, curve in curves.groupby("solver", sort=False):
        for accuracy in accuracies:
            there = curve[curve["excess"] <= accuracy]
            first = there.loc[there["seconds"].idxmin()] if len(there) else None
            step, seconds = (
                (float("nan"),) * 2 if first is None else (first["step"], first["seconds"])
            )
            rows.append((solver, accuracy, step, seconds))
    return pd.DataFrame(rows, columns=["solver", "accuracy", "step", "seconds"])


def race_table(curves: pd.DataFrame, ours: str, what: str, conditions: str) -> PrintedTable:
    """Return the times of the solvers (curves as of `time_to`) to `ACCURACIES`, and ratios to ours."""
    times = time_to(curves)
    base = times[times["solver"] == ours].set_index("accuracy")["seconds"]
    rows = []
    for solver, part in times.groupby("solver", sort=False):
        row = {"Solver": solver}
        for one in part.itertuples(index=False):
            exponent = f"{one.accuracy:.0e}".replace("e-0", "e−")
            reached = one.seconds == one.seconds
            row[f"seconds to {exponent}"] = f"{one.seconds:.3g}" if reached else "not reached"
            ratio = one.seconds / base[one.accuracy]
            row[f"ratio to ours, {exponent}"] = f"{ratio:.2g}" if ratio == ratio else ""
        rows.append(row)
    title = "TPAMI 2017, Fig. 3d: the softmax by SDCA and others, time to (P − P*)/P*"
    caption = f"{what} P* is a lower bound that our dual proves; evaluating P does not count. {conditions}"
    return PrintedTable("figure03d", title, caption, "tpami2017", "", "", pd.DataFrame(rows))
