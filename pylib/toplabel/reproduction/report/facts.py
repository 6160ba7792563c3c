"""The report beside its tables: data sets, what is missing, certificates, the run."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import pandas as pd

from toplabel.reproduction.report import numbers
from toplabel.reproduction.report.inputs import ReportInputs
from toplabel.reproduction.report.labels import paper_label
from toplabel.reproduction.report.trace import NOT_REGISTERED, OF_OTHERS, Trace
from toplabel.reproduction.report.words import say

STATISTICS = {
    "Classes": ("n_classes", "paper_n_classes"),
    "Train": ("n_train", "paper_n_train"),
    "Val": ("n_val", ""),
    "Test": ("n_test", ""),
    "Features": ("n_features", "paper_n_features"),
    "Cardinality": ("label_cardinality", "paper_label_cardinality"),
}
REACH = {
    "measured": "measured",
    "kept": "shown from the kept run",
    "left": "not part of this run",
    "absent": "data not at hand",
    "others": "other people’s methods",
}
_AGREEMENT = {"true": "agrees", "false": "differs", "1": "agrees", "0": "differs"}


def dataset_rows(inputs: ReportInputs) -> list[dict[str, Any]]:
    """Return the registered data sets, those that are there first."""
    frame = inputs.datasets.sort_values("status", key=lambda one: one != "ready", kind="stable")
    return [
        {
            "title": row["title"] or row["dataset"],
            "task": row["task"],
            "ready": row["status"] == "ready",
            "statistics": [
                {"ours": _number(row[ours]), "paper": numbers.shown(row[paper]) if paper else ""}
                for ours, paper in STATISTICS.values()
            ],
            "oddities": say("oddities", row, _number),
            "agreement": _AGREEMENT.get(row["agrees"].strip().lower(), ""),
            "source": paper_of(row["paper_source"]),
            "licence": row["licence"],
            "citation": row["citation"],
            "url": web_address(row["url"]),
        }
        for row in frame.to_dict("records")
    ]


def web_address(url: str) -> str:
    """Return an address of the web; "" for any other."""
    return url if urlsplit(url).scheme in ("http", "https") else ""


def _number(text: str) -> str:
    """Tidy a number of a statistic: counts whole with thin spaces, others with two decimals."""
    try:
        value = float(text)
    except ValueError:
        return text
    return numbers.count(int(value)) if value == int(value) else numbers.fixed(value, 2)


def paper_of(sources: str) -> str:
    """Name the papers and places of a `paper_source` like tpami2017_table04;nips2015_sec5.1."""
    found = []
    for source in filter(None, sources.split(";")):
        paper, _, place = source.strip().partition("_")
        place = re.sub(r"^sec", "section ", re.sub(r"^table0*", "Table ", place))
        found.append(", ".join(filter(None, (paper_label(paper), place))))
    return "; ".join(found)


def missing(
    inputs: ReportInputs, bare: pd.DataFrame, trace: Trace
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the data sets whose files are missing, and the cells that have no measurement for
    another reason; the sets and the reasons that most cells are of come first.

    Parameters
    ----------
    inputs : ReportInputs
    bare : DataFrame
        Cells without a measurement (`Trace.with_causes`).
    trace : Trace
    """
    waiting = bare["waits_for"].value_counts()
    absent = inputs.datasets[inputs.datasets["status"] == "missing"]
    sets = [
        {
            "title": row["title"] or row["dataset"],
            "reason": row["reason"],
            "cells": int(waiting.get(row["dataset"], 0)),
        }
        for row in absent.to_dict("records")
    ]
    cells = []
    for reason, part in bare[bare["waits_for"] == ""].groupby("why", sort=False):
        counts = part["dataset"].map(trace.title).value_counts(sort=False)
        where = ", ".join(f"{title} {numbers.count(n)}" for title, n in counts.items())
        cells.append({"reason": reason, "where": where, "cells": len(part)})
    return tuple(sorted(rows, key=lambda one: -one["cells"]) for rows in (sets, cells))


def reach(cells: pd.DataFrame) -> list[dict[str, Any]]:
    """Divide the published cells by where their numbers come from, or why there is none."""
    origin = pd.Series("left", index=cells.index)
    origin[(cells["waits_for"] != "") | (cells["why"] == NOT_REGISTERED)] = "absent"
    origin[cells["why"] == OF_OTHERS] = "others"
    origin[cells["kept"].notna()] = "kept"
    origin[cells["measured"].notna()] = "measured"
    counts = origin.value_counts()
    return [
        {"key": key, "words": words, "cells": int(counts[key])}
        for key, words in REACH.items()
        if key in counts
    ]


def failures(inputs: ReportInputs, trace: Trace) -> list[dict[str, Any]]:
    """Return the results that an unfinished run did not get, grouped by how they ended."""
    frame = inputs.failures
    keys = ["dataset", "stage", "reason", "log"]
    names = frame["label"].where(frame["label"] != "", frame["method"])
    return [
        {
            "dataset": trace.title(dataset),
            "method": ", ".join(methods),
            "count": len(methods),
            "stage": stage,
            "reason": reason,
            "log": log,
            "link": trace.link(log),
        }
        for (dataset, stage, reason, log), methods in names.groupby(
            [frame[key] for key in keys], sort=False
        )
    ]


def certificates(inputs: ReportInputs, trace: Trace) -> dict[str, Any]:
    """Arrange the largest relative gap of each method (rows) on each data set (columns).

    A method whose loss is not convex has none; its largest gradient norm stands there, as "‖∇P‖
    3.1e−04". A baseline may have neither: "—".
    """
    frame = inputs.evaluation
    frame = frame.assign(
        name=[trace.label(row) for row in frame.to_dict("records")],
        set=[
            f"{trace.title(d)} {f}".rstrip()
            for d, f in zip(frame["dataset"], frame["features"], strict=True)
        ],
    )
    proofs = frame.groupby(["name", "set"], sort=False)[["relative_gap", "gradient_norm"]].max()
    texts = {key: say("proof", *proof) for key, proof in proofs.T.to_dict("list").items()}
    columns = list(dict.fromkeys(frame["set"]))
    bare = frame["relative_gap"].isna() & frame["gradient_norm"].isna()
    stopped = frame[~bare & (frame["status"] != "converged")]
    counts = {
        "all": len(frame),
        "proved": int((~bare).sum()),
        "stopped": len(stopped),
        "causes": ", ".join(sorted(set(stopped["status"]) - {""})) or "no status",
        "not_convex": bool(frame["gradient_norm"].notna().any()),
        "bare": int(bare.sum()),
        "unfinished": int(frame.loc[bare, "status"].str.contains("max_epochs").sum()),
    }
    return counts | {
        "columns": columns,
        "rows": [
            {"label": name, "gaps": [texts.get((name, one), "") for one in columns]}
            for name in dict.fromkeys(frame["name"])
        ],
        "remark": say("certificates", counts),
        "largest": numbers.small(frame["relative_gap"].max()) if len(frame) else "",
    }


# The run -----------------------------------------------------------------------------------------

# In the order of the workflow; others stand at the end.
_STAGES = ("prepare", "network", "extract", "tune", "train", "threshold", "evaluate")


def run_facts(run: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the facts of run.json as names and texts."""
    machine, git = run["machine"], run["git"]
    cores, memory = machine.get("cores"), machine.get("memory_gib")
    hardware = [machine.get("cpu"), cores and f"{cores} cores", memory and f"{_plain(memory)} GiB"]
    changed = ", with changes that are not committed" if git.get("dirty") else ""
    seconds = run["wall_seconds"]
    found = {name: _plain(run[name]) for name in ("created", "command", "budget", "seeds")} | {
        "wall time": numbers.duration(float(seconds)) if isinstance(seconds, (int, float)) else "",
        "nodes": ", ".join(run.get("nodes", ())),
        "files": _plain(run.get("verified", "")),
        "machine": ", ".join(str(part) for part in [*hardware, machine.get("os")] if part),
        "BLAS": _libraries(run["blas"]),
        "versions": _plain(run["versions"]),
        "commit": str(git.get("commit") or "unknown") + changed,
    }
    return [{"name": name, "text": text} for name, text in found.items() if text]


def stages(run: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what the jobs of each stage took; a run of an earlier version says nothing of them."""
    found = [one for one in run.get("jobs", ()) if "hours" in one]
    found.sort(key=lambda one: [*_STAGES, one["stage"]].index(one["stage"]))
    most = max((one["hours"] for one in found), default=0)
    return [
        {
            "name": one["stage"],
            "jobs": numbers.count(one["jobs"]),
            "hours": numbers.compact(one["hours"], 2),
            "longest": numbers.duration(float(one["longest_seconds"])),
            "memory": numbers.count(one["peak_mb"]),
            "share": round(100 * one["hours"] / most) if most else 0,
        }
        for one in found
    ]


def config_text(run: Mapping[str, Any]) -> str:
    """Return the configuration of the run as it is to be printed."""
    config = run["config"]
    return config if isinstance(config, str) else json.dumps(config, indent=2, ensure_ascii=False)


def _libraries(value: object) -> str:
    """Name the BLAS libraries: for each the values of its entry, equal ones once."""
    if not isinstance(value, list):
        return _plain(value)
    entries = [one.values() if isinstance(one, dict) else [one] for one in value]
    return "; ".join(dict.fromkeys(" ".join(map(_plain, entry)) for entry in entries))


def _plain(value: object) -> str:
    """Put a value of run.json into words: lists with commas, objects as name and value."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(inner)}" for name, inner in value.items())
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    if isinstance(value, float):
        return numbers.compact(value, 6)
    return "" if value is None else str(value)
