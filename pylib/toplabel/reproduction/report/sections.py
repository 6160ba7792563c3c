"""The sections of the report that hold tables: published ones, a study's own ones, and tables that
are printed as they stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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

NO_GAP = "—"
"""In place of the gap of a model that has none."""
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
        found.append((cells, Section(anchor, "Printed in no paper", parts)))
    return found


def _compared(inputs: Inputs, cells: pd.DataFrame) -> list[Part]:
    """Return how the numbers of a published table compare, and why some are not reproduced."""
    measured, kept = (cells[cells["state"] == state] for state in ("measured", "kept"))
    parts: list[Part] = []
    for part, whose in ((measured, "This run"), (kept, f"{inputs.kept_name}, muted in the table")):
        if compared := score_of(part)["comparable"]:
            words = f"{in_words(score_of(part))}, of {count(compared)} compared."
            parts.append(Text(words, lead=f"{whose}:", style="note"))
    if told := _within_intervals(measured):
        parts.append(Text(told, style="note"))
    parts += differences.reasons(measured)
    if reasons := differences.reasons(kept):
        parts.append(Fold("Why numbers of the kept run differ", reasons))
    return parts


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
    if measured.any():
        title = "Records: parameters, gap, time and file of each number"
        parts.append(Fold(title, [records(cells[measured], inputs)]))
    if bare:
        titles = "; ".join(grid.title for grid in bare)
        parts.append(Fold(f"As published, not measured: {titles}", [*bare]))
    said = [
        f"{inputs.title(row['dataset'])} {metric_label(row['metric'])} {_printed(row)}"
        for row in quoted.to_dict("records")
    ]
    if said:
        parts.append(Text(f"{'; '.join(said)}.", lead=_QUOTED, style="note"))
    return parts


def _within_intervals(cells: pd.DataFrame) -> str:
    """Say how many printed numbers lie within what test rows, and what draws of the folds give."""
    rows = cells.loc[cells["in_rows"] != "", "in_rows"]
    seeds = cells.loc[(cells["in_seeds"] != "") & (cells["seeds"] >= FEWEST_DRAWS), "in_seeds"]
    told = []
    for found, where in (
        (rows, "in the interval that has our number on 95 % of draws of the test rows"),
        (seeds, "in the 95 % interval of a further draw of the folds"),
    ):
        if len(found):
            inside = count(int((found == "true").sum()))
            told.append(f"{inside} of {count(len(found))} printed numbers lie {where}.")
    return " ".join(told)


def records(cells: pd.DataFrame, inputs: Inputs) -> Table:
    """Return the table of all that is known of each measured number, and of the file it is from."""
    texts = []
    for row in cells.to_dict("records"):
        parameters = (row[name] for name in ("selected_k", "C", "theta", "threshold"))
        texts.append(
            [
                f"{inputs.title(row['dataset'])} {row['features']}".rstrip(),
                row["label"],
                metric_label(row["metric"]),
                Cell(_ours(row), verdict=row["verdict"]),
                _with_place(grid_cell(row).interval, row["in_rows"]),
                _seeds(row),
                row["choice"],
                *map(numbers.compact, parameters),
                Cell(_proof(row), stopped=bool(row["stopped"])),
                numbers.compact(row["seconds"], 3),
                Cell(row["file"], href=inputs.link(row["file"])),
            ]
        )
    head = ["Data set", "Method", "Metric", "Ours", "95 % of test rows", "Seeds of the folds"]
    head += ["Reading chosen with printed numbers", "k", "C", "θ", "Threshold"]
    head += ["Relative gap", "Seconds", "File"]
    return table_of("Records", head, texts, anchors=cells["record"])


def _ours(row: Mapping[str, Any]) -> str:
    cell = grid_cell(row)
    decimals = numbers.decimals_of(row["metric"], row["printed"])
    if row["std"] == row["std"] and row["splits"] > 1:
        error = numbers.fixed(row["std"] / row["splits"] ** 0.5, decimals)
        deviation = numbers.fixed(row["std"], decimals)
        return f"{cell.ours} ± {deviation} ({row['splits']:.0f} draws, standard error {error})"
    return f"{cell.ours} ± {cell.std}" if cell.std else cell.ours


def _printed(row: Mapping[str, Any]) -> str:
    cell = grid_cell(row)
    return " ± ".join(filter(None, (cell.published, cell.published_std)))


def _with_place(text: str, told: str) -> str:
    """Add to an interval whether the printed number lies in it."""
    place = {"true": ", printed number inside", "false": ", printed number outside"}
    return text + place.get(told, "") if text else ""


def _seeds(row: Mapping[str, Any]) -> str:
    if row["seeds"] != row["seeds"]:
        return ""
    decimals = numbers.decimals_of(row["metric"], row["printed"])
    mean, std = (numbers.fixed(row[name], decimals) for name in ("seeds_mean", "seeds_std"))
    text = f"{mean} ± {std} ({row['seeds']:.0f} seeds)"
    if row["seeds"] < FEWEST_DRAWS:
        return f"{text}, too few to judge by"
    return _with_place(text, row["in_seeds"])


def _proof(row: Mapping[str, Any]) -> str:
    """Return the relative gap of a number; of a loss that is not convex the gradient's norm."""
    if row["relative_gap"] == row["relative_gap"]:
        return numbers.small(row["relative_gap"])
    norm = numbers.small(row["gradient_norm"])
    return f"‖∇P‖ {norm}" if norm else NO_GAP


def plain_section(table: Mapping[str, Any], inputs: Inputs) -> Section:
    """Return the section of a table that is printed as it stands in its file."""
    frame: pd.DataFrame = table["frame"]
    if "data set" in frame:
        frame = frame.assign(**{"data set": frame["data set"].map(inputs.title)})
    file = f"tables/{table['name']}.csv"
    printed = table_of(
        table["title"],
        frame.columns,
        frame.map(numbers.shown).to_numpy().tolist(),
        file=file,
        href=inputs.link(file),
    )
    parts: list[Part] = [printed]
    if table["caption"]:
        parts.insert(0, Text(table["caption"], style="note"))
    return Section(slug(table["name"]), table["title"], parts)


def best_of_own(inputs: Inputs) -> Table | None:
    """Return the best method of each metric on the data sets of which no paper prints a number."""
    own = inputs.cells[(inputs.cells["source"] == "") & inputs.cells["measured"].notna()]
    own = own[~own["metric"].str.startswith("ap_")]  # mAP is the mean of these
    rows = []
    for (dataset, features, metric), part in own.groupby(
        ["dataset", "features", "metric"], sort=False
    ):
        best = part.loc[_best_row(part, metric)]
        cell = grid_cell(best)
        near = int(part["measured"].between(best["rows_low"], best["rows_high"]).sum()) - 1
        rows.append(
            [
                f"{inputs.title(dataset)} {features}".rstrip(),
                metric_label(metric),
                best["label"],
                Cell(cell.ours, stopped=cell.stopped),
                cell.interval,
                f"{near}" if cell.interval else "",
                f"{part['label'].nunique()}",
                numbers.compact(best["seconds"], 3),
            ]
        )
    head = ["Data set", "Metric", "Best method", "Value", "95 % of test rows", "Level with it"]
    caption = "The best method by data set and metric"
    return table_of(caption, [*head, "Methods", "Seconds"], rows) if rows else None


def best_by_dataset(inputs: Inputs) -> list[tuple[str, pd.Series]]:
    """Return the data sets of which no paper prints a number, with the row of the best method by
    the first metric.
    """
    own = inputs.cells[(inputs.cells["source"] == "") & inputs.cells["measured"].notna()]
    found = []
    for dataset, part in own.groupby("config_dataset", sort=False):
        metric = part["metric"].iloc[0]
        rows = part[part["metric"] == metric]
        found.append((str(dataset), rows.loc[_best_row(rows, metric)]))
    return found


def best_sentence(inputs: Inputs) -> str:
    """Say which method is the best on each data set of which no paper prints a number."""
    return " ".join(
        f"{inputs.title(dataset)}: {plain(best['label'])},"
        f" {metric_label(best['metric'])} {grid_cell(best).ours}."
        for dataset, best in best_by_dataset(inputs)
    )


def _best_row(part: pd.DataFrame, metric: str) -> Any:
    """Return the index of the best value, of fits that converged if there are any."""
    converged = part.loc[~part["stopped"], "measured"]
    values = converged if len(converged) else part["measured"]
    return values.idxmin() if lower_is_better(metric) else values.idxmax()
