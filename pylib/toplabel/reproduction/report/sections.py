"""The sections of the report that hold tables of numbers: published ones, a study's own ones, those
of an own data set class by class, and tables that are printed as they stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from typing import Any

import pandas as pd

from toplabel.metrics.names import lower_is_better
from toplabel.reproduction.compare.cells import FIT, INTERVALS
from toplabel.reproduction.compare.classes import CONFUSION, RATES
from toplabel.reproduction.compare.published import OTHERS, decimals_of
from toplabel.reproduction.compare.verdicts import FEWEST_DRAWS
from toplabel.reproduction.files import read_npz
from toplabel.reproduction.frames import read_frame
from toplabel.reproduction.report import findings
from toplabel.reproduction.report.inputs import Inputs
from toplabel.reproduction.report.text import (
    compact,
    count,
    fixed,
    metric_label,
    plain,
    shown,
    signed,
    slug,
    small,
    table_label,
    table_order,
)
from toplabel.reproduction.report.tree import (
    Column,
    Entry,
    Fold,
    Grid,
    GridCell,
    GridRow,
    Part,
    Section,
    Table,
    Text,
    table_of,
)

_QUOTED = "Results of other authors that the paper quotes:"
_FURTHER = "printed numbers lie in the 95 % interval of a further draw of the folds"
_LARGEST = 30  # classes of a confusion matrix that is shown
_AGAIN = "snakemake --cores 1 --forceall results/FILE, with FILE from the last column."
_RECORD = [
    *["dataset", "features", "label", "metric", "measured", "std", "splits"],
    *INTERVALS,
    *["choice", "reason_title"],
    *FIT,
    *["status", "budget"],
]
"""The columns that a record shows, under their names in the wide frame."""
_METHOD = ["method", "k", "gamma", "kernel"]
_STATES = ("measured", "kept", "published")
Record = Mapping[Any, Any]
"""A row of the wide frame."""


# Published tables, and tables of what no paper prints ---------------------------------------------


def published_sections(inputs: Inputs) -> list[tuple[pd.DataFrame, Section]]:
    """Return the published tables in the papers' order, each with its cells."""
    groups = dict(iter(inputs.cells[inputs.cells["source"] != ""].groupby(["source", "table"])))
    sections = []
    for source, table in sorted(groups, key=lambda pair: table_order(*pair)):
        cells = groups[source, table]
        anchor = slug(f"{source}_table{table.zfill(2)}")
        text = inputs.texts.get((source, table))
        titles = ", ".join(map(inputs.title, dict.fromkeys(cells["dataset"])))
        parts: list[Part] = [Text(text.caption, style="note")] if text and text.caption else []
        parts += [*_compared(inputs, cells), *_numbers(inputs, cells, anchor)]
        title, origin = text.title if text else titles, table_label(source, table)
        sections.append((cells, Section(anchor, title, parts, origin, source)))
    return sections


def own_sections(inputs: Inputs) -> list[tuple[pd.DataFrame, Section]]:
    """Return the tables of what no paper prints, one for each study, with their cells."""
    own = inputs.cells[inputs.cells["source"] == ""]
    title = "Printed in no paper" if inputs.of_papers else "All methods"
    sections = []
    for study, cells in own.groupby("own_table", sort=False):
        anchor = slug(f"own-{study}")
        sections.append((cells, Section(anchor, title, _numbers(inputs, cells, anchor))))
    return sections


def _compared(inputs: Inputs, cells: pd.DataFrame) -> list[Part]:
    """Return the score of a published table, and why numbers of it are not reproduced."""
    names = {"measured": "This run", "kept": f"The {inputs.kept_name}, muted in the table"}
    parts: list[Part] = []
    for state, whose in names.items():
        part = cells[cells["state"] == state]
        score = findings.score_of(part)
        if not score["comparable"]:
            continue
        words = f"{findings.in_words(score)}, of {count(score['comparable'])} compared."
        drawn = part[(part["in_seeds"] != "") & (part["seeds"] >= FEWEST_DRAWS)]
        if len(drawn):
            inside = drawn[drawn["in_seeds"] == "true"]
            words += f" {count(len(inside))} of {count(len(drawn))} {_FURTHER}."
        parts.append(Text(words, lead=f"{whose}:", style="note"))
        if reasons := findings.reasons_in_short(inputs, part):
            link, href = "Why numbers differ", "index.html#differences"
            parts.append(Text(f"{reasons}.", "Not reproduced:", "", link, href, style="note"))
    return parts


def _numbers(inputs: Inputs, cells: pd.DataFrame, anchor: str) -> list[Part]:
    """Return the grids of a table, the records of its numbers, and the grids without any of ours.

    Results of other authors that a paper quotes stand in a line below its table.
    """
    quoted, cells = cells[cells["method"] == OTHERS], cells[cells["method"] != OTHERS]
    measured = cells["state"] == "measured"
    cells = cells.assign(record="")
    cells.loc[measured, "record"] = [f"r-{anchor}-{i + 1}" for i in range(len(cells[measured]))]
    grids = [_grid(part, inputs) for _, part in cells.groupby("grid", sort=False)]
    bare = [grid for grid in grids if grid.state == "published"]
    parts: list[Part] = [grid for grid in grids if grid not in bare]
    for mark, meaning in _marks(inputs, cells).items():
        parts.append(Text(f"{meaning}.", lead=f"{mark}:", style="note"))
    if measured.any():
        title = "Records: parameters, gap, time and file of each number, and why it differs"
        again = Text("A number is computed again, from the raw data, by", note=_AGAIN)
        parts.append(Fold(title, [again, records(cells[measured], inputs)]))
    if bare:
        title = f"As published, not measured: {'; '.join(grid.title for grid in bare)}"
        parts.append(Fold(title, [*bare]))
    if len(quoted):
        words = "; ".join(_quoted(row, inputs) for row in quoted.to_dict("records"))
        parts.append(Text(f"{words}.", lead=_QUOTED, style="note"))
    return parts


def _marks(inputs: Inputs, cells: pd.DataFrame) -> dict[str, str]:
    """Return what each mark means that stands in the grids of a table: †, “found” and ‡."""
    is_chosen = (cells["choice"] != "") & (cells["verdict"] != "")
    found = cells.loc[cells["found"].notna(), "found_reading"].unique()
    meanings = {
        "†": "; ".join(cells.loc[is_chosen, "choice"].unique()),
        "found": "; ".join(inputs.notes.readings[name].title for name in found),
        "‡": "the fit did not converge" if cells["stopped"].any() else "",
    }
    return {mark: meaning for mark, meaning in meanings.items() if meaning}


def _quoted(row: Mapping[str, Any], inputs: Inputs) -> str:
    """Return a number of other authors in words."""
    std = fixed(row["published_std"], decimals_of(row["metric"], row["printed"]))
    value = f"{row['printed']} ± {std}" if std else row["printed"]
    return f"{inputs.title(row['dataset'])} {metric_label(row['metric'])} {value}"


def records(cells: pd.DataFrame, inputs: Inputs) -> Table:
    """Return the table of all that is known of each measured number, and of the file it is from.

    Columns that are empty throughout are left out.
    """
    columns = [name for name in _RECORD if not cells[name].isin(["", nan]).all()]
    rows: list[list[str | Entry]] = []
    for row in cells.to_dict("records"):
        texts = [_as_text(name, row[name]) for name in columns]
        file = Entry(row["file"], href=inputs.link(row["file"]))
        rows.append([*texts, file])
    return table_of("Records", [*columns, "file"], rows, anchors=cells["record"])


def _as_text(column: str, value: str | float) -> str:
    """Return an entry of cells.csv as it is to be read."""
    if isinstance(value, str):
        return value
    is_bound = column in ("relative_gap", "gradient_norm")
    return small(value) if is_bound else compact(value, 5)


def plain_section(table: Mapping[str, Any], inputs: Inputs) -> Section:
    """Return the section of a table that is printed as it stands in its file."""
    frame: pd.DataFrame = table["frame"]
    file = f"tables/{table['name']}.csv"
    href = inputs.link(file)
    texts = frame.map(shown).to_numpy().tolist()
    printed = table_of(table["title"], frame.columns, texts, file=file if href else "", href=href)
    parts: list[Part] = [printed]
    if table["caption"]:
        parts.insert(0, Text(table["caption"], style="note"))
    return Section(slug(table["name"]), table["title"], parts)


# Grids: methods down, metrics or data sets across, as the papers print a table --------------------


def _grid_title(row: Record, inputs: Inputs) -> str:
    return ", ".join(filter(None, [inputs.title(row["dataset"]), row["features"]]))


def _grid(cells: pd.DataFrame, inputs: Inputs) -> Grid:
    """Return the grid of some cells: of one data set, or of one metric where it has no name."""
    first = cells.to_dict("records")[0]
    is_of_metric = not first["grid"]
    columns: dict[str, Column] = {}
    for name, part in cells.groupby("column", sort=False):
        row = part.to_dict("records")[0]
        title = _grid_title(row, inputs) if is_of_metric else metric_label(row["metric"])
        has_interval = bool((part["rows_low"].notna() & part["measured"].notna()).any())
        columns[str(name)] = Column(title, lower_is_better(row["metric"]), has_interval)
    lines = cells.groupby(_METHOD, sort=False)
    rows = [_grid_row(line.to_dict("records"), [*columns]) for _, line in lines]
    return Grid(
        title=metric_label(first["metric"]) if is_of_metric else _grid_title(first, inputs),
        columns=[*columns.values()],
        rows=rows,
        state=min((row.state for row in rows), key=_STATES.index),
        printed=bool(cells["published"].notna().any()),
        spread=bool(cells["std"].notna().any()),
    )


def _grid_row(records: Sequence[Record], columns: Sequence[str]) -> GridRow:
    """Return the numbers of one method, a cell for each column."""
    made = {record["column"]: _grid_cell(record) for record in records}
    return GridRow(
        label=records[0]["label"],
        state=min((cell.state for cell in made.values()), key=_STATES.index),
        cells=[made.get(name, GridCell()) for name in columns],
        seconds=compact(records[0]["row_seconds"], 3),
    )


def _grid_cell(row: Record) -> GridCell:
    """Return a cell as text."""
    decimals = decimals_of(row["metric"], row["printed"])
    ends = [fixed(row[name], decimals) for name in ("rows_low", "rows_high")]
    return GridCell(
        state=row["state"],
        ours=fixed(row["measured"], decimals),
        std=fixed(row["std"], decimals),
        published=row["printed"],
        published_std=fixed(row["published_std"], decimals),
        # Rounded first: subtracting left errors in the last digits, which would decide a half.
        difference=signed(round(row["difference"], 10), decimals),
        interval=" to ".join(filter(None, ends)),
        verdict=row["verdict"],
        reason=row["reason_title"],
        found=fixed(row["found"], decimals),
        found_verdict=row["found_verdict"],
        choice=row["choice"] if row["verdict"] else "",
        best=row["best"],
        best_published=row["best_published"],
        stopped=row["stopped"],
        record=row["record"],
    )


# Own data sets ------------------------------------------------------------------------------------


def class_sections(inputs: Inputs) -> list[tuple[str, Section]]:
    """Return a section for each own data set with predictions, with the name of the set."""
    sections = []
    scores = inputs.comparison.scores
    bests = scores[scores["place"] == 1].drop_duplicates("dataset")
    for best in bests.to_dict("records"):
        dataset = best["dataset"]
        folder = f"{dataset}/{best['method']}"
        if inputs.link(f"{folder}/predictions.csv"):
            parts = [*_loading(best, folder, inputs), *_class_tables(inputs, folder)]
            parts.append(_costs(inputs, dataset, best["metric"]))
            title = f"{inputs.title(dataset)}, class by class"
            sections.append((dataset, Section(f"classes-{dataset}", title, parts)))
    return sections


def _loading(best: Mapping[Any, Any], folder: str, inputs: Inputs) -> list[Part]:
    """Return the link to the predictions of the best method, and the call that loads its model."""
    lead = f"Predictions of {plain(best['label'])} for the test rows:"
    link = inputs.link(f"{folder}/predictions.csv")
    parts: list[Part] = [Text("", lead=lead, link="predictions.csv", href=link)]
    model = inputs.results / folder / "model.npz"
    splits = read_npz(model)["splits"]
    if not splits.size:
        text = "The models of this method are not kept; the last table has what was selected."
        return [*parts, Text(text)]
    others = f", the model of split {splits[0]}, or another by split=" if splits.size > 1 else ""
    parts.append(Text("", lead=f"As a scikit-learn pipeline for new rows{others}:"))
    return [*parts, Text(f'toplabel.load_model("{model.as_posix()}")', style="code")]


def _class_tables(inputs: Inputs, folder: str) -> list[Part]:
    """Return recall and precision of each class, and of single labels the confusion matrix."""
    rates = read_frame(inputs.results / folder / "classes.csv", RATES)
    rows = []
    for row in rates.to_dict("records"):
        recall, precision = fixed(row["recall"], 1), fixed(row["precision"], 1)
        rows.append([row["class"], count(row["rows"]), recall, count(row["predicted"]), precision])
    columns = ["Class", "Test rows of all splits", "Recall, %", "Predicted", "Precision, %"]
    parts: list[Part] = [table_of("Recall and precision by class", columns, rows)]
    pairs = read_frame(inputs.results / folder / "confusion.csv", CONFUSION)
    names = [*rates["class"]]
    if len(pairs) and len(names) <= _LARGEST:
        counts = {(row.true, row.predicted): count(row.rows) for row in pairs.itertuples()}
        lines = [[true, *(counts.get((true, name), "") for name in names)] for true in names]
        caption = "Confusion matrix: true classes by row"
        parts.append(table_of(caption, ["True", *names], lines))
    return parts


def _costs(inputs: Inputs, dataset: str, metric: str) -> Table:
    """Return the table of what each method selected for a metric, and of its costs."""
    cells = inputs.cells_in("measured")
    cells = cells[(cells["config_dataset"] == dataset) & (cells["metric"] == metric)]
    rows = []
    for row in cells.drop_duplicates("label").to_dict("records"):
        passes = count(row["epochs"]) if row["epochs"] > 0 else ""
        rows.append([row["label"], row["selected"], compact(row["seconds"], 3), passes])
    columns = ["Method", f"Selected for {metric_label(metric)}"]
    columns += ["Seconds of selection and training", "Passes or steps of the final fits"]
    return table_of("What each method selected and took", columns, rows)
