"""Training with a certificate: `solve` for one value of C, `path` for many."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from toplabel import kernels, losses
from toplabel._core import class_groups, nonconvex
from toplabel._core import sdca as _sdca
from toplabel._core.arrays import MatrixLike, as_features, as_labels, check_mapped_finite, is_mapped
from toplabel._core.clock import Clock
from toplabel._core.problem import Problem, ProblemArguments, as_C
from toplabel._core.solution import Model, Record, Solution, split_intercept
from toplabel._core.threads import thread_count, until
from toplabel._core.training import Options

__all__ = ["Record", "Solution", "path", "solve"]


def solve(
    X: MatrixLike,
    y: MatrixLike,
    loss: str | object = "svm_multi",
    *,
    k: int = 1,
    gamma: float = 0.0,
    C: float = 1.0,
    kernel: str | Callable[..., Any] = "linear",
    theta: float | str | None = None,
    tol: float = 1e-3,
    max_iter: int = 1000,
    seed: int = 0,
    warm_start: Solution | np.ndarray | None = None,
    sample_weight: ArrayLike | None = None,
    eval_every: int | None = None,
    callback: Callable[[Record], object] | None = None,
    time_limit: float | None = None,
    dtype: DTypeLike | None = None,
    n_classes: int | None = None,
    cpu_limit: float | None = None,
    W0: ArrayLike | None = None,
    watch: Mapping[str, tuple[Any, Any]] | None = None,
    watch_metric: Callable[[np.ndarray, np.ndarray], float] | None = None,
    window: int | None = None,
    acceleration: str | bool | float = "auto",
    fit_intercept: bool = False,
    intercept_scaling: float | str = 1.0,
    check_input: bool = True,
    n_jobs: int | None = None,
    method: str = "auto",
) -> Solution:
    """Train a linear or kernel classifier to a given duality gap.

    Minimises ``(1/n) sum_i L(y_i, W^T x_i) + lambda/2 ||W - W0||_F^2`` with ``C = 1/(lambda n)`` by
    stochastic dual coordinate ascent. Without `fit_intercept` there is no bias term.

    Parameters
    ----------
    X : array-like or sparse matrix, (n, d), or (n, n) with ``kernel="precomputed"``
        Rows, or the symmetric positive semidefinite Gram matrix; one that is not is refused by a
        pass over it and about 30 products with a vector. A C-contiguous float32 or float64
        array is not copied, and may be memory-mapped; sparse rows stay sparse (CSR) with the linear
        kernel. Float64 rows of more than 64 features, of which at most a fifth of the numbers is
        not zero, are copied to CSR, which is faster.
    y : array-like
        Class indices 0..m-1, (n,), or for multilabel losses a 0/1 indicator (n, m), dense or
        sparse.
    loss : str or object
        A key of `toplabel.losses.LOSSES`. One that is not convex is minimised by descent from the
        solution of the convex loss that its row names (``toplabel._core.nonconvex``). Or a loss of
        your own, an object as `toplabel.losses.get` describes: it is minimised by L-BFGS, from W = 0.
    k : int
        The k of top-k losses; 1 for the others.
    gamma : float >= 0
        Moreau-Yosida smoothing of the hinge losses.
    C : float > 0
        1/(lambda n): the weight of the losses against the regulariser.
    kernel : {"linear", "rbf", "precomputed"} or callable
        A callable gets two matrices of p and q rows and returns their kernel, (p, q).
    theta : float > 0 or "scale"
        ``kernel="rbf"`` is ``exp(-theta ||x - z||^2)``; "scale" is ``1 / (d X.var())``, as scikit-
        learn's ``gamma="scale"`` (`gamma` smooths here), for the rows whose weight is not 0. As
        there it does not depend on the other weights.
    tol : float >= 0
        Stop when ``|P - D| + e <= tol max(|P|, |D|)``, where e bounds the rounding error of P - D.
    max_iter : int >= 0
        The most epochs: passes over the rows, and what `method` counts as one.
    seed : int
        Order of the rows. The same seed gives the same result.
    warm_start : Solution or ndarray, (n, m)
        Dual variables to start from; W follows from them. Those of a Solution for another C are
        rescaled; an array must be feasible for this C. For a loss that is not convex, where the
        descent starts.
    sample_weight : array-like, (n,)
        A weight w is the same as w copies of the row; n is then the sum of the weights. Weights that are
        200 orders of magnitude below the largest count as 0, and so do those with C w below 2.2e-308.
    eval_every : int, optional
        Epochs between two evaluations of the objectives. By default the solver evaluates where it
        expects to be done. Newton's method and working sets of pairs evaluate after each of their
        steps.
    callback : callable
        Called with each `Record`; a true result stops the run.
    time_limit : float, optional
        Seconds of wall time, kernels and checks included. The evaluation at the end may take a tenth
        more, and at least a quarter of a second. Where that is not enough, the model is returned
        without its certificate: `relative_gap` is infinite.
    dtype : None, float32 or float64
        The type of the features and of the matrix products; None: that of X if it is float32, else
        float64, where passes over dense rows of more than 64 features, or over a Gram matrix, work with
        a float32 copy (of at most 1 GiB) as long as that is good enough. Dual variables and the certificate are
        float64 always, and the certificate is that of the X that was passed, also where float32
        rounds it; with a kernel and float32 it is that of the rounded Gram matrix.
    n_classes : int, optional
        m, if not every class occurs in `y`.
    cpu_limit : float, optional
        As `time_limit`, of CPU time of the process.
    W0 : array-like, (d, m), optional
        Centre of the regulariser, with the linear kernel; zeros by default.
    watch : mapping of str to (X, y), optional
        Sets to look at with each evaluation: `Record.watched`. With ``kernel="precomputed"`` X is
        the kernel between their rows and the training rows.
    watch_metric : callable, optional
        ``watch_metric(y, scores)`` is recorded for watched sets instead of their mean loss.
    window : int, optional
        Shuffle rows within windows of about so many, made of runs of neighbouring rows, instead of
        all at once: then only a window is in memory at a time when X is mapped from a file
        (`numpy.load` with ``mmap_mode="r"``). By default windows of 256 MiB for files above 1 GiB,
        and none otherwise.
    acceleration : "auto", False or float > 0
        The accelerated proximal-point loop around the passes (Lin, Mairal, Harchaoui 2015). By
        default it begins where plain passes are slow, and its r, the weight of the proximal term
        over that of the regulariser, follows the progress. False: plain passes. A number: this r
        after a plain first pass. With either of these ``method="auto"`` stays with the passes.
    fit_intercept : bool
        Add ``b`` to the scores, as LIBLINEAR does: the rows have one more feature, of value
        `intercept_scaling`, whose weights are regularised like the others, so that the objective
        has ``||b||^2 / intercept_scaling^2`` beside ``||W||_F^2``. Nothing is copied for it. With a
        kernel: ``k(x, z) + intercept_scaling^2``.
    intercept_scaling : float > 0 or "auto"
        The larger, the less is the intercept regularised, and the slower the training where it is
        far above the norms of the rows. "auto": a third of the root of their mean squared norm, but
        at least 1 and at most 10; the `Solution` tells.
    check_input : bool
        False: a Gram matrix is taken for positive semidefinite without a check, which with few
        epochs takes as long as the training. For a matrix that was checked before: with another one
        the objective is unbounded, and the gap says nothing.
    n_jobs : int, optional
        Threads (-1: one for each core) that compute the matrix of ``kernel="rbf"`` and train the
        classes of a one-vs-all loss; the numbers are the same for every `n_jobs`. From 65 classes on
        these are groups that are problems of their own: `callback` and `history` see the end alone,
        and with `watch` all classes are one problem, whose model is another one within `tol`. While
        the threads run, BLAS uses one for each of them. Working sets of pairs share their blocks among
        the threads. Otherwise losses are trained by one thread, beside those of BLAS.
    method : {"auto", "sdca", "newton", "pairs"}
        Dual coordinate ascent, and after it another method where that is expected to take less time,
        as with raw features, a large C, a hinge without smoothing or a small `tol`. Or one of the
        methods alone. "newton" is a semismooth Newton method for rows in memory (or a mapped file of
        at most 1 GiB) and the linear kernel; by default for at most 1,500 weights. An epoch is one of
        its steps, or of the conjugate gradients in it. "pairs" is for hinges but those of centred
        scores: after ten passes of coordinate ascent it maximises the dual over the pairs of a row
        and a class that are or may become different from 0; by default for more weights, or a
        kernel, with one label a row, at least ten classes and at most 16,384 rows, whose Gram matrix it
        holds in float32. Its epoch is as many multiplications as the scores of all rows take.
        ``Solution.methods`` tells what ran.

    Returns
    -------
    Solution
        Whatever ended the run; `Solution.status` tells. Ctrl-C ends it with the status
        "interrupted" and the model so far, with a certificate as at a time limit. Before the solver
        has begun, Ctrl-C raises ``KeyboardInterrupt``.

    Raises
    ------
    ValueError, TypeError
        For an argument that does not fit, naming it.
    ToplabelError
        For what the C library refuses: a warm start that is not feasible for this C, features so
        large that numbers overflow.

    Notes
    -----
    TPAMI section 5, Propositions 14, 15, 18 and 20; the certificate is the duality gap of Eq. (9).
    """
    options = Options(
        tol=tol,
        max_iter=max_iter,
        seed=seed,
        eval_every=eval_every,
        callback=callback,
        window=window,
        acceleration=acceleration,
        method=method,
        clock=Clock(time_limit, cpu_limit),
    )
    arguments = ProblemArguments(
        X=X,
        y=y,
        loss=loss,
        k=k,
        gamma=gamma,
        kernel=kernel,
        theta=theta,
        dtype=dtype,
        n_classes=n_classes,
        sample_weight=sample_weight,
        W0=W0,
        fit_intercept=fit_intercept,
        intercept_scaling=intercept_scaling,
        check_input=check_input,
    )
    watched = WatchedSets(watch, watch_metric)
    return _solutions(arguments, [C], "C", options, watched, warm_start, n_jobs)[0]


def path(
    X: MatrixLike,
    y: MatrixLike,
    Cs: Sequence[float],
    loss: str | object = "svm_multi",
    *,
    k: int = 1,
    gamma: float = 0.0,
    kernel: str | Callable[..., Any] = "linear",
    theta: float | str | None = None,
    tol: float = 1e-3,
    max_iter: int = 1000,
    seed: int = 0,
    warm_start: Solution | np.ndarray | None = None,
    sample_weight: ArrayLike | None = None,
    eval_every: int | None = None,
    callback: Callable[[Record], object] | None = None,
    time_limit: float | None = None,
    dtype: DTypeLike | None = None,
    n_classes: int | None = None,
    cpu_limit: float | None = None,
    W0: ArrayLike | None = None,
    watch: Mapping[str, tuple[Any, Any]] | None = None,
    watch_metric: Callable[[np.ndarray, np.ndarray], float] | None = None,
    window: int | None = None,
    acceleration: str | bool | float = "auto",
    fit_intercept: bool = False,
    intercept_scaling: float | str = 1.0,
    n_jobs: int | None = None,
    method: str = "auto",
) -> list[Solution]:
    """Train for several values of C, from the smallest to the largest.

    Each training of a convex loss of the library starts at the solution before. One of a loss that is not
    convex starts at a convex solution for the same C, and one of a loss of your own at zeros.

    Parameters
    ----------
    X, y : array-like or sparse matrix
        As in `solve`. A kernel's Gram matrix is computed once.
    Cs : sequence of float
        Values of C, in any order.
    loss, k, gamma, kernel, theta, tol, max_iter, seed, warm_start : as in `solve`
        Of all values of C, but for `warm_start`, which is of the smallest.
    sample_weight, eval_every, callback, time_limit, dtype, n_classes, cpu_limit : as in `solve`
        Limits hold for each C.
    W0, watch, watch_metric, window, acceleration : as in `solve`
        Of all values of C.
    fit_intercept, intercept_scaling, n_jobs, method : as in `solve`
        Of all values of C.

    Returns
    -------
    list of Solution
        In the order of `Cs`; shorter if the run was interrupted.

    Notes
    -----
    The dual variables of one C, multiplied by the best feasible factor, are the start of the next.
    For a loss that is not convex they are those of the convex solutions, each of which is the start
    of a descent.
    """
    if np.ndim(Cs) != 1:
        raise TypeError(f"Cs must be a sequence of numbers, got {Cs!r}")
    options = Options(
        tol=tol,
        max_iter=max_iter,
        seed=seed,
        eval_every=eval_every,
        callback=callback,
        window=window,
        acceleration=acceleration,
        method=method,
        clock=Clock(time_limit, cpu_limit),
    )
    arguments = ProblemArguments(
        X=X,
        y=y,
        loss=loss,
        k=k,
        gamma=gamma,
        kernel=kernel,
        theta=theta,
        dtype=dtype,
        n_classes=n_classes,
        sample_weight=sample_weight,
        W0=W0,
        fit_intercept=fit_intercept,
        intercept_scaling=intercept_scaling,
    )
    watched = WatchedSets(watch, watch_metric)
    return _solutions(arguments, Cs, "Cs", options, watched, warm_start, n_jobs)


@dataclass(frozen=True)
class WatchedSets:
    """The sets that are looked at with each evaluation, by name, and what is measured there."""

    sets: Mapping[str, tuple[Any, Any]] | None
    metric: Callable[[np.ndarray, np.ndarray], float] | None

    def measures(self, problem: Problem) -> dict[str, Callable[[Model], float]]:
        """Return for each set the function from a model to a number."""
        if self.metric is not None and not callable(self.metric):
            raise TypeError(f"watch_metric must be a function, got {self.metric!r}")
        if self.sets is not None and not isinstance(self.sets, Mapping):
            raise TypeError(f"watch must map names to pairs (X, y), got {type(self.sets).__name__}")
        sets = (self.sets or {}).items()
        return {name: _measure(problem, name, pair, self.metric) for name, pair in sets}


def _solutions(
    arguments: ProblemArguments,
    Cs: Sequence,
    name: str,
    options: Options,
    watched: WatchedSets,
    warm_start,
    n_jobs: int | None,
) -> list[Solution]:
    """Return the solutions in the order of `Cs`, the argument of this name, trained in ascending order
    until one is interrupted.
    """
    threads, clock = thread_count(n_jobs), options.clock
    with until(lambda: clock.is_over() and clock.is_late()):
        problem = Problem.of(arguments, threads)
    options = replace(options, watch=watched.measures(problem), threads=threads)
    Cs = [as_C(C, name) for C in Cs]
    train = _sdca.solutions if problem.loss.convex else nonconvex.solutions
    if class_groups.is_split(problem) and not options.watch:
        train = partial(class_groups.solutions, n_threads=threads)
    if problem.is_unfinished:
        return [_sdca.unfinished(problem, C, options, warm_start) for C in Cs]
    order = sorted(range(len(Cs)), key=Cs.__getitem__)
    solutions: dict[int, Solution] = {}
    for solution in train(problem, [Cs[i] for i in order], options, warm_start):
        solutions[order[len(solutions)]] = solution
        if solution.status == "interrupted":
            break
    return [solutions[i] for i in range(len(Cs)) if i in solutions]


def _measure(problem: Problem, name: str, pair, metric) -> Callable[[Model], float]:
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
    of_rows = problem.kept_rows  # None: the rows are as the features are
    width = (problem.features if of_rows is None else of_rows).shape[1]
    if rows.shape[1] != width:
        raise ValueError(f"watch[{name!r}] must have {width} columns, got {rows.shape[1]}")
    if of_rows is not None:
        rows = kernels.between(rows, of_rows, problem.kernel, problem.theta)

    constant = problem.constant

    def measure(model: Model) -> float:
        B = model.coefficients()
        W, intercept = split_intercept(model.weights(), B, constant)
        scores = np.asarray(rows @ (W if B is None else B))
        scores = scores if intercept is None else scores + intercept
        if metric is not None:
            return float(metric(y, scores))
        values = losses.value(problem.loss.key, scores, y, k=problem.k, gamma=problem.gamma)
        return float(values.mean())

    return measure
