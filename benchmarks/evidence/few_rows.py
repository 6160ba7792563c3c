"""Evidence for few rows: ``python benchmarks/evidence/few_rows.py [SET ...]`` prints the micro F1 of ways to choose
C, the intercept and the threshold of `MultilabelClassifier`, on rows that had no part in the choice.

Of each set so many rows are drawn at random for training, and up to 30 labels that at least three of them
have; "rare" are the rarer half of them, so that many rows are without a label. Features have unit variance.
Beside them stands one-vs-rest logistic regression with nothing set.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from common import load, scaled
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
    ("corel5k", 320, True),
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
    labels = np.sort(there[order[: min(30, len(order) // 2) if rare else 30]])
    train, test = scaled(X[some], X_test)
    return train, Y[some][:, labels], test, Y_test[:, labels]


def counts_at(scores: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return true positives, and all that are positive or predicted to be, at each threshold."""
    predicted = [scores >= threshold for threshold in GRID]
    return np.array([((p & truth).sum(), p.sum() + truth.sum()) for p in predicted])


def curve(counts: np.ndarray) -> np.ndarray:
    return 200 * counts[:, 0] / np.maximum(counts[:, 1], 1)


def rules(parts: np.ndarray) -> dict[str, int]:
    """Return the index of a threshold for each rule, from the counts of each fold."""
    values = curve(parts.sum(axis=0))
    folds = np.array([curve(part) for part in parts])
    top = int(values.argmax())
    error = (folds[:, top] - folds.mean(axis=1)).std() / np.sqrt(len(folds))
    good = np.flatnonzero(values >= values[top] - error)
    return {
        "0": int(np.abs(GRID).argmin()),
        "tune": top,
        "an error below": int(good[np.abs(GRID[good]).argmin()]),
        "mean of folds": int(np.abs(GRID - GRID[folds.argmax(axis=1)].mean()).argmin()),
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
    everything = []
    for name, rows, rare in CASES:
        if (sys.argv[1:] and name not in sys.argv[1:]) or (data := load(name)) is None:
            continue
        found: dict[str, list[float]] = {}
        for seed in range(DRAWS):
            train, Y, test, truth = draw(data, rows, rare, seed)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                peer = OneVsRestClassifier(LogisticRegression()).fit(train, Y)
            reached = 100 * metrics.f1(truth, peer.predict(test))
            found.setdefault("one-vs-rest", []).append(reached)
            for label, setting in SETTINGS.items():
                for rule, value in measure(train, Y, test, truth, setting).items():
                    if label == "C 1" or rule == "tune":
                        found.setdefault(rule if label == "C 1" else label, []).append(value)
        if not everything:
            print(f"| set | rows | without a label, % | {' | '.join(found)} |")
            print("|---" * (3 + len(found)) + "|")
        everything.append([np.mean(values) for values in found.values()])
        empty = 100 * np.mean(Y.sum(axis=1) == 0)
        values = " | ".join(f"{value:.1f}" for value in everything[-1])
        print(f"| {name}{', rare' if rare else ''} | {rows} | {empty:.0f} | {values} |", flush=True)
    values = " | ".join(f"{value:.1f}" for value in np.mean(everything, axis=0))
    print(f"| mean | | | {values} |")


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
