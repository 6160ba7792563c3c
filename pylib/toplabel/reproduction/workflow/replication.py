"""``python -m toplabel.reproduction.workflow.replication``: the replication paper, from the kept run.

It computes nothing: its numbers are those of reports/summary, its texts those of config/ and of the
template. ``make paper`` calls it.
"""

from __future__ import annotations

import math
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd

from toplabel._core.files import read_json
from toplabel.reproduction.compare.published import load_published
from toplabel.reproduction.config.catalogue import Catalogue, load_catalogue
from toplabel.reproduction.config.notes import load_notes
from toplabel.reproduction.config.run import SUMMARY
from toplabel.reproduction.report import labels, numbers
from toplabel.reproduction.report.agreement import draw, points_of_cells
from toplabel.reproduction.report.kept import kept_with_found, under_found
from toplabel.reproduction.report.labels import OUTCOMES
from toplabel.reproduction.report.pdf import write_document
from toplabel.reproduction.report.score import Score, score_of
from toplabel.reproduction.report.tree import WORTH_HEAD, worth, worth_rows
from toplabel.reproduction.tables.collected import (
    COMPARISON,
    FINDINGS,
    NOT_REPRODUCED,
    READINGS,
)
from toplabel.reproduction.tables.table import read_csv

OUT = "reports/replication.pdf"
_VERSIONS = ("python", "numpy", "scipy", "scikit-learn", "snakemake", "torch")


def facts_of(root: Path) -> tuple[dict[str, Any], str, datetime]:
    """Return what the paper prints, its picture, and the date of the kept run."""
    summary, catalogue = root / SUMMARY, load_catalogue(root)
    cells = COMPARISON.read(summary / "comparison.csv")
    text = COMPARISON.read_text(summary / "comparison.csv")
    readings = READINGS.read(summary / "readings.csv")
    headline = read_csv(summary / "headline.csv")
    run = read_json(summary / "run.json")
    both = kept_with_found(summary)
    about = both[both["found"].notna()]
    facts = {
        "created": run["created"][:10],
        "commit": run["git"]["commit"][:12],
        "run": _run(run),
        "published": numbers.count(len(load_published(catalogue.published))),
        "worth": worth(headline),
        "metrics": {"head": WORTH_HEAD, "rows": worth_rows(headline)},
        "score": _score(score_of(cells)),
        "tables": _by(cells, ["source", "table", "dataset"]),
        "papers": _by(cells, ["source"]),
        "under_found": _score(score_of(under_found(both))),
        "about_readings": {
            "stated": _score(score_of(about)),
            "found": _score(score_of(under_found(about))),
        },
        "readings": _readings(catalogue, readings),
        "choices": [
            {"title": one.title, "chosen": one.chosen}
            for one in catalogue.readings.choices.values()
        ],
        "differences": _differences(read_csv(summary / "differences.csv")),
        "claims": _claims(FINDINGS.read(summary / "claims.csv")),
        "deviations": [
            {"date": one.date, "what": one.what, "why": one.why}
            for one in load_notes(root).deviations
        ],
    }
    picture = draw(points_of_cells(text))
    return facts, picture, datetime.fromisoformat(run["created"])


def _score(score: Score) -> dict[str, str]:
    counts = score["by_verdict"]
    far = sum(counts[key] for key in NOT_REPRODUCED)
    near = counts["match"] + counts["close"]
    return {
        "cells": numbers.count(score["comparable"]),
        "match": numbers.count(counts["match"]),
        "close": numbers.count(counts["close"]),
        "spread": numbers.count(counts["spread"]),
        "far": numbers.count(far),
        "match_share": _share(counts["match"], score["comparable"]),
        "near_share": _share(near, score["comparable"]),
    }


def _share(part: int, whole: int) -> str:
    return f"{numbers.fixed(100 * part / whole, 1)} %"


def _by(cells: pd.DataFrame, keys: list[str]) -> list[dict[str, str]]:
    found = []
    for names, part in cells.groupby(keys, sort=False):
        named = dict(zip(keys, names, strict=True))
        paper = labels.paper_label(str(named["source"]))
        place = f"{paper}, Table {named['table']}" if "table" in named else paper
        found.append(
            {"place": place, "dataset": str(named.get("dataset", ""))} | _score(score_of(part))
        )
    return found


def _readings(catalogue: Catalogue, rows: pd.DataFrame) -> list[dict[str, Any]]:
    texts = catalogue.readings.readings
    found = []
    for name, part in rows.groupby("reading", sort=False):
        one = texts[str(name)]
        sets = [
            {"dataset": str(dataset)} | _pair(of_set)
            for dataset, of_set in part.groupby("dataset", sort=False)
        ]
        words = {key: getattr(one, key) for key in ("title", "stated", "found", "evidence")}
        found.append({"sets": sets, **words})
    return found


def _pair(rows: pd.DataFrame) -> dict[str, str]:
    counts = {"cells": numbers.count(len(rows))}
    for side, column in (("stated", "verdict"), ("found", "found_verdict")):
        match, close = (int((rows[column] == key).sum()) for key in ("match", "close"))
        far = int(rows[column].isin(NOT_REPRODUCED).sum())
        counts |= {
            f"{side}_{key}": numbers.count(n)
            for key, n in (("match", match), ("close", close), ("far", far))
        }
    return counts


def _differences(rows: pd.DataFrame) -> list[dict[str, Any]]:
    found = [
        {
            "cells": len(part),
            "counted": "1 number" if len(part) == 1 else f"{len(part)} numbers",
            "title": part["title"].iloc[0] or "Without a known reason",
            "why": part["why"].iloc[0] or "These cells were not looked into.",
            "sets": ", ".join(dict.fromkeys(part["dataset"])),
        }
        for _, part in rows.groupby("reason", sort=False)
    ]
    return sorted(found, key=lambda one: -one["cells"])


def _claims(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the claims on the papers' own data; ours on other data are in the reports."""
    return [
        {
            "says": row["says"],
            "place": f"{labels.paper_label(row['source'])}, {row['place']}",
            "criterion": _criterion(row),
            "printed": f"{row['published_first']:.0f} : {row['published_second']:.0f}",
            "ours": f"{row['same_first']:.0f} : {row['same_second']:.0f}",
            "median": numbers.signed(row["same_median"], 2) if row["same_comparisons"] else "",
            "interval": _interval(row["same_median_low"], row["same_median_high"]),
            "p": _p(row["same_adjusted"]),
            "outcome": OUTCOMES[row["same_outcome"]].word,
        }
        for row in rows.to_dict("records")
        if row["same_comparisons"]
    ]


def _interval(low: float, high: float) -> str:
    if math.isnan(low) or math.isnan(high):
        return ""
    return f"{numbers.signed(low, 1)} to {numbers.signed(high, 1)}"


def _p(value: float) -> str:
    if math.isnan(value):
        return ""
    return "<0.001" if value < 0.001 else numbers.fixed(value, 3)


def _criterion(row: dict[str, Any]) -> str:
    share = numbers.fixed(100 * row["least"], 0)
    if row["expects"] == "similar":
        return f"within {numbers.fixed(row['margin'], 1)} points in {share} %"
    if row["expects"] == "neither":
        return "each side ahead in a quarter"
    if row["ties_win"] == "true":
        return f"ahead or tied in {share} % of all"
    return f"ahead in {share} % of the decided"


def _run(run: dict[str, Any]) -> dict[str, Any]:
    machine, stages = run["machine"], run["jobs"]
    return {
        "cpu": machine["cpu"],
        "cores": machine["cores"],
        "memory": numbers.fixed(machine["memory_gib"], 0),
        "budget": run["budget"],
        "blas": sorted(
            {f"{one['library']} {one['version']} ({one['kernels']})" for one in run["blas"]}
        ),
        "versions": [
            f"{name} {run['versions'][name]}" for name in _VERSIONS if name in run["versions"]
        ],
        "wall": numbers.fixed(sum(run["parts"]) / 3600, 1),
        "parts": len(run["parts"]),
        "hours": numbers.fixed(sum(stage["hours"] for stage in stages), 1),
        "jobs": numbers.count(sum(stage["jobs"] for stage in stages)),
        "stages": [
            [
                stage["stage"].replace("_", " "),
                numbers.count(stage["jobs"]),
                numbers.fixed(stage["hours"], 2),
                numbers.count(round(stage["longest_seconds"])),
                numbers.count(stage["peak_mb"]),
            ]
            for stage in stages
        ],
    }


def main() -> int:
    """Write the paper below the working folder; return the exit status."""
    try:
        facts, picture, created = facts_of(Path())
        write_document("replication.typ", facts, {"agreement.svg": picture}, created, OUT)
    except (OSError, ValueError) as error:
        what = str(error).partition("; `snakemake")[0]
        print(f"Error: {what}; `git checkout {SUMMARY}` brings the kept run back", file=sys.stderr)
        return 1
    except (AttributeError, KeyError, TypeError) as error:
        print(f"Error: a file of {SUMMARY} is not of this version ({error!r})", file=sys.stderr)
        return 1
    print(OUT)
    return 0


if __name__ == "__main__":
    sys.exit(main())
