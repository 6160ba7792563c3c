"""The tables of a report: which there are, in which order, with which cells and records."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import pandas as pd

from toplabel.metrics.names import is_fraction
from toplabel.reproduction.reporting import numbers
from toplabel.reproduction.reporting.differences_text import Group, build_groups, of_kept, of_table
from toplabel.reproduction.reporting.grid import Block, build_blocks, cell_texts
from toplabel.reproduction.reporting.inputs import ReportInputs, TableInput
from toplabel.reproduction.reporting.kept import beside, score_of_kept
from toplabel.reproduction.reporting.labels import (
    VERDICTS,
    metric_label,
    paper_label,
    table_order,
    table_title,
)
from toplabel.reproduction.reporting.score import Score, score_of
from toplabel.reproduction.reporting.trace import Trace
from toplabel.reproduction.reporting.uncertainty_text import (
    rows_interval,
    seeds_spread,
    spread_sentence,
)
from toplabel.reproduction.tables.collected import KEYS

NO_GAP = "—"
"""In place of the gap of a model that has none."""


@dataclass(frozen=True)
class CellRecord:
    """All that is known of one measured cell, as text; `points` is the difference in points.

    `rows` is the interval over test rows, `seeds` the spread over draws of the folds, `choice` the
    reading that the number depends on and that printed test numbers had a part in.
    """

    anchor: str
    dataset: str
    method: str
    k: str
    gamma: str
    kernel: str
    metric: str
    ours: str
    published: str
    difference: str
    rows: str
    seeds: str
    verdict: str
    choice: str
    budget: str
    C: str
    theta: str
    threshold: str
    gap: str
    seconds: str
    file: str
    link: str
    points: float
    is_loss: bool


@dataclass(frozen=True)
class Section:
    """A table of the report.

    `blocks` have a measurement, of this run or of the kept one, `unmeasured` have none; `kept` is
    the score of the kept ones alone. `notes` say which rows of a block were not measured and why,
    by the position of the block; `reasons` say why cells differ, `kept_reasons` the same of the
    kept ones; `spread` says how many printed numbers lie within what test rows and draws of the
    folds give. `source` and `table` are the keys of a published table, `study` that of a study's
    own one; `page` is where the whole table stands.
    """

    anchor: str
    title: str
    origin: str
    caption: str
    score: Score
    blocks: list[Block]
    unmeasured: list[Block]
    records: list[CellRecord]
    kept: Score
    notes: list[str] = field(default_factory=list)
    reasons: list[Group] = field(default_factory=list)
    kept_reasons: list[Group] = field(default_factory=list)
    spread: str = ""
    source: str = ""
    table: str = ""
    study: str = ""
    page: str = ""


@dataclass(frozen=True)
class PlainTable:
    """A table that is no grid, printed as it stands.

    `numeric` says which columns hold numbers, `datasets` which sets the rows are of, if they name
    any.
    """

    anchor: str
    title: str
    caption: str
    header: list[str]
    rows: list[list[str]]
    file: str
    link: str
    name: str = ""
    study: str = ""
    numeric: list[bool] = field(default_factory=list)
    datasets: list[str] = field(default_factory=list)


def lined_up(rows: list[list[str]], width: int) -> tuple[list[list[str]], list[bool]]:
    """Return rows of `width` cells with their numbers aligned, and which columns hold numbers."""
    if not rows:
        return [], [False] * width
    columns = [list(column) for column in zip(*rows, strict=True)]
    found = [numbers.aligned(column) for column in columns]
    lined = [new or old for new, old in zip(found, columns, strict=True)]
    return [list(row) for row in zip(*lined, strict=True)], [new is not None for new in found]


def build_sections(inputs: ReportInputs, trace: Trace) -> list[Section]:
    """Return the published tables in the papers' order, then tables without a published
    counterpart.
    """
    serial = count(1)
    grids = [table for table in inputs.tables if table.is_grid]
    published = {
        (str(source), str(table)): cells
        for (source, table), cells in inputs.comparison.groupby(["source", "table"])
    }
    kept_differences = of_kept(inputs)
    sections = []
    for key in sorted(published, key=lambda pair: table_order(*pair)):
        printed = [table for table in grids if (table.source, table.table) == key]
        cells = _with_extra_cells(published[key], printed)
        title = printed[0].title if printed else ""
        titles = [trace.title(dataset) for dataset in dict.fromkeys(cells["dataset"])]
        sections.append(
            _section(
                anchor=slug(printed[0].name if printed else f"{key[0]}-table{key[1]}"),
                title=title or table_title(*key, titles),
                origin=f"{paper_label(key[0])}, Table {key[1]}",
                caption=printed[0].caption if printed else "",
                cells=cells,
                trace=trace,
                serial=serial,
                names={
                    "source": key[0],
                    "table": key[1],
                    "reasons": build_groups(of_table(inputs.differences, *key), {}),
                    "kept_reasons": build_groups(of_table(kept_differences, *key), {}),
                },
            )
        )
    own = [table for table in grids if (table.source, table.table) not in published]
    for table in own:
        names = {"study": table.study}
        sections.append(
            _section(
                slug(table.name), table.title, "", table.caption, table.frame, trace, serial, names
            )
        )
    sections.extend(_leftovers(inputs, own, trace, serial))
    return sections


def build_plain_tables(inputs: ReportInputs, trace: Trace) -> list[PlainTable]:
    """Return the tables that are no grids."""
    found = []
    for table in inputs.tables:
        if table.is_grid:
            continue
        file = f"tables/{table.name}.csv"
        header = [str(column) for column in table.frame.columns]
        rows, numeric = lined_up(
            [
                [
                    _plain_cell(name, str(value), trace)
                    for name, value in zip(header, row, strict=True)
                ]
                for row in table.frame.itertuples(index=False)
            ],
            len(header),
        )
        found.append(
            PlainTable(
                slug(table.name),
                table.title,
                table.caption,
                header,
                rows,
                file,
                trace.link(file),
                table.name,
                table.study,
                numeric,
                [str(name) for name in table.frame.get("data set", ())],
            )
        )
    return found


def _plain_cell(column: str, value: str, trace: Trace) -> str:
    return trace.title(value) if column == "data set" else numbers.shown(value)


def slug(text: str) -> str:
    """Return `text` as the name of an anchor."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _with_extra_cells(cells: pd.DataFrame, printed: list[TableInput]) -> pd.DataFrame:
    """Add what only the printed tables have, as methods of ours."""
    known = pd.MultiIndex.from_frame(cells[[*KEYS]])
    parts = [cells]
    for table in printed:
        extra = ~pd.MultiIndex.from_frame(table.frame[[*KEYS]]).isin(known)
        parts.append(table.frame[extra & table.frame["measured"].notna()])
    return pd.concat(parts, ignore_index=True) if len(parts) > 1 else cells


def _leftovers(
    inputs: ReportInputs, own: list[TableInput], trace: Trace, serial: Iterator[int]
) -> list[Section]:
    """Return what was measured on data sets that no table shows."""
    files = {file for table in own for file in table.frame["file"]}
    files.update(inputs.comparison["file"])
    shown = inputs.evaluation.loc[inputs.evaluation["file"].isin(files), "dataset"]
    rest = inputs.evaluation[~inputs.evaluation["dataset"].isin(shown)]
    rest = rest.drop_duplicates([*KEYS])
    if rest.empty:
        return []
    cells = rest.rename(columns={"std": "measured_std"}).assign(
        source="",
        table="",
        published=float("nan"),
        published_text="",
        std=float("nan"),
        std_text="",
    )
    cells = cells.assign(difference=float("nan"), verdict="", reason="", in_rows="", in_seeds="")
    cells = beside(cells, None).assign(found=float("nan"), found_verdict="", choice="")
    cells = cells.assign(seeds=float("nan"), seeds_mean=float("nan"), seeds_std=float("nan"))
    caption = "What this run measured where the papers print nothing."
    title = "Without a published counterpart"
    return [_section("unpublished", title, "", caption, cells, trace, serial)]


def _section(
    anchor: str,
    title: str,
    origin: str,
    caption: str,
    cells: pd.DataFrame,
    trace: Trace,
    serial: Iterator[int],
    names: Mapping[str, Any] | None = None,
) -> Section:
    measured = cells["measured"].notna()
    cells = cells.assign(record=[f"r{next(serial)}" if m else "" for m in measured])
    blocks = build_blocks(cells, trace.label, trace.title)
    shown = [block for block in blocks if block.measured or block.kept]
    return Section(
        anchor=anchor,
        title=title,
        origin=origin,
        caption=caption,
        score=score_of(cells),
        blocks=shown,
        unmeasured=[block for block in blocks if block not in shown],
        records=_records(cells[measured], trace),
        kept=score_of_kept(cells),
        notes=[_note(block, cells, trace) for block in shown],
        spread=spread_sentence(cells),
        **(names or {}),
    )


def restricted(section: Section, files: Collection[str]) -> Section:
    """Return the rows of a table that come from some files: what a study shows of the table of
    another study.
    """
    records = [record for record in section.records if record.file in files]
    kept = {record.anchor for record in records}
    blocks = []
    for block in section.blocks:
        rows = [row for row in block.rows if any(cell.record in kept for cell in row.cells)]
        if rows:
            blocks.append(replace(block, rows=rows))
    verdicts = Counter(record.verdict for record in records if record.verdict)
    number = sum(verdicts.values())
    score = Score(number, number, {key: verdicts[key] for key in VERDICTS})
    notes = [""] * len(blocks)
    return replace(
        section,
        score=score,
        blocks=blocks,
        unmeasured=[],
        kept=Score(0, 0, dict.fromkeys(VERDICTS, 0)),
        records=records,
        notes=notes,
        spread="",
        reasons=[],
        kept_reasons=[],
        caption="",
    )


def _note(block: Block, cells: pd.DataFrame, trace: Trace) -> str:
    """Say how many rows of a block have no measurement, by reason."""
    part = cells[cells["dataset"] == block.key]
    if (
        part.empty
    ):  # data sets stand across: the reasons differ by column, see the list of the missing
        return ""
    per_row = part.groupby(["method", "k", "gamma", "kernel"], sort=False)
    bare = [
        rows.iloc[0]
        for _, rows in per_row
        if rows["measured"].isna().all() and rows["kept"].isna().all()
    ]
    if not bare:
        return ""
    reasons = pd.Series([trace.reason(row) for row in bare]).value_counts()
    if len(reasons) == 1:
        causes = reasons.index[0]
    else:
        causes = "; ".join(f"{number} {reason}" for reason, number in reasons.items())
    return f"{len(bare)} of {per_row.ngroups} rows were not measured: {causes}."


def _records(cells: pd.DataFrame, trace: Trace) -> list[CellRecord]:
    records = []
    for _, row in cells.iterrows():
        texts = cell_texts(row)
        records.append(
            CellRecord(
                anchor=row["record"],
                dataset=trace.title(row["dataset"]) + (f" {row['features']}".rstrip()),
                method=trace.label(row),
                k=row["k"] or numbers.compact(row["selected_k"]),
                gamma=row["gamma"],
                kernel=row["kernel"],
                metric=metric_label(row["metric"]),
                ours=_with_draws(row, texts),
                published=_with_std(texts["published"], texts["published_std"]),
                difference=texts["difference"],
                rows=rows_interval(row),
                seeds=seeds_spread(row),
                verdict=row["verdict"],
                choice=row["choice"] if row["verdict"] else "",
                budget=row["budget"],
                C=numbers.compact(row["C"]),
                theta=numbers.compact(row["theta"]),
                threshold=numbers.compact(row["threshold"]),
                gap=numbers.small(row["relative_gap"]) or NO_GAP,
                seconds=numbers.compact(row["seconds"], 3),
                file=row["file"],
                link=trace.link(row["file"]),
                points=numbers.in_points(row["metric"], row["difference"]),
                is_loss=is_fraction(row["metric"]),
            )
        )
    return _records_lined_up(records)


_NUMBERS_OF_RECORDS = (
    "ours",
    "published",
    "difference",
    "C",
    "theta",
    "threshold",
    "gap",
    "seconds",
)


def _records_lined_up(records: list[CellRecord]) -> list[CellRecord]:
    rows = [[getattr(one, name) for name in _NUMBERS_OF_RECORDS] for one in records]
    lined, _ = lined_up(rows, len(_NUMBERS_OF_RECORDS))
    changes = [dict(zip(_NUMBERS_OF_RECORDS, row, strict=True)) for row in lined]
    return [replace(one, **change) for one, change in zip(records, changes, strict=True)]


def _with_draws(row: pd.Series, texts: Mapping[str, str]) -> str:
    """Return our number with its deviation over the draws, and with the standard error of the mean
    that it is.
    """
    std, draws = row["measured_std"], row["splits"]
    if pd.isna(std) or not draws > 1:
        return _with_std(texts["ours"], texts["ours_std"])
    decimals = numbers.decimals_of(row["metric"], row["published_text"])
    deviation, error = (numbers.fixed(value, decimals) for value in (std, std / draws**0.5))
    return f"{texts['ours']} ± {deviation} ({draws:.0f} draws, standard error {error})"


def _with_std(value: str, std: str) -> str:
    return f"{value} ± {std}" if value and std else value
