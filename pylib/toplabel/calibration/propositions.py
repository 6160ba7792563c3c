"""TPAMI Propositions 8 to 13, and the question that the paper leaves open, as a table of what was found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from toplabel.calibration.excess import OPTIMAL, WRONG
from toplabel.calibration.study import Case, MinimumRow

HEADER = (
    "Statement",
    "Loss",
    "Verdict",
    "Cases",
    "Bayes optimal",
    "Not",
    "Least excess",
    "Formula off by",
    "First counterexample",
)

CALIBRATED, NOT_CALIBRATED, OPEN = "calibrated", "not calibrated", "open"


@dataclass(frozen=True)
class Statement:
    """A claim about the top-s sets of some losses.

    Attributes
    ----------
    text, losses : str
    claim : {"calibrated", "not calibrated", "open"}
        What the paper says.
    holds_for : callable
        Which cases it is about.
    """

    text: str
    losses: str
    claim: str
    holds_for: Callable[[Case], bool]


def _of(*keys: str, smooth: bool | None = None, when: Callable[[Case], bool] | None = None):
    def holds(case: Case) -> bool:
        fits = case.loss in keys and (smooth is None or (case.gamma > 0) == smooth)
        return fits and (when is None or when(case))

    return holds


def _first(case: Case) -> float:
    return float(case.p.split()[0])


STATEMENTS = (
    Statement("Prop. 8", "OVA SVM", NOT_CALIBRATED, _of("svm_ova", smooth=False)),
    Statement("Prop. 9", "OVA logistic regression", CALIBRATED, _of("lr_ova")),
    Statement("Prop. 10", "OVA smooth SVM", CALIBRATED, _of("svm_ova", smooth=True)),
    Statement(
        "Prop. 11: top-1, all p below 1/2",
        "multiclass SVM",
        NOT_CALIBRATED,
        _of("svm_multi", smooth=False, when=lambda case: case.s == 1 and _first(case) < 0.5),
    ),
    Statement(
        "Prop. 11: top-s for s > 1",
        "multiclass SVM",
        NOT_CALIBRATED,
        _of("svm_multi", smooth=False, when=lambda case: case.s > 1),
    ),
    Statement("Prop. 12", "softmax", CALIBRATED, _of("lr_multi")),
    Statement(
        "Prop. 13: s ≥ k",
        "truncated top-k entropy",
        CALIBRATED,
        _of("topk_ent_tr", when=lambda case: case.s >= case.k),
    ),
    Statement(
        "Beyond Prop. 13: s = k - 1",
        "truncated top-k entropy",
        OPEN,
        _of("topk_ent_tr", when=lambda case: case.s == case.k - 1),
    ),
    Statement(
        "Beyond Prop. 13: s < k - 1",
        "truncated top-k entropy",
        OPEN,
        _of("topk_ent_tr", when=lambda case: case.s < case.k - 1),
    ),
    Statement(
        "Open: s ≥ k",
        "top-k SVM α",
        OPEN,
        _of("topk_svm_alpha", smooth=False, when=lambda case: case.s >= case.k),
    ),
    Statement(
        "Open: s ≥ k",
        "top-k SVM β",
        OPEN,
        _of("topk_svm_beta", smooth=False, when=lambda case: case.s >= case.k),
    ),
    Statement("Open: all s", "smooth multiclass SVM", OPEN, _of("svm_multi", smooth=True)),
    Statement(
        "Open: s ≥ k",
        "smooth top-k SVM α",
        OPEN,
        _of("topk_svm_alpha", smooth=True, when=lambda case: case.s >= case.k),
    ),
    Statement(
        "Open: s < k",
        "smooth top-k SVM α",
        OPEN,
        _of("topk_svm_alpha", smooth=True, when=lambda case: case.s < case.k),
    ),
    Statement("Open: all s", "smooth top-k SVM β", OPEN, _of("topk_svm_beta", smooth=True)),
    Statement("Open: all s", "top-k entropy", OPEN, _of("topk_ent")),
)


def table(minima: Sequence[MinimumRow], cases: Sequence[Case]) -> list[tuple[str, ...]]:
    """Return a row of text for each of `STATEMENTS`, under `HEADER`."""
    return [
        _row(one, minima, [case for case in cases if one.holds_for(case)]) for one in STATEMENTS
    ]


def _row(one: Statement, minima: Sequence[MinimumRow], cases: list[Case]) -> tuple[str, ...]:
    counts = {
        verdict: sum(case.verdict == verdict for case in cases) for verdict in (OPTIMAL, WRONG)
    }
    undecided = len(cases) - sum(counts.values())
    right = [case.excess for case in cases if case.verdict == OPTIMAL]
    wrong = [case for case in cases if case.verdict == WRONG]
    keys = {(case.loss, case.k, case.gamma) for case in cases}
    off = [
        abs(row.deviation)
        for row in minima
        if (row.loss, row.k, row.gamma) in keys and row.deviation == row.deviation
    ]
    return (
        one.text,
        one.losses,
        _verdict(one, counts[OPTIMAL], counts[WRONG], undecided),
        str(len(cases)),
        str(counts[OPTIMAL]),
        str(counts[WRONG]),
        f"{min(right):.1e}" if right else "",
        f"{max(off):.1e}" if off else "",
        counterexample(wrong[0]) if wrong else "",
    )


def _verdict(one: Statement, right: int, wrong: int, undecided: int) -> str:
    """Say what was found: of a claim whether it is confirmed, of an open question whether it fails."""
    decided = wrong > 0 or (right > 0 and not undecided)
    if one.claim == OPEN:
        found = "fails" if wrong else "no counterexample"
        return found if decided else f"{undecided} cases undecided"
    agrees = decided and (wrong > 0) == (one.claim == NOT_CALIBRATED)
    return "confirmed" if agrees else "NOT CONFIRMED"


def counterexample(case: Case) -> str:
    """Print a case in which minimisers f tie the classes s and s + 1.

    Of the truncated entropy, whose scores run to infinity, there is no f.
    """
    p = ", ".join(case.p.split())
    gamma = f"γ = {case.gamma:g}, " if case.gamma else ""
    f = f"f = ({', '.join(case.scores.split())})" if case.scores else "in the limit"
    return f"k = {case.k}, {gamma}s = {case.s}, p = ({p}): {f}"
