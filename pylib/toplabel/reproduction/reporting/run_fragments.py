"""What a run took, for its documents, as Markdown."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from toplabel.reproduction.reporting.markdown import table
from toplabel.reproduction.reporting.numbers import fixed


def jobs(took: pd.DataFrame) -> str:
    """Return what the jobs of a run took: the ten longest, and hours by study and by data set, from
    the kept jobs.csv.
    """
    took = took.astype({"seconds": float, "peak_mb": float})
    longest = [
        [
            f"{one.stage} {one.dataset} {one.method} {one.part}".rstrip(),
            fixed(one.seconds, 0),
            fixed(one.peak_mb, 0),
        ]
        for one in took.nlargest(10, "seconds").itertuples()
    ]
    parts = [table(["job", "seconds", "peak, MB"], longest)]
    rest = {"study": "data, and jobs for all", "dataset": "none"}
    for column, head in (("study", "study"), ("dataset", "data set")):
        groups = took.assign(**{column: took[column].replace("", rest[column])})
        rows = [
            [name, len(seconds), fixed(seconds.sum() / 3600, 2)]
            for name, seconds in groups.groupby(column)["seconds"]
        ]
        rows.sort(key=lambda row: -float(row[2]))
        parts.append(table([head, "jobs", "hours"], rows))
    return "\n\n".join(parts)


def conditions(run: Mapping) -> str:
    """Return where, with what and how long it ran, from the kept part of run.json."""
    machine, jobs = run["machine"], run["jobs"]
    commit = run["git"]["commit"] or "unknown"
    parts = f" in {len(run['parts'])} parts" if len(run["parts"]) > 1 else ""
    rows = []
    for one in jobs:
        took = fixed(one["hours"], 2), fixed(one["longest_seconds"], 0)
        rows.append([one["stage"], one["jobs"], *took, fixed(one["peak_mb"], 0)])
    kernels = "/".join(sorted({str(one["kernels"]) for one in run["blas"]}))
    return (
        f"{run['created'][:10]}, commit `{commit[:12]}`, budget `{run['budget']}`, {machine['cores']} cores"
        f" ({machine['cpu']}, {machine['memory_gib']:.0f} GiB, BLAS kernels {kernels});"
        f" {sum(run['parts']) / 3600:.1f} hours of wall time{parts},"
        f" {sum(one['hours'] for one in jobs):.1f} hours of jobs.\n\n"
        + table(["stage", "jobs", "hours", "longest, s", "peak, MB"], rows)
    )
