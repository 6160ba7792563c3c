"""Training with a certificate: `solve` for one value of C, `path` for many."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from toplabel import kernels, losses
from toplabel._arrays import (
    Labels,
    as_dual,
    as_features,
    as_integer,
    as_labels,
    as_matrix,
    as_number,
    as_weights,
    check_mapped_finite,
    is_mapped,
)
from toplabel._run import Run
from toplabel._training import Rules, train
from toplabel.errors import ToplabelError
from toplabel.solution import Record, Solution

__all__ = ["Record", "Solution", "path", "solve"]

_LARGEST = 1e100  # beyond, squares of what C and gamma are multiplied with would overflow


def solve(
    X,
    y,
    loss: str = "svm_multi",
    k: int = 1,
    gamma: float = 0.0,
    C: float = 1.0,
    kernel: str | Callable = "linear",
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
    cpu_limit: float | None = None,
    W0=None,
    watch: Mapping[str, tuple] | None = None,
    watch_metric: Callable[[np.ndarray, np.ndarray], float] | None = None,
    window: int | None = None,
    acceleration: str | bool | float = "auto",
) -> Solution:
    """Train a linear or kernel classifier to a given duality gap.

    Minimises ``(1/n) sum_i L(y_i, W^T x_i) + lambda/2 ||W - W0||_F^2`` with ``C = 1/(lambda n)`` by stochastic
    dual coordinate ascent. There is no bias term.

    Parameters
    ----------
    X : array-like or sparse matrix, (n, d), or (n, n) with ``kernel="precomputed"``
        Rows, or the symmetric positive semidefinite Gram matrix. A C-contiguous float32 or float64 array is not copied,
        and may be memory-mapped; sparse rows stay sparse (CSR) with the linear kernel. Float64 rows of more than 64
        features, of which at most a fifth of the numbers is not zero, are copied to CSR, which is faster.
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
    kernel : {"linear", "rbf", "precomputed"} or callable
        A callable gets two matrices of p and q rows and returns their kernel, (p, q).
    theta : float > 0
        ``kernel="rbf"`` is ``exp(-theta ||x - z||^2)``.
    eps : float >= 0
        Stop when ``(P - D) <= eps max(|P|, |D|)``.
    max_epochs : int >= 0
    seed : int
        Order of the rows. The same seed gives the same result.
    warm_start : Solution or ndarray, (n, m)
        Dual variables to start from; W follows from them. Those of a Solution for another C are rescaled; an array
        must be feasible for this C.
    sample_weight : array-like, (n,)
        A weight w is the same as w copies of the row; n is then the sum of the weights.
    eval_every : int, optional
        Epochs between two evaluations of the objectives. By default the solver evaluates where it expects to be
        done.
    callback : callable
        Called with each `Record`; a true result stops the run.
    time_limit, cpu_limit : float, optional
        Seconds of wall time, of CPU time of the process.
    dtype : None, float32 or float64
        The type of the features and of the matrix products; None: that of X if it is float32, else float64. Dual
        variables and the certificate are float64 always.
    n_classes : int, optional
        m, if not every class occurs in `y`.
    W0 : array-like, (d, m), optional
        Centre of the regulariser, with the linear kernel; zeros by default.
    watch : mapping of str to (X, y), optional
        Sets to look at with each evaluation: `Record.watched`. With ``kernel="precomputed"`` X is the kernel between
        their rows and the training rows.
    watch_metric : callable, optional
        ``watch_metric(y, scores)`` is recorded for watched sets instead of their mean loss.
    window : int, optional
        Shuffle rows within windows of about so many, made of runs of neighbouring rows, instead of all at once:
        then only a window is in memory at a time when X is mapped from a file (`numpy.load` with
        ``mmap_mode="r"``). By default windows of 256 MiB for files above 1 GiB, and none otherwise.
    acceleration : "auto", False or float > 0
        The accelerated proximal-point loop around the passes (Lin, Mairal, Harchaoui 2015). By default it begins
        where plain passes are slow, and its r, the weight of the proximal term over that of the regulariser, follows
        the progress. False: plain passes. A number: this r after a plain first pass.

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
    problem = _Problem.from_arguments(
        X,
        y,
        loss,
        k,
        gamma,
        kernel,
        theta,
        dtype,
        n_classes,
        sample_weight,
        W0,
        window,
        acceleration,
    )
    rules = _rules(
        problem, eps, max_epochs, eval_every, callback, time_limit, cpu_limit, watch, watch_metric
    )
    C = _as_C(C, "C")
    seed = as_integer(seed, "seed", 0, 2**64 - 1)
    if not problem.loss.convex:
        return _descend(problem, C, seed, warm_start, rules)
    began = time.perf_counter()
    run = problem.start(C, seed, warm_start)
    return problem.finish(run, C, rules, began)


def path(X, y, Cs: Sequence[float], **arguments) -> list[Solution]:
    """Train for several values of C, from the smallest to the largest, each from the one before.

    Parameters
    ----------
    X, y
        As in `solve`. A kernel's Gram matrix is computed once.
    Cs : sequence of float
        Values of C, in any order.
    **arguments
        Of `solve`, except `C`. A `warm_start` is that of the smallest C; time limits hold for each C.

    Returns
    -------
    list of Solution
        In the order of `Cs`; shorter if the run was interrupted.

    Notes
    -----
    The dual variables of one C, multiplied by the best feasible factor, are the start of the next. For topk_ent_tr
    they are those of the softmax solutions, each of which is the start of a descent.
    """
    if np.ndim(Cs) != 1:
        raise TypeError(f"Cs must be a sequence of numbers, got {Cs!r}")
    Cs = [_as_C(C, "Cs") for C in Cs]
    if "C" in arguments:
        raise TypeError("path takes Cs, not C")
    options = {**_DEFAULTS, **arguments}
    if unknown := set(arguments) - set(_DEFAULTS):
        raise TypeError(f"solve has no argument {sorted(unknown)[0]!r}")
    problem = _Problem.from_arguments(X, y, *(options[name] for name in _PROBLEM))
    rules = _rules(problem, *(options[name] for name in _RULES))
    seed = as_integer(options["seed"], "seed", 0, 2**64 - 1)
    if not problem.loss.convex:
        return _descents(problem, y, Cs, arguments)
    found: dict[int, Solution] = {}
    run = None
    for i in sorted(range(len(Cs)), key=lambda i: Cs[i]):
        began = time.perf_counter()
        if run is None:
            run = problem.start(Cs[i], seed, options["warm_start"])
        else:
            run.set_C(Cs[i])
        found[i] = problem.finish(run, Cs[i], rules, began, copy=True)
        if found[i].status == "interrupted":
            break
    return [found[i] for i in range(len(Cs)) if i in found]


_PROBLEM = [
    "loss",
    "k",
    "gamma",
    "kernel",
    "theta",
    "dtype",
    "n_classes",
    "sample_weight",
    "W0",
    "window",
    "acceleration",
]
_RULES = [
    "eps",
    "max_epochs",
    "eval_every",
    "callback",
    "time_limit",
    "cpu_limit",
    "watch",
    "watch_metric",
]
_DEFAULTS = {
    name: parameter.default
    for name, parameter in inspect.signature(solve).parameters.items()
    if parameter.default is not parameter.empty and name != "C"
}


def _as_C(value: object, name: str) -> float:
    C = as_number(value, name, 0.0, strict=True)
    if not 1 / _LARGEST <= C <= _LARGEST:
        raise ValueError(f"{name} must be in [{1 / _LARGEST:g}, {_LARGEST:g}], got {value!r}")
    return C


@dataclass(frozen=True)
class _Problem:
    """What does not depend on C: checked and converted once for a whole path."""

    rows: np.ndarray | sparse.csr_array  # as given
    features: np.ndarray | sparse.csr_array  # rows, or their Gram matrix
    labels: Labels
    loss: losses.Loss
    k: int
    gamma: float
    kernel: str | Callable
    theta: float | None
    weight: np.ndarray | None
    center: np.ndarray | None
    window: int
    acceleration: float

    @classmethod
    def from_arguments(
        cls,
        X,
        y,
        loss,
        k,
        gamma,
        kernel,
        theta,
        dtype,
        n_classes,
        weight,
        W0,
        window,
        acceleration,
    ):
        spec = losses.get(loss)
        rows = as_features(X, "X", dtype)
        n, d = rows.shape
        labels = as_labels(y, n, multilabel=spec.labels != "one", n_classes=n_classes)
        if spec.labels == "one" and n_classes is None:
            _check_every_class(labels)
        gamma = losses.check_parameters(spec, k, gamma, labels.m)
        if gamma > _LARGEST:
            raise ValueError(f"gamma must be <= {_LARGEST:g}, got {gamma!r}")
        center = None
        if W0 is not None:
            if kernel != "linear":
                raise ValueError(f"W0 has no meaning for kernel={kernel!r}")
            center = as_matrix(W0, "W0")
            if center.shape != (d, labels.m):
                raise ValueError(f"W0 must have the shape ({d}, {labels.m}), got {center.shape}")
        features, theta = _represent(rows, kernel, theta, dtype)
        return cls(
            rows,
            features,
            labels,
            spec,
            int(k),
            gamma,
            kernel,
            theta,
            as_weights(weight, n),
            center,
            _window(features, window),
            _acceleration(acceleration),
        )

    def start(self, C: float, seed: int, warm_start) -> Run:
        # With a Gram matrix the weights are coefficients, (n, m), and it has n columns too.
        start = _Start.of(
            warm_start, self.labels, self.features.shape[1], C, self.kernel != "linear"
        )
        try:
            return self._run(C, seed, start)
        except ToplabelError as error:
            if error.name == "TL_ERR_NOT_FINITE" and is_mapped(self.features):
                check_mapped_finite(self.features, "X")
            raise

    def _run(self, C: float, seed: int, start: _Start) -> Run:
        return Run(
            self.features,
            self.labels,
            self.loss,
            k=self.k,
            gamma=self.gamma,
            C=C,
            seed=seed,
            gram=self.kernel != "linear",
            weight=self.weight,
            start=start.dual,
            C_start=start.C,
            start_weights=start.weights,
            start_r=start.r,
            center=self.center,
            window=self.window,
            acceleration=self.acceleration,
        )

    def finish(self, run: Run, C: float, rules: Rules, began: float, copy: bool = False):
        visits = run.visits
        status, history = train(run, rules)
        last = history[-1]
        return Solution(
            A=run.A.copy() if copy else run.A,
            W=run.weights(),
            coefficients=run.coefficients(),
            primal=last.primal,
            dual=last.dual,
            relative_gap=last.relative_gap,
            epochs=last.epoch,
            status=status,
            history=history,
            loss=self.loss.key,
            k=self.k,
            gamma=self.gamma,
            C=C,
            kernel=self.kernel,
            theta=self.theta,
            seconds=time.perf_counter() - began,
            X=self._kernel_rows(),
            visits=run.visits - visits,
            r=run.r,
        )

    def relabel(self, solution: Solution) -> Solution:
        """The solution on a Gram matrix as that of the kernel that it comes from."""
        return replace(solution, kernel=self.kernel, theta=self.theta, X=self._kernel_rows())

    def _kernel_rows(self):
        if not callable(self.kernel) and self.kernel != "rbf":
            return None
        return self.rows if is_mapped(self.rows) else self.rows.copy()


def _acceleration(value: object) -> float:
    """As ``tl_settings`` has it."""
    if isinstance(value, str) and value == "auto":
        return -1.0
    if value is False:
        return 0.0
    if value is True or isinstance(value, str):
        raise ValueError(f"acceleration must be 'auto', False or a number, got {value!r}")
    r = as_number(value, "acceleration", 0.0, strict=True)
    if r > _LARGEST:
        raise ValueError(f"acceleration must be <= {_LARGEST:g}, got {value!r}")
    return r


_WINDOW_BYTES = 1 << 28
_LARGE_FILE = 1 << 30


def _window(features, window: object) -> int:
    """Rows to shuffle among; 0: all."""
    if window is not None:
        return as_integer(window, "window", 1)
    if not is_mapped(features) or features.nbytes <= _LARGE_FILE:
        return 0
    return max(1024, _WINDOW_BYTES // features[:1].nbytes)


def _check_every_class(labels: Labels) -> None:
    counts = np.bincount(labels.label, minlength=labels.m)
    if counts.min() == 0:
        raise ValueError(
            f"class {int(np.argmin(counts))} has no example in y; pass n_classes if that is intended"
        )


_NARROW = 64  # features; up to these, rows are updated one by one in any form
_SPARSE = (
    0.2  # share of non-zeros up to which sparse rows are faster than matrix products of dense ones
)
_PROBED = 512  # rows that are looked at first


def _sparse_if_faster(rows):
    """Dense float64 rows as CSR where so few numbers are not zero that an epoch takes less time."""
    if sparse.issparse(rows) or rows.dtype != np.float64 or is_mapped(rows):
        return rows
    if rows.shape[1] <= _NARROW:
        return rows
    for part in (rows[:: max(1, len(rows) // _PROBED)], rows):
        if np.count_nonzero(part) > _SPARSE * part.size:
            return rows
    return sparse.csr_array(rows)


def _represent(rows, kernel, theta, dtype):
    """Return what the solver works on (rows or a Gram matrix), and theta as a number."""
    known = isinstance(kernel, str) and kernel in ("linear", "rbf", "precomputed")
    if not callable(kernel) and not known:
        raise ValueError(
            f"kernel must be 'linear', 'rbf', 'precomputed' or a function, got {kernel!r}"
        )
    if kernel == "rbf":
        if theta is None:
            raise ValueError("theta must be given for kernel='rbf'")
        theta = as_number(theta, "theta", 0.0, strict=True)
    elif theta is not None:
        raise ValueError(f"theta has no meaning for kernel={kernel!r}")
    if kernel == "linear":
        return _sparse_if_faster(rows), None
    if is_mapped(rows):
        check_mapped_finite(rows, "X")
    if kernel == "precomputed":
        if rows.shape[0] != rows.shape[1]:
            raise ValueError(
                f"X must be a square Gram matrix for kernel='precomputed', got {rows.shape}"
            )
        return (rows.toarray() if sparse.issparse(rows) else rows), None
    # float32 features do not make a float32 Gram matrix, which would be a little indefinite, unless asked for
    single = dtype is not None and rows.dtype == np.float32
    return kernels.gram(rows, kernel, theta, np.float32 if single else np.float64), theta


@dataclass(frozen=True)
class _Start:
    """What a run begins with."""

    dual: np.ndarray | None = None  # a copy
    C: float = 0.0  # that `dual` belongs to; 0: the same
    weights: np.ndarray | None = None  # where they are not those of `dual`
    r: float = 0.0  # of the acceleration

    @classmethod
    def of(cls, warm_start, labels: Labels, d: int, C: float, gram: bool) -> _Start:
        if warm_start is None:
            return cls()
        if not isinstance(warm_start, Solution):
            return cls(as_dual(warm_start, labels.n, labels.m))
        dual = as_dual(warm_start.A, labels.n, labels.m)
        weights = warm_start.coefficients if gram else warm_start.W
        # Weights of other features or of another representation tell nothing; the dual variables do.
        if not warm_start.r or weights is None or weights.shape != (d, labels.m):
            return cls(dual, warm_start.C)
        r = min(warm_start.r * (C / warm_start.C), _LARGEST)
        return cls(dual, warm_start.C, as_matrix(weights, "warm_start"), r)


def _descend(problem: _Problem, C: float, seed: int, warm_start, rules: Rules) -> Solution:
    from toplabel import truncated  # which imports this module

    if is_mapped(problem.features):
        check_mapped_finite(problem.features, "X")
    if problem.center is not None:
        raise ValueError("W0 is not available for loss 'topk_ent_tr'")
    solution = truncated.descend(
        problem.features,
        problem.labels,
        gram=problem.kernel != "linear",
        k=problem.k,
        C=C,
        seed=seed,
        weight=problem.weight,
        warm_start=warm_start,
        rules=rules,
        acceleration="auto" if problem.acceleration < 0.0 else problem.acceleration or False,
    )
    return problem.relabel(solution)


def _descents(problem: _Problem, y, Cs: list[float], arguments: dict) -> list[Solution]:
    from toplabel import truncated

    arguments = {**arguments, "theta": None}
    if problem.kernel != "linear":
        arguments["kernel"] = "precomputed"
    found = truncated.path(problem.features, y, Cs, **arguments)
    return [problem.relabel(solution) for solution in found]


def _rules(
    problem: _Problem,
    eps,
    max_epochs,
    eval_every,
    callback,
    time_limit,
    cpu_limit,
    watch,
    watch_metric,
) -> Rules:
    for name, function in (("callback", callback), ("watch_metric", watch_metric)):
        if function is not None and not callable(function):
            raise TypeError(f"{name} must be a function, got {function!r}")
    if watch is not None and not isinstance(watch, Mapping):
        raise TypeError(f"watch must map names to pairs (X, y), got {type(watch).__name__}")
    return Rules(
        eps=as_number(eps, "eps", 0.0),
        max_epochs=as_integer(max_epochs, "max_epochs", 0),
        eval_every=None if eval_every is None else as_integer(eval_every, "eval_every", 1),
        callback=callback,
        time_limit=None if time_limit is None else as_number(time_limit, "time_limit", 0.0),
        cpu_limit=None if cpu_limit is None else as_number(cpu_limit, "cpu_limit", 0.0),
        watch={
            name: _watched(problem, name, pair, watch_metric)
            for name, pair in (watch or {}).items()
        },
    )


def _watched(problem: _Problem, name: str, pair, metric) -> Callable[[Run], float]:
    """Return the function that measures a model on this set."""
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise TypeError(f"watch[{name!r}] must be a pair (X, y), got {type(pair).__name__}")
    X, y = pair
    rows = as_features(X, f"watch[{name!r}]")
    if is_mapped(rows):
        check_mapped_finite(rows, f"watch[{name!r}]")
    if metric is None:
        try:
            sets = problem.loss.labels != "one"
            as_labels(y, rows.shape[0], multilabel=sets, n_classes=problem.labels.m)
        except ValueError as error:
            raise ValueError(f"watch[{name!r}]: {error}") from None
    if problem.kernel == "linear" or problem.kernel == "precomputed":
        width = problem.features.shape[1]
    else:
        width = problem.rows.shape[1]
    if rows.shape[1] != width:
        raise ValueError(f"watch[{name!r}] must have {width} columns, got {rows.shape[1]}")
    if problem.kernel not in ("linear", "precomputed"):
        rows = kernels.between(rows, problem.rows, problem.kernel, problem.theta)

    def measure(run: Run) -> float:
        scores = np.asarray(
            rows @ (run.weights() if problem.kernel == "linear" else run.coefficients())
        )
        if metric is not None:
            return float(metric(y, scores))
        values = losses.value(problem.loss.key, scores, y, k=problem.k, gamma=problem.gamma)
        return float(values.mean())

    return measure
