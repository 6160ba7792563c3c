"""The tables of measured times: the projections of TPAMI Table 2, and training beside other solvers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from toplabel.reproduction.compare.tables import PrintedTable
from toplabel.reproduction.timing.peers import ACCURACY, REPEATS
from toplabel.reproduction.timing.projections import BIPARTITE, OURS, SORTING

TABLE_2 = dict.fromkeys(("dimension", "sorting_based_s", "variable_fixing_s", "improvement"), float)
"""The columns of data/published/tpami2017_table02.csv."""
_WORDS = {
    "svm_multi": "multiclass SVM",
    "svm_ova": "one-vs-all SVM",
    "lr_ova": "one-vs-all logistic regression",
    "lr_multi": "softmax",
}


def table_of_projections(
    measured: pd.DataFrame, printed: pd.DataFrame, conditions: str
) -> PrintedTable:
    """Return our times of the bipartite projection, beside those of TPAMI Table 2.

    Dimensions that were not measured are left out. The caption ends with the conditions of the
    measurement.
    """
    ours = measured[measured["projection"] == BIPARTITE]
    ours = ours.pivot_table(index="dimension", columns="algorithm", values="seconds")
    rows = []
    for row in printed[printed["dimension"].isin(ours.index)].itertuples(index=False):
        fixing, sorting = ours.loc[row.dimension, [OURS, SORTING]]
        rows.append(
            {
                "d": f"{row.dimension:.0f}",
                "seconds": f"{fixing:.3g}",
                "seconds, paper": f"{row.variable_fixing_s:.2f}",
                "ratio, paper": f"{row.variable_fixing_s / fixing:.1f}",
                "seconds, sorting": f"{sorting:.3g}",
                "ratio, sorting": f"{sorting / fixing:.1f}",
                "ratio, paper's sorting": f"{row.improvement:.2f}",
            }
        )
    title = "TPAMI 2017, Table 2: time of 1000 projections onto the bipartite simplex"
    caption = (
        "By variable fixing here and in the paper, and by sorting. Ratios are to variable fixing here;"
        " that of the paper's sorting is to the paper's. Entries from N(0, 1), radius 10, both sides of"
        " dimension d/2. Where 1000 problems need too much memory, fewer were solved, and the time is"
        f" scaled up. The paper's machine is a Xeon E5-2680 of 2.7 GHz. {conditions}"
    )
    return PrintedTable(title, caption, pd.DataFrame(rows), page="speed")


def table_of_peers(raced: pd.DataFrame, what: str, conditions: str) -> PrintedTable:
    """Return the table of the times, led by a sentence that compares the fastest peer of each loss
    with the library.
    """
    rows, said = [], []
    for loss, part in raced.groupby("loss", sort=False):
        label, ours = _WORDS[loss], part["ours"].iloc[0]
        fastest = part.loc[part["seconds"].where(part["reached"]).fillna(np.inf).idxmin()]
        for row in part.itertuples():
            ratio = f"{'' if row.reached else '> '}{row.seconds / ours:.1f}"
            rows.append((label, f"{ours:.3g}", row.peer, f"{row.seconds:.3g}", ratio))
        more = "" if fastest["reached"] else "more than "
        times = f"{more}{fastest['seconds'] / ours:.1f} times as long"
        said.append(f"{label} {ours:.2g} s ({fastest['peer']} {times})")
    head = ["Problem", "seconds", "solver of others", "its seconds", "ratio to ours"]
    return PrintedTable(
        "Training beside LIBLINEAR and scikit-learn",
        f"{what.rstrip('.')}: CPU time to (P − P*)/P* of {ACCURACY:g}, the fastest of {REPEATS} runs. All solve the"
        " same problem without an intercept. Ours stops at its own certificate; the others are run"
        " with ever more iterations, and the first run that is accurate enough counts."
        f" {conditions}",
        pd.DataFrame(rows, columns=head),
        page="speed",
        lead=f"CPU time of training on {what.rstrip('.')}, with the fastest of the other solvers:"
        f" {'; '.join(said)}.",
    )
