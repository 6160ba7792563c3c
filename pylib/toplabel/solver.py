"""Training with a certificate: `solve` for one value of C, `path` for many."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from toplabel import kernels, losses
from toplabel._arrays import (
    Labels,
    as_dual,
    as_integer,
    as_labels,
    as_matrix,
    as_number,
    as_weights,
    check_finite,
    pointer,
)
from toplabel._lib import check, ffi, lib

__all__ = ["Record", "Solution", "path", "solve"]


@dataclass(frozen=True)
class Record:
    """One evaluation of the objectives while a model trains.

    Attributes
    ----------
    epoch : int
        Passes over the data so far.
    primal, dual, relative_gap : float
        P(W), D(A) (TPAMI Eq. (9)) and (P - D) / max(|P|, |D|).
    solve_seconds, evaluate_seconds : float
        Wall time so far of the epochs and of the evaluations.
    """

    epoch: int
    primal: float
    dual: float
    relative_gap: float
    solve_seconds: float
    evaluate_seconds: float


@dataclass(frozen=True, eq=False)
class Solution:
    """A trained model and the proof of how good it is.

    Attributes
    ----------
    A : ndarray, (n, m)
        Dual variables; the scores of a row x are ``sum_i k(x, x_i) A[i]``.
    W : ndarray, (d, m), or None
        ``X.T @ A`` for the linear kernel.
    primal, dual, relative_gap : float
        The objectives in the normalisation of TPAMI Eq. (9); ``primal - dual`` bounds the distance to the optimum.
    epochs : int
    status : str
        ``"converged"``, ``"max_epochs"``, ``"time_limit"`` or ``"interrupted"``.
    history : list of Record
    loss, k, gamma, C, kernel, theta
        The problem.
    seconds : float
        Wall time.
    X : ndarray or None
        The training rows, for a kernel that needs them to predict.
    gradient_norm : float or None
        ``||grad P(W)||_F`` for topk_ent_tr, which is not convex: its `dual` is -inf, its `relative_gap` NaN, and its
        A differs from dual variables of W by the gradient (`toplabel.truncated`). None for the others.
    """

    A: np.ndarray = field(repr=False)
    W: np.ndarray | None = field(repr=False)
    primal: float
    dual: float
    relative_gap: float
    epochs: int
    status: str
    history: list[Record] = field(repr=False)
    loss: str
    k: int
    gamma: float
    C: float
    kernel: str
    theta: float | None
    seconds: float
    X: np.ndarray | None = field(repr=False, default=None)
    gradient_norm: float | None = None

    def decision_function(self, X) -> np.ndarray:
        """Scores f(x) = W^T x of new rows.

        Parameters
        ----------
        X : array-like or sparse matrix, (p, d)
            With ``kernel="precomputed"``: (p, n), the kernel between the new rows and the training rows.

        Returns
        -------
        ndarray, (p, m)
        """
        if self.kernel == "linear":
            if sparse.issparse(X):
                _check_width(X, self.W.shape[0])
                check_finite(X.data, "X.data")
                return np.asarray(X @ self.W)
            rows, factor = as_matrix(X, "X"), self.W
        elif self.kernel == "rbf":
            rows = as_matrix(X, "X")
            _check_width(rows, self.X.shape[1])
            rows, factor = kernels.cross_gram(rows, self.X, self.theta), self.A
        else:
            rows, factor = as_matrix(X, "X"), self.A
        _check_width(rows, factor.shape[0])
        return rows @ factor


def _check_width(rows, width: int) -> None:
    if rows.shape[1] != width:
        raise ValueError(f"X must have {width} columns like the training data, got {rows.shape[1]}")


class _Run:
    """One C solver and the memory that it borrows."""

    def __init__(
        self,
        matrix: np.ndarray,
        labels: Labels,
        loss: losses.Loss,
        *,
        k: int = 1,
        gamma: float,
        C: float,
        seed: int,
        gram: bool,
        weight: np.ndarray | None = None,
        start: np.ndarray | None = None,
        C_start: float = 0.0,
        block: int = 0,
    ):
        n, d = matrix.shape
        self.A = np.zeros((n, labels.m)) if start is None else start
        self.Wt = None if gram else np.empty((labels.m, d))
        self._borrowed = (matrix, labels, weight)

        data = ffi.new("tl_data *")
        data.representation = lib.TL_GRAM if gram else lib.TL_DENSE
        data.n, data.d, data.m = n, d, labels.m
        data.x = pointer(matrix)
        data.label_start = pointer(labels.start, "int64_t *")
        data.label = pointer(labels.label, "int32_t *")
        data.weight = ffi.NULL if weight is None else pointer(weight)
        settings = ffi.new("tl_settings *")
        lib.tl_settings_default(settings)
        settings.loss, settings.k, settings.gamma = loss.code, k, gamma
        settings.seed = seed
        settings.C, settings.C_start, settings.block = C, C_start, block

        out = ffi.new("tl_solver **")
        weights = ffi.NULL if gram else pointer(self.Wt)
        check(lib.tl_solver_create(data, settings, pointer(self.A), weights, out))
        self._handle = ffi.gc(out[0], lib.tl_solver_free)
        self._objective = ffi.new("tl_objective *")

    def run(self, epochs: int) -> None:
        check(lib.tl_solver_run(self._handle, epochs))

    def evaluate(self):
        check(lib.tl_solver_evaluate(self._handle, self._objective))
        return self._objective


class _Schedule:
    """When to evaluate: every `every` epochs, or where the gap is expected to reach eps.

    An evaluation costs about half an epoch. The gap falls nearly geometrically, so the last two tell how many
    epochs are missing; a guess never goes beyond doubling the epochs made.
    """

    def __init__(self, eps: float, every: int | None):
        self._eps = eps
        self._every = every
        self._last: tuple[int, float] | None = None

    def epochs_until_next(self, epoch: int, gap: float) -> int:
        if self._every is not None:
            return self._every
        last, self._last = self._last, (epoch, gap)
        if last is None or not 0 < gap < last[1] or epoch == last[0] or self._eps <= 0:
            return 1 if epoch < 4 else max(1, epoch // 4)
        rate = math.log(last[1] / gap) / (epoch - last[0])
        missing = math.log(max(gap / self._eps, 1.0)) / rate
        return max(1, min(math.ceil(0.9 * missing), epoch))


def solve(
    X,
    y,
    loss: str = "svm_multi",
    k: int = 1,
    gamma: float = 0.0,
    C: float = 1.0,
    kernel: str = "linear",
    theta: float | None = None,
    eps: float = 1e-3,
    max_epochs: int = 1000,
    seed: int = 0,
    warm_start: Solution | np.ndarray | None = None,
    sample_weight=None,
    eval_every: int | None = None,
    callback: Callable[[Record], object] | None = None,
    time_limit: float | None = None,
    dtype=None,
    n_classes: int | None = None,
) -> Solution:
    """Train a linear or kernel classifier to a given duality gap.

    Minimises ``(1/n) sum_i L(y_i, W^T x_i) + lambda/2 ||W||_F^2`` with ``C = 1/(lambda n)`` by stochastic
    dual coordinate ascent. There is no bias term.

    Parameters
    ----------
    X : array-like, (n, d), or (n, n) with ``kernel="precomputed"``
        Rows, or the symmetric positive semidefinite Gram matrix. A C-contiguous float64 array is not copied.
    y : array-like
        Class indices 0..m-1, (n,), or for multilabel losses a 0/1 indicator (n, m), dense or sparse.
    loss : str
        A key of `toplabel.losses.LOSSES`: ``"svm_ova"``, ``"lr_ova"``, ``"svm_multi"``,
        ``"topk_svm_alpha"``, ``"topk_svm_beta"``, ``"lr_multi"``, ``"topk_ent"``, ``"svm_ml"``, ``"lr_ml"``; or
        ``"topk_ent_tr"``, which is not convex and minimised by `toplabel.truncated` from the softmax solution.
    k : int
        The k of top-k losses; 1 for the others.
    gamma : float >= 0
        Moreau-Yosida smoothing of the hinge losses.
    C : float > 0
    kernel : {"linear", "rbf", "precomputed"}
    theta : float > 0
        ``kernel="rbf"`` is ``exp(-theta ||x - z||^2)``.
    eps : float >= 0
        Stop when ``(P - D) <= eps max(|P|, |D|)``.
    max_epochs : int >= 0
    seed : int
        Order of the rows. The same seed gives the same result.
    warm_start : Solution or ndarray, (n, m)
        Dual variables to start from. Those of a Solution for another C are rescaled; an array must be feasible
        for this C.
    sample_weight : array-like, (n,)
        A weight w is the same as w copies of the row; n is then the sum of the weights.
    eval_every : int, optional
        Epochs between two evaluations of the objectives. By default the solver evaluates where it expects to be
        done.
    callback : callable
        Called with each `Record`; a true result stops the run.
    time_limit : float, optional
        Seconds of wall time; looked at after each epoch.
    dtype : None or float64
        The type of the computation.
    n_classes : int, optional
        m, if not every class occurs in `y`.

    Returns
    -------
    Solution
        Whatever ended the run; `Solution.status` tells. Ctrl-C ends it with the status "interrupted" and the
        model so far.

    Raises
    ------
    ValueError, TypeError
        For an argument that does not fit, naming it.
    ToplabelError
        For what the C library refuses: a Gram matrix that is not symmetric, a warm start that is not feasible for
        this C, features so large that numbers overflow.

    Notes
    -----
    TPAMI section 5, Propositions 14, 15, 18 and 20; the certificate is the duality gap of Eq. (9).
    """
    spec = losses.get(loss)
    if dtype is not None and np.dtype(dtype) != np.float64:
        raise ValueError(f"dtype must be None or float64, got {dtype!r}")
    C = _as_C(C, "C")
    eps = as_number(eps, "eps", 0.0)
    max_epochs = as_integer(max_epochs, "max_epochs", 0)
    seed = as_integer(seed, "seed", 0, 2**64 - 1)
    if eval_every is not None:
        eval_every = as_integer(eval_every, "eval_every", 1)
    if time_limit is not None:
        time_limit = as_number(time_limit, "time_limit", 0.0)

    rows = as_matrix(X, "X")
    n = rows.shape[0]
    labels = as_labels(y, n, multilabel=spec.labels != "one", n_classes=n_classes)
    if spec.labels == "one" and n_classes is None:
        _check_every_class(labels)
    gamma = losses.check_parameters(spec, k, gamma, labels.m)
    if gamma > _LARGEST:
        raise ValueError(f"gamma must be <= {_LARGEST:g}, got {gamma!r}")
    matrix = _representation(rows, kernel, theta)
    if not spec.convex:
        from toplabel import truncated  # which imports this module

        limits = truncated.Limits(eps, max_epochs, eval_every, callback, time_limit)
        weight = as_weights(sample_weight, n)
        problem = {"k": int(k), "C": C, "gram": kernel != "linear", "weight": weight, "seed": seed}
        solution = truncated.descend(
            matrix, labels, **problem, warm_start=warm_start, limits=limits
        )
        return _as_rbf(solution, rows, theta) if kernel == "rbf" else solution
    start, C_start = _starting_point(warm_start, n, labels.m)

    began = time.perf_counter()
    run = _Run(
        matrix,
        labels,
        spec,
        k=int(k),
        gamma=gamma,
        C=C,
        seed=seed,
        gram=kernel != "linear",
        weight=as_weights(sample_weight, n),
        start=start,
        C_start=C_start,
    )
    status, history = _train(run, began, eps, max_epochs, eval_every, callback, time_limit)
    last = history[-1]
    return Solution(
        A=run.A,
        W=None if run.Wt is None else run.Wt.T,
        primal=last.primal,
        dual=last.dual,
        relative_gap=last.relative_gap,
        epochs=last.epoch,
        status=status,
        history=history,
        loss=loss,
        k=k,
        gamma=gamma,
        C=C,
        kernel=kernel,
        theta=theta,
        seconds=time.perf_counter() - began,
        X=rows if kernel == "rbf" else None,
    )


_LARGEST = 1e100  # beyond, squares of what C and gamma are multiplied with would overflow


def _as_C(value: object, name: str) -> float:
    C = as_number(value, name, 0.0, strict=True)
    if not 1 / _LARGEST <= C <= _LARGEST:
        raise ValueError(f"{name} must be in [{1 / _LARGEST:g}, {_LARGEST:g}], got {value!r}")
    return C


def _check_every_class(labels: Labels) -> None:
    counts = np.bincount(labels.label, minlength=labels.m)
    if counts.min() == 0:
        raise ValueError(
            f"class {int(np.argmin(counts))} has no example in y; pass n_classes if that is intended"
        )


def _representation(rows: np.ndarray, kernel: str, theta: float | None) -> np.ndarray:
    if kernel not in ("linear", "rbf", "precomputed"):
        raise ValueError(f"kernel must be 'linear', 'rbf' or 'precomputed', got {kernel!r}")
    if kernel == "rbf":
        if theta is None:
            raise ValueError("theta must be given for kernel='rbf'")
        return kernels.rbf_gram(rows, as_number(theta, "theta", 0.0, strict=True))
    if theta is not None:
        raise ValueError(f"theta has no meaning for kernel={kernel!r}")
    if kernel == "precomputed" and rows.shape[0] != rows.shape[1]:
        raise ValueError(
            f"X must be a square Gram matrix for kernel='precomputed', got {rows.shape}"
        )
    return rows


def _starting_point(warm_start, n: int, m: int) -> tuple[np.ndarray | None, float]:
    """Return a copy of the dual variables to start from, and the C they belong to (0: this one)."""
    if warm_start is None:
        return None, 0.0
    C_start = 0.0
    if isinstance(warm_start, Solution):
        C_start, warm_start = warm_start.C, warm_start.A
    return as_dual(warm_start, n, m), C_start


def _train(
    run: _Run,
    began: float,
    eps: float,
    max_epochs: int,
    eval_every: int | None,
    callback: Callable[[Record], object] | None,
    time_limit: float | None,
) -> tuple[str, list[Record]]:
    schedule = _Schedule(eps, eval_every)
    history: list[Record] = []
    seconds = {"solve": 0.0, "evaluate": 0.0}

    def evaluate() -> Record:
        start = time.perf_counter()
        result = run.evaluate()
        seconds["evaluate"] += time.perf_counter() - start
        record = Record(
            epoch=int(result.epochs),
            primal=result.primal,
            dual=result.dual,
            relative_gap=result.relative_gap,
            solve_seconds=seconds["solve"],
            evaluate_seconds=seconds["evaluate"],
        )
        history.append(record)
        return record

    epoch = 0
    try:
        while True:
            record = evaluate()
            if callback is not None and callback(record):
                return "interrupted", history
            if record.relative_gap <= eps:
                return "converged", history
            if epoch >= max_epochs:
                return "max_epochs", history
            for _ in range(
                min(schedule.epochs_until_next(epoch, record.relative_gap), max_epochs - epoch)
            ):
                if time_limit is not None and time.perf_counter() - began >= time_limit:
                    if history[-1].epoch != epoch:
                        evaluate()
                    return "time_limit", history
                start = time.perf_counter()
                run.run(1)
                seconds["solve"] += time.perf_counter() - start
                epoch += 1
    except KeyboardInterrupt:
        # Python delivers the signal between two calls into C, so the solver is in a consistent state.
        if not history or history[-1].epoch != epoch:
            evaluate()
        return "interrupted", history


def path(
    X,
    y,
    Cs: Sequence[float],
    **arguments,
) -> list[Solution]:
    """Train for several values of C, from the smallest to the largest, each from the one before.

    Parameters
    ----------
    X, y
        As in `solve`. A kernel's Gram matrix is computed once.
    Cs : sequence of float
        Values of C, in any order.
    **arguments
        Of `solve`, except `C`. A `warm_start` is that of the smallest C.

    Returns
    -------
    list of Solution
        In the order of `Cs`; shorter if the run was interrupted.

    Notes
    -----
    The dual variables of one C, multiplied by the best feasible factor, are the start of the next. For topk_ent_tr
    they are those of the softmax solutions, each of which is the start of a descent.
    """
    Cs = [_as_C(C, "Cs") for C in Cs]
    if "C" in arguments:
        raise TypeError("path takes Cs, not C")
    if arguments.get("kernel", "linear") == "rbf":
        return _rbf_path(X, y, Cs, **arguments)
    if not losses.get(arguments.get("loss", "svm_multi")).convex:
        from toplabel import truncated

        return truncated.path(X, y, Cs, **arguments)
    order = sorted(range(len(Cs)), key=lambda i: Cs[i])
    found: dict[int, Solution] = {}
    previous = arguments.pop("warm_start", None)
    for i in order:
        previous = found[i] = solve(X, y, C=Cs[i], warm_start=previous, **arguments)
        if previous.status == "interrupted":
            break
    return [found[i] for i in range(len(Cs)) if i in found]


def _rbf_path(X, y, Cs: list[float], *, kernel: str, theta: float | None = None, **arguments):
    rows = as_matrix(X, "X")
    K = _representation(rows, kernel, theta)
    solutions = path(K, y, Cs, kernel="precomputed", **arguments)
    return [_as_rbf(solution, rows, theta) for solution in solutions]


def _as_rbf(solution: Solution, rows: np.ndarray, theta: float) -> Solution:
    values = dict(vars(solution), kernel="rbf", theta=theta, X=rows)
    return Solution(**values)
