"""The findings of a run: scores, reasons of differences, other readings of the protocols, claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from toplabel.reproduction.compare.cells import CELL
from toplabel.reproduction.compare.claims import OTHER, PRINTED, SAME, SHARED
from toplabel.reproduction.compare.intervals import FAILS, HOLDS, UNDECIDED
from toplabel.reproduction.compare.published import decimals_of
from toplabel.reproduction.compare.verdicts import NOT_REPRODUCED, VERDICTS
from toplabel.reproduction.report.inputs import Inputs
from toplabel.reproduction.report.text import (
    PAPERS,
    WORDS,
    count,
    fixed,
    metric_label,
    signed,
    table_label,
)
from toplabel.reproduction.report.tree import Entry, Fold, Part, Table, Text, table_of

_LARGE = ("letter", "caltech101_silhouettes")  # their tables have three quarters of all numbers
_NAMED = 4  # data sets of a claim that are named; more are counted
_UNKNOWN = "Without a known reason"
_CLAIMS_OF = {PRINTED: "In the papers", SAME: "Here, the same cells", OTHER: "Here, other data"}
OUTCOMES = {HOLDS: "✓ holds", FAILS: "✗ fails", UNDECIDED: "○ undecided"}
"""The words of the outcomes of claims."""
_OVER = {
    "sets": "over data sets",
    "rows": "over test rows",
    "draws": "over draws",
    "digits": "by the printed digits",
}
Claim = Mapping[str, Mapping[str, Any]]
"""The rows of a claim in claims.csv, by the numbers that it was asked of."""


# Scores -------------------------------------------------------------------------------------------


def score_of(cells: pd.DataFrame) -> dict[str, int]:
    """Count cells: "comparable" (measured and published), and each verdict."""
    counts = cells["verdict"].value_counts()
    return {
        "comparable": len(cells[cells["verdict"] != ""]),
        **{key: int(counts.get(key, 0)) for key in VERDICTS},
    }


def missed(score: Mapping[str, int]) -> int:
    """Return the number of cells that are farther from print than close, whatever the direction."""
    return sum(score[key] for key in NOT_REPRODUCED)


def bases(numbers: pd.DataFrame) -> str:
    """Return the scores of the distinct numbers, and of those outside the two largest tables.

    A number that several tables print is measured once.
    """
    judged = numbers[numbers["verdict"] != ""]
    is_large = judged["dataset"].isin(_LARGE) & judged["source"].isin(["tpami2017", "cvpr2016"])
    distinct, outside = score_of(judged.drop_duplicates(CELL)), score_of(judged[~is_large])
    first = f"Of the {count(distinct['comparable'])} distinct ones {_shares(distinct)}"
    if not outside["comparable"]:
        return f"{first}."
    where = "outside the tables of letter and silhouettes"
    return f"{first}; of the {count(outside['comparable'])} {where} {_shares(outside)}."


def _shares(score: Mapping[str, int]) -> str:
    match, far = (100 * n / score["comparable"] for n in (score["match"], missed(score)))
    return f"{match:.0f} % match, {far:.0f} % are not reproduced"


def in_words(score: Mapping[str, int]) -> str:
    """Return a score as "63 match; not reproduced: 4 (1 higher than printed, 3 off)"."""
    near = _counted(score, [key for key in VERDICTS if key not in NOT_REPRODUCED])
    far = _counted(score, NOT_REPRODUCED)
    words = f"not reproduced: {count(missed(score))} ({far})" if far else ""
    return "; ".join(filter(None, [near, words]))


def _counted(counts: Mapping[str, int], keys: Iterable[str]) -> str:
    """Return verdicts with their counts, those that there are."""
    return ", ".join(
        f"{count(counts[key])} {VERDICTS[key].word}" for key in keys if counts.get(key)
    )


def under_found(cells: pd.DataFrame) -> pd.DataFrame:
    """Return cells with the verdict under the found reading where there is one.

    They have no intervals, which are those of the stated readings.
    """
    verdicts = cells["found_verdict"].where(cells["found"].notna(), cells["verdict"])
    return cells.assign(verdict=verdicts, in_rows="")


# Why numbers differ -------------------------------------------------------------------------------


def _by_reason(cells: pd.DataFrame) -> Iterable[tuple[str, str, pd.DataFrame]]:
    """Yield title, verdicts and cells of each reason why cells are not reproduced, most cells first."""
    far = cells[cells["verdict"].isin(NOT_REPRODUCED)]
    groups = [part for _, part in far.groupby("reason", sort=False)]
    groups.sort(key=lambda part: (part["reason"].iloc[0] == "", -len(part)))
    for part in groups:
        counts = _counted(part["verdict"].value_counts().to_dict(), VERDICTS)
        yield part["reason_title"].iloc[0] or _UNKNOWN, counts, part


def reasons_in_short(inputs: Inputs, cells: pd.DataFrame) -> str:
    """Return the reasons why cells are not reproduced, each with its verdicts and its data sets."""
    texts = []
    for title, counts, part in _by_reason(cells):
        sets = ", ".join(map(inputs.title, part["dataset"].unique()))
        texts.append(f"{title} ({sets}: {counts})")
    return "; ".join(texts)


def reasons(inputs: Inputs, cells: pd.DataFrame) -> list[Part]:
    """Return the reasons why cells of the wide frame are not reproduced, with the evidence."""
    parts: list[Part] = []
    for title, counts, part in _by_reason(cells):
        first = part.iloc[0]
        keys = part[["source", "table"]].drop_duplicates().itertuples(index=False, name=None)
        tables = "; ".join(table_label(*key) for key in keys)
        note = f"{first['reason_why'] or 'These cells were not looked into.'} ({tables})"
        parts.append(Text(f"{title}.", lead=counts, note=note, style="item"))
        evidence: list[Part] = [
            Text(text, style="note") for text in part["evidence"].unique() if text
        ]
        if tried := part[part["variant"] != ""].to_dict("records"):
            evidence.append(_experiment(tried, inputs))
        if evidence:
            parts.append(Fold("Evidence", evidence))
    return parts


def _experiment(cells: list[dict[Any, Any]], inputs: Inputs) -> Table:
    """Return the table of what variants of the methods give, the nearest to the printed numbers."""
    rows = []
    for cell in cells:
        decimals = decimals_of(cell["metric"], cell["printed"])
        place = f"{table_label(cell['source'], cell['table'])}, {inputs.title(cell['dataset'])}"
        rows.append(
            [
                Entry(cell["label"], small=f"{place}, {metric_label(cell['metric'])}"),
                cell["printed"],
                Entry(fixed(cell["measured"], decimals), verdict=cell["verdict"]),
                Entry(fixed(cell["variant_value"], decimals), verdict=cell["variant_verdict"]),
                cell["variant"],
            ]
        )
    columns = ["Method", "Printed", "Measured", "Experiment", "Variant of the method"]
    return table_of("The experiments: the variant that is nearest to print", columns, rows)


def readings(inputs: Inputs) -> list[Part]:
    """Return the readings of the protocols that printed numbers had a part in, and the readings
    that were found to fit better than the stated ones, each with the scores of its cells.
    """
    cells = inputs.cells[inputs.cells["verdict"] != ""]
    notes, titles = inputs.notes, {*cells["choice"]}
    chosen = [choice for choice in notes.choices.values() if choice.title in titles]
    otherwise = cells[cells["found"].notna()]
    names = {*otherwise["found_reading"]}
    others = [reading for reading in notes.readings.values() if reading.name in names]
    parts: list[Part] = []
    if chosen:
        parts.append(Text(WORDS["readings"]["choices"], style="note"))
    for choice in chosen:
        note = f"{in_words(score_of(cells[cells['choice'] == choice.title]))}."
        parts.append(Text(choice.chosen, lead=f"{choice.title}.", note=note, style="item"))
    if others:
        parts.append(Text(WORDS["readings"]["found"], style="note"))
    for reading in others:
        part = otherwise[otherwise["found_reading"] == reading.name]
        before, after = in_words(score_of(part)), in_words(score_of(under_found(part)))
        note = f"Stated: {before}. Found: {after}. Printed test numbers had a part in this choice."
        parts.append(Text(reading.found, lead=f"{reading.title}.", note=note, style="item"))
        texts = [Text(text, style="note") for text in (reading.stated, reading.evidence)]
        parts.append(Fold("What is stated, and the evidence", [*texts]))
    return parts


# The claims of the papers -------------------------------------------------------------------------


def claim_parts(inputs: Inputs) -> list[Part]:
    """Return the outcomes of the claims counted, and a table with those that this run can ask; the
    others are folded.
    """
    claims = _by_claim(inputs.comparison.claims)
    asked = [claim for claim in claims if claim[SAME]["outcome"] or claim[OTHER]["outcome"]]
    parts: list[Part] = []
    if claims:
        parts.append(_counts(inputs.comparison.claims, len(claims)))
    if asked:
        kept = {claim[PRINTED]["claim"]: claim for claim in _by_claim(inputs.kept_claims)}
        rows = [
            _entries(claim, kept.get(claim[PRINTED]["claim"], claim), inputs) for claim in asked
        ]
        parts.append(table_of("Claims of the papers", ["Claim", *_CLAIMS_OF.values()], rows))
        words = Text(WORDS["claims"], style="note")
        parts.append(Fold("When a claim holds, and when it fails", [words]))
    if others := [claim[PRINTED] for claim in claims if claim not in asked]:
        lines = [Text(_sentence(row), note=_place(row), style="item") for row in others]
        parts.append(Fold(f"Claims that this run does not test ({len(others)})", [*lines]))
    return parts


def _by_claim(frame: pd.DataFrame) -> list[Claim]:
    """Return the rows of each claim, by the numbers that it was asked of."""
    claims: list[Claim] = []
    for _, part in frame.groupby("claim", sort=False):
        claims.append({row["numbers"]: row for row in part.to_dict("records")})
    return claims


def _counts(claims: pd.DataFrame, number: int) -> Part:
    """Return the table that counts the claims by outcome, in print and here."""
    counts = pd.crosstab(claims["numbers"], claims["outcome"])
    counts = counts.reindex(index=[*_CLAIMS_OF], columns=[*OUTCOMES], fill_value=0)
    names = _CLAIMS_OF | {PRINTED: "In the papers, whole tables"}
    rows = [[names[row.Index], *map(count, row[1:])] for row in counts.itertuples()]
    caption = f"Outcomes of {number} claims of the papers"
    return table_of(caption, ["Asked of", *OUTCOMES.values()], rows)


def _sentence(row: Mapping[str, Any]) -> str:
    return f"{row['says'][:1].upper()}{row['says'][1:]}."


def _place(row: Mapping[str, Any]) -> str:
    return f"{PAPERS[row['source']]}, {row['place']}"


def _entries(claim: Claim, kept: Claim, inputs: Inputs) -> list[Entry]:
    """Return a claim, and its outcome in the papers, on their data and on others.

    In print the cells that were measured here count, and the whole tables stand below them.
    """
    row, shared = claim[PRINTED], claim[SHARED]
    about = f"{_place(row)}: {row['first']} against {row['second']}"
    printed = _outcome(shared if shared["sets"] else row, inputs)
    if shared["sets"] not in (0, row["sets"]):
        whole = _outcome(row, inputs)
        printed.small += f". The whole tables: {whole.text}, {whole.small}"
    other = _outcome(claim[OTHER], inputs)
    if not claim[OTHER]["sets"] and kept[OTHER]["sets"]:
        other = _outcome(kept[OTHER], inputs)
        other.text = f"In the kept run: {other.text}"
    return [Entry(_sentence(row), small=about), printed, _outcome(claim[SAME], inputs), other]


def _outcome(row: Mapping[str, Any], inputs: Inputs) -> Entry:
    """Return an outcome, and below it the numbers behind it."""
    if not row["outcome"]:
        return Entry("")
    names = row["datasets"].split(";")
    sets = f"{row['sets']:.0f} data sets"
    if len(names) <= _NAMED:
        sets = ", ".join(map(inputs.title, names))
    level = row["sets"] - row["wins"] - row["losses"]
    counts = "\u00a0:\u00a0".join(f"{n:.0f}" for n in (row["wins"], level, row["losses"]))
    details = [f"{sets}: {counts}"]
    details.append(f"median {signed(row['difference'], 2)}")
    if row["over"]:
        low, high = signed(row["low"], 2), signed(row["high"], 2)
        details.append(f"{low} to {high} {_OVER[row['over']]}")
    if row["expects"] == "similar":
        points = "1 point" if row["margin"] == 1 else f"{row['margin']:g} points"
        details.append(f"similar within {points}")
    return Entry(OUTCOMES[row["outcome"]], small="; ".join(details))
