"""Coverage and mean size of sets of variable size over random splits of calibration and test rows.

    python benchmarks/evidence/sets.py [splits]

A model is trained once for each set and kind, on 40 % of the rows; each split divides the others at
random into halves to calibrate and to measure on. Given the model, the number of covered test rows is
then beta-binomial, exactly, but where more rows than the level have their class at the top: a set
always has the best class. Where MAPIE is installed, its sets for the softmax are compared with ours.
"""

from __future__ import annotations

import math
import sys
import warnings

import numpy as np
from common import load
from scipy import stats
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from toplabel import TopKClassifier
from toplabel.estimators.scores import class_scores
from toplabel.metrics import mean_set_size, set_coverage
from toplabel.thresholds import below_best, match_coverage

SETS = ("letter", "landsat", "caltech101_silhouettes")  # the last needs TOPLABEL_MIRROR
LEVELS = (0.8, 0.9, 0.95)
KINDS = {
    "softmax": TopKClassifier("lr_multi", C=0.1, random_state=0),
    "SVM": TopKClassifier("svm_multi", gamma=1.0, C=0.1, random_state=0),
    "top-3 SVM": TopKClassifier("topk_svm_alpha", k=3, gamma=1.0, C=0.1, random_state=0),
    "top-3 entropy": TopKClassifier("topk_ent", k=3, C=0.1, random_state=0),
    "Gaussian kernel": TopKClassifier(
        "svm_multi", gamma=1.0, C=0.1, kernel="rbf", theta="scale", random_state=0
    ),
}


def split_set(data):
    """Return scaled rows to train and to divide, and the labels of both; at most 6,000 rows."""
    X, y, X_test, y_test = data
    X, y = np.vstack([X, X_test]), np.concatenate([y, y_test])
    chosen = np.random.default_rng(0).permutation(len(y))[:6000]
    X, rest, y, y_rest = train_test_split(X[chosen], y[chosen], train_size=0.4, random_state=0)
    scaler = StandardScaler().fit(X)
    return scaler.transform(X), scaler.transform(rest), y, y_rest


def covered_rows(levels: np.ndarray, columns: np.ndarray, coverage: float, splits: int, rng):
    """Return the covered test rows and the mean set size of each split, and the sizes of its halves."""
    own = levels[np.arange(len(levels)), columns]
    counts, sizes = np.empty(splits), np.empty(splits)
    n = len(levels) // 2
    for split in range(splits):
        order = rng.permutation(len(levels))
        threshold = match_coverage(own[order[:n]], coverage)
        test = order[n:]
        counts[split] = np.count_nonzero(own[test] >= threshold)
        sizes[split] = np.count_nonzero(levels[test] >= threshold) / len(test)
    return counts, sizes, n, len(levels) - n


def report(name: str, kind: str, levels: np.ndarray, columns: np.ndarray, splits: int) -> None:
    """Print a row of the table for each level."""
    rng = np.random.default_rng(list(f"{name} {kind}".encode()))
    top = np.mean(levels[np.arange(len(levels)), columns] == 0)
    for coverage in LEVELS:
        counts, sizes, n, tested = covered_rows(levels, columns, coverage, splits, rng)
        place = math.ceil((n + 1) * coverage)
        law = stats.betabinom(tested, place, n + 1 - place)
        low, high = law.ppf([0.025, 0.975])
        within = np.mean((low <= counts) & (counts <= high))
        mean_error = law.std() / tested / math.sqrt(splits)
        print(
            f"| {name} | {kind} | {top:.3f} | {coverage} | {counts.mean() / tested:.4f} | "
            f"{place / (n + 1):.4f} ± {1.96 * mean_error:.4f} | {low / tested:.3f} to "
            f"{high / tested:.3f} | {within:.3f} | {sizes.mean():.2f} |",
            flush=True,
        )


def beside_mapie(name: str, model, rest: np.ndarray, y_rest: np.ndarray) -> None:
    """Print how many decisions of MAPIE's sets (LAC) differ from a threshold by `match_coverage` on the
    same probabilities, and the sizes beside those of the score minus the best one.
    """
    from mapie.classification import SplitConformalClassifier

    half = len(rest) // 2
    for coverage in LEVELS:
        theirs = SplitConformalClassifier(
            FrozenEstimator(model), confidence_level=coverage, prefit=True
        )
        theirs.conformalize(rest[:half], y_rest[:half])
        _, sets = theirs.predict_set(rest[half:])
        sets = sets[:, :, 0]
        columns = np.searchsorted(model.classes_, y_rest)
        p = model.predict_proba(rest)
        threshold = match_coverage(p[np.arange(half), columns[:half]], coverage)
        differ = np.count_nonzero(sets != (p[half:] >= threshold))
        ours = model.calibrate(rest[:half], y_rest[:half]).predict_set(
            rest[half:], coverage=coverage
        )
        print(
            f"| {name} | {coverage} | {differ} of {sets.size} | {mean_set_size(sets):.3f} | "
            f"{set_coverage(columns[half:], sets):.3f} | {np.mean(sets.sum(axis=1) == 0):.3f} | "
            f"{mean_set_size(ours):.3f} | {set_coverage(columns[half:], ours):.3f} |",
            flush=True,
        )


def main() -> None:
    """Print both tables."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    splits = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    loaded = {name: load(name) for name in SETS}
    data = {name: split_set(parts) for name, parts in loaded.items() if parts is not None}
    softmaxes = {}
    print(
        "set | model | top-1 | level | mean coverage | its expectation | 95 % interval of a split | "
        "splits within | mean size"
    )
    for name, (X, rest, y, y_rest) in data.items():
        for kind, model in KINDS.items():
            model.fit(X, y)
            scores, classes = class_scores(model, rest)
            if kind == "softmax":
                softmaxes[name] = TopKClassifier("lr_multi", C=0.1).fit(X, y)
            report(name, kind, below_best(scores), np.searchsorted(classes, y_rest), splits)
    try:
        import mapie  # noqa: F401
    except ImportError:
        return
    print(
        "set | level | decisions that differ | LAC: size | coverage | empty | ours: size | coverage"
    )
    for name, (_, rest, _, y_rest) in data.items():
        beside_mapie(name, softmaxes[name], rest, y_rest)


if __name__ == "__main__":
    main()
