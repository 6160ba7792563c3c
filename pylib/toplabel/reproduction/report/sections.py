"""The sections of the report that hold tables: published ones, a study's own ones, and tables that
are printed as they stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import nan
from typing import Any

import pandas as pd

from toplabel.metrics.names import lower_is_better
from toplabel.reproduction.compare.notes import FEWEST_DRAWS
from toplabel.reproduction.compare.published import OTHERS
from toplabel.reproduction.report import differences, numbers
from toplabel.reproduction.report.grids import build_grids, grid_cell
from toplabel.reproduction.report.inputs import Inputs
from toplabel.reproduction.report.labels import metric_label, plain, slug, table_label, table_order
from toplabel.reproduction.report.numbers import count
from toplabel.reproduction.report.score import in_words, score_of
from toplabel.reproduction.report.tree import Cell, Fold, Part, Row, Section, Table, Text

_QUOTED = "Results of other authors that the paper quotes:"


def table_of(
    caption: str,
    columns: Iterable[str],
    rows: Iterable[Iterable[str | Cell]],
    *,
    anchors: Iterable[str] = (),
    file: str = "",
    href: str = "",
) -> Table:
    """Return a table of texts and cells, its columns of numbers marked."""
    cells = [[one if isinstance(one, Cell) else Cell(one) for one in row] for row in rows]
    numeric = [
        numbers.are_numbers([cell.text for cell in column]) for column in zip(*cells, strict=True)
    ]
    columns = list(columns)
    names = [*anchors] or [""] * len(cells)
    made = [Row(row, anchor) for row, anchor in zip(cells, names, strict=True)]
    return Table(caption, columns, numeric or [False] * len(columns), made, file, href)


def published_sections(inputs: Inputs) -> list[tuple[pd.DataFrame, Section]]:
    """Return the published tables in the papers' order, each with its cells."""
    groups = dict(iter(inputs.cells[inputs.cells["source"] != ""].groupby(["source", "table"])))
    found = []
    for source, table in sorted(groups, key=lambda pair: table_order(*pair)):
        cells = groups[source, table]
        anchor = slug(f"{source}_table{table.zfill(2)}")
        text = inputs.texts.get((source, table))
        titles = ", ".join(map(inputs.title, dict.fromkeys(cells["dataset"])))
        parts: list[Part] = [Text(text.caption, style="note")] if text and text.caption else []
        parts += [*_compared(inputs, cells), *_numbers(inputs, cells, anchor)]
        title, origin = text.title if text else titles, table_label(source, table)
        found.append((cells, Section(anchor, title, parts, origin, source)))
    return found


def own_sections(inputs: Inputs) -> list[tuple[pd.DataFrame, Section]]:
    """Return the tables of what no paper prints, one for each study, with their cells."""
    own = inputs.cells[inputs.cells["source"] == ""]
    found = []
    for study, cells in own.groupby(own["study"].map(inputs.first_study), sort=False):
        anchor = slug(f"own-{study}")
        parts = _numbers(inputs, cells, anchor)
        title = "Printed in no paper" if inputs.of_papers else "All methods"
        found.append((cells, Section(anchor, title, parts)))
    return found


def _compared(inputs: Inputs, cells: pd.DataFrame) -> list[Part]:
    """Return how the numbers of a published table compare, and why some are not reproduced."""
    measured, kept = (cells[cells["state"] == state] for state in ("measured", "kept"))
    parts: list[Part] = []
    for part, whose in (
        (measured, "This run"),
        (kept, f"The {inputs.kept_name}, muted in the table"),
    ):
        if compared := score_of(part)["comparable"]:
            words = f"{in_words(score_of(part))}, of {count(compared)} compared."
            parts.append(Text(words, lead=f"{whose}:", style="note"))
    if told := _within_intervals(measured):
        parts.append(Text(told, style="note"))
    return parts + differences.reasons(measured)


def _numbers(inputs: Inputs, cells: pd.DataFrame, anchor: str) -> list[Part]:
    """Return the grids of a table, the records of its numbers, and the grids without any of ours.

    Results of other authors that a paper quotes stand in a line below its table.
    """
    quoted, cells = cells[cells["method"] == OTHERS], cells[cells["method"] != OTHERS]
    measured = cells["state"] == "measured"
    cells = cells.assign(record="")
    cells.loc[measured, "record"] = [f"r-{anchor}-{i + 1}" for i in range(measured.sum())]
    grids = build_grids(cells, inputs.title)
    bare = [grid for grid in grids if grid.state == "published"]
    parts: list[Part] = [grid for grid in grids if grid not in bare]
    if told := _marks(inputs, cells):
        parts.append(Text(told, style="note"))
    if measured.any():
        title = "Records: parameters, gap, time and file of each number, as in data/cells.csv"
        parts.append(Fold(title, [records(cells[measured], inputs)]))
    if bare:
        titles = "; ".join(grid.title for grid in bare)
        parts.append(Fold(f"As published, not measured: {titles}", [*bare]))
    said = [
        f"{inputs.title(row['dataset'])} {metric_label(row['metric'])}"
        f" {' ± '.join(filter(None, (one.published, one.published_std)))}"
        for row in quoted.to_dict("records")
        for one in (grid_cell(row),)
    ]
    if said:
        parts.append(Text(f"{'; '.join(said)}.", lead=_QUOTED, style="note"))
    return parts


def _marks(inputs: Inputs, cells: pd.DataFrame) -> str:
    """Say what the marks of a table stand for, those that it has."""
    choices = "; ".join(cells.loc[cells["choice"] != "", "choice"].unique())
    names = cells.loc[cells["found"].notna(), "found_reading"].unique()
    found = "; ".join(inputs.notes.readings[name].title for name in names)
    told = {
        "‡ The fit did not converge.": cells["stopped"].any(),
        f"† The number depends on a reading that was chosen with printed numbers in view: {choices}.": choices,
        f"“found” is the number under another reading of the protocol: {found}.": found,
    }
    return " ".join(words for words, holds in told.items() if holds)


def _within_intervals(cells: pd.DataFrame) -> str:
    """Say how many printed numbers lie within what test rows, and what draws of the folds give."""
    rows = cells.loc[cells["in_rows"] != "", "in_rows"]
    seeds = cells.loc[(cells["in_seeds"] != "") & (cells["seeds"] >= FEWEST_DRAWS), "in_seeds"]
    told = []
    for found, where in (
        (rows, "in the 95 % interval of our number over draws of the test rows"),
        (seeds, "in the 95 % interval of a further draw of the folds"),
    ):
        if len(found):
            inside = count(int((found == "true").sum()))
            told.append(f"{inside} of {count(len(found))} printed numbers lie {where}.")
    return " ".join(told)


#: The columns of cells.csv that a record shows, under their names there.
_RECORD = ["dataset", "features", "label", "metric", "measured", "std", "splits"]
_RECORD += ["rows_low", "rows_high", "in_rows", "seeds", "seeds_mean", "seeds_std", "in_seeds"]
_RECORD += ["choice", "C", "theta", "threshold", "selected_k", "relative_gap", "gradient_norm"]
_RECORD += ["epochs", "seconds", "status", "budget"]


def records(cells: pd.DataFrame, inputs: Inputs) -> Table:
    """Return the table of all that is known of each measured number, and of the file it is from.

    Columns that are empty throughout are left out.
    """
    columns = [name for name in _RECORD if not cells[name].isin(["", nan]).all()]
    texts = []
    for row in cells.to_dict("records"):
        line = [_as_text(name, row[name]) for name in columns]
        texts.append([*line, Cell(row["file"], href=inputs.link(row["file"]))])
    return table_of("Records", [*columns, "file"], texts, anchors=cells["record"])


def _as_text(column: str, value: str | float) -> str:
    """Return an entry of cells.csv as it is to be read."""
    if isinstance(value, str):
        return value
    is_bound = column in ("relative_gap", "gradient_norm")
    return numbers.small(value) if is_bound else numbers.compact(value, 5)


def plain_section(table: Mapping[str, Any], inputs: Inputs) -> Section:
    """Return the section of a table that is printed as it stands in its file."""
    frame: pd.DataFrame = table["frame"]
    if "data set" in frame:
        frame = frame.assign(**{"data set": frame["data set"].map(inputs.title)})
    file = f"tables/{table['name']}.csv"
    href = inputs.link(file)
    texts = frame.map(numbers.shown).to_numpy().tolist()
    printed = table_of(table["title"], frame.columns, texts, file=file if href else "", href=href)
    parts: list[Part] = [printed]
    if table["caption"]:
        parts.insert(0, Text(table["caption"], style="note"))
    return Section(slug(table["name"]), table["title"], parts)


def best_rows(inputs: Inputs) -> list[tuple[pd.Series, pd.DataFrame]]:
    """Return the best method by each metric on each data set of which no paper prints a number, with
    the numbers that it is the best of.

    A fit that did not converge is the best only where none did.
    """
    own = inputs.cells[(inputs.cells["source"] == "") & inputs.cells["measured"].notna()]
    own = own[~own["metric"].str.startswith("ap_")]  # mAP is the mean of these
    found = []
    for (*_, metric), part in own.groupby(["dataset", "features", "metric"], sort=False):
        converged = part.loc[~part["stopped"], "measured"]
        values = converged if len(converged) else part["measured"]
        best = values.idxmin() if lower_is_better(metric) else values.idxmax()
        found.append((part.loc[best], part))
    return found


def first_bests(inputs: Inputs) -> dict[str, pd.Series]:
    """Return the best method by the first metric on each such data set, by its registered name."""
    found: dict[str, pd.Series] = {}
    for best, _ in best_rows(inputs):
        found.setdefault(best["config_dataset"], best)
    return found


def best_of_own(inputs: Inputs) -> Table | None:
    """Return the table of the best methods, and how many others are level with each: in the interval
    over test rows, or with several splits not more than a deviation away.
    """
    rows = []
    for best, part in best_rows(inputs):
        cell = grid_cell(best)
        low, high = best["rows_low"], best["rows_high"]
        if cell.std:
            low, high = (best["measured"] + sign * best["std"] for sign in (-1, 1))
        near = int(part["measured"].between(low, high).sum()) - 1
        rows.append(
            [
                f"{inputs.title(best['dataset'])} {best['features']}".rstrip(),
                metric_label(best["metric"]),
                best["label"],
                Cell(" ± ".join(filter(None, (cell.ours, cell.std))), stopped=cell.stopped),
                cell.interval,
                f"{near}" if near >= 0 else "",
                f"{part['label'].nunique()}",
                numbers.compact(best["seconds"], 3),
            ]
        )
    head = ["Data set", "Metric", "Best method", "Value", "95 % of test rows", "Level with it"]
    caption = "The best method by data set and metric"
    head += ["Methods", "Seconds"]
    if not any(row[4] for row in rows):
        del head[4]
        rows = [row[:4] + row[5:] for row in rows]
    return table_of(caption, head, rows) if rows else None


def best_sentence(inputs: Inputs) -> str:
    """Say which method is the best on each data set of which no paper prints a number."""
    return " ".join(
        f"{inputs.title(dataset)}: {plain(best['label'])},"
        f" {metric_label(best['metric'])} {grid_cell(best).ours}."
        for dataset, best in first_bests(inputs).items()
    )
