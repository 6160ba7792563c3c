"""Our solver as the benchmark calls it: by epochs, or to its own certificate."""

from __future__ import annotations

import numpy as np
from scipy import sparse

import toplabel
from toplabel import losses
from toplabel._arrays import as_features, as_labels
from toplabel._run import Run
from toplabel.bench.blas import Meter
from toplabel.bench.shapes import Shape


def train(shape: Shape, loss: str, **arguments) -> toplabel.Solution:
    """Call `toplabel.solve` on a problem, with its Gram matrix if it has one.

    Parameters
    ----------
    shape : Shape
    loss : str
    **arguments
        Of `toplabel.solve`; C is that of the shape unless given.
    """
    if shape.gram is not None:
        arguments["kernel"] = "precomputed"
    features = shape.X if shape.gram is None else shape.gram
    return toplabel.solve(features, shape.y, loss=loss, **{"C": shape.C} | arguments)


def run_epochs(shape: Shape, loss: str, epochs: int, **arguments) -> toplabel.Solution:
    """Make a number of epochs, with an evaluation before the first and after the last."""
    return train(shape, loss, eps=0.0, max_epochs=epochs, eval_every=max(epochs, 1), **arguments)


def start(shape: Shape, loss: str, k: int = 1, gamma: float = 0.0) -> Run:
    """Return a solver before its first epoch, to be driven without evaluations."""
    spec = losses.get(loss)
    gram = shape.gram is not None
    features = as_features(shape.gram if gram else shape.X, "X")
    several = spec.labels != "one"
    labels = as_labels(shape.y, shape.n, multilabel=several, n_classes=shape.n_classes)
    return Run(features, labels, spec, k=k, gamma=gamma, C=shape.C, seed=0, gram=gram)


def weights(shape: Shape, solution: toplabel.Solution) -> np.ndarray:
    """Return W, (d, m), for the features `shape.X`."""
    return solution.W if shape.gram is None else shape.X.T @ solution.coefficients


def primal(shape: Shape, loss: str, W: np.ndarray, k: int = 1, gamma: float = 0.0) -> float:
    """P(W) of TPAMI Eq. (9), in NumPy and float64.

    Parameters
    ----------
    shape : Shape
    loss : str
    W : ndarray, (d, m)
    k, gamma
        Of the loss.

    Returns
    -------
    float
    """
    W = np.asarray(W, dtype=np.float64)
    scores = np.asarray(shape.X @ W)
    values = losses.value(loss, scores, targets(shape, loss), k=k, gamma=gamma)
    return float(values.mean() + (W**2).sum() / (2 * shape.C * shape.n))


def dual(shape: Shape, loss: str, A: np.ndarray, k: int = 1, gamma: float = 0.0) -> float:
    """D(A) of TPAMI Eq. (9), in NumPy and float64: with W = X^T A computed anew.

    Parameters
    ----------
    shape : Shape
    loss : str
    A : ndarray, (n, m)
    k, gamma
        Of the loss.

    Returns
    -------
    float
        -inf when A is not feasible.
    """
    W = np.asarray(shape.X.T @ A)
    conjugates = losses.conjugate(loss, -A / shape.C, targets(shape, loss), k=k, gamma=gamma)
    return float(-conjugates.mean() - (W**2).sum() / (2 * shape.C * shape.n))


def targets(shape: Shape, loss: str) -> np.ndarray:
    """Return the labels in the form that the loss takes."""
    if shape.y.ndim == 2 or losses.get(loss).labels != "set":
        return shape.y
    Y = np.zeros((shape.n, shape.n_classes), np.uint8)
    Y[np.arange(shape.n), shape.y] = 1
    return Y


def flops_per_epoch(shape: Shape, block: int) -> float:
    """Floating-point operations of an epoch: 4 d m + b d + b m a row (docs/benchmarks.md).

    Parameters
    ----------
    shape : Shape
        Of sparse rows d is the number of non-zeros. With a Gram matrix only the scores count, 2 n m a row.
    block : int
        b, from `block_size`.
    """
    n, m = shape.n, shape.n_classes
    if shape.gram is not None:
        return 2.0 * n * n * m
    stored = shape.X.nnz if sparse.issparse(shape.X) else n * shape.X.shape[1]
    return 4.0 * stored * m + block * stored + float(n) * block * m


def bytes_per_epoch(shape: Shape) -> float:
    """Bytes that an epoch moves at least: the features read once, the dual variables read and written."""
    features = shape.X if shape.gram is None else shape.gram
    if sparse.issparse(features):
        read = features.data.nbytes + features.indices.nbytes + features.indptr.nbytes
    else:
        read = features.nbytes
    return float(read + 16 * shape.n * shape.n_classes)


def block_size(shape: Shape, loss: str) -> int:
    """Rows between two updates of W; 0 when the solver does without inner products of rows."""
    with Meter() as meter:
        run_epochs(shape, loss, 1)
        return meter.tally.block
