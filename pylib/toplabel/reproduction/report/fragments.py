"""The numbers of README.md and docs/ that a run measured, as Markdown;
`toplabel.reproduction.workflow.summary` puts them there.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping

import pandas as pd

from toplabel.metrics.names import is_fraction
from toplabel.reproduction.report.kept import under_found
from toplabel.reproduction.report.labels import (
    OUTCOMES,
    VERDICTS,
    method_label,
    metric_label,
    plain,
    segments,
    table_label,
    table_order,
)
from toplabel.reproduction.report.numbers import decimals_of, fixed, in_points, signed
from toplabel.reproduction.tables.collected import FEWEST_DRAWS

_NOT_CONVEX = "topk_ent_tr"
_TIE = 0.05  # points: half of the last printed digit
_FEW = 4  # methods that a row can name
_METHOD = ["method", "k", "gamma", "kernel"]


def in_markdown(label: str) -> str:
    """Return a label in the small markup, for Markdown."""
    return "".join(
        text if style == "text" else f"<{style}>{text}</{style}>" for style, text in segments(label)
    )


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table in Markdown; empty without a row."""
    head, rows = list(head), list(rows)
    if not rows:
        return ""
    lines = [f"| {' | '.join(map(str, line))} |" for line in (head, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


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
    shown = [verdict for verdict in VERDICTS.values() if (cells["verdict"] == verdict.key).any()]

    def tally(part: pd.DataFrame) -> list[int]:
        return [*(_number(part, verdict.key) for verdict in shown), len(part)]

    rows = []
    of_tables = dict(iter(cells.groupby(["source", "table"])))
    for key in sorted(of_tables, key=lambda pair: table_order(*pair)):
        of_sets = list(of_tables[key].groupby("dataset"))
        rows += [[table_label(*key), dataset, *tally(part)] for dataset, part in of_sets]
        if len(of_sets) > 1:
            rows.append([table_label(*key), "*all*", *tally(of_tables[key])])
    rows.append(["**all**", "", *tally(cells)])
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
        f" {_number(convex, 'match')} match; the differences are {fixed(apart.mean(), 2)} points"
        " in the mean and"
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
        f"**The last whole run** ({created[:10]}) measured {len(cells):,} of the {published:,} numbers"
        " that the papers print; most of the others are of data that cannot be had."
        f" They are {row['distinct']:,.0f} distinct measurements: {100 * match:.1f} % match (within 0.5"
        f" points, or 0.005 of a loss), {100 * near:.1f} % match or are close (three times that),"
        f" {row['spread']:.0f} lie within the spread of draws, {row['not_reproduced']:.0f} are not"
        f" reproduced. With shuffled methods {row['chance']:.0f} % would match. Of all printed numbers"
        f" {_number(cells, 'match'):,} match, and {_number(found, 'match'):,} under other readings of the"
        " protocols, chosen with them in view."
    )
    return textwrap.fill(text, 100)


def _multilabel(cells: pd.DataFrame) -> pd.DataFrame:
    return cells[(cells["source"] == "tpami2017") & cells["table"].isin(["7", "9"])]


def beside(cells: pd.DataFrame, source: str, number: str) -> str:
    """Return a published table, a row a method: published, measured, the difference and its
    verdict.
    """
    of_table = (cells["source"] == source) & (cells["table"] == number)
    cells = cells[(cells["verdict"] != "") & of_table]
    rows = cells.to_dict("records")
    texts = [_beside(row) for row in rows]
    labels = [plain(method_label(*(row[key] for key in _METHOD))) for row in rows]
    wide = cells.assign(text=texts, label=labels).pivot(
        index="label", columns="dataset", values="text"
    )
    wide = wide.loc[list(dict.fromkeys(labels))].fillna("").reset_index()
    tally = ", ".join(
        f"{number} {verdict.word}"
        for key, verdict in VERDICTS.items()
        if (number := _number(cells, key))
    )
    rows = wide.to_numpy().tolist()
    return f"{table(['method', *wide.columns[1:]], rows)}\n\nOf {len(cells)} cells: {tally}."


def _beside(cell: Mapping[str, str]) -> str:
    decimals = decimals_of(cell["metric"], cell["published"])
    measured, apart = float(cell["measured"]), float(cell["difference"])
    ours = f"{fixed(measured, decimals)} / {signed(apart, decimals)}"
    return f"{cell['published']} / {ours} {cell['verdict']}"


_MEASUREMENT = ["dataset", *_METHOD, "metric"]
# The same number may be compared with the printed ones of several tables.
_CELL = ["source", "table", *_MEASUREMENT]


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
        paper[[*_CELL, *values]], on=_CELL, suffixes=("", "_paper")
    )
    apart = both["measured_paper"].astype(float) - both["measured"].astype(float)
    both["points"] = [abs(in_points(*one)) for one in zip(both["metric"], apart, strict=True)]
    both["elsewhere"] = (both["C"] != both["C_paper"]) | (both["theta"] != both["theta_paper"])
    both["other"] = both["verdict"] != both["verdict_paper"]
    rows = []
    for (dataset, kernel), group in both.groupby(["dataset", "kernel"]):
        own = group.drop_duplicates(_MEASUREMENT)
        matches = [int((group[name] == "match").sum()) for name in ("verdict", "verdict_paper")]
        elsewhere = f"{int(own['elsewhere'].sum())} of {len(own)}"
        points = [fixed(value, 2) for value in (own["points"].mean(), own["points"].max())]
        hours = [fixed(_hours(own, name), 2) for name in ("seconds", "seconds_paper")]
        other = int(group["other"].sum())
        rows.append([dataset, kernel, len(group), *matches, other, elsewhere, *points, *hours])
    head = ["data set", "kernel", "cells", "match, `standard`", "`paper`", "other verdict"]
    head += ["other C or theta", "mean difference, points", "largest", "hours, `standard`"]
    return f"{table([*head, '`paper`'], rows)}\n\n{_other_verdicts(both[both['other']])}"


def _hours(cells: pd.DataFrame, seconds: str) -> float:
    """Return the hours of tuning, and of training the dearest model of each method."""
    dearest = cells[seconds].astype(float).groupby([cells[name] for name in _MEASUREMENT[:-1]])
    return dearest.max().sum() / 3600


def _other_verdicts(cells: pd.DataFrame) -> str:
    rows = []
    for one in cells.to_dict("records"):
        decimals = decimals_of(one["metric"], one["published"])
        numbers = [fixed(float(one[name]), decimals) for name in ("measured", "measured_paper")]
        label = in_markdown(method_label(*(one[key] for key in _METHOD)))
        words = [VERDICTS[one[name]].word for name in ("verdict", "verdict_paper")]
        metric = metric_label(one["metric"])
        rows.append((one["dataset"], label, metric, one["published"], *numbers, " → ".join(words)))
    head = ["data set", "method", "metric", "printed", "`standard`", "`paper`", "verdict"]
    return table(head, dict.fromkeys(rows)) or "No cell has another verdict."


def _decimals(metric: str) -> int:
    return 3 if is_fraction(metric) else 1


def variants(
    measured: pd.DataFrame, methods: Iterable[str], endings: Iterable[str], metrics: Iterable[str]
) -> str:
    """Return each method of each data set with several endings of its name: their values side by
    side.
    """
    values = _values(measured)["measured"]

    def text(dataset: str, method: str, metric: str) -> str:
        found = (values.get((dataset, f"{method}{ending}", metric)) for ending in endings)
        return " / ".join("" if one is None else fixed(one, _decimals(metric)) for one in found)

    rows = [
        [dataset, f"`{method}`", *(text(dataset, method, one) for one in metrics)]
        for dataset in dict.fromkeys(measured["dataset"])
        for method in methods
    ]
    return table(["data set", "method", *map(metric_label, metrics)], rows)


def grid(measured: pd.DataFrame, metrics: Iterable[str]) -> str:
    """Return a row for each data set and method, with the deviation over the splits where there are
    several.
    """
    values = _values(measured)
    nothing = pd.Series({"measured": float("nan"), "std": float("nan")})

    def text(dataset: str, method: str, metric: str) -> str:
        key = (dataset, method, metric)
        one = values.loc[key] if key in values.index else nothing
        mean, std = (fixed(one[name], _decimals(metric)) for name in ("measured", "std"))
        return f"{mean} ± {std}" if std else mean

    named = measured.drop_duplicates(["dataset", "method"])[["dataset", "method", "label"]]
    rows = [
        [dataset, in_markdown(label), *(text(dataset, method, metric) for metric in metrics)]
        for dataset, method, label in named.itertuples(index=False)
    ]
    return table(["data set", "method", *map(metric_label, metrics)], rows)


def _values(measured: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of measured.csv by data set, method and metric."""
    numbers = measured[["measured", "std"]].replace("", "nan").astype(float)
    keys = ["dataset", "method", "metric"]
    return numbers.set_index(pd.MultiIndex.from_frame(measured[keys])).groupby(level=keys).last()


def strategies(values: pd.DataFrame, metrics: Iterable[str]) -> str:
    """Return the means over the methods of each data set, of each strategy in this order."""
    names = ["constant", "cardinality", "tuned", "per label"]
    means = values.astype(dict.fromkeys(names, float))
    means = means.groupby(["data set", "metric"], sort=False)[names].mean()
    rows = []
    for dataset in dict.fromkeys(values["data set"]):
        texts = []
        for metric in metrics:
            key = (dataset, metric_label(metric))
            found = means.loc[key] if key in means.index else []
            texts.append(" / ".join(fixed(value, _decimals(metric)) for value in found))
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
    """Return claims whose names begin so, each with its outcome on data of no paper."""
    chosen = findings[findings["claim"].str.startswith(prefix)]
    medians = chosen["other_median"].map(lambda text: signed(float(text or "nan"), 2))
    outcomes = chosen["other_outcome"].map(lambda key: OUTCOMES[key].word)
    chosen = chosen.assign(other_outcome=outcomes, other_median=medians)
    head = {
        "says": "claim",
        "other_outcome": "here",
        "other_comparisons": "comparisons",
        "other_first": "first side ahead",
        "other_second": "behind",
        "other_median": "median difference, points",
    }
    return table(head.values(), chosen[[*head]].to_numpy())


def differences(cells: pd.DataFrame) -> str:
    """Return the cells of a differences.csv by reason and evidence, with what experiments gave;
    without a reason last.
    """
    rows = []
    for (title, _, experiment), group in cells.groupby(
        ["title", "evidence", "experiment"], sort=False
    ):
        keys = group[_METHOD].itertuples(index=False, name=None)
        methods = dict.fromkeys(in_markdown(method_label(*key)) for key in keys)
        named = ", ".join(methods) if len(methods) <= _FEW else f"{len(methods)} methods"
        tried = in_markdown(experiment.removeprefix("Experiment: ")) or ("none" if title else "")
        counts = [_number(group, verdict) for verdict in ("off", "higher", "lower")]
        sets = ", ".join(dict.fromkeys(group["dataset"]))
        rows.append([title or "not looked into", sets, named, *counts, tried])
    rows.sort(key=lambda row: row[0] == "not looked into")
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
    head = ["data set", "kernel", "compared", "in the interval over test rows"]
    return table([*head, "draws of the folds", "in that of a further draw"], rows)


def _inside(told: pd.Series) -> str:
    told = told[told != ""]
    return f"{int((told == 'true').sum())} of {len(told)}" if len(told) else "—"


def _number(cells: pd.DataFrame, *verdicts: str) -> int:
    return int(cells["verdict"].isin(verdicts).sum())


def jobs(took: pd.DataFrame) -> str:
    """Return what the jobs of a run took: the ten longest, and hours by study and by data set, from
    the kept jobs.csv.
    """
    took = took.astype({"seconds": float, "peak_mb": float})
    words = ["stage", "dataset", "method", "part"]
    longest = [
        [
            " ".join(one[word] for word in words).rstrip(),
            fixed(one["seconds"], 0),
            fixed(one["peak_mb"], 0),
        ]
        for one in took.nlargest(10, "seconds").to_dict("records")
    ]
    parts = [table(["job", "seconds", "peak, MB"], longest)]
    for column, head, rest in (
        ("study", "study", "data, and jobs for all"),
        ("dataset", "data set", "none"),
    ):
        hours = took["seconds"].groupby(took[column].replace("", rest)).agg(["size", "sum"])
        rows = [[name, int(n), fixed(seconds / 3600, 2)] for name, n, seconds in hours.itertuples()]
        rows.sort(key=lambda row: -float(row[2]))
        parts.append(table([head, "jobs", "hours"], rows))
    return "\n\n".join(parts)


def conditions(run: Mapping) -> str:
    """Return where, with what and how long it ran, from the kept part of run.json."""
    machine, jobs = run["machine"], run["jobs"]
    commit = run["git"]["commit"] or "unknown"
    parts = f" in {len(run['parts'])} parts" if len(run["parts"]) > 1 else ""
    rows = [
        [
            *(one["stage"], one["jobs"], fixed(one["hours"], 2)),
            *(fixed(one["longest_seconds"], 0), fixed(one["peak_mb"], 0)),
        ]
        for one in jobs
    ]
    kernels = "/".join(sorted({str(one["kernels"]) for one in run["blas"]}))
    return (
        f"{run['created'][:10]}, commit `{commit[:12]}`, budget `{run['budget']}`,"
        f" {machine['cores']} cores"
        f" ({machine['cpu']}, {machine['memory_gib']:.0f} GiB, BLAS kernels {kernels});"
        f" {sum(run['parts']) / 3600:.1f} hours of wall time{parts},"
        f" {sum(one['hours'] for one in jobs):.1f} hours of jobs.\n\n"
        + table(["stage", "jobs", "hours", "longest, s", "peak, MB"], rows)
    )
