"""Mean ranks of methods over data sets, with the tests of Friedman and Nemenyi.

J. Demsar: Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006. The papers
print no ranks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from toplabel.reproduction.compare.blocks import block

ALPHA = 0.05


@dataclass(frozen=True)
class MeanRanks:
    """Methods by their mean rank for one metric.

    `table` has method, label and mean_rank (1 is best; ties share the mean of their ranks), from
    the best down. `friedman_p` is of the hypothesis that all methods rank the same. Mean ranks
    closer than `critical_difference`, of Nemenyi's test at the level `ALPHA`, do not differ
    significantly.
    """

    metric: str
    table: pd.DataFrame
    sets: list[str]
    friedman_p: float
    critical_difference: float


def rank_methods(collected: pd.DataFrame, metric: str) -> MeanRanks | None:
    """Rank the methods of the largest complete table (`block`) of a metric, top1 .. top10.

    `collected` is that of `collection.collect`. None when no table is large enough.
    """
    from scipy import stats  # planning a run imports this module; keep that fast

    rows = collected[collected["metric"] == metric]
    sets, methods = block(zip(rows["dataset"], rows["method"], strict=True))
    if not sets:
        return None
    values = rows.pivot(index="dataset", columns="method", values="measured").loc[sets, methods]
    ranks = stats.rankdata(-np.round(values.to_numpy(), 9), axis=1)
    labels = rows.drop_duplicates("method").set_index("method")["label"]
    table = pd.DataFrame(
        {
            "method": methods,
            "label": labels.loc[methods].to_numpy(),
            "mean_rank": ranks.mean(axis=0),
        }
    )
    n, k = ranks.shape
    same = (ranks == ranks[:, :1]).all()
    p = 1.0 if same else float(stats.friedmanchisquare(*ranks.T).pvalue)
    quantile = stats.studentized_range.ppf(1 - ALPHA, k, np.inf) / np.sqrt(2.0)
    return MeanRanks(
        metric,
        table.sort_values(["mean_rank", "method"], ignore_index=True),
        sets,
        p,
        float(quantile * np.sqrt(k * (k + 1) / (6.0 * n))),
    )
