"""The tune stage: fits along C, measured on validation instances.

A job takes a split with all its folds, or a block of kernel widths of it. Within it, one `FoldPath`
a fold runs up the grid of C.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from toplabel.kernels import cross_gram, rbf_gram
from toplabel.reproduction.selection.checkpoints import Checkpoints
from toplabel.reproduction.selection.fitting import (
    FitResult,
    Solve,
    budget_for,
    dense,
    fitter,
    log_fit,
    pool,
)
from toplabel.reproduction.selection.grids import coarse_points, extended_points, refined_points
from toplabel.reproduction.selection.measures import all_values, sign
from toplabel.reproduction.selection.points import DECIMALS
from toplabel.reproduction.selection.problems import Matrix, ValidationProblem, fewer_rows
from toplabel.reproduction.selection.results import Point, TuneResult, assemble, average, merge
from toplabel.reproduction.selection.scaling import Scaling
from toplabel.reproduction.selection.task import Task

Points = Mapping[float, Sequence[float]]  # exponents of C by exponent of theta


class EarlyStopping:
    """Detects that no metric has come near its best for `patience` values in a row; None: never.

    A metric that stays equal, as the rank loss does where C is so small that only the length of W
    changes, does not count as worse; but one that was perfect cannot get better, and ties go to the
    smaller C. `best` has the best of each metric so far, signed so that more is better.
    """

    def __init__(self, metrics: Sequence[str], patience: int | None) -> None:
        self.best = np.full(len(metrics), -np.inf)
        self._perfect = np.array([100.0 if sign(metric) > 0 else 0.0 for metric in metrics])
        self._patience = patience
        self._worse = 0

    def update(self, values: np.ndarray) -> bool:
        """Record the next values, (k,); true when the path should end."""
        lost = (values < self.best) | (self.best >= self._perfect)
        self._worse = self._worse + 1 if lost.all() else 0
        self.best = np.maximum(self.best, values)
        return self._patience is not None and self._worse >= self._patience


def best_values(point: Point, metrics: Sequence[str]) -> np.ndarray:
    """Return the best value of each metric over the thresholds, signed so that more is better."""
    signs = np.array([sign(metric) for metric in metrics])
    values = np.where(np.isnan(point.values), -np.inf, signs * point.values)
    return np.round(values.max(axis=0), DECIMALS)


@dataclass(frozen=True)
class FoldPath:
    """One fold of one method: fits along C, and their validation values."""

    problem: ValidationProblem
    task: Task
    fold: int
    solve: Solve
    checkpoints: Checkpoints | None = None

    def visit(self, points: Points) -> TuneResult:
        """Fit and measure at the given exponents, C ascending for each theta."""
        return self._result(
            point for theta in sorted(points) for point in self._path(theta, points[theta], None)
        )

    def survey(self, points: Points) -> TuneResult:
        """Visit the given exponents, but end each path after a decline (the budget's `patience`)."""
        found: list[Point] = []
        across = EarlyStopping(self._metrics, self.task.budget.patience)
        for theta in sorted(points):
            along = EarlyStopping(self._metrics, self.task.budget.patience)
            found += self._path(theta, points[theta], along)
            if across.update(along.best):
                break
        return self._result(found)

    @cached_property
    def _metrics(self) -> list[str]:
        return self.task.metrics(self.problem.n_classes)

    @cached_property
    def _rows(self) -> tuple[Matrix, Matrix]:
        """The rows to train and to measure on, as the method takes features."""
        X, X_eval = self.problem.X, self.problem.X_eval
        if self.task.method.features == "raw":
            return X, X_eval
        scaling = Scaling.fit(X, self.task.method.features)
        return scaling.apply(X), scaling.apply(X_eval)

    def _result(self, points: Iterable[Point]) -> TuneResult:
        task = self.task
        return assemble(list(points), self._metrics, task.budget, task.split, str(self.fold))

    def _path(
        self, theta_exponent: float, exponents: Sequence[float], stopping: EarlyStopping | None
    ) -> list[Point]:
        """Return one path over C, to its end or until early stopping; a checkpoint's, if any."""
        if self.checkpoints is None:
            return self._train_path(theta_exponent, exponents, stopping)
        patience = None if stopping is None else self.task.budget.patience
        names = (*self.task.names, self.fold, self.task.method.k)
        key = (*names, theta_exponent, *sorted(exponents), patience)
        found = self.checkpoints.load(key)
        if found is None:
            found = self._train_path(theta_exponent, exponents, stopping)
            self.checkpoints.save(key, found)
        elif stopping is not None:
            for point in found:
                stopping.update(best_values(point, self._metrics))
        return found

    def _train_path(
        self, theta_exponent: float, exponents: Sequence[float], stopping: EarlyStopping | None
    ) -> list[Point]:
        budget, problem, theta = self.task.budget, self.problem, np.nan
        X, held_out = self._rows
        if self.task.method.tunes_width:
            theta = budget.theta.value(theta_exponent)
            rows = dense(X)
            held_out = cross_gram(dense(held_out), rows, theta)
            X = rbf_gram(rows, theta, budget.gram_dtype)
        fit = fitter(self.task, self.solve, X, problem.labels, problem.n_classes, theta, self.fold)
        found = []
        for exponent in sorted(exponents):
            result = fit(budget.C.value(exponent))
            where = {"split": self.task.split, "fold": self.fold, "theta": theta}
            log_fit(result, "max_epochs_tune", **where, k=self.task.method.k)
            found.append(self._measure(theta, result, held_out))
            if stopping is not None and stopping.update(best_values(found[-1], self._metrics)):
                break
        return found

    def _measure(self, theta: float, result: FitResult, held_out: Matrix) -> Point:
        solution, problem = result.solution, self.problem
        left_out = solution.left_out if problem.leave_one_out else None
        scores = solution.decision_function(held_out) if left_out is None else left_out
        scores = pool(np.asarray(scores), problem.groups)
        thresholds = self.task.budget.thresholds.values()
        values = all_values(self._metrics, problem.truth, scores, thresholds)
        gap = float(solution.relative_gap)
        return Point(theta, result.C, values, gap, result.epochs, result.seconds)


def tune_block(
    problems: Iterable[ValidationProblem],
    task: Task,
    solve: Solve,
    block: int | None = None,
    checkpoints: Checkpoints | None = None,
) -> list[TuneResult]:
    """Visit the coarse grid, or a block of its widths, on at most so many rows as the budget
    screens.

    Return a result for each of the problems, which are one a fold and are taken one by one.
    """
    found = []
    for fold, problem in enumerate(problems):
        if not fold:
            budget = budget_for(task, problem)
            task = replace(task, budget=budget)
            points = coarse_points(task.method, budget, block)
        if budget.screen_rows is not None:
            seeds = (task.settings.seed, task.dataset, task.split, fold)
            problem = fewer_rows(problem, budget.screen_rows, seeds)
        path = FoldPath(problem, task, fold, solve, checkpoints)
        found.append(path.survey(points))
    return found


def tune_split(
    problems: Sequence[ValidationProblem],
    task: Task,
    solve: Solve,
    blocks: Sequence[TuneResult] = (),
    checkpoints: Checkpoints | None = None,
) -> TuneResult:
    """Tune a method on all folds of a split: coarse grid, extension at the edge, refinement.

    `problems` are one a fold, or a single one where the set has a validation part. `blocks` are the
    coarse grid, where it was visited before (`tune_block`). If the budget screens, it was trained
    on fewer rows and says only where the fine grid lies. `checkpoints` have finished paths of a job
    that was killed. Return means over the folds.
    """
    budget = budget_for(task, problems[0])
    task = replace(task, budget=budget)
    method = task.method
    paths = [
        FoldPath(problem, task, fold, solve, checkpoints) for fold, problem in enumerate(problems)
    ]
    found = [[one for one in blocks if one.fold == str(fold)] for fold in range(len(paths))]

    def mean() -> TuneResult:
        return average([merge(of_fold) for of_fold in found])

    def visit(points: Points) -> TuneResult:
        for path, of_fold in zip(paths, found, strict=True):
            of_fold.append(path.visit(points))
        return mean()

    if not blocks:
        found = [[path.survey(coarse_points(method, budget))] for path in paths]
    result = mean()
    for _ in range(budget.extend):
        beyond = extended_points(result, budget, budget.thetas(method.tunes_width))
        if not beyond:
            break
        result = visit(beyond)
    finer = refined_points(result, budget)
    if blocks and budget.screen_rows is not None:
        found = [[] for _ in paths]
    return visit(finer) if finer else result


def tune_ks(
    problems: Sequence[ValidationProblem],
    task: Task,
    solve: Solve,
    blocks: Sequence[TuneResult] = (),
    checkpoints: Checkpoints | None = None,
) -> list[TuneResult]:
    """Tune a method on a split (`tune_split`), with each of its values of k if it selects one.

    A k must be below the number of classes, so larger ones are left out; none left is a ValueError.
    Results of single folds, of a coarse grid that only screens, are returned for their times.
    """
    method = task.method
    if not method.ks:
        return _tune(problems, task, solve, blocks, checkpoints)
    n_classes = problems[0].n_classes
    ks = [k for k in method.ks if k < n_classes]
    if not ks:
        raise ValueError(
            f"method '{method.name}': every k of {list(method.ks)} is at least the number of "
            f"classes, {n_classes}"
        )
    return [
        replace(result, k=float(k))
        for k in ks
        for result in _tune(problems, replace(task, method=method.at(k)), solve, (), checkpoints)
    ]


def _tune(
    problems: Sequence[ValidationProblem],
    task: Task,
    solve: Solve,
    blocks: Sequence[TuneResult],
    checkpoints: Checkpoints | None,
) -> list[TuneResult]:
    """Return what tuning on a split finds, after results of the coarse grid if it only screens."""
    screens = task.budget.screen_rows is not None and not task.method.baseline
    if screens and not blocks:
        blocks = tune_block(problems, task, solve, checkpoints=checkpoints)
    mean = tune_split(problems, task, solve, blocks, checkpoints)
    return [*blocks, mean] if screens else [mean]
