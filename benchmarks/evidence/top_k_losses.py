"""What a top-k loss gains over the softmax: the tables of docs/what-to-use.md.

``python benchmarks/evidence/top_k_losses.py`` reads the measured numbers of reports/summary/cells.csv and
the printed ones of data/published, pairs every loss with the softmax on each data set, and prints the
differences in points.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parents[2]
LOSSES = {
    "topk_ent": ("topk_ent", None),
    "topk_svm_alpha, gamma = 1": ("topk_svm_alpha", 1.0),
    "topk_svm_beta, gamma = 1": ("topk_svm_beta", 1.0),
    "svm_multi, gamma = 1": ("svm_multi", 1.0),
}
PAIRS = [(k, f"top{k}") for k in (3, 5, 10)] + [(5, "top1")]
DRAWS = 10_000


def measured() -> pd.DataFrame:
    """Return the accuracies that were measured under the stated reading on feature vectors, in percent."""
    cells = pd.read_csv(ROOT / "reports/summary/cells.csv", low_memory=False)
    cells = cells[(cells["run"] == "kept") & cells["reading"].isna()]
    cells = cells[~cells["config_dataset"].str.contains("network|circle|letter_raw")]
    # Without a printed cell there is no key of a paper: k and gamma are read off the method's name.
    name = cells["config_method"].str.extract(r"^(\w+?)(?:_k(\d+))?(_smooth)?$")
    found = pd.DataFrame(
        {
            "dataset": cells["config_dataset"],
            "loss": name[0],
            "k": pd.to_numeric(name[1]),
            "gamma": np.where(name[2].isna(), 0.0, 1.0),
            "metric": cells["metric"],
            "value": cells["value"],
        }
    )
    return found.drop_duplicates(["dataset", "loss", "k", "gamma", "metric"])


def printed() -> pd.DataFrame:
    """Return the accuracies that the papers print, in percent."""
    tables = [pd.read_csv(path) for path in sorted((ROOT / "data/published").glob("*_table*.csv"))]
    cells = pd.concat([table for table in tables if {"dataset", "method", "metric"} <= {*table}])
    return pd.DataFrame(
        {
            "dataset": cells["dataset"] + " " + cells["features"].fillna(""),
            "loss": cells["method"],
            "k": cells["k"],
            "gamma": cells["gamma"].fillna(0.0),
            "metric": cells["metric"],
            "value": pd.to_numeric(cells["value"], errors="coerce"),
        }
    ).drop_duplicates(["dataset", "loss", "k", "gamma", "metric"])


def of(cells: pd.DataFrame, loss: str, gamma: float | None, k: int, metric: str) -> pd.Series:
    """Return one number for each data set."""
    rows = cells[(cells["loss"] == loss) & (cells["metric"] == metric)]
    if gamma is not None:
        rows = rows[rows["gamma"] == gamma]
    if loss.startswith("topk"):
        rows = rows[rows["k"] == k]
    return rows.set_index("dataset")["value"].groupby(level=0).first()


def main() -> None:
    """Print a table of the measured and one of the printed numbers."""
    rng = np.random.default_rng(0)
    for title, cells in (("measured", measured()), ("printed", printed())):
        print(f"\n{title}\n| loss | k | metric | data sets | mean | 95 % | least | most | better |")
        print("|---|---|---|---|---|---|---|---|---|")
        for k, metric in PAIRS:
            softmax = of(cells, "lr_multi", None, k, metric)
            for label, (loss, gamma) in LOSSES.items():
                gain = (of(cells, loss, gamma, k, metric) - softmax).dropna()
                if gain.empty:
                    continue
                drawn = gain.to_numpy()[rng.integers(0, len(gain), (DRAWS, len(gain)))].mean(axis=1)
                low, high = np.percentile(drawn, [2.5, 97.5])
                print(
                    f"| {label} | {k if loss.startswith('topk') else ''} | {metric} | {len(gain)}"
                    f" | {gain.mean():+.2f} | {low:+.2f} to {high:+.2f} | {gain.min():+.2f}"
                    f" ({gain.idxmin()}) | {gain.max():+.2f} ({gain.idxmax()}) | {(gain > 0.005).sum()} |"
                )


if __name__ == "__main__":
    main()
