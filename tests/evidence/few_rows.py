"""Evidence for few rows: ``python tests/evidence/few_rows.py [SET ...]`` prints the micro F1 of ways to choose
C, the intercept and the threshold of `MultilabelClassifier`, on rows that had no part in the choice.

Of each set so many rows are drawn at random for training, and up to 30 labels that at least three of them
have; "rare" are those of the fewest rows, so that many rows are without a label. Features have unit variance.
Beside them stands one-vs-rest logistic regression with nothing set. Raw files are those of
``tests/evidence/defaults.py``.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from defaults import load, scaled
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedKFold
from sklearn.multiclass import OneVsRestClassifier
from threadpoolctl import threadpool_limits

from toplabel import metrics, solve
from toplabel.thresholds import GRID

CASES = [
    ("emotions", 200, False),
    ("scene", 200, False),
    ("yeast", 250, False),
    ("medical", 250, False),
    ("enron", 320, False),
    ("bibtex", 320, False),
    ("corel5k", 320, False),
    ("yeast", 320, True),
    ("enron", 320, True),
    ("bibtex", 320, True),
]
DRAWS = 3
SETTINGS = {
    "C 1": {},
    "C 0.1": {"C": 0.1},
    "C 0.01": {"C": 0.01},
    "intercept 1": {"intercept_scaling": 1.0},
    "intercept 10": {"intercept_scaling": 10.0},
}


def draw(data, rows: int, rare: bool, seed: int):
    """Return training rows and labels, and those to test on."""
    X, Y, X_test, Y_test = data
    rng = np.random.default_rng(seed)
    some = rng.permutation(X.shape[0])[:rows]
    counts = Y[some].sum(axis=0)
    there = np.flatnonzero(counts >= 3)
    order = np.argsort(counts[there], kind="stable") if rare else rng.permutation(len(there))
    labels = np.sort(there[order[:30]])
    train, test = scaled(X[some], X_test)
    return train, Y[some][:, labels], test, Y_test[:, labels]


def counts_at(scores: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return true positives, and all that are positive or predicted to be, at each threshold."""
    predicted = [scores >= threshold for threshold in GRID]
    return np.array([((p & truth).sum(), p.sum() + truth.sum()) for p in predicted])


def curve(counts: np.ndarray) -> np.ndarray:
    return 200 * counts[:, 0] / np.maximum(counts[:, 1], 1)


def nearest_to_zero(values: np.ndarray, least: float) -> int:
    good = np.flatnonzero(values >= least)
    return good[np.abs(GRID[good]).argmin()]


def nearest(threshold: float) -> int:
    return int(np.abs(GRID - threshold).argmin())


def rules(parts: np.ndarray) -> dict[str, int]:
    """Return the index of a threshold for each rule, from the counts of each fold."""
    values = curve(parts.sum(axis=0))
    best = values.max()
    folds = np.array([curve(part) for part in parts])
    top = int(values.argmax())
    error = (folds[:, top] - folds.mean(axis=1)).std() / np.sqrt(len(folds))
    repetitions = np.array([curve(part.sum(axis=0)) for part in np.split(parts, 3)])
    return {
        "0": nearest(0.0),
        "tune": top,
        "tune, 0.5 below": nearest_to_zero(values, best - 0.5),
        "tune, 1 below": nearest_to_zero(values, best - 1.0),
        "tune, an error below": nearest_to_zero(values, best - error),
        "mean of the folds'": nearest(GRID[folds.argmax(axis=1)].mean()),
        "median of the folds'": nearest(np.median(GRID[folds.argmax(axis=1)])),
        "mean of the repetitions'": nearest(GRID[repetitions.argmax(axis=1)].mean()),
    }


def measure(train, Y, test, truth, setting: dict) -> dict[str, float]:
    options = {"loss": "lr_ova", "fit_intercept": True, "intercept_scaling": "auto"} | setting
    folds = RepeatedKFold(n_splits=5, n_repeats=3, random_state=0)
    parts = []
    for inside, outside in folds.split(np.arange(len(Y))):
        scores = solve(train[inside], Y[inside], **options).decision_function(train[outside])
        parts.append(counts_at(scores, Y[outside] == 1))
    reached = curve(counts_at(solve(train, Y, **options).decision_function(test), truth == 1))
    return {name: float(reached[index]) for name, index in rules(np.array(parts)).items()}


def main() -> None:
    chosen = [case for case in CASES if not sys.argv[1:] or case[0] in sys.argv[1:]]
    everything = []
    for name, rows, rare in chosen:
        if (data := load(name)) is None:
            continue
        found: dict[str, list[float]] = {}
        for seed in range(DRAWS):
            train, Y, test, truth = draw(data, rows, rare, seed)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                peer = OneVsRestClassifier(LogisticRegression()).fit(train, Y)
            found.setdefault("LogisticRegression", []).append(
                100 * metrics.f1(truth, peer.predict(test))
            )
            for label, setting in SETTINGS.items():
                for rule, value in measure(train, Y, test, truth, setting).items():
                    found.setdefault(f"{label}, {rule}", []).append(value)
        means = {label: float(np.mean(values)) for label, values in found.items()}
        everything.append(means)
        empty = 100 * float(np.mean(Y.sum(axis=1) == 0))
        title = f"{name}{', rare' if rare else ''}, {rows} rows, {empty:.0f} % without a label"
        print(f"{title}: " + "; ".join(f"{k} {v:.1f}" for k, v in means.items()), flush=True)
    for label in everything[0]:
        values = np.array([means[label] for means in everything])
        default = np.array([means["C 1, tune"] for means in everything])
        peer = np.array([means["LogisticRegression"] for means in everything])
        print(
            f"| {label} | {values.mean():.2f} | {np.mean(values - default):+.2f} | "
            f"{np.sum(values > default)} | {np.mean(values - peer):+.2f} | {np.sum(values > peer)} |"
        )


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
