"""What became of the papers' claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from toplabel.reproduction.report.inputs import Inputs
from toplabel.reproduction.report.labels import OUTCOMES, paper_label
from toplabel.reproduction.report.numbers import fixed, signed
from toplabel.reproduction.report.sections import table_of
from toplabel.reproduction.report.tree import Cell, Fold, Part, Text
from toplabel.reproduction.report.words import WORDS


def claim_parts(inputs: Inputs) -> list[Part]:
    """Return a sentence on all claims and a table with those that this run can judge; the others
    are folded.
    """
    of_kept = [] if inputs.kept_claims is None else inputs.kept_claims.to_dict("records")
    kept = {row["claim"]: row for row in of_kept}
    rows = inputs.claims.to_dict("records")
    if not rows:
        return []
    tested = [row for row in rows if row["same_outcome"] or row["other_outcome"]]
    parts: list[Part] = [Text(_summary(rows))]
    if tested:
        made = [_row(row, inputs, kept.get(row["claim"], row)) for row in tested]
        head = ["Claim", "In the papers", "Here, the same cells", "Here, other data"]
        parts.append(table_of("Claims of the papers", head, made))
        parts.append(
            Fold("When a claim counts as confirmed", [Text(WORDS["claims"], style="note")])
        )
    if others := [row for row in rows if row not in tested]:
        lines = [Text(_sentence(row), note=_place(row), style="item") for row in others]
        parts.append(Fold(f"Claims that this run does not test ({len(others)})", [*lines]))
    return parts


def _summary(rows: list[dict[str, Any]]) -> str:
    """Count the claims that this run tests, by what became of them."""
    said = []
    for key, where in (("same", "the papers’ own data"), ("other", "other data")):
        counts = Counter(row[f"{key}_outcome"] for row in rows if row[f"{key}_outcome"])
        if counts:
            words = "; ".join(f"{counts[one]} {OUTCOMES[one]}" for one in OUTCOMES if counts[one])
            said.append(f"{counts.total()} on {where} ({words})")
    if not said:
        return f"None of {len(rows)} claims of the papers can be tested on what this run measured."
    return f"Of {len(rows)} claims of the papers this run tests {' and '.join(said)}."


def _sentence(row: Mapping[str, Any]) -> str:
    return f"{row['says'][:1].upper()}{row['says'][1:]}."


def _place(row: Mapping[str, Any]) -> str:
    return f"{paper_label(row['source'])}, {row['place']}"


def _row(row: Mapping[str, Any], inputs: Inputs, kept: Mapping[str, Any]) -> list[Cell]:
    """Return a claim, and its outcome in the papers, on their data and on others."""
    about = f"{_place(row)}: {row['first']} against {row['second']}"
    cells = [Cell(_sentence(row), small=". ".join(filter(None, (about, _rule(row)))))]
    printed = _side(row, "published", inputs)
    if row["shared_comparisons"] not in (0, row["published_comparisons"]):
        whole, printed = printed, _side(row, "shared", inputs)
        printed.small += f"; the whole tables: {whole.text}, {whole.small}"
    cells += [printed, _side(row, "same", inputs)]
    if row["other_comparisons"] or not kept["other_comparisons"]:
        return [*cells, _side(row, "other", inputs)]
    return [*cells, _side(kept, "other", inputs, "In the kept run: ")]


def _rule(row: Mapping[str, Any]) -> str:
    """Return from when on a claim counts as confirmed, where that is not the usual."""
    share = f"{fixed(100 * row['least'], 0)} %"
    if row["expects"] == "neither":
        return "Holds where each side wins a quarter of four comparisons or more"
    if row["ties_win"] == "true":
        return f"Holds from {share} on; a tie counts for the first side"
    return f"Holds from {share} on" if row["least"] != 0.6 else ""


def _side(row: Mapping[str, Any], key: str, inputs: Inputs, lead: str = "") -> Cell:
    """Return the outcome on one side, and below it what the comparisons gave."""

    def interval(name: str, of: str) -> str:
        low, high = (signed(row[f"{key}_{name}_{end}"], 2) for end in ("low", "high"))
        return f"95 % {low} to {high} over {of}" if low and high else ""

    number = row[f"{key}_comparisons"]
    if not number:
        return Cell("")
    first, second = row[f"{key}_first"], row[f"{key}_second"]
    counted = f"{first:.0f} : {number - first - second:.0f} : {second:.0f}"
    if row["expects"] == "similar":
        points = "1 point" if row["margin"] == 1 else f"{row['margin']:g} points"
        counted = f"{row[f'{key}_within']:.0f} of {number:.0f} within {points}"
    details = [counted, f"median {signed(row[f'{key}_median'], 2)}"]
    if key in ("same", "other"):
        sets = map(inputs.title, row[f"{key}_datasets"].split(";"))
        details[0] = f"{', '.join(sets)}: {counted}"
        details += [interval("rows", "test rows"), interval("median", "comparisons")]
        p = row[f"{key}_adjusted"]
        details.append("p < 0.001" if p < 0.001 else fixed(p, 3) and f"p = {fixed(p, 3)}")
    words = f"{lead}{OUTCOMES[row[f'{key}_outcome']]}"
    if row[f"{key}_outcome"] == "consistent":
        words += f" (n = {number:.0f})"
    return Cell(words, small="; ".join(filter(None, details)))
