"""The front page: the result first, then why numbers differ, the claims, and what can be checked."""

from __future__ import annotations

from toplabel.reproduction.compare.cells import KEPT, MEASURED, PUBLISHED
from toplabel.reproduction.compare.verdicts import CLOSE, TOLERANCE, VERDICTS
from toplabel.reproduction.report import beside, findings
from toplabel.reproduction.report.background import kinds_of_missing
from toplabel.reproduction.report.figures import charts
from toplabel.reproduction.report.findings import missed, score_of
from toplabel.reproduction.report.inputs import Inputs
from toplabel.reproduction.report.text import PAPERS, WORDS, count, fixed
from toplabel.reproduction.report.tree import (
    Entry,
    Figure,
    Fold,
    Page,
    Part,
    Section,
    Text,
    table_of,
)

NAME = "index"
_EVIDENCE = "docs/what-to-use.md"
_WORDS = WORDS["front"]


def result(inputs: Inputs) -> tuple[str, str]:
    """Return the result in a word or two, and in a sentence."""
    score = score_of(inputs.cells_in(MEASURED))
    match, compared = score["match"], score["comparable"]
    if not compared:
        best = beside.headline(inputs)
        if best and not inputs.of_papers:
            return "Own data", best
        word = "Own data" if best else "Not testable"
        return word, "No published number was measured in this run."
    sentence = (
        f"{count(match)} of {count(compared)} published numbers that were measured here match."
    )
    if inputs.run["budget"] == "quick":
        return "Not testable", sentence
    near = (match + score["close"]) / compared
    return "Agrees" if near >= 0.9 else "Partly" if near >= 0.5 else "Disagrees", sentence


def _scale(inputs: Inputs) -> str:
    """Return how many numbers the papers print, how many are measured, and why others are not."""
    if not inputs.of_papers:
        return ""
    own, kept, none = map(inputs.cells_in, (MEASURED, KEPT, PUBLISHED))
    own = own[own["printed"] != ""]
    causes = kinds_of_missing(none).value_counts()
    lacking = "; ".join(f"for {count(number)}, {why}" for why, number in causes.items())
    measured = f"{count(len(own))} are measured in this run"
    if len(kept):
        measured += f", {count(len(kept))} more were in the {inputs.kept_name}"
    total = count(len(own) + len(kept) + len(none))
    scale = f"The papers print {total} numbers: {measured}, and {count(len(none))} in neither"
    scale += f" ({lacking})." if lacking else "."
    return f"{findings.bases(own)} {scale}" if score_of(own)["comparable"] else scale


def front_page(inputs: Inputs) -> tuple[Page, dict[str, str]]:
    """Return the front page, and the drawings that it shows, SVG by name."""
    state = MEASURED if score_of(inputs.cells_in(MEASURED))["comparable"] else KEPT
    points = charts.points_of(inputs.cells_in(state))
    pictures = {"agreement": charts.draw_agreement(points)} if len(points) else {}
    methods = [] if inputs.of_papers else beside.front_parts(inputs)
    score = [*_warnings(inputs), *methods, *_scores(inputs)]
    score += [_agreement(state, inputs)] if pictures else []
    files = _WORDS["downloads"] | ({} if inputs.of_papers else beside.files(inputs))
    rows = [[Entry(file, href=file), words] for file, words in files.items()]
    losses = Text(_WORDS["losses"], link=_EVIDENCE, href=f"../{_EVIDENCE}")
    claims = findings.claim_parts(inputs)
    sections = [
        Section("score", "", score),
        Section("differences", "Why numbers differ", _differences(inputs)),
        Section("readings", "Other readings of the protocols", findings.readings(inputs)),
        Section("findings", "What the papers say, and whether this run agrees", claims),
        Section("losses", "Which loss for top-5?", [losses] if inputs.of_papers else []),
        Section("downloads", "To take away", [table_of("Files", ["File", "What it is"], rows)]),
    ]
    return Page(
        NAME, "Result", _scale(inputs), [section for section in sections if section.parts]
    ), pictures


def _differences(inputs: Inputs) -> list[Part]:
    """Return the reasons why numbers of this run, and of the kept run beside it, are not reproduced."""
    parts = findings.reasons(inputs, inputs.cells_in(MEASURED))
    if of_kept := findings.reasons(inputs, inputs.cells_in(KEPT)):
        title = f"In the {inputs.kept_name}, of cells that this run did not measure"
        parts.append(Fold(title, of_kept))
    return parts


def _warnings(inputs: Inputs) -> list[Part]:
    """Return the warnings of the budget, of missing results and of own data."""
    parts: list[Part] = []
    if inputs.run["budget"] == "quick":
        parts.append(Text(_WORDS["quick"], style="alert"))
    if inputs.missing:
        number = count(len(inputs.missing))
        text = f"Of the results that the config asks for, {number} are not there or are of another config."
        parts.append(Text(text, link="Which", href="data.html#unfinished", style="alert"))
    for name in inputs.run["config"].get("datasets") or ():  # those of the papers are as they are
        for advice in inputs.metas.get(name, {}).get("advice", ()):
            parts.append(Text(advice, lead=f"{inputs.title(name)}:", style="alert"))
    return parts


def _scores(inputs: Inputs) -> list[Part]:
    """Return the scores of this run, of the kept run and of each paper."""
    own, kept = inputs.cells_in(MEASURED), inputs.cells_in(KEPT)
    cells_of = {"This run": own}
    if own["found"].notna().any():
        of_kept = len(own[own["found_run"] == KEPT])
        name = "This run, under the found readings"
        name += f" ({of_kept} numbers of the kept run)" if of_kept else ""
        cells_of[name] = findings.under_found(own)
    cells_of["The kept run, where this run has no number"] = kept
    for source, name in PAPERS.items():
        cells_of[f"This run: {name}"] = own[own["source"] == source]
    rows = []
    for name, cells in cells_of.items():
        score, judged = score_of(cells), cells[cells["verdict"] != ""]
        counts = [score["comparable"], score["match"], score["close"], missed(score)]
        counts += [score["spread"], len(judged[judged["stopped"]])]
        drawn = judged[judged["in_rows"] != ""]
        inside = drawn[drawn["in_rows"] == "true"]
        share = f"{count(len(inside))} of {count(len(drawn))}" if len(drawn) else ""
        if score["comparable"]:
            rows.append([name, *map(count, counts), share])
    if not rows:
        return []
    meanings = {key: verdict.meaning for key, verdict in VERDICTS.items()}
    note = _WORDS["verdicts"].format(**meanings)
    if kept["verdict"].ne("").any():
        note += f" {_WORDS['kept'].format(kept=inputs.kept_name)}"
    columns = ["Numbers of", "Compared", "Match", "Close", "Not reproduced", "Within spread"]
    columns += ["Not converged", "In our interval"]
    return [table_of("Scores", columns, rows), Text(note, style="note")]


def _agreement(state: str, inputs: Inputs) -> Figure:
    """Return the chart, and how near the percentages among its numbers are to the printed ones."""
    whose = (
        "the measured numbers" if state == MEASURED else f"the numbers of the {inputs.kept_name},"
    )
    sentence = ""
    if distances := inputs.comparison.totals["distances"][state]:
        half, most = fixed(distances["half"], 2), fixed(distances["nine_tenths"], 2)
        sentence = (
            f"Half of the {count(distances['numbers'])} percentages lie within {half} points of the"
            f" printed ones, nine tenths within {most}."
        )
    bands = _WORDS["bands"].format(match=TOLERANCE, close=CLOSE * TOLERANCE)
    return Figure(
        "agreement",
        f"How far {whose} lie from the printed ones, a row a table",
        f"{sentence} {bands}",
        f"Marks around zero, a row for each table. {sentence}",
    )
