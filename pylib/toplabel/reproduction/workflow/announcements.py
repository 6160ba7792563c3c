"""What a run says at its start and at its end, in a few lines, beside the kept run."""

from __future__ import annotations

import csv
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from toplabel._core.files import FileError, read_json
from toplabel.reproduction.config.run import SUMMARY
from toplabel.reproduction.data.locate import SHIPPED, folder_of
from toplabel.reproduction.tables.collected import COMPARISON, PUBLISHED_KEYS
from toplabel.reproduction.workflow.cells import Cell, dataset_names
from toplabel.reproduction.workflow.plan import RAW_FOLDER, Plan

_WIDTH = 100
_NAMED = 6  # of many names or cells, so many


def opening(
    plan: Plan,
    asked: Iterable[Cell],
    cells: Sequence[Cell],
    jobs: int,
    time_left: str,
    at_once: int,
) -> str:
    """Return a paragraph on what a run is about to compute.

    Parameters
    ----------
    plan : Plan
    asked : iterable of Cell
        What the config asks for, whether it can be had or not.
    cells : sequence of Cell
        What is evaluated.
    jobs : int
        Jobs that have to run.
    time_left : str
        Their time, in words.
    at_once : int
        Jobs that run at a time.
    """
    length = f"{_count(jobs, 'job')}, {at_once} at a time; time left: {time_left}"
    if not cells:
        return f"\n{length}."
    files = {cell.path("evaluation.csv").removeprefix("results/") for cell in cells}
    printed = sum(row["file"] in files for row in _kept_cells(plan))
    sets = dataset_names(cells)
    beside = f", to compare them with {printed:,} printed numbers of the papers" if printed else ""
    text = (
        f"This run trains and tests {_count(len(cells), 'pair')} of a method and a data set, on"
        f" {_count(len(sets), 'data set')}{beside}. {_origins(plan, sets)}"
        f" It has {length}, by the times of earlier runs."
    )
    missing = {cell.dataset: plan.reason_missing(cell.dataset) for cell in sorted(asked)}
    left_out = [
        textwrap.fill(f"{name}: {why}", _WIDTH, initial_indent="  ", subsequent_indent="      ")
        for name, why in missing.items()
        if why
    ]
    head = ["Left out, since their files cannot be had:"] if left_out else []
    return "\n" + "\n".join([textwrap.fill(text, _WIDTH), *head, *left_out])


def _origins(plan: Plan, sets: Sequence[str]) -> str:
    """Say where the data come from."""
    found: dict[str, list[str]] = {}
    for name in sets:
        entry = plan.registry[plan.origin_of(name)]
        folder = folder_of(entry, RAW_FOLDER, plan.mirrors)
        where = "the network" if folder is None else str(folder)
        if folder == plan.root / SHIPPED:
            where = f"{SHIPPED} of the repository"
        found.setdefault(where if entry.files else "a generator", []).append(name)
    parts = [f"{_listed(names, ', ')} from {where}" for where, names in found.items()]
    return f"Data: {'; '.join(parts)}." if parts else ""


def closing(plan: Plan, reported: bool) -> list[str]:
    """Return what a run has measured, where that stands against the kept run, and where the reports
    are; `reported` says whether it wrote some.
    """
    if not reported:
        return ["Done. The next run of the target `report` shows all results in the reports."]
    from toplabel.reproduction.report.score import in_words  # loads all of the reporting

    runs = (Path("results/run.json"), Path("results/partial/run.json"))
    last = max(filter(Path.is_file, runs), key=lambda path: path.stat().st_mtime)
    cells = _read(last.with_name("comparison.csv"))
    measured = [row for row in cells if row["verdict"]]
    verdicts = in_words(Counter(row["verdict"] for row in measured))
    verdicts = verdicts.replace("\u202f", ",")  # the separator of thousands on a page
    score = f"{len(measured):,} of {len(cells):,} published numbers are measured here"
    return [
        f"Score:   {score}{': ' if verdicts else ''}{verdicts}.",
        f"Beside:  {_beside_kept(plan, measured)}",
        "Reports: reports/index.html, reports/toplabel.pdf, reports/data/report.json",
    ]


def _beside_kept(plan: Plan, measured: Sequence[Mapping[str, str]]) -> str:
    """Say whether the numbers are those of the kept run, to the last digit."""
    about = _kept_run(plan)
    if not about:
        return "there is no kept run to compare with."
    name = f"the kept run ({about['created'][:10]}, commit {str(about['git']['commit'])[:12]})"
    if plan.budget != about["budget"]:
        return f"{name} has the budget {about['budget']}, so its digits are not compared."
    if not measured:
        return f"no printed number was measured; the reports show those of {name}."
    known = {_key(row): row["measured"] for row in _kept_cells(plan)}
    # A cell that another run left in results/ has the budget of that.
    both = [row for row in measured if _key(row) in known and row["budget"] == about["budget"]]
    other = [
        f"{row['file'].removesuffix('/evaluation.csv')} {row['metric']}"
        f" {known[_key(row)]} -> {row['measured']}"
        for row in both
        if row["measured"] != known[_key(row)]
    ]
    if not both:
        return f"no number of this run is among those of {name}."
    if not other:
        return f"all {len(both):,} are those of {name}, to the last digit."
    return f"{len(other):,} of {len(both):,} differ from {name}: {_listed(other, '; ')}."


def _key(row: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(row[name] for name in PUBLISHED_KEYS)


def _kept_run(plan: Plan) -> dict[str, Any]:
    """Return what is kept of the whole run itself; empty where nothing is, or nothing readable."""
    with suppress(FileError):
        return read_json(plan.root / SUMMARY / "run.json", ("created", "git", "budget"))
    return {}


def _kept_cells(plan: Plan) -> list[dict[str, str]]:
    return _rows(plan, COMPARISON.file)


def _rows(plan: Plan, name: str) -> list[dict[str, str]]:
    """Return the rows of a file of the kept run; none where it is not there."""
    path = plan.root / SUMMARY / name
    return _read(path) if path.is_file() else []


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def _listed(names: Sequence[str], comma: str) -> str:
    more = f"{comma}and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return comma.join(names[:_NAMED]) + more


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"
