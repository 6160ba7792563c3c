"""Evidence for many labels: ``python benchmarks/evidence/many_labels.py [--liblinear]``, and further
options.

Synthetic text of the size of EURLex-4K, or a prepared set. Prints the CPU seconds of training and
of the lists of five labels, the peak memory that training adds as a multiple of the model and the
dual variables, and the precision of the lists; with ``--liblinear`` those of one-vs-rest LIBLINEAR.
One of the two a run, since the peak memory is that of the process.
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

from toplabel import MultilabelClassifier
from toplabel.reproduction.data.prepared import load_prepared

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
    return X.multiply(X.sum(axis=1)[:, None] ** -0.5).tocsr(), Y


def matrix(lists: list[np.ndarray], columns: int) -> sparse.csr_array:
    """Ones at the columns of each row's list."""
    starts = np.cumsum([0, *map(len, lists)])
    starts, columns_of = starts.astype(np.int32), np.concatenate(lists).astype(np.int32)
    return sparse.csr_array((np.ones(starts[-1]), columns_of, starts), (len(lists), columns))


def peak() -> int:
    """Bytes, of the process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def data(arguments: argparse.Namespace):
    """Features and labels to train on, and others."""
    if arguments.prepared is None:
        return problem(arguments.rows, 0), problem(arguments.rows // 4, 1)
    prepared = load_prepared(arguments.prepared)
    split = prepared.splits[0]
    parts = [prepared.parts[name] for name in (split.train, split.test)]
    return [(sparse.csr_matrix(part.X), sparse.csr_matrix(part.Y)) for part in parts]


def fit(arguments: argparse.Namespace, X, Y):
    """A trained model, and the lists that it gives."""
    if arguments.liblinear:
        model = OneVsRestClassifier(LinearSVC(C=arguments.C, random_state=0)).fit(X, Y.astype(int))
        return model, lambda X_new: best_labels(model.decision_function(X_new))
    fixed = {"threshold": 0.0, "acceleration": False, "random_state": 0}
    model = MultilabelClassifier(arguments.loss, C=arguments.C, tol=arguments.tol, **fixed)
    model.fit(X, Y)
    return model, lambda X_new: model.predict_topk(X_new, 5)


def best_labels(scores: np.ndarray) -> np.ndarray:
    best = np.argpartition(-scores, 5, axis=1)[:, :5]
    order = np.argsort(-np.take_along_axis(scores, best, axis=1), axis=1)
    return np.take_along_axis(best, order, axis=1)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=15_500)
    parser.add_argument(
        "--prepared", help="the folder of a prepared set, results/<set>/data, in place of text"
    )
    parser.add_argument("--loss", default="lr_ml")
    parser.add_argument("--C", type=float, default=1.0)
    parser.add_argument("--tol", type=float, default=1e-3)
    parser.add_argument("--liblinear", action="store_true")
    arguments = parser.parse_args()
    (X, Y), (X_new, Y_new) = data(arguments)
    warnings.simplefilter("ignore")  # of labels that no row has
    before, start = peak(), time.process_time()
    model, lists_of = fit(arguments, X, Y)
    needed = peak() - before
    print("LIBLINEAR" if arguments.liblinear else arguments.loss, end=": ")
    print(f"training {time.process_time() - start:.1f} s", end="")
    if not arguments.liblinear:
        print(f", {model.n_iter_} epochs", end="")
    print(f", memory {needed / 2**20:.0f} MiB", end="")
    print(f", {needed / (8 * Y.shape[1] * sum(X.shape)):.2f} of model and dual variables", end="")
    start = time.process_time()
    lists = lists_of(X_new)
    print(f", lists {time.process_time() - start:.1f} s")
    relevant = np.take_along_axis(Y_new.toarray(), lists, axis=1)
    print("precision", [round(100 * relevant[:, :k].mean(), 1) for k in (1, 3, 5)])


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
