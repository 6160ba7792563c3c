"""The front page: the result first, then why numbers differ, the claims, and what can be checked."""

from __future__ import annotations

import pandas as pd

from toplabel.reproduction.compare import counts
from toplabel.reproduction.compare.cells import KEPT, MEASURED
from toplabel.reproduction.report import differences
from toplabel.reproduction.report.figures import agreement
from toplabel.reproduction.report.findings import claim_parts
from toplabel.reproduction.report.inputs import Inputs, web_address
from toplabel.reproduction.report.labels import VERDICTS, paper_label, table_label, table_order
from toplabel.reproduction.report.numbers import count, fixed
from toplabel.reproduction.report.run_page import certificates_sentence
from toplabel.reproduction.report.score import missed, score_of
from toplabel.reproduction.report.sections import best_of_own, best_sentence, table_of
from toplabel.reproduction.report.tree import Cell, Figure, Fold, Page, Part, Section, Text

NAME = "index"
DOWNLOADS = {
    "data/cells.csv": "every number of the tables, printed, measured and of the kept run",
    "data/report.json": "this report for programs",
    "ro-crate-metadata.json": "an RO-Crate: inputs with their sums, code, config, results",
    "toplabel.pdf": "this report as a document",
}


def answer(inputs: Inputs) -> str:
    """Return the result in a word or two."""
    score = score_of(_own(inputs))
    if inputs.run["budget"] == "quick" and score["comparable"]:
        return "Not testable"
    if not score["comparable"]:
        measured_own = (inputs.cells["source"] == "") & inputs.cells["measured"].notna()
        return "Own data" if measured_own.any() else "Not testable"
    near = (score["match"] + score["close"]) / score["comparable"]
    return "Agrees" if near >= 0.9 else "Partly" if near >= 0.5 else "Disagrees"


def headline(inputs: Inputs) -> str:
    """Return the result in a sentence."""
    score = score_of(_own(inputs))
    if not inputs.cells["published"].notna().any():
        return best_sentence(inputs) or "There is no published number to compare with."
    if not score["comparable"]:
        return "No published number was measured in this run."
    match, all_ = count(score["match"]), count(score["comparable"])
    return f"{match} of {all_} published numbers that were measured here match."


def front_page(inputs: Inputs) -> tuple[Page, dict[str, str]]:
    """Return the front page, and the drawings that it shows, SVG by name."""
    pictures: dict[str, str] = {}
    files = [[Cell(file, href=file), words] for file, words in DOWNLOADS.items()]
    sections = (
        ("score", "", _score_parts(inputs, pictures)),
        ("differences", "Why numbers differ", _differences(inputs)),
        ("readings", "Other readings of the protocols", differences.readings(inputs)),
        ("findings", "What the papers say, and whether this run agrees", claim_parts(inputs)),
        ("by-table", "Score by table", _by_table(inputs)),
        ("trust", "Can I trust it?", _trust(inputs)),
        ("downloads", "To take away", [table_of("Files", ["File", "What it is"], files)]),
    )
    return Page(NAME, "Result", "", [Section(*one) for one in sections if one[2]]), pictures


def _own(inputs: Inputs) -> pd.DataFrame:
    return inputs.cells[inputs.cells["state"] == "measured"]


def _kept(inputs: Inputs) -> pd.DataFrame:
    return inputs.cells[inputs.cells["state"] == "kept"]


def _differences(inputs: Inputs) -> list[Part]:
    """Return why numbers of this run, and of the kept run beside it, are not reproduced."""
    own, kept = _own(inputs), _kept(inputs)
    parts = differences.reasons(own, with_tables=True)
    if parts:
        parts.insert(0, Text(differences.difference_sentence(own)))
    if of_kept := differences.reasons(kept, with_tables=True):
        title = f"In the {inputs.kept_name}, of cells that this run did not measure"
        parts.append(Fold(f"{title}: {differences.difference_sentence(kept)}", of_kept))
    return parts


def _score_parts(inputs: Inputs, pictures: dict[str, str]) -> list[Part]:
    parts: list[Part] = []
    if inputs.run["budget"] == "quick":
        text = "a smoke test with coarse grids: its numbers say nothing about the methods."
        parts.append(Text(f"The budget of this run is “quick”, {text}", style="alert"))
    if inputs.missing:
        text = f"The run did not finish: of its results it lacks {count(len(inputs.missing))}."
        parts.append(Text(text, link="Which", href="data.html#unfinished", style="alert"))
    for name in inputs.cells["config_dataset"].unique():
        advice = inputs.metas.get(name, {}).get("advice", ())
        parts += [Text(one, lead=f"{inputs.title(name)}:", style="alert") for one in advice]
    own, best = _own(inputs), best_of_own(inputs)
    compared = bool(score_of(own)["comparable"])
    if best and not compared:
        parts.append(best)
    parts += _scores(inputs)
    part = own if compared else _kept(inputs)
    points = agreement.points_of(part[part["verdict"] != ""])
    if len(points):
        whose = "the measured numbers" if compared else f"the numbers of the {inputs.kept_name},"
        pictures["agreement"] = agreement.draw(points)
        parts.append(_agreement(points, whose))
    if best and compared:
        parts.append(Fold("The best methods on data of no paper", [best]))
    return parts


def _scores(inputs: Inputs) -> list[Part]:
    """Return the scores of this run, of the kept run and of each paper."""
    own, kept = _own(inputs), _kept(inputs)
    rows = [("This run", own)]
    if own["found"].notna().any():
        of_kept = int((own["found_run"] == KEPT).sum())
        name = "This run, under the found readings"
        name += f" ({of_kept} numbers of the kept run)" if of_kept else ""
        rows.append((name, differences.under_found(own)))
    if len(kept):
        rows.append(("The kept run, where this run has no number", kept))
    for source in sorted(set(own["source"]) - {""}, key=lambda one: table_order(one, "")):
        rows.append((f"This run: {paper_label(source)}", own[own["source"] == source]))
    if not any(score_of(part)["comparable"] for _, part in rows):
        return []
    made = []
    for name, part in rows:
        score = score_of(part)
        stopped = int((part["stopped"] & (part["verdict"] != "")).sum())
        numbers = (*(score[key] for key in ("comparable", "match", "close", "spread")),)
        made.append([name, *map(count, (*numbers, missed(score), stopped))])
    head = ["Numbers of", "Compared", "Match", "Close", "Within spread"]
    head += ["Not reproduced", "Not converged"]
    near = [VERDICTS[key] for key in ("match", "close", "spread")]
    note = " ".join(f"{one.word.capitalize()}: {one.meaning}." for one in near)
    if kept["verdict"].ne("").any():
        note += (
            f" Numbers of the {inputs.kept_name}, the last whole run of the project, stand muted"
        )
        note += " where this run has none."
    return [table_of("Scores", head, made), Text(note, style="note")]


def _agreement(points: pd.DataFrame, whose: str) -> Figure:
    """Return the chart, and how near the percentages among its numbers are to the printed ones."""
    found = points.loc[~points["is_loss"].astype(bool), "points"].abs()
    sentence = ""
    if len(found):
        half, most = (fixed(found.quantile(share), 2) for share in (0.5, 0.9))
        sentence = (
            f"Half of the {count(len(found))} percentages lie within {half} points of the printed"
            f" ones, nine tenths within {most}."
        )
    return Figure(
        "agreement",
        f"How far {whose} lie from the printed ones, a row a table",
        f"{sentence} The bands end at 0.5 and 1.5 points; a hundredth of a loss is a point.",
        f"Marks around zero, a row for each table. {sentence}",
    )


def _by_table(inputs: Inputs) -> list[Part]:
    """Return the score of every published table that has a number of this or of the kept run."""
    rows = []
    cells = inputs.cells[inputs.cells["source"] != ""]
    groups = dict(iter(cells.groupby(["source", "table"])))
    for key in sorted(groups, key=lambda pair: table_order(*pair)):
        part = groups[key]
        own, kept = (score_of(part[part["state"] == name]) for name in ("measured", "kept"))
        if not own["comparable"] + kept["comparable"]:
            continue
        numbers = [int(part["published"].notna().sum()), own["comparable"]]
        numbers += [own["match"], own["close"], own["spread"], missed(own)]
        numbers += [kept["comparable"], kept["match"]]
        text = inputs.texts.get(key)
        name = Cell(table_label(*key), small=text.title if text else "")
        rows.append([name, *(count(n) if n else "" for n in numbers)])
    head = ["Table", "Printed", "Measured", "Match", "Close", "Spread", "Not reproduced"]
    head += ["Kept run, of others", "Match there"]
    return [table_of("Score by published table", head, rows)] if rows else []


def _trust(inputs: Inputs) -> list[Part]:
    """Return what a reader can check, and how."""
    git = inputs.run["git"]
    dirty = ", with changes that are not committed" if git.get("dirty") else ""
    raw = sum(map(len, inputs.raw.values()))
    verify = "draws numbers at random, computes them again and compares them to the last digit"
    of_raw = f"; so are the {count(raw)} raw files" if raw else ""
    rows = [
        [Cell("Certificates", href="run.html#certificates"), certificates_sentence(inputs)],
        [Cell("Again from raw data"), f"make verify {verify}."],
        [
            Cell("Sums"),
            f"Every result file has its SHA-256 sum and is refused with another{of_raw}.",
        ],
    ]
    for run, whose in ((MEASURED, "this run"), (KEPT, f"the {inputs.kept_name}")):
        if worth := counts.worth(inputs.frame, run):
            match, chance = (fixed(100 * worth[key], 0) for key in ("match", "chance"))
            text = f"Of the {count(worth['distinct'])} measurements of {whose} that a paper prints"
            text += (
                f" once or more, {match} % match. If the methods were exchanged at random within"
            )
            text += f" each data set and metric, {chance} % would."
            rows.append([Cell("Chance"), text])
    if git.get("commit"):
        rows.append([Cell("Commit", href=web_address(git.get("url"))), git["commit"] + dirty])
    return [table_of("What can be checked", ["Evidence", "What it says"], rows)]
