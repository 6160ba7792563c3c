"""The findings in words: what the papers say, what their tables say, what this run says."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from toplabel.reproduction.reporting import numbers
from toplabel.reproduction.reporting.inputs import ReportInputs
from toplabel.reproduction.reporting.labels import paper_label
from toplabel.reproduction.reporting.trace import Trace


@dataclass(frozen=True)
class Side:
    """What a claim's comparisons give in one place: the papers' tables, the same data, other data.

    `state` is a key of `OUTCOMES`; `low`, `median` and `high` are quartiles in points, NaN without
    a comparison.
    """

    state: str
    text: str
    low: float
    median: float
    high: float


@dataclass(frozen=True)
class Finding:
    """One claim; texts are in the small markup of `toplabel.reproduction.reporting.labels`.

    `rule` says from when on it counts as confirmed; `same` is what was measured on the papers'
    data, `other` the rest; `kept` is what the kept run says of other data, where this one has none.
    """

    anchor: str
    says: str
    source: str
    place: str
    rule: str
    papers: Side
    same: Side
    other: Side
    kept: str = ""

    @property
    def sides(self) -> tuple[Side, Side, Side]:
        """The papers' and ours."""
        return self.papers, self.same, self.other

    @property
    def tested(self) -> bool:
        """Whether this run has a comparison."""
        return bool(self.same.state or self.other.state)


@dataclass(frozen=True)
class Outcome:
    """What became of a claim."""

    key: str
    mark: str
    word: str


OUTCOMES = {
    state.key: state
    for state in (
        Outcome("holds", "✓", "confirmed"),
        Outcome("smaller", "↘", "same direction, smaller"),
        Outcome("undecided", "○", "not decided by the test rows"),
        Outcome("mixed", "≈", "mixed"),
        Outcome("fails", "✗", "not confirmed"),
        Outcome("few", "·", "too few comparisons"),
        Outcome("", "·", "not tested"),
    )
}


def build_findings(inputs: ReportInputs, trace: Trace) -> list[Finding]:
    """Return the claims, those that this run can judge first."""
    kept = inputs.kept.claims.set_index("claim").to_dict("index") if inputs.kept else {}
    found = [
        _finding(row, trace, kept.get(row["claim"], {}))
        for row in inputs.findings.to_dict("records")
    ]
    return sorted(found, key=lambda one: not one.tested)


def _finding(row: dict[str, str], trace: Trace, kept: dict[str, str]) -> Finding:
    says = row["says"]
    outcome = "" if row["other_outcome"] else kept.get("other_outcome", "")
    of = f"{kept.get('other_comparisons', 0)} comparisons"
    return Finding(
        anchor=f"claim-{row['claim'].replace('_', '-')}",
        says=says[:1].upper() + says[1:] + ".",
        source=row["source"],
        place=f"{paper_label(row['source'])}, {row['place']}",
        rule=_rule(row),
        papers=_side(row, "published", _papers(row)),
        same=_side(row, "same", _ours(row, "same", trace)),
        other=_side(row, "other", _ours(row, "other", trace)),
        kept=f"The kept run, on other data: {OUTCOMES[outcome].word} ({of})." if outcome else "",
    )


def _side(row: dict[str, str], prefix: str, text: str) -> Side:
    quartiles = (float(row[f"{prefix}_{name}"] or "nan") for name in ("low", "median", "high"))
    return Side(row[f"{prefix}_outcome"], text, *quartiles)


_USUAL = 0.6  # of the decided comparisons: the rule that stands above all claims (docs/results.md)


def _rule(row: dict[str, str]) -> str:
    """From when on the claim counts as confirmed, where that is not the usual rule."""
    if row["expects"] == "neither":
        return "Confirmed where each side wins a quarter of four comparisons or more."
    share = f"Confirmed from {100 * float(row['least']):.0f} %"
    if row["expects"] == "similar":
        return f"{share} of the comparisons on."
    if row["ties_win"] == "true":
        return f"{share} of all comparisons on; a tie counts for {row['first']}, as it may share the best number."
    return "" if float(row["least"]) == _USUAL else f"{share} of the decided comparisons on."


def _papers(row: dict[str, str]) -> str:
    if row["published_comparisons"] == "0":
        return "The papers’ tables have no number to compare."
    return f"In the papers’ tables {_count(row, 'published')}."


def _ours(row: dict[str, str], prefix: str, trace: Trace) -> str:
    if row[f"{prefix}_comparisons"] == "0":
        return "Nothing measured."
    sets = ", ".join(trace.title(name) for name in row[f"{prefix}_datasets"].split(";"))
    text = f"On {sets}: {_count(row, prefix)}"
    if prefix == "same" and row["expects"] == "first" and int(row["both"]) > 1:
        text += f"; {row['agree']} of {row['both']} agree with the papers"
    return text + "."


def _count(row: dict[str, str], prefix: str) -> str:
    """Say who is ahead how often and by how much, or how often the sides are close."""
    total, first, second = (
        int(row[f"{prefix}_{name}"]) for name in ("comparisons", "first", "second")
    )
    median = float(row[f"{prefix}_median"])
    if total == 1:
        return _single(row, first - second, median) + _by_rows(row, prefix, "; ")
    if row["expects"] == "similar":
        margin = _points(float(row["margin"]), 0)
        within = row[f"{prefix}_within"]
        text = f"{row['first']} and {row['second']} are within {margin} in {within} of {total} comparisons"
    else:
        text = _wins(row, total, first, second)
    rows = _by_rows(row, prefix, ", ") + _tested(row, prefix)
    return f"{text} (median difference {numbers.signed(median, 1)} points{rows})"


def _tested(row: dict[str, str], prefix: str) -> str:
    """Return the interval of the median over comparisons and the corrected p-value, if known."""
    text = ""
    low, high = (row.get(f"{prefix}_median_{end}", "") for end in ("low", "high"))
    if low and high:
        ends = (numbers.signed(float(end), 1) for end in (low, high))
        text = f", 95 % interval over comparisons {' to '.join(ends)}"
    if p := row.get(f"{prefix}_adjusted", ""):
        text += f", p {_p(float(p))} after Holm’s correction"
    return text


def _p(value: float) -> str:
    return "below 0.001" if value < 0.001 else f"= {numbers.fixed(value, 3)}"


def _by_rows(row: dict[str, str], prefix: str, before: str) -> str:
    """Return the interval of the median over test rows; empty where it is not known."""
    ends = [row.get(f"{prefix}_rows_{name}", "") for name in ("low", "high")]
    if "" in ends:
        return ""
    low, high = (numbers.signed(float(end), 1) for end in ends)
    return f"{before}{low} to {high} on 95 % of draws of the test rows"


def _wins(row: dict[str, str], total: int, first: int, second: int) -> str:
    ties = total - first - second
    if row["ties_win"] == "true":
        won = f"{first + ties} of {total} comparisons go to {row['first']}"
        won += f", {ties} of them as ties" if ties else ""
        return f"{won}, {second} to {row['second']}"
    text = f"{first} of {total} comparisons go to {row['first']}, {second} to {row['second']}"
    return text + (f", {ties} to neither" if ties else "")


def _single(row: dict[str, str], sign: int, difference: float) -> str:
    ahead, behind = (row["first"], row["second"])[:: sign or (1 if difference > 0 else -1)]
    text = f"the difference is {_points(abs(difference), 1)} in favour of {ahead}, against {behind}"
    if sign:
        return text
    if round(abs(difference), 1) < 0.1:
        return f"{row['first']} and {row['second']} are level"
    return f"{text}, which is within two standard errors over the draws"


def _points(value: float, decimals: int) -> str:
    text = numbers.fixed(value, decimals)
    return f"{text} {'point' if text in ('1', '1.0') else 'points'}"


def summary(found: list[Finding]) -> str:
    """Return what became of the claims, in two sentences; empty without claims."""
    if not found:
        return ""
    if not any(one.tested for one in found):
        return f"None of {len(found)} claims of the papers can be tested on what this run measured."
    parts = (("same", "the papers’ own data"), ("other", "other data"))
    said = [_outcomes([getattr(one, key).state for one in found], where) for key, where in parts]
    return (
        f"Of {len(found)} claims of the papers this run tests {' and '.join(filter(None, said))}."
    )


def _outcomes(states: list[str], where: str) -> str:
    counts = Counter(filter(None, states))
    words = [f"{counts[key]} {OUTCOMES[key].word}" for key in OUTCOMES if counts[key]]
    return f"{counts.total()} on {where} ({'; '.join(words)})" if counts else ""
