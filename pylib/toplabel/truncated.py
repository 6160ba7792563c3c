"""Training with the truncated top-k entropy, which is not convex: descent from the softmax solution.

The loss drops each row's k - 1 highest scores of other classes (TPAMI section 3.2), and is thereby the smallest of
the softmax losses over all choices of classes to drop. The papers start gradient descent with line search at the
softmax solution (TPAMI section 6.2). Here the directions are those of L-BFGS, and a step must go down.

There is no certificate of a global optimum, but one of a smaller claim: with the dropped classes held fixed the
problem is a convex softmax problem, whose duality gap at W, with the dual variables ``-C w_i grad L(W^T x_i)``, is
``||grad P(W)||_F^2 / (2 lambda)``. Training stops when that gap is at most ``eps max(|P|, |P - gap|)``, the rule of
the convex losses.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from toplabel import losses, solver
from toplabel._arrays import Labels, as_dual
from toplabel._training import Clock, Rules
from toplabel.descent import Descent, Kernel, Linear, State
from toplabel.solver import Record, Solution, solve

_LOSS = losses.LOSSES["topk_ent_tr"]
_START_EPS = 1e-3  # relative gap of the softmax solution; the descent leaves it anyway


class _Objective:
    """P: the weighted mean of the losses, and the penalty."""

    def __init__(self, labels: Labels, k: int, C: float, weight: np.ndarray | None):
        weight = np.ones(labels.n) if weight is None else weight
        total = float(weight.sum())
        self.penalty = 1.0 / (C * total)  # lambda
        self.share = weight / total
        self._labels = labels
        self._k = k

    def loss(self, scores: np.ndarray) -> float:
        return float(self.share @ losses.values_at(_LOSS, scores, self._labels, self._k))

    def loss_gradient(self, scores: np.ndarray) -> np.ndarray:
        """Of `loss`, in the scores."""
        gradient = losses.gradients_at(_LOSS, scores, self._labels, self._k)
        gradient *= self.share[:, None]
        return gradient


class _Model:
    """The present point of a descent, as `Rules.watch` wants to see it."""

    def __init__(self, descent: Descent, gram: bool, penalty: float):
        self._descent = descent
        self._gram = gram
        self._penalty = penalty

    @property
    def A(self) -> np.ndarray:
        state = self._descent.state
        return state.point.own if self._gram else -state.fit.of_scores / self._penalty

    def coefficients(self) -> np.ndarray | None:
        return self.A if self._gram else None

    def weights(self) -> np.ndarray | None:
        return None if self._gram else self._descent.state.point.own


def descend(
    matrix,
    labels: Labels,
    *,
    gram: bool,
    k: int,
    C: float,
    seed: int,
    weight: np.ndarray | None,
    warm_start: Solution | np.ndarray | None,
    rules: Rules,
    acceleration: str | bool | float = "auto",
) -> Solution:
    """Minimise P for the truncated top-k entropy; `toplabel.solve` has checked the arguments.

    Parameters
    ----------
    matrix : ndarray or csr_matrix
        Rows (n, d), or with `gram` the Gram matrix (n, n).
    labels : Labels
    gram : bool
    k : int
    C : float
    seed : int
        Of the softmax solution.
    weight : ndarray, (n,), or None
    warm_start : Solution or ndarray, (n, m), optional
        A model, or its dual variables, to start at in place of the softmax solution.
    rules : Rules
        An epoch is a step of the descent. The softmax solution may take as many passes, and its time counts for the
        limits; records begin after it.
    acceleration : "auto", False or float > 0
        Of the softmax solution.

    Returns
    -------
    Solution
        `dual` is -inf and `relative_gap` NaN; `gradient_norm` is ``||grad P(W)||_F``. For the linear kernel A is
        ``-C w_i grad L``, with which ``W - X.T @ A`` is the gradient over lambda.
    """
    began, clock = time.perf_counter(), Clock(rules)
    interrupted = False
    if warm_start is None:
        warm_start = _softmax(matrix, labels, gram, C, seed, weight, rules, acceleration)
        interrupted = warm_start.status == "interrupted"
    objective = _Objective(labels, k, C, weight)
    space = Kernel(matrix) if gram else Linear(matrix)
    start = _starting_point(warm_start, matrix, labels, gram)
    descent = Descent(space, objective, start)
    if interrupted:
        rules = replace(rules, max_epochs=0, callback=None)
    model = _Model(descent, gram, objective.penalty)
    status, history = _train(descent, model, objective.penalty, rules, clock)
    state = descent.state
    return Solution(
        A=model.A,
        W=model.weights(),
        coefficients=model.coefficients(),
        primal=state.value,
        dual=-math.inf,
        relative_gap=math.nan,
        epochs=state.steps,
        status="interrupted" if interrupted else status,
        history=history,
        loss=_LOSS.key,
        k=k,
        gamma=0.0,
        C=C,
        kernel="precomputed" if gram else "linear",
        theta=None,
        seconds=time.perf_counter() - began,
        gradient_norm=math.sqrt(state.squared_gradient),
    )


def path(X, y, Cs: Sequence[float], *, warm_start=None, **arguments) -> list[Solution]:
    """`toplabel.path` for the truncated top-k entropy: from the softmax solution of each C.

    Parameters
    ----------
    X, y, Cs
    warm_start
        Of the softmax solution for the smallest C.
    **arguments
        Of `toplabel.solve`. The limits hold for the softmax solutions and for the descents, each; the callback is
        told of the descents.
    """
    ascending, found = sorted(set(Cs)), {}
    softmax = dict(arguments, loss="lr_multi", k=1, eps=_START_EPS, callback=None, watch=None)
    starts = solver.path(X, y, ascending, warm_start=warm_start, **softmax)
    if starts and starts[-1].status == "interrupted":
        # no descent then: the models are those of the softmax so far
        arguments = {**arguments, "max_epochs": 0, "callback": None}
        for start in starts:
            model = solve(X, y, C=start.C, warm_start=start, **arguments)
            found[start.C] = replace(model, status="interrupted")
        return [found[C] for C in Cs if C in found]
    for C, start in zip(ascending, starts, strict=True):
        found[C] = solve(X, y, C=C, warm_start=start, **arguments)
        if found[C].status == "interrupted":
            break
    return [found[C] for C in Cs if C in found]


def _softmax(
    matrix,
    labels: Labels,
    gram: bool,
    C: float,
    seed: int,
    weight: np.ndarray | None,
    rules: Rules,
    acceleration: str | bool | float,
) -> Solution:
    return solve(
        matrix,
        labels.label[: labels.n],
        loss="lr_multi",
        C=C,
        kernel="precomputed" if gram else "linear",
        eps=_START_EPS,
        max_epochs=rules.max_epochs,
        seed=seed,
        sample_weight=weight,
        time_limit=rules.time_limit,
        cpu_limit=rules.cpu_limit,
        n_classes=labels.m,
        acceleration=acceleration,
    )


def _starting_point(
    warm_start: Solution | np.ndarray, matrix, labels: Labels, gram: bool
) -> np.ndarray:
    """Weights to start at, or with a Gram matrix dual variables."""
    if isinstance(warm_start, Solution):
        W = warm_start.W
        if W is not None and not gram:
            if W.shape != (matrix.shape[1], labels.m):
                wanted = f"({matrix.shape[1]}, {labels.m})"
                raise ValueError(f"warm_start must have weights of shape {wanted}, got {W.shape}")
            return np.array(W, dtype=np.float64, order="C")
        warm_start = warm_start.A if warm_start.coefficients is None else warm_start.coefficients
    A = as_dual(warm_start, labels.n, labels.m)
    return A if gram else Linear(matrix).gradient(A).own


def _train(
    descent: Descent, model: _Model, penalty: float, rules: Rules, clock: Clock
) -> tuple[str, list[Record]]:
    """Step until something ends the run; what it was, and the records."""
    history: list[Record] = []
    began, evaluating = time.perf_counter(), 0.0

    def record() -> Record:
        nonlocal evaluating
        start = time.perf_counter()
        watched = {name: measure(model) for name, measure in rules.watch.items()}
        now = time.perf_counter()
        evaluating += now - start
        state, solving = descent.state, now - began - evaluating
        values = (state.value, -math.inf, math.nan)
        history.append(Record(state.steps, *values, solving, evaluating, watched))
        return history[-1]

    def end() -> str | None:
        if _is_stationary(descent.state, penalty, rules.eps):
            return "converged"
        if descent.state.steps >= rules.max_epochs:
            return "max_epochs"
        return "time_limit" if clock.is_over() else None

    try:
        status = end()
        while True:
            if status is not None or descent.state.steps % (rules.eval_every or 1) == 0:
                latest = record()
                if rules.callback is not None and rules.callback(latest):
                    return "interrupted", history
            if status is not None:
                return status, history
            status = end() if descent.step() else "stalled"
    except KeyboardInterrupt:
        if not history or history[-1].epoch != descent.state.steps:
            record()
        return "interrupted", history


def _is_stationary(state: State, penalty: float, eps: float) -> bool:
    """Is the gap with the dropped classes fixed small (see the top of this file)?"""
    gap = state.squared_gradient / (2 * penalty)
    return gap <= eps * max(abs(state.value), abs(state.value - gap))
