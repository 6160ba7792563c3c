"""Evidence of the kept run: ``python benchmarks/evidence/kept_run.py`` prints the tables that docs/ has of it.

They are made from reports/summary.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parents[2]
VERDICTS = ["match", "close", "spread", "higher", "lower", "off"]
PAPERS = {
    "tpami2017": "TPAMI 2017",
    "cvpr2016": "CVPR 2016 suppl.",
    "nips2015": "NIPS 2015",
    "nips2012": "NIPS 2012",
}
NAMES = {
    "rank_loss": "Rank loss",
    "hamming_loss": "Hamming loss",
    "accuracy": "Accuracy",
    "map": "mAP",
}
NAMES |= {"subset_accuracy": "Subset acc.", "p_at_1": "P@1", "r_at_3": "R@3"}
NAMES |= {f"f1_{kind}": f"F1 {kind}" for kind in ("micro", "macro", "instance")}
NAMES |= {f"top{k}": f"Top-{k}" for k in range(1, 11)}
LOSSES = ("rank_loss", "hamming_loss")  # the smaller, the better, and printed as fractions
OTHERS = "data, and jobs for all"
BIASES = ("", "_bias", "_standard")
SETS = ["bibtex", "corel5k", "delicious", "emotions", "enron", "medical", "scene", "yeast"]
TOP = {
    "softmax (`lr_multi`)": "lr_multi",
    "`topk_ent`, k = 5": "topk_ent_k5",
    "`topk_ent`, k = 10": "topk_ent_k10",
    "`svm_multi`, gamma = 1": "svm_multi_smooth",
    "`topk_svm_alpha`, k = 5, gamma = 1": "topk_svm_alpha_k5_smooth",
    "`topk_svm_alpha`, k = 10, gamma = 1": "topk_svm_alpha_k10_smooth",
    "`topk_svm_beta`, k = 5, gamma = 1": "topk_svm_beta_k5_smooth",
    "`topk_svm_beta`, k = 10, gamma = 1": "topk_svm_beta_k10_smooth",
}


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table in Markdown."""
    first, *others = [f"| {' | '.join(map(str, line))} |" for line in [[*head], *rows]]
    return "\n".join([first, "|---" * (first.count("|") - 1) + "|", *others])


def number(value: float, metric: str) -> str:
    """Return a value with the digits that the papers print, halves rounded up as in the reports."""
    return f"{value + 1e-9:.3f}" if metric in LOSSES else f"{value + 1e-9:.1f}"


def words(label: str) -> str:
    """Return the label of a method with its raised and lowered parts in HTML."""
    return re.sub(r"_\{(.*?)\}", r"<sub>\1</sub>", re.sub(r"\^\{(.*?)\}", r"<sup>\1</sup>", label))


def values(cells: pd.DataFrame) -> pd.Series:
    """Return the measured values by data set, method and metric."""
    keys = ["config_dataset", "config_method", "metric"]
    return cells.drop_duplicates(keys).set_index(keys)["value"]


def scores(cells: pd.DataFrame) -> str:
    """Return how many numbers of each table and data set match."""
    compared = cells[cells["verdict"].notna() & cells["reading"].isna()]
    rows = []
    for (source, of, dataset), group in compared.groupby(["source", "table", "dataset"]):
        counts = group["verdict"].value_counts()
        rows.append(
            [
                PAPERS[source],
                int(of),
                dataset,
                *(counts.get(one, 0) for one in VERDICTS),
                len(group),
            ]
        )
    totals = [sum(row[i] for row in rows) for i in range(3, 4 + len(VERDICTS))]
    return table(
        ["paper", "table", "data set", *VERDICTS, "compared"], [*rows, ["**all**", "", "", *totals]]
    )


def convex(cells: pd.DataFrame) -> str:
    """Return how far the numbers of convex losses lie from those of the multiclass tables, in points."""
    compared = cells[
        cells["verdict"].notna() & cells["reading"].isna() & cells["table"].isin([5, 7, 9])
    ]
    chosen = compared[compared["dataset"].isin(["letter", "caltech101_silhouettes"])]
    chosen = chosen[
        chosen["source"].isin(["tpami2017", "cvpr2016"]) & (chosen["method"] != "topk_ent_tr")
    ]
    rows = []
    for dataset, group in chosen.groupby("dataset"):
        away = group["difference"].abs()
        is_match = group["verdict"] == "match"
        rows.append(
            [dataset, len(group), is_match.sum(), f"{away.mean():.2f}", f"{away.max():.2f}"]
        )
    return table(["data set", "cells", "match", "mean difference", "largest"], rows)


def methods(cells: pd.DataFrame, metrics: list[str], datasets: str = ".*", only: str = ".*") -> str:
    """Return the numbers of methods of some data sets, with deviations over draws of the data."""
    chosen = cells[
        cells["config_dataset"].str.fullmatch(datasets) & cells["config_method"].str.fullmatch(only)
    ]
    chosen = chosen.drop_duplicates(["config_dataset", "config_method", "metric"])
    rows = []
    for (dataset, _), group in chosen.groupby(["config_dataset", "config_method"], sort=False):
        of = group.set_index("metric")
        row = [dataset, words(of["label"].iloc[0])]
        for metric in metrics:
            parts = of.loc[metric, ["value", "std"]].dropna() if metric in of.index else []
            row.append(" ± ".join(number(part, metric) for part in parts))
        rows.append(row)
    return table(["data set", "method", *(NAMES[metric] for metric in metrics)], rows)


def biases(cells: pd.DataFrame) -> str:
    """Return three measures without a bias, with one, and on standardised features with one."""
    value = values(cells)
    metrics = ("rank_loss", "f1_micro", "subset_accuracy")
    rows = [
        [dataset, f"`{method}`"]
        + [
            " / ".join(number(value[dataset, method + kind, one], one) for kind in BIASES)
            for one in metrics
        ]
        for dataset in ("emotions", "scene", "yeast", "medical", "enron")
        for method in ("svm_ml", "svm_ml_smooth", "lr_ml")
    ]
    return table(["data set", "method", *(NAMES[metric] for metric in metrics)], rows)


def with_best(found: list[float], metric: str) -> list[str]:
    """Return numbers, the best of them in bold."""
    shown = [number(value, metric) for value in found]
    best = min(shown, key=float) if metric in LOSSES else max(shown, key=float)
    return [f"**{one}**" if one == best else one for one in shown]


def top_five(cells: pd.DataFrame) -> str:
    """Return the accuracies of losses on two sets of TPAMI Table 5."""
    value = values(cells)
    places = [
        (name, metric)
        for name in ("letter", "caltech101_silhouettes")
        for metric in ("top1", "top5")
    ]
    columns = [
        with_best([value[name, method, metric] for method in TOP.values()], metric)
        for name, metric in places
    ]
    head = ["loss", "letter: top-1", "top-5", "silhouettes: top-1", "top-5"]
    return table(head, zip(TOP, *columns, strict=True))


def label_sets(cells: pd.DataFrame) -> str:
    """Return two measures of the smooth linear losses for label sets."""
    value = values(cells)
    rows = []
    for name in SETS:
        pairs = [
            [value[name, of, metric] for of in ("lr_ml", "svm_ml_smooth")]
            for metric in ("rank_loss", "f1_micro")
        ]
        rows.append([name, *with_best(pairs[0], "rank_loss"), *with_best(pairs[1], "f1_micro")])
    other = "`svm_ml`, gamma = 1"
    return table(["set", "rank loss: `lr_ml`", other, "micro F1: `lr_ml`", other], rows)


def costs(jobs: pd.DataFrame) -> str:
    """Return the time and memory of each study's jobs; a cell is tuned, trained and evaluated in turn."""
    named = jobs.assign(study=jobs["study"].fillna(OTHERS))
    rows = []
    for study, group in [*named.groupby("study"), ("**all**", named)]:
        seconds, peak = group["seconds"], group["peak_mb"].max()
        cell = group[group["method"].notna()].groupby(["dataset", "method"])["seconds"].sum().max()
        longest = f"{cell:.0f}" if cell > 0 else ""
        rows.append(
            [
                study,
                len(group),
                f"{seconds.sum() / 3600:.2f}",
                f"{seconds.max():.0f}",
                longest,
                f"{peak:.0f}",
            ]
        )
    head = ["study", "jobs", "core hours", "longest job, s", "longest cell, s", "peak memory, MB"]
    return table(head, rows)


def longest(jobs: pd.DataFrame) -> str:
    """Return the ten longest jobs."""
    rows = jobs.nlargest(10, "seconds")[["stage", "dataset", "method", "seconds", "peak_mb"]]
    shown = [[*row[:3], f"{row[3]:.0f}", f"{row[4]:.0f}"] for row in rows.itertuples(index=False)]
    return table(["stage", "data set", "method", "seconds", "peak memory, MB"], shown)


def seconds_of_targets(cells: pd.DataFrame, jobs: pd.DataFrame) -> dict[str, int]:
    """Return the core seconds of the cells of each published table, by the target that makes it."""
    of_cells = jobs.groupby(["dataset", "method"])["seconds"].sum()
    seconds = {}
    for (source, number), group in cells.groupby(["source", "table"]):
        target = f"{source}_table{int(number):02}"
        names = pd.MultiIndex.from_frame(group[["config_dataset", "config_method"]]).unique()
        computed = names.intersection(of_cells.index)
        seconds[target.removeprefix("tpami2017_")] = round(of_cells[computed].sum())
    return seconds


def tables() -> dict[str, str]:
    """Return every table by its name."""
    cells = pd.read_csv(ROOT / "reports/summary/cells.csv", low_memory=False)
    jobs = pd.read_csv(ROOT / "reports/summary/jobs.csv")
    sets = ["rank_loss", "hamming_loss", "subset_accuracy", "f1_micro", "f1_macro"]
    scenes = ["map", "p_at_1", "r_at_3", *sets, "accuracy", "f1_instance"]
    return {
        "scores": scores(cells),
        "convex": convex(cells),
        "networks": methods(cells, ["top1", "top3", "top5", "top10"], ".*_network"),
        "biases": biases(cells),
        "baselines": methods(cells, sets, only="br_svm|br_svm_rbf|random_forest|classifier_chain"),
        "scenes": methods(cells, scenes, "digit_scenes"),
        "top_five": top_five(cells),
        "label_sets": label_sets(cells),
        "costs": costs(jobs),
        "longest": longest(jobs),
        "codecheck": table(["target", "core seconds"], seconds_of_targets(cells, jobs).items()),
    }


def main() -> None:
    """Print the tables."""
    for name, text in tables().items():
        print(f"\n{name}\n\n{text}")


if __name__ == "__main__":
    main()
