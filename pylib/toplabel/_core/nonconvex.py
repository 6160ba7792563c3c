"""Training by descent: of a loss that is not convex, from the solution of a convex one, and of a
user's loss, from W = 0.

A loss of the catalogue that is not convex is smooth but for kinks where it is the smallest of
several smooth losses; so is the truncated top-k entropy, which drops each row's k - 1 highest scores
of other classes (TPAMI section 3.2), and is thereby the smallest of the softmax losses over all
choices of classes to drop. The papers start gradient descent with line search at the softmax
solution (TPAMI section 6.2); `Loss.start` names the convex loss to start with. Here the directions
are those of L-BFGS, and every step decreases P.

There is no certificate of a global optimum. For a loss that is a minimum of convex losses there is
a weaker one: with the choice of each row held fixed (for the truncated entropy the classes that it
drops) the problem is convex, and its duality gap at W, with the dual variables ``-C w_i grad L(W^T
x_i)``, is ``||grad P(W)||_F^2 / (2 lambda)``. Training stops when that is at most ``tol max(|P|, |P
- gap|)``, the rule of the convex losses.

For a user's loss that is convex the same number bounds P(W) minus the optimum, as P is strongly
convex. Whether it is convex is not known; its `conjugate`, where it has one, gives D and the duality
gap at the same dual variables.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from toplabel._core import catalogue, losses, tuning
from toplabel._core import sdca as _sdca
from toplabel._core.arrays import as_dual, check_mapped_finite, is_mapped
from toplabel._core.descent import Descent, Kernel, Linear, State
from toplabel._core.own_loss import OwnLoss
from toplabel._core.problem import Problem
from toplabel._core.solution import Record, Solution, join_intercept, relative_gap
from toplabel._core.training import Options


class _Objective:
    """P: the weighted mean of the losses, and the penalty."""

    def __init__(self, problem: Problem, C: float):
        weight = np.ones(problem.labels.n) if problem.weight is None else problem.weight
        total = float(weight.sum())
        self.penalty = 1.0 / (C * total)  # lambda
        self.share = weight / total
        self._loss = problem.loss, problem.labels, problem.k, problem.gamma

    def loss(self, scores: np.ndarray) -> float:
        loss, labels, k, gamma = self._loss
        return float(self.share @ losses.values_at(loss, scores, labels, k, gamma))

    def loss_gradient(self, scores: np.ndarray) -> np.ndarray:
        """Return the gradient of `loss` in the scores."""
        loss, labels, k, gamma = self._loss
        gradient = losses.gradients_at(loss, scores, labels, k, gamma)
        gradient *= self.share[:, None]
        return gradient


class _Model:
    """The present point of a descent, as `Options.watch` takes it."""

    def __init__(self, descent: Descent, gram: bool, penalty: float):
        self._descent = descent
        self._gram = gram
        self._penalty = penalty

    @property
    def A(self) -> np.ndarray:
        return -self._descent.state.fit.of_scores / self._penalty

    def coefficients(self) -> np.ndarray | None:
        return self._descent.state.point.own if self._gram else None

    def weights(self) -> np.ndarray | None:
        return None if self._gram else self._descent.state.point.own


def solutions(
    problem: Problem, Cs: Sequence[float], options: Options, warm_start
) -> Iterator[Solution]:
    """Yield the solution for each C, in ascending order, each from the convex solution for that C.

    A warm start takes the place of the first convex solution. An epoch is a step of the descent;
    the convex solution may take as many passes, and its time counts for the limits of each C. A
    is ``-C w_i grad L``, with which ``W - X.T @ A`` is the gradient over lambda.
    """
    if is_mapped(problem.features):
        check_mapped_finite(problem.features, "X")
    if isinstance(problem.loss, OwnLoss):
        problem.loss.check(problem.labels)
        zeros = np.zeros((problem.labels.n, problem.labels.m))
        for C in Cs:
            start = zeros if warm_start is None else warm_start
            yield _descend(problem, C, start, options)
            warm_start, options = None, options.again()
        return
    convex = problem.like(catalogue.get(problem.loss.start))
    starts = None
    for i, C in enumerate(Cs):
        if warm_start is not None:
            yield _descend(problem, C, warm_start, options)
            warm_start, options = None, options.again()
            continue
        if starts is None:
            quiet = replace(options, tol=tuning.START_TOL, eval_every=None, callback=None, watch={})
            starts = _sdca.solutions(convex, Cs[i:], quiet, None)
        start = next(starts)
        if start.status != "interrupted":
            yield _descend(problem, C, start, options)
        else:  # the model is that of the convex loss so far
            none = replace(options, max_iter=0, callback=None)
            yield replace(_descend(problem, C, start, none), status="interrupted")
        options = options.again()


def _descend(problem: Problem, C: float, start, options: Options) -> Solution:
    objective = _Objective(problem, C)
    space = (Kernel if problem.is_gram else Linear)(problem.features, problem.constant)
    descent = Descent(space, objective, _starting_point(start, problem))
    model = _Model(descent, problem.is_gram, objective.penalty)
    status, history = _train(descent, model, objective.penalty, options)
    if problem.exact is not None:  # what is reported is that of the rows that were passed
        space = type(space)(problem.exact, problem.constant)
        descent = Descent(space, objective, descent.state.point.own)
        model = _Model(descent, problem.is_gram, objective.penalty)
        history[-1] = replace(history[-1], primal=descent.state.value)
        if status == "converged" and not _is_stationary(
            descent.state, objective.penalty, options.tol
        ):
            status = "imprecise"
    state = descent.state
    dual, relative_gap = _certificate(problem, objective, space, state)
    if status == "converged" and relative_gap > options.tol:
        status = "stalled"
    arrays = (model.A, model.weights(), model.coefficients())
    solution = _sdca.solution_at(problem, C, options, *arrays, _sdca.Ending(status, history))
    return replace(
        solution,
        primal=state.value,
        dual=dual,
        relative_gap=relative_gap,
        gradient_norm=math.sqrt(state.squared_gradient),
    )


def _certificate(problem: Problem, objective: _Objective, space, state: State):
    """Return D and the relative duality gap of a loss with a conjugate, of others -inf and NaN."""
    loss, labels = problem.loss, problem.labels
    if not isinstance(loss, OwnLoss) or not loss.has_conjugate:
        return -math.inf, math.nan
    conjugates = loss.conjugates(loss.gradients(state.fit.scores, labels), labels)
    image = space.gradient(state.fit.of_scores)
    dual = float(-objective.share @ conjugates - image.dot(image) / (2 * objective.penalty))
    return dual, relative_gap(state.value, dual)


def _starting_point(start: Solution | np.ndarray, problem: Problem) -> np.ndarray:
    """Return weights to start at, or with a Gram matrix dual variables."""
    d, m = problem.features.shape[1], problem.labels.m
    if isinstance(start, Solution):
        W = start.W
        if W is not None and not problem.is_gram:
            if W.shape != (d, m):
                raise ValueError(f"warm_start must have weights of shape ({d}, {m}), got {W.shape}")
            W = join_intercept(W, start.intercept, problem.constant)
            return np.array(W, dtype=np.float64, order="C")
        start = start.A if start.coefficients is None else start.coefficients
    A = as_dual(start, problem.labels.n, m)
    return A if problem.is_gram else Linear(problem.features, problem.constant).gradient(A).own


def _train(
    descent: Descent, model: _Model, penalty: float, options: Options
) -> tuple[str, list[Record]]:
    """Step until the run ends; return the status and the records."""
    history: list[Record] = []
    began, evaluating = time.perf_counter(), 0.0

    def record() -> Record:
        nonlocal evaluating
        start = time.perf_counter()
        watched = {name: measure(model) for name, measure in options.watch.items()}
        now = time.perf_counter()
        evaluating += now - start
        state, solving = descent.state, now - began - evaluating
        values = (state.value, -math.inf, math.nan)
        history.append(Record(state.steps, *values, solving, evaluating, watched))
        return history[-1]

    def end() -> str | None:
        if _is_stationary(descent.state, penalty, options.tol):
            return "converged"
        if descent.state.steps >= options.max_iter:
            return "max_iter"
        return options.clock.why_to_end() or None

    try:
        status = end()
        while True:
            if status is not None or descent.state.steps % (options.eval_every or 1) == 0:
                latest = record()
                if options.callback is not None and options.callback(latest):
                    return "interrupted", history
            if status is not None:
                return status, history
            status = end() if descent.step() else "stalled"
    except KeyboardInterrupt:
        if not history or history[-1].epoch != descent.state.steps:
            record()
        return "interrupted", history


def _is_stationary(state: State, penalty: float, tol: float) -> bool:
    """Is the gap with the dropped classes fixed small (see the top of this file)?"""
    gap = state.squared_gradient / (2 * penalty)
    return gap <= tol * max(abs(state.value), abs(state.value - gap))
