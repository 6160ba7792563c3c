"""Evidence for rows with a few long directions: ``python benchmarks/evidence/hard_rows.py [sdca]``
prints passes, gaps and scores on raw features, beside scikit-learn's LinearSVC.

With ``sdca`` Newton's method does not take over. The sets: a stand-in for raw
features of sound (322 rows for training, 260 heavy-tailed columns whose sizes span six decades,
norms of rows from 1 to 1,000, 19 rare labels that are hard to tell), and satimage and optdigits
as their archive has them (data/embedded). All fits have an intercept and at most
1,000 passes. Scores in percent on the other rows: micro F1 at threshold 0, or top-1 and top-3
accuracy.
"""

from __future__ import annotations

import lzma
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

import toplabel
from toplabel import metrics

EMBEDDED = Path(__file__).parents[2] / "data/embedded"
MULTILABEL = [
    ("svm_ml", 1, 0.0),
    ("svm_ml", 1, 1.0),
    ("lr_ml", 1, 0.0),
    ("svm_ova", 1, 0.0),
    ("svm_ova", 1, 1.0),
    ("lr_ova", 1, 0.0),
]
MULTICLASS = [
    ("svm_multi", 1, 0.0),
    ("svm_multi", 1, 1.0),
    ("topk_svm_alpha", 3, 0.0),
    ("topk_svm_alpha", 3, 1.0),
    ("lr_multi", 1, 0.0),
]
REACHED = 1e-2


def sound(n=645, d=260, m=19, train=322, seed=0):
    """The stand-in; training rows and labels, then the others."""
    rng = np.random.default_rng(seed)
    latent, tails = rng.normal(size=(n, 10)), np.abs(rng.standard_t(3, size=(n, d)))
    sizes = 10.0 ** rng.uniform(-4, 2, size=d)
    X = np.exp(0.3 * latent @ rng.normal(size=(10, d))) * (1 + tails) * sizes
    norms = np.linalg.norm(X, axis=1)
    X *= (10.0 ** (3 * (norms.argsort().argsort() / (n - 1)) ** 0.25) / norms)[:, None]
    relevance = latent @ rng.normal(size=(10, m)) + 6 * rng.normal(size=(n, m))
    shares = rng.uniform(0.02, 0.1, size=m)
    bounds = [
        np.quantile(column, 1 - share) for column, share in zip(relevance.T, shares, strict=True)
    ]
    Y = (relevance > bounds).astype(int)
    return X[:train], Y[:train], X[train:], Y[train:]


def raw(folder: str, names: tuple[str, str], delimiter: str | None):
    """Training rows and classes, then the others, of a set whose last column is the class."""
    parts = []
    for name in names:
        with lzma.open(EMBEDDED / folder / f"{name}.xz", "rt") as file:
            table = np.loadtxt(file, delimiter=delimiter)
        parts += [np.ascontiguousarray(table[:, :-1]), table[:, -1]]
    classes = np.unique(parts[1])
    return (
        parts[0],
        np.searchsorted(classes, parts[1]),
        parts[2],
        np.searchsorted(classes, parts[3]),
    )


def score(y, scores) -> str:
    """Micro F1, or top-1 and top-3 accuracy."""
    if y.ndim > 1:
        return f"F1 {100 * metrics.f1(y, (scores > 0).astype(int)):.1f}"
    top = [100 * metrics.top_k_accuracy(y, scores, k, ties="shared") for k in (1, 3)]
    return f"top-1 {top[0]:.1f} top-3 {top[1]:.1f}"


def compare(name: str, data, losses, Cs, method: str) -> None:
    """Print a line for LinearSVC and for each loss."""
    X, y, others, truth = data
    norms = np.linalg.norm(X, axis=1)
    print(f"{name}: {X.shape}, norms {norms.min():.0f} to {norms.max():.0f}, ", end="")
    print(f"mean square {(norms**2).mean():.3g}")
    for C in Cs:
        began = time.process_time()
        peer = OneVsRestClassifier(LinearSVC(C=C, random_state=0)).fit(X, y)
        seconds = time.process_time() - began
        print(
            f"  C={C:g} LinearSVC: {score(truth, peer.decision_function(others))}, {seconds:.2f} s"
        )
        for loss, k, gamma in losses:
            began = time.process_time()
            options = {"k": k, "gamma": gamma, "C": C, "fit_intercept": True, "max_iter": 1000}
            options["method"] = method
            solution = toplabel.solve(X, y, loss, **options)
            seconds = time.process_time() - began
            reached = [r.epoch for r in solution.history if r.relative_gap <= REACHED]
            print(
                f"  C={C:g} {loss} k={k} gamma={gamma:g}: {solution.status}, gap "
                f"{solution.relative_gap:.2g}, passes {solution.epochs}, to {REACHED:g} "
                f"{min(reached, default='-')}, P {solution.primal:.4g}, "
                f"{score(truth, solution.decision_function(others))}, {seconds:.2f} s",
                flush=True,
            )


def main(arguments: list[str]) -> None:
    """Print all lines."""
    warnings.simplefilter("ignore")
    method = "sdca" if arguments == ["sdca"] else "auto"
    with threadpool_limits(1):
        compare("sound", sound(), MULTILABEL, [1.0], method)
        compare(
            "satimage",
            raw("satimage", ("sat.trn", "sat.tst"), None),
            MULTICLASS,
            [1.0, 10.0],
            method,
        )
        names = ("optdigits.tra", "optdigits.tes")
        compare("optdigits", raw("optdigits", names, ","), MULTICLASS, [1.0, 10.0], method)


if __name__ == "__main__":
    main(sys.argv[1:])
