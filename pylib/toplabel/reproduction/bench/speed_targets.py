"""The targets of the project's speed, each with what was measured: the table ``targets``."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

COLUMNS = ["work", "case", "target", "measured", "verdict", "by", "note"]


@dataclass(frozen=True)
class Measured:
    """A number that a target is about; `more` if the true one is higher still."""

    value: float
    note: str = ""
    more: bool = False


@dataclass(frozen=True)
class Target:
    """A bound on one measured number.

    Attributes
    ----------
    group : str
        The table that it is read from.
    work, case : str
        What is measured.
    sign : {"≥", "≤"}
        Whether the number is to be at least, or at most, the bound.
    bound : float
    measure : callable
        From that table to a `Measured`, or None when the table lacks it.
    form : str
        Of the numbers as text.
    """

    group: str
    work: str
    case: str
    sign: str
    bound: float
    measure: Callable[[pd.DataFrame], Measured | None]
    form: str = ".3g"

    def judge(self, frame: pd.DataFrame | None, why_missing: str) -> tuple[str, ...]:
        """Return the row of the table, under `COLUMNS`."""
        head = (self.work, self.case, f"{self.sign} {self.bound:{self.form}}")
        found = None if frame is None else self.measure(frame)
        if found is None:
            why = why_missing if frame is None else f"not in {self.group}.csv"
            return (*head, "", "not measured", "", why)
        compare = operator.ge if self.sign == "≥" else operator.le
        missed = "not reached for certain" if found.more else "missed"
        verdict = "reached" if compare(found.value, self.bound) else missed
        measured = ("> " if found.more else "") + f"{found.value:{self.form}}"
        times = found.value / self.bound
        by = f"{times:.2g} times the target" if times > 2 else f"{100 * (times - 1):+.0f} %"
        return (*head, measured, verdict, by, found.note)


def judge(
    frames: Mapping[str, pd.DataFrame], reasons: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """Compare every target with the tables.

    Parameters
    ----------
    frames : mapping of str to DataFrame
        The groups that were measured, by name.
    reasons : mapping of str to str, optional
        Why a group is missing.

    Returns
    -------
    DataFrame
        `COLUMNS`: `verdict` is reached, missed, not reached for certain or not measured; `by` says
        how far the number is from the target, in percent or, far beyond, as a factor.
    """
    reasons = reasons or {}
    rows = [
        one.judge(frames.get(one.group), reasons.get(one.group, "not part of this run"))
        for one in TARGETS
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


# ---- what is measured ----------------------------------------------------------------------------------


def _against(shape: str, loss: str, package: str) -> Callable[[pd.DataFrame], Measured | None]:
    """The time of the best solver of a package over ours."""

    def measure(frame: pd.DataFrame) -> Measured | None:
        rows = frame[(frame["shape"] == shape) & (frame["loss"] == loss)]
        rows = rows[(rows["package"] == package) & rows["ratio"].notna()]
        if rows.empty:
            return None
        reached = rows[rows["reached"] == "yes"]
        # All were given up, after different times: none is faster than the shortest.
        more = reached.empty
        kept = rows if more else reached
        best = kept.loc[kept["ratio"].idxmin()]
        note = f"{best['solver']}{' was given up after' if more else ':'} {best['seconds']:.3g} s"
        return Measured(best["ratio"], note, more)

    return measure


def _worst(column: str, sign: str, label: str, **where) -> Callable:
    """The number of a column that is farthest from its target, among the rows that `where`
    selects.
    """

    def measure(frame: pd.DataFrame) -> Measured | None:
        for name, value in where.items():
            frame = frame[frame[name] == value]
        numbers = frame[column].dropna()
        if numbers.empty:
            return None
        place = numbers.idxmin() if sign == "≥" else numbers.idxmax()
        worst = "worst: " if len(numbers) > 1 else ""
        return Measured(float(numbers[place]), f"{worst}{frame.at[place, label]}")

    return measure


def _sorting_ratio(frame: pd.DataFrame) -> Measured | None:
    rows = frame[(frame["projection"] == "bipartite simplex") & (frame["dimension"] == 10**6)]
    if rows.empty:
        return None
    ours = rows[rows["algorithm"] == "variable fixing"].iloc[0]
    others = rows[rows["algorithm"].str.startswith("sorting")]
    best = others.loc[others["ratio"].idxmin()]
    share = f"ours at {ours['memory_share']:.0%} of memory bandwidth"
    return Measured(best["ratio"], f"the faster of two ({best['algorithm']}); {share}")


def _special(column: str, sign: str) -> Callable[[pd.DataFrame], Measured | None]:
    """The number with AVX2, which the target is about; the remark has those of all clones."""

    def measure(frame: pd.DataFrame) -> Measured | None:
        clones = frame[frame["clone"].fillna("") != ""].dropna(subset=[column])
        numbers = clones.loc[clones["clone"].str.contains("AVX2"), column]
        if numbers.empty:
            return None
        note = "; ".join(f"{row['clone']}: {row[column]:.3g}" for _, row in clones.iterrows())
        return Measured(float(numbers.min() if sign == "≥" else numbers.max()), note)

    return measure


# ---- the targets ---------------------------------------------------------------------------------------

_TRAINING = (
    (
        "svm_multi to 1e-3: LIBLINEAR / ours",
        {"letter": 4, "mnist": 1.5, "a": 4, "b": 2, "c": 4.4, "text": 2.5, "tabular": 1},
    ),
    (
        "lr_multi to 1e-3: best of scikit-learn / ours",
        {"letter": 2, "a": 1.5, "b": 4, "c": 4, "text": 5, "tabular": 1},
    ),
    ("svm_ova to 1e-3: LIBLINEAR / ours", {"letter": 6, "a": 5, "b": 2, "text": 4}),
)
#: Loss, k, gamma, C and most passes on letter.
_PASSES = (
    ("svm_multi", 1, 0.0, 10.0, 100),
    ("svm_multi", 1, 1.0, 10.0, 30),
    ("svm_multi", 1, 1.0, 100.0, 50),
    ("svm_ova", 1, 0.0, 10.0, 60),
    ("topk_svm_alpha", 5, 0.0, 10.0, 60),
)


def _targets() -> Iterator[Target]:
    for work, bounds in _TRAINING:
        loss = work.split()[0]
        package = "scikit-learn" if loss == "lr_multi" else "LIBLINEAR"
        for shape, bound in bounds.items():
            yield Target("training", work, shape, "≥", bound, _against(shape, loss, package))
    work = "seconds per epoch / svm_multi's"
    for loss in ("topk_svm_alpha", "topk_svm_beta"):
        for k, bound in ((1, 1.5), (3, 1.5), (5, 1.5), (10, 2.0)):
            measure = _worst("ratio", "≤", "shape", loss=loss, k=k)
            yield Target("epochs", work, f"{loss}, k = {k}", "≤", bound, measure)
    measure = _worst("ratio", "≤", "shape", loss="topk_ent", k=5)
    yield Target("epochs", "seconds per epoch / lr_multi's", "topk_ent, k = 5", "≤", 4.0, measure)
    for loss in ("svm_ml", "lr_ml"):
        measure = _worst("share", "≥", "sizes", loss=loss)
        yield Target("blas_share", "share of an epoch in BLAS-3", loss, "≥", 0.5, measure, ".0%")
    for shape in ("b", "c"):
        where = {"shape": shape, "dtype": "float32"}
        work, measure = "time of float64 / float32 to 1e-4", _worst("ratio", "≥", "loss", **where)
        yield Target("precision", work, shape, "≥", 1.5, measure)
        measure = _worst("certified_gap", "≤", "loss", **where)
        work = "gap of float32, certified in float64"
        yield Target("precision", work, shape, "≤", 1e-4, measure)
    work = "bipartite projection, d = 10^6: sorting / ours"
    yield Target("projections", work, "", "≥", 20.0, _sorting_ratio)
    yield Target("special", "V(t), AVX2: SciPy / ours", "", "≥", 8.0, _special("ratio", "≥"))
    measure = _special("largest_relative_error", "≤")
    yield Target("special", "V(t): relative error", "", "≤", 5e-15, measure)
    for loss, k, gamma, C, bound in _PASSES:
        where = {"shape": "letter", "loss": loss, "k": k, "gamma": gamma, "C": C}
        case = f"letter, {loss}, k = {k}, gamma = {gamma:g}, C = {C:g}"
        measure = _worst("accelerated", "≤", "shape", **where)
        yield Target("passes", "passes to 1e-3", case, "≤", bound, measure)
    # "Never worse than plain passes by more than a tenth."
    measure = _worst("ratio", "≥", "shape")
    yield Target("passes", "passes: plain / accelerated", "worst", "≥", 1 / 1.1, measure)
    work = "20 values of C, warm: plain / accelerated"
    for loss, gamma in (("svm_multi", 0.0), ("svm_multi", 1.0), ("lr_multi", 0.0)):
        case = f"{loss}, gamma = {gamma:g}" if loss == "svm_multi" else loss
        measure = _worst("seconds_ratio", "≥", "shape", loss=loss, gamma=gamma)
        yield Target("path", work, case, "≥", 3.0, measure)


TARGETS = tuple(_targets())
