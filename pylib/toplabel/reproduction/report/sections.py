"""The tables of a report: which there are, in which order, with which cells and records."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import count
from typing import Any

import pandas as pd

from toplabel.metrics.names import is_fraction
from toplabel.reproduction.report import numbers
from toplabel.reproduction.report.explained import groups_of, of_table
from toplabel.reproduction.report.grid import ROW_KEYS, build_blocks, cell_texts
from toplabel.reproduction.report.inputs import ReportInputs, cells_of_evaluation
from toplabel.reproduction.report.kept import KEPT_EPS, kept_differences, score_of_kept
from toplabel.reproduction.report.labels import (
    metric_label,
    slug,
    table_label,
    table_order,
    table_title,
)
from toplabel.reproduction.report.score import score_of
from toplabel.reproduction.report.trace import Trace
from toplabel.reproduction.report.words import say
from toplabel.reproduction.tables.collected import FEWEST_DRAWS, KEYS

Section = dict[str, Any]

NO_GAP = "—"
"""In place of the gap of a model that has none."""


def lined_up(rows: list[list[str]], width: int) -> tuple[list[list[str]], list[bool]]:
    """Return rows of `width` cells with their numbers aligned, and which columns hold numbers."""
    columns = [[row[i] for row in rows] for i in range(width)]
    found = [numbers.aligned(column) for column in columns]
    lined = [new or old for new, old in zip(found, columns, strict=True)]
    return [list(row) for row in zip(*lined, strict=True)], [new is not None for new in found]


def build_sections(inputs: ReportInputs, cells: pd.DataFrame, trace: Trace) -> list[Section]:
    """Return the published tables in the papers' order, then tables without a published
    counterpart.

    Parameters
    ----------
    inputs : ReportInputs
    cells : DataFrame
        The comparison, with `why` (`Trace.with_causes`).
    trace : Trace

    Returns
    -------
    list of dict
        ``anchor``, ``title``, ``origin`` (the published table in words), ``caption``, ``score``,
        ``kept`` (the score of the kept run's numbers alone), ``blocks`` that have a measurement of
        this run or of the kept one, ``unmeasured`` ones, ``records``, ``reasons`` (why cells
        differ) and ``kept_reasons``, ``spread`` (how many printed numbers lie within what test
        rows and draws of the folds give), ``source`` and ``table``, the keys of a published table,
        and ``study``, that of a study's own one.
    """
    make = _Sections(inputs, trace)
    grids = [table for table in inputs.tables if table["is_grid"]]
    kept = kept_differences(inputs.comparison, inputs.kept)
    published = dict(iter(cells.groupby(["source", "table"])))
    sections = []
    for key in sorted(published, key=lambda pair: table_order(*pair)):
        printed = [table for table in grids if (table["source"], table["table"]) == key]
        whole = _with_extra_cells(published[key], printed)
        first = printed[0] if printed else None
        titles = [trace.title(dataset) for dataset in dict.fromkeys(whole["dataset"])]
        sections.append(
            make.section(
                slug(first["name"] if first else f"{key[0]}-table{key[1]}"),
                (first and first["title"]) or table_title(*key, titles),
                first["caption"] if first else "",
                whole,
                origin=table_label(*key),
                source=key[0],
                table=key[1],
                reasons=groups_of(of_table(inputs.differences, *key)),
                kept_reasons=groups_of(of_table(kept, *key)),
            )
        )
    own = [table for table in grids if (table["source"], table["table"]) not in published]
    for table in own:
        sections.append(
            make.section(
                slug(table["name"]),
                table["title"],
                table["caption"],
                table["frame"],
                study=table["study"],
            )
        )
    rest = _leftovers(inputs, own)
    if len(rest):
        caption = "What this run measured where the papers print nothing."
        title = "Without a published counterpart"
        sections.append(make.section("unpublished", title, caption, cells_of_evaluation(rest)))
    return sections


def _with_extra_cells(cells: pd.DataFrame, printed: list[dict[str, Any]]) -> pd.DataFrame:
    """Add what only the printed tables have, as methods of ours."""
    known = pd.MultiIndex.from_frame(cells[[*KEYS]])
    parts = [cells]
    for table in printed:
        extra = ~pd.MultiIndex.from_frame(table["frame"][[*KEYS]]).isin(known)
        parts.append(table["frame"][extra & table["frame"]["measured"].notna()].assign(why=""))
    return pd.concat(parts, ignore_index=True) if len(parts) > 1 else cells


def _leftovers(inputs: ReportInputs, own: list[dict[str, Any]]) -> pd.DataFrame:
    """Return what was measured on data sets that no table shows."""
    files = {file for table in own for file in table["frame"]["file"]} | {
        *inputs.comparison["file"]
    }
    runs = inputs.evaluation
    shown = runs.loc[runs["file"].isin(files), "dataset"]
    return runs[~runs["dataset"].isin(shown)].drop_duplicates([*KEYS])


class _Sections:
    """Makes the sections of a report; the records are numbered through."""

    def __init__(self, inputs: ReportInputs, trace: Trace) -> None:
        self._trace = trace
        self._serial: Iterator[int] = count(1)
        self._eps = eps_of(inputs)

    def section(
        self, anchor: str, title: str, caption: str, cells: pd.DataFrame, **more: Any
    ) -> Section:
        """Return a section of some cells."""
        measured = cells["measured"].notna()
        cells = cells.assign(
            record=[f"r{next(self._serial)}" if m else "" for m in measured],
            stopped=(cells["relative_gap"] > self._eps) | (cells["kept_gap"] > KEPT_EPS),
        )
        blocks = build_blocks(cells, self._trace)
        for block in blocks:
            block["note"] = _note(cells[cells["dataset"] == block["key"]])
        shown = [block for block in blocks if block["state"] in ("measured", "kept")]
        return {
            "anchor": anchor,
            "title": title,
            "caption": caption,
            "score": score_of(cells),
            "kept": score_of_kept(cells),
            "blocks": shown,
            "unmeasured": [block for block in blocks if block not in shown],
            "records": records_of(cells[measured], self._trace),
            "spread": spread_sentence(cells),
            **dict.fromkeys(("origin", "source", "table", "study"), ""),
            "reasons": [],
            "kept_reasons": [],
            **more,
        }


def eps_of(inputs: ReportInputs) -> float:
    """Return the gap that training stops at; no limit where run.json does not say."""
    config = inputs.run["config"]
    return float(config.get("eps_train", "inf")) if isinstance(config, Mapping) else float("inf")


def spread_sentence(cells: pd.DataFrame) -> str:
    """Say how many printed numbers lie within what test rows, and what draws of the folds give;
    empty without any.
    """
    of_seeds = cells["in_seeds"].mask(cells["seeds"] < FEWEST_DRAWS, "")
    return say("spread", _inside(cells["in_rows"]), _inside(of_seeds))


def _inside(told: pd.Series) -> dict[str, int]:
    return {"known": int((told != "").sum()), "inside": int((told == "true").sum())}


def _note(cells: pd.DataFrame) -> str:
    """Say how many rows of a block have no measurement, by reason; nothing where data sets stand
    across, whose reasons differ by column.
    """
    if cells.empty or "why" not in cells:
        return ""
    bare = cells["measured"].isna() & cells["kept"].isna()
    rows = (
        cells.assign(bare=bare).groupby(ROW_KEYS, sort=False).agg({"bare": "all", "why": "first"})
    )
    reasons = rows.loc[rows["bare"], "why"].value_counts().to_dict()
    return say("unmeasured_rows", reasons, len(rows)) if reasons else ""


def restricted(section: Section, files: Collection[str]) -> Section | None:
    """Return the rows of a table that come from some files: what a study shows of the table of
    another study.
    """
    records = [record for record in section["records"] if record["file"] in files]
    anchors = {record["anchor"] for record in records}
    blocks = []
    for block in section["blocks"]:
        rows = [
            row
            for row in block["rows"]
            if any(
                cell["state"] == "measured" and cell["record"] in anchors for cell in row["cells"]
            )
        ]
        if rows:
            blocks.append(block | {"rows": rows, "note": ""})
    verdicts = pd.DataFrame({"verdict": [r["verdict"] for r in records if r["verdict"]]})
    none = {key: [] for key in ("unmeasured", "reasons", "kept_reasons", "figures")}
    return (
        section
        | none
        | {
            "score": score_of(verdicts.assign(published=1.0, measured=1.0)),
            "kept": score_of(verdicts.iloc[:0].assign(published=1.0, measured=1.0)),
            "blocks": blocks,
            "records": records,
            "spread": "",
            "caption": "",
        }
    )


_NUMBERS = ("ours", "published", "difference", "C", "theta", "threshold", "gap", "seconds")


def records_of(cells: pd.DataFrame, trace: Trace) -> list[dict[str, Any]]:
    """Return all that is known of each measured cell, as text.

    `points` is the difference in points, `rows` the interval over test rows, `seeds` the spread
    over draws of the folds, `choice` the reading that the number depends on and that printed test
    numbers had a part in, `stopped` whether its fit ended before it converged.
    """
    records = []
    for row in cells.to_dict("records"):
        texts = cell_texts(row)
        row |= {"decimals": numbers.decimals_of(row["metric"], row["published_text"])}
        records.append(
            {
                name: row[name]
                for name in ("gamma", "kernel", "verdict", "budget", "file", "stopped")
            }
            | {
                "anchor": row["record"],
                "dataset": f"{trace.title(row['dataset'])} {row['features']}".rstrip(),
                "method": trace.label(row),
                "k": row["k"] or numbers.compact(row["selected_k"]),
                "metric": metric_label(row["metric"]),
                "ours": say("with_draws", texts, row),
                "published": say("with_std", texts["published"], texts["published_std"]),
                "difference": texts["difference"],
                "rows": say("rows_interval", texts["interval"], row["in_rows"]),
                "seeds": say("seeds_spread", row, FEWEST_DRAWS),
                "choice": row["choice"] if row["verdict"] else "",
                "C": numbers.compact(row["C"]),
                "theta": numbers.compact(row["theta"]),
                "threshold": numbers.compact(row["threshold"]),
                "gap": numbers.small(row["relative_gap"]) or NO_GAP,
                "seconds": numbers.compact(row["seconds"], 3),
                "link": trace.link(row["file"]),
                "points": numbers.in_points(row["metric"], row["difference"])
                if row["verdict"]
                else None,
                "is_loss": is_fraction(row["metric"]),
            }
        )
    lined, _ = lined_up([[one[name] for name in _NUMBERS] for one in records], len(_NUMBERS))
    return [
        one | dict(zip(_NUMBERS, row, strict=True)) for one, row in zip(records, lined, strict=True)
    ]


def build_plain_tables(inputs: ReportInputs, trace: Trace) -> list[dict[str, Any]]:
    """Return the tables that are no grids, printed as they stand.

    `numeric` says which columns hold numbers, `datasets` which sets the rows are of, if they name
    any.
    """
    found = []
    for table in (table for table in inputs.tables if not table["is_grid"]):
        frame = table["frame"].astype(str)
        if "data set" in frame:
            frame["data set"] = frame["data set"].map(trace.title)
        shown = frame.map(numbers.shown).to_numpy().tolist()
        rows, numeric = lined_up(shown, len(frame.columns))
        file = f"tables/{table['name']}.csv"
        found.append(
            {
                "name": table["name"],
                "origin": "",
                "anchor": slug(table["name"]),
                "title": table["title"],
                "caption": table["caption"],
                "study": table["study"],
                "header": [str(name) for name in frame.columns],
                "rows": rows,
                "numeric": numeric,
                "file": file,
                "link": trace.link(file),
                "datasets": [str(name) for name in table["frame"].get("data set", ())],
            }
        )
    return found
