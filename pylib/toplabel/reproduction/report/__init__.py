"""Reports: HTML pages, a PDF, JSON and an RO-Crate of the collected results.

`toplabel.reproduction.report.write.write_report` reads the collected files (`inputs`), arranges them
as one tree of plain data (`tree`) and prints the tree. The figures are in `figures`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ReportTask:
    """Params of a report, besides its inputs.

    `checkout` has config/, data/published/ and reports/summary/; `missing` are the results that are
    asked for and not there.
    """

    checkout: str
    missing: tuple[str, ...] = ()
