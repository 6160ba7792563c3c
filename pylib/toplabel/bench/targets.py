"""The targets of the project's speed, each with what was measured: the group ``targets``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

COLUMNS = ["work", "case", "target", "measured", "verdict", "by", "note"]
Frames = Mapping[str, pd.DataFrame]


@dataclass(frozen=True)
class Measured:
    """A number that a target is about; `more` if the true one is higher still."""

    value: float
    note: str = ""
    more: bool = False


@dataclass(frozen=True)
class Target:
    """What is asked of one number.

    Attributes
    ----------
    work, case : str
        What is measured.
    bound : float
    least : bool
        Whether the number is to be at least, or at most, the bound.
    group : str
        The table that it is read from.
    measure : callable
        From that table to a `Measured`, or None when the table lacks it.
    form : str
        Of the numbers as text.
    """

    work: str
    case: str
    bound: float
    least: bool
    group: str
    measure: Callable[[pd.DataFrame], Measured | None]
    form: str = ".3g"


def judge(frames: Frames, reasons: Mapping[str, str] | None = None) -> pd.DataFrame:
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
        `COLUMNS`: `verdict` is reached, missed or not measured, `by` how far the number is on that side of the target.
    """
    rows = []
    for target in TARGETS:
        sign = "≥" if target.least else "≤"
        wanted = f"{sign} {target.bound:{target.form}}"
        frame = frames.get(target.group)
        found = None if frame is None else target.measure(frame)
        if found is None:
            why = (reasons or {}).get(target.group, "not part of this run")
            why = why if frame is None else f"not in {target.group}.csv"
            rows.append((target.work, target.case, wanted, "", "not measured", "", why))
            continue
        better = found.value >= target.bound if target.least else found.value <= target.bound
        measured = ("> " if found.more else "") + f"{found.value:{target.form}}"
        verdict = "reached" if better else "not reached for certain" if found.more else "missed"
        by = _distance(found.value, target.bound)
        rows.append((target.work, target.case, wanted, measured, verdict, by, found.note))
    return pd.DataFrame(rows, columns=COLUMNS)


def _distance(value: float, bound: float) -> str:
    """Say how far a number is from its bound, in percent or, far away, as a factor."""
    if value > 2 * bound:
        return f"{value / bound:.2g} times the target"
    return f"{100 * (value / bound - 1):+.0f} %"


# ---- training ----------------------------------------------------------------------------------------


def _against(shape: str, loss: str, package: str) -> Callable[[pd.DataFrame], Measured | None]:
    """The time of the best solver of a package over ours."""

    def measure(frame: pd.DataFrame) -> Measured | None:
        rows = frame[(frame["shape"] == shape) & (frame["loss"] == loss)]
        rows = rows[rows["package"] == package]
        reached = rows[rows["reached"] == "yes"]
        if not reached.empty:
            best = reached.loc[reached["ratio"].idxmin()]
            return Measured(best["ratio"], f"{best['solver']}: {best['seconds']:.3g} s")
        if rows["ratio"].isna().all():
            return None
        # Given up, each after a different time: all that is known is that none is faster than the shortest.
        best = rows.loc[rows["ratio"].idxmin()]
        note = f"{best['solver']} was given up after {best['seconds']:.3g} s"
        return Measured(best["ratio"], note, more=True)

    return measure


def _training() -> Iterator[Target]:
    words = {
        "svm_multi": ("LIBLINEAR", "svm_multi to 1e-3: LIBLINEAR / ours"),
        "lr_multi": ("scikit-learn", "lr_multi to 1e-3: best of scikit-learn / ours"),
        "svm_ova": ("LIBLINEAR", "svm_ova to 1e-3: LIBLINEAR / ours"),
    }
    bounds = {
        "svm_multi": {
            "letter": 4,
            "mnist": 1.5,
            "a": 4,
            "b": 2,
            "c": 4.4,
            "text": 2.5,
            "tabular": 1,
        },
        "lr_multi": {"letter": 2, "a": 1.5, "b": 4, "c": 4, "text": 5, "tabular": 1},
        "svm_ova": {"letter": 6, "a": 5, "b": 2, "text": 4},
    }
    for loss, of_shapes in bounds.items():
        package, work = words[loss]
        for shape, bound in of_shapes.items():
            yield Target(work, shape, bound, True, "training", _against(shape, loss, package))


# ---- one number out of a table -----------------------------------------------------------------------


def _worst(column: str, least: bool, label: str, **where) -> Callable:
    """The smallest (if `least`) or largest number of a column among the rows that `where` selects."""

    def measure(frame: pd.DataFrame) -> Measured | None:
        for name, value in where.items():
            frame = frame[frame[name] == value]
        numbers = frame[column].dropna()
        if numbers.empty:
            return None
        place = numbers.idxmin() if least else numbers.idxmax()
        worst = "worst: " if len(numbers) > 1 else ""
        return Measured(float(numbers[place]), f"{worst}{frame.at[place, label]}")

    return measure


def _epochs() -> Iterator[Target]:
    for loss in ("topk_svm_alpha", "topk_svm_beta"):
        for k, bound in ((1, 1.5), (3, 1.5), (5, 1.5), (10, 2.0)):
            measure = _worst("ratio", False, "shape", loss=loss, k=k)
            yield Target(
                "seconds an epoch / svm_multi's",
                f"{loss}, k = {k}",
                bound,
                False,
                "epochs",
                measure,
            )
    measure = _worst("ratio", False, "shape", loss="topk_ent", k=5)
    yield Target("seconds an epoch / lr_multi's", "topk_ent, k = 5", 4.0, False, "epochs", measure)


def _share() -> Iterator[Target]:
    for loss in ("svm_ml", "lr_ml"):
        measure = _worst("share", True, "sizes", loss=loss)
        yield Target("share of an epoch in BLAS-3", loss, 0.5, True, "blas_share", measure, ".0%")


def _precision() -> Iterator[Target]:
    for shape in ("b", "c"):
        measure = _worst("ratio", True, "loss", shape=shape, dtype="float32")
        yield Target("time of float64 / float32 to 1e-4", shape, 1.5, True, "precision", measure)
        measure = _worst("certified_gap", False, "loss", shape=shape, dtype="float32")
        yield Target(
            "gap of float32, certified in float64", shape, 1e-4, False, "precision", measure
        )


def _sorting_ratio(frame: pd.DataFrame) -> Measured | None:
    rows = frame[(frame["projection"] == "bipartite simplex") & (frame["dimension"] == 10**6)]
    ours = rows[rows["algorithm"] == "variable_fixing"]
    others = rows[rows["algorithm"].str.startswith("sorting")]
    if ours.empty or others.empty:
        return None
    best = others.loc[others["ratio"].idxmin()]
    share = ours["memory_share"].iloc[0]
    note = f"the faster of two ({best['algorithm']}); ours at {share:.0%} of memory bandwidth"
    return Measured(best["ratio"], note)


def _special(column: str, least: bool) -> Callable[[pd.DataFrame], Measured | None]:
    def measure(frame: pd.DataFrame) -> Measured | None:
        rows = frame[frame["clone"].str.contains("AVX2", na=False)].dropna(subset=[column])
        if rows.empty:
            return None
        worst = rows[column].min() if least else rows[column].max()
        everywhere = frame[frame["clone"].fillna("") != ""].dropna(subset=[column])
        others = [f"{row['clone']}: {row[column]:.3g}" for _, row in everywhere.iterrows()]
        return Measured(float(worst), "; ".join(others))

    return measure


def _passes() -> Iterator[Target]:
    goals = (
        ("svm_multi", 1, 0.0, 10.0, 100),
        ("svm_multi", 1, 1.0, 10.0, 30),
        ("svm_multi", 1, 1.0, 100.0, 50),
        ("svm_ova", 1, 0.0, 10.0, 60),
        ("topk_svm_alpha", 5, 0.0, 10.0, 60),
    )
    for loss, k, gamma, C, bound in goals:
        where = {"shape": "letter", "loss": loss, "k": k, "gamma": gamma, "C": C}
        case = f"letter, {loss}, k = {k}, gamma = {gamma:g}, C = {C:g}"
        measure = _worst("accelerated", False, "shape", **where)
        yield Target("passes to 1e-3", case, bound, False, "passes", measure)
    # "Never worse than plain passes by more than a tenth."
    measure = _worst("ratio", True, "shape")
    yield Target("passes: plain / accelerated", "worst", 1 / 1.1, True, "passes", measure)


def _path() -> Iterator[Target]:
    for loss, gamma in (("svm_multi", 0.0), ("svm_multi", 1.0), ("lr_multi", 0.0)):
        case = f"{loss}, gamma = {gamma:g}" if loss == "svm_multi" else loss
        measure = _worst("seconds_ratio", True, "shape", loss=loss, gamma=gamma)
        yield Target("20 values of C, warm: plain / accelerated", case, 3.0, True, "path", measure)


TARGETS = (
    *_training(),
    *_epochs(),
    *_share(),
    *_precision(),
    Target(
        "bipartite projection, d = 10^6: sorting / ours",
        "",
        20.0,
        True,
        "projections",
        _sorting_ratio,
    ),
    Target("V(t), AVX2: SciPy / ours", "", 8.0, True, "special", _special("ratio", True)),
    Target(
        "V(t): relative error",
        "",
        5e-15,
        False,
        "special",
        _special("largest_relative_error", False),
    ),
    *_passes(),
    *_path(),
)
