"""The tune stage: fits along C, measured on validation instances.

A job takes a split with all its folds, or a block of kernel widths of it. Within it, one `FoldPath`
a fold runs up the grid of C.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from toplabel.kernels import cross_gram, rbf_gram
from toplabel.reproduction.selection.checkpoints import Checkpoints
from toplabel.reproduction.selection.fitting import (
    FitResult,
    Fitter,
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
    """Detects that no metric has come near its best for some values in a row.

    A metric that stays equal, as the rank loss does where C is so small that only the length of W
    changes, does not count as worse; but one that was perfect cannot get better, and ties go to the
    smaller C.

    Parameters
    ----------
    metrics : sequence of str
    patience : int or None
        How many values in a row; None: never.

    Attributes
    ----------
    best : ndarray of shape (k,)
        The best of each metric so far, with the sign at which more is better.
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
    """Return the best value of each metric over the thresholds, with the sign at which more is
    better.
    """
    signs = np.array([sign(metric) for metric in metrics])
    values = np.where(np.isnan(point.values), -np.inf, signs * point.values)
    return np.round(values.max(axis=0), DECIMALS)


class FoldPath:
    """One fold of one method: fits along C, and their validation values.

    Parameters
    ----------
    problem : ValidationProblem
    task : Task
    fold : int
    solve : callable
        `toplabel.solve` or one like it.
    checkpoints : Checkpoints, optional
        Finished paths of a job that was killed, and those of this one.
    """

    def __init__(
        self,
        problem: ValidationProblem,
        task: Task,
        fold: int,
        solve: Solve,
        checkpoints: Checkpoints | None = None,
    ) -> None:
        features = task.method.features
        self._problem = problem if features == "raw" else _scaled(problem, features)
        self._method = task.method
        self._budget = task.budget
        self._metrics = task.metrics(problem.n_classes)
        self._settings = task.settings
        self._names = (*task.names, fold)
        self._solve = solve
        self._checkpoints = checkpoints

    def visit(self, points: Points) -> TuneResult:
        """Fit and measure at the given exponents, C ascending for each theta."""
        return self._result(
            point for theta in sorted(points) for point in self._path(theta, points[theta], None)
        )

    def survey(self, points: Points) -> TuneResult:
        """Visit the given exponents, but end each path after a clear decline, if the budget has a
        `patience`.
        """
        found: list[Point] = []
        across = EarlyStopping(self._metrics, self._budget.patience)
        for theta in sorted(points):
            along = EarlyStopping(self._metrics, self._budget.patience)
            found += self._path(theta, points[theta], along)
            if across.update(along.best):
                break
        return self._result(found)

    def _result(self, points: Iterable[Point]) -> TuneResult:
        split, fold = self._names[3:5]
        return assemble(list(points), self._metrics, self._budget, split, str(fold))

    def _path(
        self, theta_exponent: float, exponents: Sequence[float], stopping: EarlyStopping | None
    ) -> list[Point]:
        """Return one path over C, to its end or until early stopping; from a checkpoint if there is
        one.
        """
        if self._checkpoints is None:
            return self._train_path(theta_exponent, exponents, stopping)
        patience = None if stopping is None else self._budget.patience
        key = (*self._names, self._method.k, theta_exponent, *sorted(exponents), patience)
        found = self._checkpoints.load(key)
        if found is None:
            found = self._train_path(theta_exponent, exponents, stopping)
            self._checkpoints.save(key, found)
        elif stopping is not None:
            for point in found:
                stopping.update(best_values(point, self._metrics))
        return found

    def _train_path(
        self, theta_exponent: float, exponents: Sequence[float], stopping: EarlyStopping | None
    ) -> list[Point]:
        theta, models, held_out = self._fitter(theta_exponent)
        found = []
        for exponent in sorted(exponents):
            result = models.fit(self._budget.C.value(exponent))
            log_fit(
                result, split=self._names[3], fold=self._names[4], theta=theta, k=self._method.k
            )
            found.append(self._measure(theta, result, held_out))
            if stopping is not None and stopping.update(best_values(found[-1], self._metrics)):
                break
        return found

    def _fitter(self, theta_exponent: float) -> tuple[float, Fitter, Matrix]:
        """Return theta, what trains for it, and the rows to measure on."""
        if not self._method.tunes_width:
            return np.nan, self._fitter_for(self._problem.X, np.nan), self._problem.X_eval
        theta = self._budget.theta.value(theta_exponent)
        X = dense(self._problem.X)
        held_out = cross_gram(dense(self._problem.X_eval), X, theta)
        K = rbf_gram(X, theta, self._budget.gram_dtype)
        return theta, self._fitter_for(K, theta), held_out

    def _fitter_for(self, X: Matrix, theta: float) -> Fitter:
        return fitter(
            self._solve,
            X,
            self._problem.labels,
            self._method,
            self._problem.n_classes,
            self._budget.eps_tune or self._settings.eps_tune,
            self._settings.max_epochs_tune,
            (*self._names, repr(float(theta))),
        )

    def _measure(self, theta: float, result: FitResult, held_out: Matrix) -> Point:
        if self._problem.leave_one_out:
            scores = result.solution.left_out
        else:
            scores = np.asarray(result.solution.decision_function(held_out))
        scores = pool(scores, self._problem.groups)
        return Point(
            theta=theta,
            C=result.C,
            values=all_values(
                self._metrics, self._problem.truth, scores, self._budget.thresholds.values()
            ),
            relative_gap=float(result.solution.relative_gap),
            epochs=result.epochs,
            seconds=result.seconds,
        )


def _scaled(problem: ValidationProblem, kind: str) -> ValidationProblem:
    scaling = Scaling.fit(problem.X, kind)
    return replace(problem, X=scaling.apply(problem.X), X_eval=scaling.apply(problem.X_eval))


def tune_block(
    problems: Iterable[ValidationProblem],
    task: Task,
    solve: Solve,
    block: int,
    checkpoints: Checkpoints | None = None,
) -> list[TuneResult]:
    """Visit a block of widths of the coarse grid, on at most so many rows as the budget screens.

    Parameters
    ----------
    problems : iterable of ValidationProblem
        One a fold; taken one after the other.
    task, solve, checkpoints
        As for `tune_split`.
    block : int

    Returns
    -------
    list of TuneResult
        One a fold.
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

    Parameters
    ----------
    problems : sequence of ValidationProblem
        One a fold, or a single one where the set has a validation part.
    task : Task
    solve : callable
    blocks : sequence of TuneResult
        The coarse grid, where other jobs have visited it (`tune_block`). If the budget screens, it
        was trained on fewer rows and says only where the fine grid lies.
    checkpoints : Checkpoints, optional
        Finished paths of a job that was killed, and those of this one.

    Returns
    -------
    TuneResult
        Means over the folds.
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

    A k must be below the number of classes, so larger ones are left out.

    Raises
    ------
    ValueError
        When none is left.
    """
    method = task.method
    if not method.ks:
        return [tune_split(problems, task, solve, blocks, checkpoints)]
    n_classes = problems[0].n_classes
    ks = [k for k in method.ks if k < n_classes]
    if not ks:
        raise ValueError(
            f"method '{method.name}': every k of {list(method.ks)} is at least the number of "
            f"classes, {n_classes}"
        )
    found = []
    for k in ks:
        at_k = replace(task, method=method.at(k))
        result = tune_split(problems, at_k, solve, checkpoints=checkpoints)
        found.append(replace(result, k=float(k)))
    return found
