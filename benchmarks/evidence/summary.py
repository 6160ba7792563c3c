"""Keep the numbers of a whole run in reports/summary, and write its score into README.md.

``python benchmarks/evidence/summary.py RESULTS`` in the checkout, or ``make summary RUN=results``.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from toplabel.reproduction.compare.cells import KEPT, MEASURED, compared, read_cells, write_cells
from toplabel.reproduction.compare.claims import COLUMNS as CLAIMS
from toplabel.reproduction.compare.published import load_published
from toplabel.reproduction.compare.verdicts import NOT_REPRODUCED
from toplabel.reproduction.facts import KEPT_JOBS, jobs
from toplabel.reproduction.files import SUMMARY, FileError, read_json, write_json
from toplabel.reproduction.frames import read_frame, write_frame
from toplabel.reproduction.report.figures import charts
from toplabel.reproduction.report.findings import bases
from toplabel.reproduction.report.text import count

PUBLISHED_TABLES = "data/published"
PICTURE = "docs/images/agreement.svg"
_RUN = ("created", "budget", "blas", "versions")
_STAGE = ("stage", "jobs", "hours", "longest_seconds", "peak_mb")
_SCORE = re.compile(r"(<!-- run: score -->\n).*?(<!-- end -->)", re.DOTALL)


def keep(results: Path, summary: Path, lacking: bool = False) -> None:
    """Copy the numbers of a run, the claims, what it was made with, and the times of its jobs.

    A FileError says that the run has several budgets, or that of tests; or that it lacks numbers that are
    kept now, unless numbers may be `lacking`.
    """
    cells = read_cells(results / "cells.csv")
    measured = cells[cells["run"] == MEASURED].assign(run=KEPT)
    run = read_json(results / "run.json", (*_RUN, "jobs", "git", "machine"))
    if {*measured["budget"]} != {run["budget"]} or run["budget"] == "quick":
        raise FileError(f"{results}: its numbers are not those of one budget, or of 'quick'")
    before = read_cells(summary / "cells.csv")
    names = ["config_dataset", "config_method", "metric"]
    there = pd.MultiIndex.from_frame(measured[names])
    missing = before[~pd.MultiIndex.from_frame(before[names]).isin(there)]
    if len(missing) and not lacking:
        first = ", ".join(missing.iloc[0][names])
        raise FileError(
            f"{results}: lacks {len(missing)} kept numbers, the first is {first}; --lacking keeps "
            "the run all the same"
        )
    kept = {key: run[key] for key in _RUN}
    kept["git"] = {key: run["git"].get(key) for key in ("commit", "dirty")}
    kept["jobs"] = [{key: stage[key] for key in _STAGE} for stage in run["jobs"]]
    kept["machine"] = {key: run["machine"].get(key) for key in ("cpu", "cores", "memory_gib")}
    write_cells(measured, summary / "cells.csv")
    claims = read_frame(results / "claims.csv", CLAIMS)
    write_frame(claims, summary / "claims.csv", CLAIMS)
    write_frame(
        _with_studies(jobs(results / "benchmarks"), measured), summary / "jobs.csv", KEPT_JOBS
    )
    write_json(summary / "run.json", kept)


def _with_studies(took: pd.DataFrame, measured: pd.DataFrame) -> pd.DataFrame:
    """Return the jobs with the first study of their data set and method."""
    cells = measured.drop_duplicates(["config_dataset", "config_method"])
    names = zip(cells["config_dataset"], cells["config_method"], strict=True)
    studies = dict(zip(names, cells["study"].str.split(";").str[0], strict=True))
    study = [studies.get(pair, "") for pair in zip(took["dataset"], took["method"], strict=True)]
    return took.assign(study=study)[[*KEPT_JOBS]].sort_values([*KEPT_JOBS][:5])


def score(summary: Path) -> str:
    """Return the score of the kept run, as README.md has it: every printed number counts once."""
    cells = read_cells(summary / "cells.csv")
    cells = compared(cells, KEPT)
    day = read_json(summary / "run.json", ["created"])["created"][:10]
    known, printed = (
        int((cells["verdict"] != "").sum()),
        len(load_published(Path(PUBLISHED_TABLES))),
    )
    counts = cells["verdict"].value_counts()
    far = sum(counts.get(verdict, 0) for verdict in NOT_REPRODUCED)
    spread = counts.get("spread", 0)
    match, close, near, off = (
        f"{100 * number / known:.0f} %"
        for number in (counts["match"], counts["close"], spread, far)
    )
    text = (
        f"Of {count(known)} checkable numbers {match} match, {close} are close, {near} lie within the spread "
        f"of random draws and {off} are not reproduced (the last whole run, {day}). {bases(cells)} "
        f"The papers print {count(printed)} numbers, most of the others on data that nobody publishes."
    )
    return textwrap.fill(text.replace("\u202f", ","), 100)


def main(arguments: Sequence[str] | None = None) -> int:
    """Keep a run, write the score, and draw the picture of README.md."""
    parser = argparse.ArgumentParser(prog="make summary", description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="?", type=Path, help="the results of a whole run")
    parser.add_argument("--lacking", action="store_true", help="numbers may be lacking")
    options = parser.parse_args(arguments)
    summary, readme = Path(SUMMARY), Path("README.md")
    try:
        if options.results is not None:
            keep(options.results, summary, options.lacking)
        text = readme.read_text(encoding="utf-8")
        readme.write_text(_SCORE.sub(rf"\g<1>\n{score(summary)}\n\n\g<2>", text), encoding="utf-8")
        points = charts.points_of(compared(read_cells(summary / "cells.csv"), KEPT))
        Path(PICTURE).write_text(charts.draw_agreement(points, "white"), encoding="utf-8")
    except (FileError, OSError) as error:
        print(f"make summary: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
