"""The numbers of README.md and docs/ that a run measured, as Markdown;
`toplabel.reproduction.workflow.summary` puts them there.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from itertools import groupby

import pandas as pd

from toplabel.metrics.names import is_fraction
from toplabel.reproduction.reporting.findings_text import OUTCOMES
from toplabel.reproduction.reporting.found import under_found
from toplabel.reproduction.reporting.labels import (
    VERDICTS,
    method_label,
    metric_label,
    paper_label,
    plain,
    table_order,
)
from toplabel.reproduction.reporting.markdown import in_markdown, table
from toplabel.reproduction.reporting.numbers import decimals_of, fixed, in_points, signed
from toplabel.reproduction.tables.collected import FEWEST_DRAWS

_NOT_CONVEX = "topk_ent_tr"
_TIE = 0.05  # points: half of the last printed digit
_FEW = 4  # methods that a row can name


def counts(cells: pd.DataFrame, *datasets: str) -> str:
    """Count the compared cells of a comparison.csv by published table, data set and verdict.

    Parameters
    ----------
    cells : DataFrame
        comparison.csv.
    *datasets : str
        Of these alone, or ``"multilabel"``; by default of all.

    Returns
    -------
    str
        A table in Markdown, the last row for all, and a sentence.
    """
    cells = cells[cells["verdict"] != ""]
    if datasets == ("multilabel",):
        cells = _multilabel(cells)
    elif datasets:
        cells = cells[cells["dataset"].isin(datasets) & (cells["source"] != "nips2012")]
    shown = [verdict for key, verdict in VERDICTS.items() if (cells["verdict"] == key).any()]
    groups = sorted(
        cells.groupby(["source", "table", "dataset"])["verdict"],
        key=lambda group: (*table_order(*group[0][:2]), group[0][2]),
    )
    rows = []
    for (source, number), of_table in groupby(groups, key=lambda group: group[0][:2]):
        title = f"{paper_label(source)}, Table {number}"
        parts = [(dataset, verdicts) for (*_, dataset), verdicts in of_table]
        rows += [[title, dataset, *_tally(verdicts, shown)] for dataset, verdicts in parts]
        if len(parts) > 1:
            whole = pd.concat([verdicts for _, verdicts in parts])
            rows.append([title, "*all*", *_tally(whole, shown)])
    rows.append(["**all**", "", *_tally(cells["verdict"], shown)])
    head = ["table", "data set", *(verdict.word for verdict in shown), "compared"]
    near = _number(cells, "match", "close")
    sentence = (
        f"So {near} of {len(cells)} ({100 * near / len(cells):.0f} %) match or are close,"
        f" {_number(cells, 'match')} of them match."
    )
    return f"{table(head, rows)}\n\n{sentence}{_convex(cells) if datasets else ''}"


def _convex(cells: pd.DataFrame) -> str:
    """Return how near the top-k accuracies are whose loss is convex; for tables that have such a
    loss.
    """
    if not (cells["method"] == _NOT_CONVEX).any():
        return ""
    convex = cells[(cells["method"] != _NOT_CONVEX) & (cells["source"] != "nips2015")]
    apart = convex["difference"].astype(float).abs()
    return (
        f" Of the {len(convex)} cells of CVPR's and TPAMI's tables whose loss is convex"
        f" {_number(convex, 'match')} match; the differences are {fixed(apart.mean(), 2)} points in the mean and"
        f" {fixed(apart.max(), 2)} at most."
    )


def score(cells: pd.DataFrame, headline: pd.DataFrame, published: int, created: str) -> str:
    """Return what became of the published cells, which are so many, in a paragraph of short
    lines.
    """
    cells = cells[cells["verdict"] != ""]
    found = under_found(cells)
    row = headline.set_index("metric").loc["all"]
    match, near = row["match"] / row["distinct"], (row["match"] + row["close"]) / row["distinct"]
    text = (
        f"**The last whole run** ({created[:10]}) measured {len(cells):,} of {published:,} printed numbers; most of"
        f" the others are of data that cannot be had. Of {row['distinct']:,.0f} distinct measurements"
        f" {100 * match:.1f} % match (within 0.5 points, or 0.005 of a loss), {100 * near:.1f} % match or are close"
        f" (within three times that), and {row['not_reproduced']:.0f} are not reproduced. By chance,"
        f" {row['chance']:.0f} % would match. Other readings of the protocols raise the printed numbers that match from"
        f" {_number(cells, 'match'):,} to {_number(found, 'match'):,}."
    )
    return textwrap.fill(text, 100)


def _multilabel(cells: pd.DataFrame) -> pd.DataFrame:
    return cells[(cells["source"] == "tpami2017") & cells["table"].isin(["7", "9"])]


def beside(cells: pd.DataFrame, source: str, number: str) -> str:
    """Return a published table, a row a method: published, measured, the difference and its
    verdict.
    """
    cells = cells[
        (cells["verdict"] != "") & (cells["source"] == source) & (cells["table"] == number)
    ]
    rows: dict[str, dict[str, str]] = {}
    for cell in cells.itertuples():
        decimals = decimals_of(cell.metric, cell.published)
        text = " / ".join(
            [
                cell.published,
                fixed(float(cell.measured), decimals),
                f"{signed(float(cell.difference), decimals)} {VERDICTS[cell.verdict].key}",
            ]
        )
        label = plain(method_label(cell.method, cell.k, cell.gamma, cell.kernel))
        rows.setdefault(label, {})[cell.dataset] = text
    names = sorted(set(cells["dataset"]))
    body = [[label, *(row.get(name, "") for name in names)] for label, row in rows.items()]
    tally = ", ".join(
        f"{_number(cells, key)} {verdict.word}"
        for key, verdict in VERDICTS.items()
        if (cells["verdict"] == key).any()
    )
    return f"{table(['method', *names], body)}\n\nOf {len(cells)} cells: {tally}."


_CELL = ("source", "table", "dataset", "method", "k", "gamma", "kernel", "metric")
_MEASUREMENT = _CELL[2:]  # the same number may be compared with the printed ones of several tables


def grids(cells: pd.DataFrame, paper: pd.DataFrame, *datasets: str) -> str:
    """Return what the papers' own grid changes: a table by data set and kernel, and one of the
    cells with another verdict.

    Parameters
    ----------
    cells, paper : DataFrame
        comparison.csv as text, of the budgets `standard` and `paper`.
    *datasets : str
        Of these alone, or ``"multilabel"``.
    """
    whole = datasets == ("multilabel",)
    paper = _multilabel(paper) if whole else paper[paper["dataset"].isin(datasets)]
    values = ["measured", "verdict", "C", "theta", "seconds"]
    both = cells[[*_CELL, "published", *values]].merge(
        paper[[*_CELL, *values]], on=list(_CELL), suffixes=("", "_paper")
    )
    apart = both["measured_paper"].astype(float) - both["measured"].astype(float)
    both["points"] = [in_points(*one) for one in zip(both["metric"], apart, strict=True)]
    points = ["C", "theta"]
    both["elsewhere"] = (both[points] != both[[f"{one}_paper" for one in points]].to_numpy()).any(
        axis=1
    )
    rows = []
    for (dataset, kernel), group in both.groupby(["dataset", "kernel"]):
        own = group.drop_duplicates(list(_MEASUREMENT))
        rows.append(
            [
                dataset,
                kernel,
                len(group),
                *(int((group[name] == "match").sum()) for name in ("verdict", "verdict_paper")),
                int((group["verdict"] != group["verdict_paper"]).sum()),
                f"{int(own['elsewhere'].sum())} of {len(own)}",
                fixed(own["points"].abs().mean(), 2),
                fixed(own["points"].abs().max(), 2),
                *(fixed(_hours(own, name), 2) for name in ("seconds", "seconds_paper")),
            ]
        )
    head = [
        "data set",
        "kernel",
        "cells",
        "match, `standard`",
        "`paper`",
        "other verdict",
        "other C or theta",
    ]
    head += ["mean difference, points", "largest", "hours, `standard`", "`paper`"]
    return f"{table(head, rows)}\n\n{_other_verdicts(both)}"


def _hours(cells: pd.DataFrame, seconds: str) -> float:
    """Return the hours of tuning, and of training the dearest model of each method."""
    methods = [name for name in _MEASUREMENT if name != "metric"]
    return (
        cells[seconds].astype(float).groupby([cells[name] for name in methods]).max().sum() / 3600
    )


def _other_verdicts(both: pd.DataFrame) -> str:
    rows = []
    for one in both[both["verdict"] != both["verdict_paper"]].itertuples():
        decimals = decimals_of(one.metric, one.published)
        rows.append(
            [
                one.dataset,
                in_markdown(method_label(one.method, one.k, one.gamma, one.kernel)),
                metric_label(one.metric),
                one.published,
                fixed(float(one.measured), decimals),
                fixed(float(one.measured_paper), decimals),
                f"{VERDICTS[one.verdict].word} → {VERDICTS[one.verdict_paper].word}",
            ]
        )
    head = ["data set", "method", "metric", "printed", "`standard`", "`paper`", "verdict"]
    return table(head, list(dict.fromkeys(map(tuple, rows)))) or "No cell has another verdict."


def variants(
    measured: pd.DataFrame, methods: Iterable[str], endings: Iterable[str], metrics: Iterable[str]
) -> str:
    """Return each method of each data set with several endings of its name: their values side by
    side.
    """
    values = _values(measured)
    rows = [
        [
            dataset,
            f"`{method}`",
            *(_joined(values, dataset, method, endings, one) for one in metrics),
        ]
        for dataset in dict.fromkeys(measured["dataset"])
        for method in methods
    ]
    return table(["data set", "method", *map(metric_label, metrics)], rows)


def _joined(values: Mapping, dataset: str, method: str, endings: Iterable[str], metric: str) -> str:
    decimals = 3 if is_fraction(metric) else 1
    found = (values.get((dataset, f"{method}{ending}", metric)) for ending in endings)
    return " / ".join("" if one is None else fixed(one[0], decimals) for one in found)


def grid(measured: pd.DataFrame, metrics: Iterable[str]) -> str:
    """Return a row for each data set and method, with the deviation over the splits where there are
    several.
    """
    values = _values(measured)
    labels = dict(zip(measured["method"], measured["label"], strict=True))
    rows = []
    for dataset, method in dict.fromkeys(zip(measured["dataset"], measured["method"], strict=True)):
        texts = []
        for metric in metrics:
            mean, std = values.get((dataset, method, metric), (float("nan"), float("nan")))
            decimals = 3 if is_fraction(metric) else 1
            deviation = fixed(std, decimals)
            texts.append(fixed(mean, decimals) + (f" ± {deviation}" if deviation else ""))
        rows.append([dataset, in_markdown(labels[method]), *texts])
    return table(["data set", "method", *map(metric_label, metrics)], rows)


def strategies(values: pd.DataFrame, metrics: Iterable[str]) -> str:
    """Return the means over the methods of each data set: constant, cardinality, tuned, per label."""
    names = ["constant", "cardinality", "tuned", "per label"]
    means = values.assign(**{name: values[name].astype(float) for name in names})
    means = means.groupby(["data set", "metric"], sort=False)[names].mean()
    rows = []
    for dataset in dict.fromkeys(values["data set"]):
        texts = []
        for metric in metrics:
            decimals = 3 if is_fraction(metric) else 1
            key = (dataset, metric_label(metric))
            found = means.loc[key] if key in means.index else []
            texts.append(" / ".join(fixed(value, decimals) for value in found))
        rows.append([dataset, *texts])
    return table(["data set", *map(metric_label, metrics)], rows)


def cardinality(values: pd.DataFrame) -> str:
    """Return how the threshold by label cardinality compares with the tuned one, in points."""
    sign = values["metric"].map({metric_label("hamming_loss"): -100.0}).fillna(1.0)
    ahead = sign * (values["cardinality"].astype(float) - values["tuned"].astype(float))
    text = (
        f"In {len(ahead)} comparisons (a method and a measure, on"
        f" {values['data set'].nunique()} data sets) the threshold that matches the label"
        f" cardinality is worse than the tuned one in {(ahead < -_TIE).sum()} and better in"
        f" {(ahead > _TIE).sum()}, by {signed(ahead.median(), 2)} points in the median."
    )
    return textwrap.fill(text, 100)


def claims(findings: pd.DataFrame, prefix: str) -> str:
    """Return claims whose names begin so, each with its outcome on data that are not the papers'."""
    chosen = findings[findings["claim"].str.startswith(prefix)]
    rows = [
        [
            one.says,
            OUTCOMES[one.other_outcome].word,
            one.other_comparisons,
            one.other_first,
            one.other_second,
            signed(float(one.other_median or "nan"), 2),
        ]
        for one in chosen.itertuples()
    ]
    head = [
        "claim",
        "here",
        "comparisons",
        "first side ahead",
        "behind",
        "median difference, points",
    ]
    return table(head, rows)


def differences(cells: pd.DataFrame) -> str:
    """Return the cells of a differences.csv by reason and evidence, with what experiments gave;
    without a reason last.
    """
    rows = []
    groups = ["title", "evidence", "experiment"]
    for (title, _, experiment), group in sorted(
        cells.groupby(groups, sort=False), key=lambda one: one[0][0] == ""
    ):
        methods = dict.fromkeys(
            plain(method_label(*one))
            for one in group[["method", "k", "gamma", "kernel"]].itertuples(index=False, name=None)
        )
        rows.append(
            [
                title or "not looked into",
                ", ".join(dict.fromkeys(group["dataset"])),
                ", ".join(methods) if len(methods) <= _FEW else f"{len(methods)} methods",
                *(_number(group, verdict) for verdict in ("off", "higher", "lower")),
                in_markdown(experiment.removeprefix("Experiment: "))
                or ("" if not title else "none"),
            ]
        )
    head = ["reason", "data sets", "methods", "off", "higher", "lower", "experiment"]
    return table(head, rows)


def intervals(cells: pd.DataFrame) -> str:
    """Count the printed numbers of a comparison.csv that lie within the intervals over test rows
    and over draws.
    """
    rows = []
    for (dataset, kernel), group in cells[cells["verdict"] != ""].groupby(["dataset", "kernel"]):
        enough = group["seeds"].replace("", "0").astype(float) >= FEWEST_DRAWS
        inside = [_inside(group["in_rows"]), _inside(group.loc[enough, "in_seeds"])]
        drawn = "/".join(sorted({*group["seeds"]} - {""})) or "—"
        rows.append([dataset, kernel or "none", len(group), inside[0], drawn, inside[1]])
    return table(
        [
            "data set",
            "kernel",
            "compared",
            "in the interval over test rows",
            "draws of the folds",
            "in that of a further draw",
        ],
        rows,
    )


def _inside(told: pd.Series) -> str:
    told = told[told != ""]
    return f"{int((told == 'true').sum())} of {len(told)}" if len(told) else "—"


def _values(measured: pd.DataFrame) -> dict[tuple[str, str, str], tuple[float, float]]:
    numbers = measured[["measured", "std"]].replace("", "nan").astype(float)
    keys = zip(measured["dataset"], measured["method"], measured["metric"], strict=True)
    return dict(zip(keys, numbers.itertuples(index=False, name=None), strict=True))


def _number(cells: pd.DataFrame, *verdicts: str) -> int:
    return int(cells["verdict"].isin(verdicts).sum())


def _tally(verdicts: pd.Series, shown: list) -> list[int]:
    return [*(int((verdicts == one.key).sum()) for one in shown), len(verdicts)]
