"""The study set_sizes as a table: K classes for each row beside K on average, and sizes for a coverage.

python benchmarks/evidence/set_sizes.py results/figures/set_sizes_*.csv
"""

from __future__ import annotations

import sys

import pandas as pd

COVERAGE = 0.9


def table(frame: pd.DataFrame, size: float) -> pd.DataFrame:
    """Return a row for each method of a data set, means over the draws, for sets of a size."""
    values = ["size", "coverage", "fixed_coverage"]
    means = frame.groupby(["method", "goal", "level"], sort=False)[values].mean()
    rows = []
    for method in frame["method"].unique():
        of_size = means.loc[(method, "size", size)]
        covering = means.loc[(method, "coverage", COVERAGE)]
        rows.append(
            {
                "method": method,
                "K for each": of_size["fixed_coverage"],
                "K on average": of_size["coverage"],
                "gain": of_size["coverage"] - of_size["fixed_coverage"],
                "size": of_size["size"],
                "covered": covering["coverage"],
                "classes": covering["size"],
            }
        )
    return pd.DataFrame(rows)


for path in sys.argv[1:]:
    sets = pd.read_csv(path)
    has_many_classes = sets.loc[sets["goal"] == "size", "level"].max() >= 10
    size = 5.0 if has_many_classes else 2.0
    print(f"{sets['dataset'].iat[0]}, K = {size:g}")
    for row in table(sets, size).itertuples(index=False):
        print(f"| `{row[0]}` | " + " | ".join(f"{value:.2f}" for value in row[1:]) + " |")
