"""The front page: the result first, then why numbers differ, the claims, and what can be checked."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from toplabel.reproduction.compare.cells import KEPT, MEASURED
from toplabel.reproduction.compare.counts import worth as worth_of
from toplabel.reproduction.report import differences
from toplabel.reproduction.report.figures import agreement
from toplabel.reproduction.report.findings import claim_parts
from toplabel.reproduction.report.inputs import Inputs
from toplabel.reproduction.report.labels import (
    PAPERS,
    VERDICTS,
    paper_label,
    table_label,
    table_order,
)
from toplabel.reproduction.report.numbers import count, fixed
from toplabel.reproduction.report.run_page import certificates
from toplabel.reproduction.report.score import missed, score_of
from toplabel.reproduction.report.sections import best_of_own, best_sentence, table_of
from toplabel.reproduction.report.tree import Cell, Figure, Fold, Page, Part, Section, Text
from toplabel.reproduction.report.words import WORDS

NAME = "index"
_WORDS = WORDS["front"]


def result(inputs: Inputs) -> tuple[str, str]:
    """Return the result in a word or two, and in a sentence."""
    score = score_of(_own(inputs))
    match, all_ = score["match"], score["comparable"]
    if not all_:
        best = best_sentence(inputs)
        if best and not inputs.of_papers:
            return "Own data", best
        word = "Own data" if best else "Not testable"
        return word, "No published number was measured in this run."
    sentence = f"{count(match)} of {count(all_)} published numbers that were measured here match."
    if inputs.run["budget"] == "quick":
        return "Not testable", sentence
    near = (match + score["close"]) / all_
    return "Agrees" if near >= 0.9 else "Partly" if near >= 0.5 else "Disagrees", sentence


def front_page(inputs: Inputs) -> tuple[Page, dict[str, str]]:
    """Return the front page, and the drawings that it shows, SVG by name."""
    pictures: dict[str, str] = {}
    files = [[Cell(file, href=file), words] for file, words in _WORDS["downloads"].items()]
    sections = (
        ("score", "", _score_parts(inputs, pictures)),
        ("differences", "Why numbers differ", _differences(inputs)),
        ("readings", "Other readings of the protocols", differences.readings(inputs)),
        ("findings", "What the papers say, and whether this run agrees", claim_parts(inputs)),
        ("losses", "Which loss for top-5?", [Text(_WORDS["losses"])] if inputs.of_papers else []),
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
    parts = differences.reasons(_own(inputs), with_tables=True)
    if of_kept := differences.reasons(_kept(inputs), with_tables=True):
        title = f"In the {inputs.kept_name}, of cells that this run did not measure"
        parts.append(Fold(title, of_kept))
    return parts


def _score_parts(inputs: Inputs, pictures: dict[str, str]) -> list[Part]:
    parts: list[Part] = []
    if inputs.run["budget"] == "quick":
        parts.append(Text(_WORDS["quick"], style="alert"))
    if inputs.missing:
        text = f"The run did not finish: of its results it lacks {count(len(inputs.missing))}."
        parts.append(Text(text, link="Which", href="data.html#unfinished", style="alert"))
    for name in inputs.config.get("datasets") or ():  # those of the papers are as they are
        advice = inputs.metas.get(name, {}).get("advice", ())
        parts += [Text(one, lead=f"{inputs.title(name)}:", style="alert") for one in advice]
    own, best = _own(inputs), best_of_own(inputs)
    compared = bool(score_of(own)["comparable"])
    if best and not compared:
        parts += [best, Text(_WORDS["best"], style="note")]
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
    rows = {"This run": own}
    if own["found"].notna().any():
        of_kept = int((own["found_run"] == KEPT).sum())
        name = "This run, under the found readings"
        name += f" ({of_kept} numbers of the kept run)" if of_kept else ""
        rows[name] = differences.under_found(own)
    rows["The kept run, where this run has no number"] = kept
    for source in PAPERS:
        rows[f"This run: {paper_label(source)}"] = own[own["source"] == source]
    near = [VERDICTS[key] for key in ("match", "close", "spread")]
    note = " ".join(f"{one.word.capitalize()}: {one.meaning}." for one in near)
    if kept["verdict"].ne("").any():
        note += f" {_WORDS['kept'].format(kept=inputs.kept_name)}"
    table = _score_table("Scores", rows)
    return [*table, Text(note, style="note")] if table else []


def _by_table(inputs: Inputs) -> list[Part]:
    """Return the score of every published table that has a number of this or of the kept run."""
    rows = {}
    for key in sorted(inputs.texts, key=lambda pair: table_order(*pair)):
        title = f"{table_label(*key)}: {inputs.texts[key].title}"
        for name, part in ((title, _own(inputs)), (f"{title} (kept run)", _kept(inputs))):
            rows[name] = part[(part["source"] == key[0]) & (part["table"] == key[1])]
    return _score_table("Score by published table", rows)


def _score_table(caption: str, rows: Mapping[str, pd.DataFrame]) -> list[Part]:
    """Return the scores of named cells as a table, without those that have no compared number."""
    made = []
    for name, part in rows.items():
        score = score_of(part)
        stopped = int((part["stopped"] & (part["verdict"] != "")).sum())
        counts = [score[key] for key in ("comparable", "match", "close")]
        if score["comparable"]:
            counts += [missed(score), score["spread"], stopped]
            made.append([name, *map(count, counts)])
    head = ["Numbers of", "Compared", "Match", "Close", "Not reproduced", "Within spread"]
    head.append("Not converged")
    return [table_of(caption, head, made)] if made else []


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
        f"{sentence} {_WORDS['bands']}",
        f"Marks around zero, a row for each table. {sentence}",
    )


def _trust(inputs: Inputs) -> list[Part]:
    """Return what a reader can check, and how."""
    rows = [[Cell("Certificates", href="run.html#certificates"), certificates(inputs)]]
    if inputs.of_papers:
        rows.append([Cell("Again from raw data"), _WORDS["verify"]])
    rows.append([Cell("Sums"), _WORDS["sums"]])
    for run, whose in ((MEASURED, "this run"), (KEPT, f"the {inputs.kept_name}")):
        if worth := worth_of(inputs.frame, run):
            shares = {key: fixed(100 * worth[key], 0) for key in ("match", "chance")}
            distinct = count(worth["distinct"])
            text = _WORDS["chance"].format(distinct=distinct, whose=whose, **shares)
            rows.append([Cell("Chance"), text])
    return [table_of("What can be checked", ["Evidence", "What it says"], rows)]
