"""The pages of the data, of the run and of the papers' items: what stands behind the numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pandas as pd

from toplabel._core.catalogue import LOSSES, parametrised
from toplabel.reproduction.frames import read_frame
from toplabel.reproduction.report.inputs import Inputs, web_address
from toplabel.reproduction.report.text import PAPERS, WORDS, count, fixed, shown, small
from toplabel.reproduction.report.tree import Entry, Fold, Part, Section, Text, table_of

DATA, RUN, ITEMS = "data", "run", "papers"
"""The names of the pages."""
#: Headings of the statistics: the measured column, and that of what the paper prints.
_STATISTICS = {
    "Classes": ("n_classes", "paper_n_classes"),
    "Train": ("n_train", "paper_n_train"),
    "Val": ("n_val", ""),
    "Test": ("n_test", ""),
    "Features": ("n_features", "paper_n_features"),
    "Cardinality": ("label_cardinality", "paper_label_cardinality"),
}
_AGREEMENT = {"True": "agrees", "False": "differs"}
_ODDITIES = {
    "zero_rows": "rows of zeros",
    "empty_label_sets": "empty label sets",
    "full_label_sets": "full label sets",
    "classes_without_example": "classes without an example",
}
_COVERAGE = {"paper": str, "item": str, "where": str}
_HEADS = {"loss": "Loss", "f_rho": "Minimiser f", "C_T": "Factor C", "alpha": "Power α"}
_CONSTANTS = dict.fromkeys(("loss", "p", "K", "f_rho", "C_T", "alpha"), str)


# The data -----------------------------------------------------------------------------------------


def data_sections(inputs: Inputs) -> list[Section]:
    """Return the sections of the page."""
    sections = [Section("datasets", "Data sets", _data_sets(inputs))]
    if inputs.of_papers:
        sections.insert(0, Section("missing", "What is missing, and why", _missing(inputs)))
    if inputs.missing:
        rows = [[cell, last_error(inputs.results / "logs", cell)] for cell in inputs.missing]
        table = table_of("Cells without results", ["Cell", "Error"], rows)
        parts: list[Part] = [Text(WORDS["unfinished"]), table]
        sections.insert(0, Section("unfinished", "Not finished", parts))
    return sections


def last_error(logs: Path, cell: str) -> str:
    """Return why a cell <set>/<method> is not shown: a result of another config, or the error that ended
    its last job; "" where there is none.
    """
    if (logs.parent / cell / "evaluation.csv").is_file():
        return "its result was made under another config"
    for rule in ("predict", "evaluate", "train", "tune"):
        files = [logs / rule / f"{cell}.log", *sorted((logs / rule / cell).glob("*.log"))]
        for file in files:
            lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
            if errors := [line for line in lines if " ERROR " in line]:
                return errors[-1].partition(" ERROR ")[2]
    return ""


def _missing(inputs: Inputs) -> list[Part]:
    """Return the reasons why printed numbers have no measured one, the commonest first."""
    cells = inputs.cells_in("published")
    if cells.empty:
        return [Text("Nothing: every printed number has a measured one.")]
    rows = []
    kinds = kinds_of_missing(cells)
    for why, number in kinds.value_counts().items():
        titles = cells.loc[kinds == why, "dataset"].map(inputs.title)
        sets = titles.value_counts(sort=False).items()
        where = ", ".join(f"{title} {count(n)}" for title, n in sets)
        rows.append([why, count(number), where])
    caption = "Printed numbers without a measured one"
    return [table_of(caption, ["Why", "Numbers", "Where"], rows)]


def kinds_of_missing(cells: pd.DataFrame) -> pd.Series:
    """Return why each number is missing, without what its data set waits for."""
    return cells["why"].str.replace(r":.*", "", regex=True)


def _data_sets(inputs: Inputs) -> list[Part]:
    """Return statistics and origins of the prepared data sets, and why others are not there."""
    ready = inputs.datasets["status"] == "ready"
    statistics, origins = [], []
    for row in inputs.datasets[ready].to_dict("records"):
        name, url = row["title"] or row["dataset"], web_address(row["url"])
        entries = [Entry(name), Entry(row["task"])]
        for ours, printed in _STATISTICS.values():
            text = shown(row[printed]) if printed else ""
            entries.append(Entry(_statistic(row[ours]), small=text))
        if inputs.of_papers:
            entries.append(Entry(_AGREEMENT.get(row["agrees"], "")))
        statistics.append([*entries, Entry(_oddities(row))])
        raw = ", ".join(file["name"] for file in inputs.raw.get(row["dataset"], ()))
        origins.append([name, Entry(row["citation"] or url, href=url), row["licence"], raw])
    head = ["Data set", "Task", *_STATISTICS, *(["Paper"] if inputs.of_papers else []), "Remarks"]
    note = "Measured on the files"
    note += ", below it what the paper prints." if inputs.of_papers else ", of the first split."
    parts: list[Part] = [Text(note, style="note"), table_of("Data sets", head, statistics)]
    head = ["Data set", "Source", "Licence", "Raw files"]
    table = table_of("Origin and licence", head, origins)
    parts.append(Fold("Origin and licence of each data set", [table]))
    absent: list[Part] = []
    for why, rows in inputs.datasets[~ready].groupby("reason", sort=False):
        titles = ", ".join(rows["title"].where(rows["title"] != "", rows["dataset"]))
        absent.append(Text(f"{titles}.", lead=f"{str(why).capitalize()}:", style="item"))
    if absent:
        title = f"Data sets that are not in this run ({len(inputs.datasets[~ready])})"
        parts.append(Fold(title, absent))
    return parts


def _oddities(row: Mapping[str, str]) -> str:
    """Return the oddities of a data set, in words."""
    counts = [(_statistic(row[name]), words) for name, words in _ODDITIES.items()]
    oddities = [f"{number} {words}" for number, words in counts if number not in ("", "0")]
    return ", ".join(filter(None, [*oddities, row["reason"]]))


def _statistic(text: str) -> str:
    """Return a statistic as it is to be read: counts whole, other numbers with two decimals."""
    try:
        value = float(text)
    except ValueError:
        return text
    return count(int(value)) if value == int(value) else fixed(value, 2)


# The run ------------------------------------------------------------------------------------------


def run_sections(inputs: Inputs) -> list[Section]:
    """Return the sections of the page."""
    protocol: list[Part] = [Text(text) for text in _protocol(inputs)]
    if inputs.of_papers:
        changes = [
            Text(f"{change.what} {change.why}", lead=f"{change.date}:", style="item")
            for change in inputs.notes.deviations
        ]
        protocol.append(Fold("What changed after numbers were seen", [*changes]))
    words = WORDS["checks"]
    checks = [certificates(inputs)]
    if inputs.comparison.totals["certificates"]["any_gradient"]:
        checks.append(words["nonconvex"])
    checks += [words["verify"], words["sums"]] if inputs.of_papers else [words["sums"]]
    return [
        Section("protocol", "The protocol in short", protocol),
        Section("checks", "What can be checked", [Text(text) for text in checks]),
        Section("run", "Machine, versions, config", _facts(inputs.run)),
    ]


def _protocol(inputs: Inputs) -> list[str]:
    """Return the description of how the numbers are made, in paragraphs."""
    words, config = WORDS["protocol"], inputs.run["config"]
    texts = [words["method"] if inputs.of_papers else words["own"]]
    if {"tol_tune", "tol_train", "tol_other"} <= {*config}:
        texts.append(words["stop"].format(**config))
    if inputs.of_papers:
        texts += filter(None, [WORDS["budgets"].get(inputs.run["budget"])])
    return texts


def certificates(inputs: Inputs) -> str:
    """Return the counts of certificates in words; the gap of each number stands in its record."""
    counts = inputs.comparison.totals["certificates"]
    if not counts["numbers"]:
        return "No model was trained in this run."
    causes = ", ".join(counts["causes"]) or "no status"
    kinds = {
        "gap": "come from models that reached the tolerance on the duality gap",
        "gradient": "come from models that reached the tolerance on the norm of the gradient",
        "stopped": f"from models that stopped before ({causes}), marked ‡",
        "none": "from estimators, baselines or networks, which have no certificate",
    }
    words = [f"{count(counts[key])} {text}" for key, text in kinds.items() if counts[key]]
    text = f"Of {count(counts['numbers'])} measured numbers, {'; '.join(words)}."
    if counts["largest_gap"] is None:
        return text
    return f"{text} The largest relative gap is {small(counts['largest_gap'])}."


def _facts(run: Mapping[str, Any]) -> list[Part]:
    """Return when, where and with what the run was made, and all that run.json says of it."""
    machine, git = run["machine"], run["git"]
    dirty = ", with changes that are not committed" if git.get("dirty") else ""
    facts = {
        "created": run["created"],
        "budget": run["budget"],
        "wall time": timedelta(seconds=round(run["wall_seconds"] or 0)),
        "machine": ", ".join(f"{name} {value}" for name, value in machine.items()),
        "commit": f"{git.get('commit') or 'unknown'}{dirty}",
    }
    rows = [[name, str(value)] for name, value in facts.items() if value]
    more = {
        key: run[key] for key in ("config", "seeds", "versions", "blas", "jobs") if run.get(key)
    }
    text = json.dumps(more, indent=2, ensure_ascii=False)
    title = "Configuration, seeds, versions, and what the jobs of each stage took"
    return [table_of("The run", ["What", "Value"], rows), Fold(title, [Text(text, style="code")])]


# The papers ---------------------------------------------------------------------------------------


def paper_tables(checkout: Path) -> list[dict[str, Any]]:
    """Return tables to print as they stand (`toplabel.reproduction.report.inputs.Inputs`)."""
    items = read_frame(checkout / "config/coverage.csv", _COVERAGE)
    items = items.rename(columns={"item": "Item", "where": "Where it is"})
    constants = read_frame(checkout / "data/published/nips2012_constants.csv", _CONSTANTS)
    frames = {name: part.drop(columns="paper") for name, part in items.groupby("paper")}
    frames |= {"losses": losses(), "constants": constants.rename(columns=_HEADS)}
    titles = {paper: f"{name}, item by item" for paper, name in PAPERS.items()}
    titles |= WORDS["tables"]
    return [
        {
            "name": f"papers-{name}",
            "page": ITEMS,
            "frame": frames[name],
            "title": title,
            "caption": WORDS["papers"].get(name, ""),
        }
        for name, title in titles.items()
        if name in frames
    ]


def losses() -> pd.DataFrame:
    """Return a row for each loss of the library, and for the smooth form of each hinge."""
    rows = []
    for loss in LOSSES.values():
        rows.append([loss.label, loss.about, loss.key, loss.formula, loss.source])
        if loss.smoothing:
            label, key = parametrised(loss.label, "", "γ"), f"{loss.key}, gamma > 0"
            rows.append([label, loss.about, key, "the same, smoothed", loss.source])
    columns = ["Method", "Name", "Key", "Loss function", "Where it stands"]
    return pd.DataFrame(rows, columns=columns)
