"""Evidence for the losses of label sets: ``python benchmarks/evidence/label_set_losses.py [SET ...]``
prints the table of docs/evidence/estimators.md.

Linear models with an intercept on features of unit variance, on the split of the set and on others
of the same sizes, drawn from all rows. C, and with it the threshold, is chosen for each metric on
the scores of five folds of the training rows. "at 0" has the threshold 0, with C chosen for it, and
"at 0 afterwards" with the C that is best with a tuned threshold. In percent, but the rank loss; means
over the splits, and of the second line the standard deviations. With ``--no-intercept`` there is none.
"""

from __future__ import annotations

import sys

import numpy as np
from common import load, scaled
from sklearn.model_selection import KFold
from threadpoolctl import threadpool_limits

from toplabel import metrics, path, thresholds

LOSSES = {
    "`lr_ml`": {"loss": "lr_ml"},
    "`svm_ml`, gamma = 1": {"loss": "svm_ml", "gamma": 1.0},
    "`lr_ova`": {"loss": "lr_ova"},
    "`zlpr`": {"loss": "zlpr"},
    "`lsep`": {"loss": "lsep"},
}
CS = 2.0 ** np.arange(-12, 5, 2)
GRID = np.unique(np.append(thresholds.GRID, np.linspace(-3, 3, 121)))
COLUMNS = (
    "rank_loss",
    "subset_accuracy",
    "hamming_loss",
    "f1_instance",
    "f1_instance at 0",
    "f1_instance at 0 afterwards",
)
SPLITS = 5
INTERCEPT = "--no-intercept" not in sys.argv


def splits(data):
    """Return the split of the set, and others of the same sizes."""
    X, Y, X_test, Y_test = data
    yield data
    all_X, all_Y = np.vstack([X, X_test]), np.vstack([Y, Y_test])
    for seed in range(1, SPLITS):
        order = np.random.default_rng(seed).permutation(len(all_X))
        train, test = order[: len(X)], order[len(X) :]
        yield all_X[train], all_Y[train], all_X[test], all_Y[test]


def scores_of_path(X, Y, X_test, loss) -> np.ndarray:
    """Return the scores of the test rows for each C, (len(CS), n, m)."""
    models = path(X, Y, CS, tol=1e-4, max_iter=2000, fit_intercept=INTERCEPT, **loss)
    return np.array([model.decision_function(X_test) for model in models])


def held_out_scores(X, Y, loss) -> np.ndarray:
    """Return the scores of all rows by the models of the other folds, for each C."""
    scores = np.empty((len(CS), *Y.shape))
    for train, test in KFold(5, shuffle=True, random_state=0).split(X):
        scores[:, test] = scores_of_path(X[train], Y[train], X[test], loss)
    return scores


def values_of(scores, Y, column: str, grid) -> np.ndarray:
    """Return the metric at each threshold; of the rank loss, which has none, the same."""
    if column == "rank_loss":
        return np.full(len(grid), metrics.rank_loss(Y, scores))
    return thresholds.sweep(scores, Y, grid)[column]


def measure(data, loss) -> list[float]:
    """Return the test metric of each column at the C and the threshold that were chosen for it."""
    X, Y, X_test, Y_test = data
    X, X_test = scaled(X, X_test)
    held_out, tested = held_out_scores(X, Y, loss), scores_of_path(X, Y, X_test, loss)
    row = []
    for column in COLUMNS:
        metric, _, at = column.partition(" at ")
        grid = np.zeros(1) if at == "0" else GRID
        values = np.array([values_of(scores, Y, metric, grid) for scores in held_out])
        best = values.argmin() if metric.endswith("_loss") else values.argmax()
        C, threshold = np.unravel_index(best, values.shape)
        cut = grid[[threshold]] if at != "0 afterwards" else np.zeros(1)
        value = values_of(tested[C], Y_test, metric, cut)[0]
        row.append(value if metric == "rank_loss" else 100 * value)
    return row


def main() -> None:
    print(f"| set | loss | {' | '.join(COLUMNS)} |")
    print("|---" * (2 + len(COLUMNS)) + "|")
    for name in [a for a in sys.argv[1:] if a[0] != "-"] or ("emotions", "scene", "yeast"):
        if (data := load(name)) is None:
            continue
        for label, loss in LOSSES.items():
            rows = np.array([measure(part, loss) for part in splits(data)])
            for of in (np.mean, np.std):
                rank_loss, *percentages = of(rows, axis=0)
                cells = [f"{rank_loss:.3f}", *(f"{x:.1f}" for x in percentages)]
                print(f"| {name} | {label} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
