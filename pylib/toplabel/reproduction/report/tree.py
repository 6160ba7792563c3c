"""The whole report as one tree of plain data, which the pages, the document and report.json print.

Numbers of tables are text in it already, as they are to be read; counts are numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from toplabel.metrics.names import lower_is_better
from toplabel.reproduction.report import claims, explained, facts, numbers
from toplabel.reproduction.report.agreement import points_of, points_of_cells, sentence
from toplabel.reproduction.report.inputs import FIGURE_WORDS, ReportInputs
from toplabel.reproduction.report.kept import KEPT_EPS, kept_differences
from toplabel.reproduction.report.labels import PAPERS, metric_label, table_order
from toplabel.reproduction.report.pages import build_pages
from toplabel.reproduction.report.places import build_coverage, build_parts, search_targets
from toplabel.reproduction.report.score import score_of
from toplabel.reproduction.report.sections import build_plain_tables, build_sections, eps_of
from toplabel.reproduction.report.svg import share_of
from toplabel.reproduction.report.trace import Trace
from toplabel.reproduction.report.words import say

Tree = dict[str, Any]


def build_tree(inputs: ReportInputs) -> Tree:
    """Arrange the inputs.

    Returns
    -------
    dict
        Strings, numbers, lists and dicts alone. `touched` are tables with a measurement,
        `untouched` published tables without any; both stand with their cells, the first also in
        `pages`.

    Raises
    ------
    FileError
        A figure is not SVG.
    """
    trace = Trace(inputs)
    run = inputs.run
    cells = trace.with_causes(inputs.comparison)
    sections = build_sections(inputs, cells, trace)
    plain = build_plain_tables(inputs, trace)
    touched = [section for section in sections if section["blocks"]]
    untouched = [section for section in sections if not section["blocks"]]
    pages = build_pages(inputs, touched, plain, [_figure(one, trace) for one in inputs.figures])
    places = {
        (one["source"], one["table"]): f"{one['page']}.html#{one['anchor']}"
        for one in touched
        if one["source"]
    }
    winners = claims.build_winners(claims.winner_rows(inputs), trace, places)
    findings = claims.build_findings(inputs, trace)
    bare = cells[cells["measured"].isna()]
    missing_sets, missing_cells = facts.missing(inputs, bare, trace)
    score = score_of(cells)
    datasets = facts.dataset_rows(inputs)
    certificates = facts.certificates(inputs, trace)
    best = best_of_own(inputs, trace)
    points = points_of(touched)
    config = run["config"] if isinstance(run["config"], Mapping) else {}
    tree = {
        "created": str(run["created"] or ""),
        "command": str(run["command"] or ""),
        "config": facts.config_text(run),
        "commit": str(run["git"].get("commit") or ""),
        "commit_url": facts.web_address(str(run["git"].get("url") or "")),
        "changed": bool(run["git"].get("dirty")),
        "quick": run["budget"] == "quick",
        "score": score,
        "answer": say("answer", score, run["budget"], len(best)),
        "headline": say("headline", score),
        "detail": say("detail", score),
        "found": explained.score_under_found(cells),
        "stopped": say("stopped", _stopped(inputs)),
        "best": best,
        "trust": _trust(inputs, certificates),
        "reach": facts.reach(cells),
        "points": len(points),
        "agreement": sentence(points),
        "worth": worth(inputs.headline),
        "kept": _kept(inputs, places),
        "findings": findings,
        "findings_remark": claims.summary(findings),
        "winners": winners,
        "winners_remark": say("winners", winners),
        "winner_matrices": claims.winner_matrices(winners),
        "differences": explained.groups_of(inputs.differences, places),
        "differences_remark": explained.difference_summary(inputs.differences),
        "readings": explained.found_readings(inputs),
        "choices": explained.followed_choices(inputs),
        "touched": touched,
        "untouched": untouched,
        "pages": pages,
        "coverage": build_coverage(cells, pages, sections),
        "datasets": datasets,
        "missing": [
            {"dataset": dataset, "reason": reason, "cells": int(n)}
            for (dataset, reason), n in bare.groupby(["dataset", "why"], sort=False).size().items()
        ],
        "missing_sets": missing_sets,
        "missing_cells": missing_cells,
        "failures": facts.failures(inputs, trace),
        "certificates": certificates,
        "protocol": [
            text for part in range(5) if (text := say("protocol", part, config, str(run["budget"])))
        ],
        "run": facts.run_facts(run),
        "stages": facts.stages(run),
        "sources": [
            source
            for source in sorted(set(cells["source"]), key=lambda one: table_order(one, ""))
            if source in PAPERS
        ],
    }
    tree["parts"] = build_parts(tree)
    return tree | {"targets": search_targets(tree)}


def _figure(figure: Mapping[str, str], trace: Trace) -> dict[str, Any]:
    file = f"figures/{figure['name']}.csv"
    share = share_of(figure["svg"], figure["name"])
    words = {name: figure[name] for name in FIGURE_WORDS}
    return words | {"share": share, "file": file, "link": trace.link(file)}


def _stopped(inputs: ReportInputs) -> dict[str, Any]:
    """Count the numbers of this run, and those that the kept run adds, whose fits ended with a gap
    above the tolerance.
    """
    eps = eps_of(inputs)
    runs = inputs.evaluation
    return {
        "own": int((runs["relative_gap"] > eps).sum()),
        "all": len(runs),
        "kept": int((inputs.comparison["kept_gap"] > KEPT_EPS).sum()),
        "of_kept": int(inputs.comparison["kept"].notna().sum()),
        "kept_eps": f"{KEPT_EPS:g}",
        "eps": f"{eps:g}",
    }


def best_of_own(inputs: ReportInputs, trace: Trace) -> list[dict[str, str]]:
    """Return the best method of each metric on each data set of which no paper prints a number.

    `level` counts the other methods within its interval over test rows, empty where it has none.
    """
    runs = inputs.evaluation
    compared = inputs.comparison.loc[inputs.comparison["measured"].notna(), "file"]
    known = set(runs.loc[runs["file"].isin(set(compared)), "dataset"])
    of_labels = runs["metric"].str.startswith("ap_")  # map is their mean
    runs = runs[~runs["dataset"].isin(known) & runs["measured"].notna() & ~of_labels]
    found = []
    for (dataset, features, metric), part in runs.groupby(
        ["dataset", "features", "metric"], sort=False
    ):
        lower = lower_is_better(metric)
        row = part.loc[part["measured"].idxmin() if lower else part["measured"].idxmax()]
        decimals = numbers.decimals_of(metric)
        low, high = (numbers.fixed(row[end], decimals) for end in ("rows_low", "rows_high"))
        near = part["measured"].between(row["rows_low"], row["rows_high"]).sum() - 1
        found.append(
            {
                "dataset": f"{trace.title(dataset)} {features}".rstrip(),
                "metric": metric_label(metric),
                "method": trace.label(row),
                "value": numbers.fixed(row["measured"], decimals),
                "interval": f"{low} to {high}" if low else "",
                "level": str(near) if low else "",
                "methods": str(part["method"].nunique()),
                "seconds": numbers.compact(row["seconds"], 3),
                "stopped": bool(row["relative_gap"] > eps_of(inputs)),
            }
        )
    return found


def _trust(inputs: ReportInputs, certificates: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return what a reader can check, and how: a name, what is known, an address of more."""
    agreement = next((one for one in inputs.tables if one["name"] == "agreement"), None)
    known = {
        "certificates": (certificates, "run.html#certificates"),
        "verify": (None, ""),
        "liblinear": (
            len(agreement["frame"]) if agreement is not None else 0,
            "run.html#agreement",
        ),
        "commit": (inputs.run["git"], facts.web_address(str(inputs.run["git"].get("url") or ""))),
        "sums": (sum(map(len, inputs.raw.values())), "data.html#datasets"),
    }
    return [
        {"name": say(f"trust_{key}_name"), "text": text, "address": address}
        for key, (data, address) in known.items()
        if (text := say(f"trust_{key}", data))
    ]


def _kept(inputs: ReportInputs, places: Mapping[tuple[str, str], str]) -> dict[str, Any] | None:
    """Return what the kept run says; its differences are those of cells that this run did not
    measure.
    """
    kept = inputs.kept
    if kept is None:
        return None
    rows = kept_differences(inputs.comparison, kept)
    score = score_of(kept.cells)
    return {
        "name": kept.name,
        "created": kept.run["created"],
        "commit": kept.run["git"]["commit"],
        "score": score,
        "headline": say("kept_headline", kept.name, score, len(inputs.comparison)),
        "points": len(points_of_cells(kept.cells)),
        "worth": worth(kept.worth),
        "worth_rows": worth_rows(kept.worth),
        "differences": explained.groups_of(rows, places),
        "differences_remark": explained.difference_summary(rows),
    }


_COUNTS = ("places", "distinct", "match", "close", "not_reproduced", "digits", "convex")
_MEANS = ("chance", "convex_median", "convex_mean")


def worth(headline: pd.DataFrame) -> str:
    """Return what the row of all metrics of headline.csv says; empty without one."""
    rows = {row["metric"]: row for row in _worth(headline)}
    return say("worth", rows["all"], rows["unflagged"]) if "all" in rows else ""


def worth_rows(headline: pd.DataFrame) -> list[list[str]]:
    """Return a row for each metric, with the columns of `WORTH_HEAD`."""
    names = {"all": "All", "unflagged": "All but flagged"}
    return [
        [
            names.get(row["metric"]) or metric_label(row["metric"]),
            *(numbers.count(row[name]) for name in _COUNTS[:5]),
            f"{numbers.fixed(row['chance'], 0)} %",
            numbers.count(row["digits"]),
        ]
        for row in _worth(headline)
    ]


WORTH_HEAD = (
    *("Metric", "Printed", "Distinct", "Match", "Close", "Not reproduced"),
    *("By chance", "Digits"),
)


def _worth(headline: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        {"metric": row["metric"]}
        | {name: int(row[name]) for name in _COUNTS}
        | {name: float(row[name] or "nan") for name in _MEANS}
        for row in headline.to_dict("records")
    ]
