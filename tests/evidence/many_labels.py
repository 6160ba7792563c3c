"""Evidence for many labels: ``python tests/evidence/many_labels.py [--rows N] [--liblinear]``.

Synthetic text of the size of EURLex-4K. Prints the seconds of training and of `predict_topk`, the peak memory that
training adds as a multiple of the model and the dual variables, and the metrics of the lists; with ``--liblinear`` the
seconds of one-vs-rest LIBLINEAR, too.
"""

from __future__ import annotations

import argparse
import resource
import time
import warnings

import numpy as np
from scipy import sparse
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from toplabel import MultilabelClassifier, metrics

D, M = 5000, 3993
OWN = np.random.default_rng(7).integers(0, D, (M, 12))  # words of each label


def zipf(size: int, power: float) -> np.ndarray:
    """Probabilities that fall with a power of the rank."""
    weights = np.arange(1, size + 1) ** -power
    return weights / weights.sum()


def problem(rows: int, seed: int) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Rows of common words and of some words of each label; about five labels a row."""
    rng = np.random.default_rng(seed)
    label_share, word_share = zipf(M, 0.8), zipf(D, 0.9)
    words, labels = [], []
    for _ in range(rows):
        labels.append(np.unique(rng.choice(M, 1 + rng.poisson(4), p=label_share)))
        own = [rng.choice(OWN[label], 6) for label in labels[-1]]
        words.append(np.unique(np.concatenate([rng.choice(D, 120, p=word_share), *own])))
    X, Y = matrix(words, D), matrix(labels, M)
    return sparse.diags_array(X.sum(axis=1) ** -0.5).tocsr() @ X, Y


def matrix(lists: list[np.ndarray], columns: int) -> sparse.csr_array:
    """Ones at the columns of each row's list."""
    starts = np.cumsum([0, *map(len, lists)])
    ones = np.ones(starts[-1])
    return sparse.csr_array((ones, np.concatenate(lists), starts), (len(lists), columns))


def peak() -> int:
    """Bytes, of the process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=15_500)
    parser.add_argument("--liblinear", action="store_true")
    arguments = parser.parse_args()
    X, Y = problem(arguments.rows, 0)
    X_new, Y_new = problem(arguments.rows // 4, 1)
    warnings.simplefilter("ignore")  # of labels that no row has
    before, start = peak(), time.perf_counter()
    model = MultilabelClassifier("lr_ml", threshold=0.0, acceleration=False, random_state=0)
    model.fit(X, Y)
    needed = (peak() - before) / (8 * M * (X.shape[0] + D))
    print(f"training {time.perf_counter() - start:.1f} s, {model.n_iter_} epochs, ", end="")
    print(f"memory {needed:.2f} of model and dual variables")
    start = time.perf_counter()
    lists = model.predict_topk(X_new, 5)
    print(f"lists {time.perf_counter() - start:.1f} s")
    for name in ("precision", "ndcg", "recall"):
        measure = getattr(metrics, f"{name}_of_lists")
        print(name, [round(100 * measure(Y_new, lists, k), 1) for k in (1, 3, 5)])
    print("psp", round(100 * metrics.psp_of_lists(Y_new, lists, metrics.propensities(Y)), 1))
    if arguments.liblinear:
        start = time.perf_counter()
        OneVsRestClassifier(LinearSVC()).fit(X, Y.astype(int))
        print(f"one-vs-rest LIBLINEAR: training {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
