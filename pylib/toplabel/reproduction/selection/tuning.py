"""Tuning: a method is trained along the grid of C on each fold, and measured on validation rows.

A job tunes splits with all their folds. Within it, one `FoldPath` a fold goes up the grid of C.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from toplabel.kernels import cross_gram
from toplabel.reproduction.config.protocols import Grid
from toplabel.reproduction.data.parts import squared_norms
from toplabel.reproduction.files import FileError, PathLike, read_records, write_records
from toplabel.reproduction.methods import Recipe, create, gives_probabilities
from toplabel.reproduction.methods.trained import Matrix, dense
from toplabel.reproduction.selection import TuneTask, with_meaning
from toplabel.reproduction.selection.choice import (
    DECIMALS,
    GridValues,
    Point,
    Points,
    average,
    extended_points,
    refined_points,
)
from toplabel.reproduction.selection.measures import all_values, sign
from toplabel.reproduction.selection.models import Fit, Fitter, Scaling, pool
from toplabel.reproduction.selection.problems import (
    ValidationProblem,
    fewer_rows,
    validation_problems,
)

if TYPE_CHECKING:
    from toplabel.reproduction.data.parts import PreparedSet

FAR = 0.1
"""Relative gap above which a fit that was given up is no candidate, nor is any larger C, whose fits
are harder still."""


def tune(
    prepared: PreparedSet, task: TuneTask, checkpoints: Checkpoints | None = None
) -> list[GridValues]:
    """Return what tuning finds on all splits of a task."""
    results = []
    for name in task.splits:
        of_split = replace(task, split=name)
        results += tune_split([*validation_problems(prepared, of_split)], of_split, checkpoints)
    return results


def tune_split(
    problems: Sequence[ValidationProblem], task: TuneTask, checkpoints: Checkpoints | None = None
) -> list[GridValues]:
    """Tune a method on all folds of a split, with each of its values of k if it selects one.

    `problems` are one a fold; `checkpoints` have finished paths of a job that was killed. Return
    means over the folds, one for each k, and results of single folds of a coarse grid that only
    screens, for the time that it took. A k must be below the number of classes, so larger ones are
    left out.
    """
    recipe = task.recipe
    if not recipe.ks:
        return _tune(problems, task, checkpoints)
    n_classes = problems[0].n_classes
    ks = [k for k in recipe.ks if k < n_classes]
    if not ks:
        raise ValueError(
            f"method '{task.method}': every k of {list(recipe.ks)} is at least the number of "
            f"classes, {n_classes}"
        )
    return [
        replace(result, k=k)
        for k in ks
        for result in _tune(problems, replace(task, recipe=recipe.at(k)), checkpoints)
    ]


def _tune(
    problems: Sequence[ValidationProblem], task: TuneTask, checkpoints: Checkpoints | None
) -> list[GridValues]:
    """Visit the coarse grid, extend it at an edge, refine it; return the mean over the folds.

    Where the grid screens, the coarse one is trained on fewer rows; it then only says where the
    finer one lies, and stands before the mean.
    """
    grid = grid_for(task, problems[0])
    task = replace(task, grid=grid)
    paths = [FoldPath(problem, task, fold, checkpoints) for fold, problem in enumerate(problems)]
    screens = grid.screen_rows is not None and bool(task.recipe.loss)
    points = coarse_points(task.recipe, grid)
    coarse = [path.on_fewer_rows() for path in paths] if screens else paths
    visited = [path.visit(points, grid.patience) for path in coarse]

    def results() -> list[GridValues]:
        return [path.arranged(points) for path, points in zip(paths, visited, strict=True)]

    def visit(points: Points) -> GridValues:
        for path, of_fold in zip(paths, visited, strict=True):
            of_fold += path.visit(points)
        return average(results())

    result = average(results())
    for _ in range(grid.extend):
        beyond = extended_points(result, grid, points)
        if not beyond:
            break
        result = visit(beyond)
    finer = refined_points(result, grid)
    if screens:
        screened = results()
        visited = [[] for _ in paths]
        return [*screened, visit(finer)]
    return [visit(finer) if finer else result]


@dataclass(frozen=True)
class FoldPath:
    """The paths over C, or over the candidates, of one method on one fold."""

    problem: ValidationProblem
    task: TuneTask
    fold: int
    checkpoints: Checkpoints | None = None

    def visit(self, points: Points, patience: int | None = None) -> list[Point]:
        """Fit and measure at the given points, C ascending for each theta.

        With `patience` each path ends after a decline, and so do the paths (`EarlyStopping`).
        """
        visited: list[Point] = []
        across = EarlyStopping(self._metrics, patience)
        for theta in sorted(points):
            along = EarlyStopping(self._metrics, patience)
            visited += self._path(theta, points[theta], along)
            if across.update(along.best):
                break
        return visited

    def on_fewer_rows(self) -> FoldPath:
        """Return the same paths on at most so many training rows as the grid screens."""
        task = self.task
        names = (task.seed, task.dataset, task.split, self.fold)
        return replace(self, problem=fewer_rows(self.problem, task.grid.screen_rows, names))

    @cached_property
    def _metrics(self) -> list[str]:
        metrics = with_meaning(self.task.metrics, self.problem.n_classes)
        if "log_loss" in metrics and not gives_probabilities(self.task.recipe):
            metrics.remove("log_loss")
        if not metrics:
            asked = ", ".join(self.task.metrics)
            raise ValueError(f"method '{self.task.method}': has none of the metrics {asked} here")
        return metrics

    @cached_property
    def _rows(self) -> tuple[Matrix, Matrix]:
        """The rows to train and to measure on, with features as the method takes them on every path."""
        X, X_eval = self.problem.X, self.problem.X_eval
        if self.task.recipe.features == "raw":
            return X, X_eval
        scaling = Scaling.fit(X, self.task.recipe.features)
        return scaling.apply(X), scaling.apply(X_eval)

    def arranged(self, points: Sequence[Point]) -> GridValues:
        """Return what was measured on this fold as a grid."""
        thresholds = self.task.grid.threshold_values()
        return GridValues.of(points, self._metrics, thresholds, self.task.split, self.fold)

    def _path(
        self, theta: float | None, along: Sequence[float], stopping: EarlyStopping
    ) -> list[Point]:
        """Return one path, to its end or until early stopping; that of a checkpoint, if any.

        `along` has exponents of C, or indices of candidates.
        """
        if self.checkpoints is None:
            return self._train_path(theta, along, stopping)
        names = (*self.task.names, self.fold, self.task.recipe.k)
        key = (*names, theta, *sorted(along), stopping.patience)
        points = self.checkpoints.load(key)
        if points is None:
            points = self._train_path(theta, along, stopping)
            self.checkpoints.save(key, points)
            return points
        for point in points:
            stopping.update(best_values(point, self._metrics))
        return points

    def _train_path(
        self, exponent: float | None, along: Sequence[float], stopping: EarlyStopping
    ) -> list[Point]:
        grid, problem = self.task.grid, self.problem
        X, held_out = self._rows
        theta = None if exponent is None else grid.theta.value(exponent)
        fitter = Fitter(self.task, X, problem.labels, problem.n_classes, theta, self.fold)
        if theta is not None:
            held_out = cross_gram(dense(held_out), dense(X), theta)
        points: list[Point] = []
        for place in sorted(along):
            is_index = bool(self.task.recipe.estimator)
            point = {"candidate": int(place)} if is_index else {"C": grid.C.value(place)}
            fit = fitter.fit(**point)
            is_given_up = fit.solution.status not in ("converged", "uncertified")
            if points and is_given_up and fit.solution.relative_gap > FAR:
                break
            points.append(self._measure(theta, fit, held_out))
            if stopping.update(best_values(points[-1], self._metrics)):
                break
        return points

    def _measure(self, theta: float | None, fit: Fit, held_out: Matrix) -> Point:
        solution, problem = fit.solution, self.problem
        # Where one row is left out, each is scored by the model of all others.
        is_left_out = self.task.recipe.leave_one_out
        scores = solution.left_out if is_left_out else solution.decision_function(held_out)
        scores = pool(np.asarray(scores), problem.groups)
        thresholds = self.task.grid.threshold_values()
        return Point(
            values=all_values(self._metrics, problem.truth, scores, thresholds),
            relative_gap=float(solution.relative_gap),
            epochs=int(solution.epochs),
            seconds=fit.seconds,
            theta=theta,
            C=fit.C,
            candidate=fit.candidate,
        )


class EarlyStopping:
    """Detects that no metric has come near its best for `patience` values in a row; None: never.

    A metric that stays equal, as the rank loss does where C is so small that only the length of W
    changes, does not count as worse. A metric that was perfect counts as worse from then on: it cannot
    get better, and ties go to the smaller C. `best` has the best of each metric so far, signed so that more is better.
    """

    def __init__(self, metrics: Sequence[str], patience: int | None) -> None:
        self.best = np.full(len(metrics), -np.inf)
        self._perfect = np.array([100.0 if sign(metric) > 0 else 0.0 for metric in metrics])
        self.patience = patience
        self._worse = 0

    def update(self, values: np.ndarray) -> bool:
        """Record the next values, (metrics,); true when the path should end."""
        lost = (values < self.best) | (self.best >= self._perfect)
        self._worse = self._worse + 1 if lost.all() else 0
        self.best = np.maximum(self.best, values)
        return self.patience is not None and self._worse >= self.patience


def best_values(point: Point, metrics: Sequence[str]) -> np.ndarray:
    """Return the best value of each metric over the thresholds, signed so that more is better."""
    signs = np.array([sign(metric) for metric in metrics])
    values = np.where(np.isnan(point.values), -np.inf, signs * point.values)
    return np.round(values.max(axis=0), DECIMALS)


def grid_for(task: TuneTask, problem: ValidationProblem) -> Grid:
    """Return the task's grid with the axis C of its method on some rows.

    A data set may ask that C is divided by the mean squared norm of the rows. A trainer with a
    method `axis` derives the axis from the data.
    """
    grid = task.grid
    if task.recipe.estimator:
        return grid
    if axis := getattr(create(task.recipe), "axis", None):
        C = axis(problem.X, problem.labels, problem.n_classes)
        return replace(grid, C=C, refine=None, extend=0)
    square = float(squared_norms(problem.X).mean()) if task.C_scale else 0.0
    return replace(grid, C=grid.C.over(square)) if square else grid


def coarse_points(recipe: Recipe, grid: Grid) -> Points:
    """Return the points of the protocol's grid, or all candidates of an estimator."""
    along = range(len(recipe.candidates)) if recipe.estimator else grid.C.exponents()
    return dict.fromkeys(grid.theta.exponents() if recipe.tunes_width else [None], along)


WORTH_KEEPING = 10.0
"""Seconds of fits: a shorter path is computed again."""


class Checkpoints:
    """A folder with a file for each finished path, which the job removes when it ends well.

    `identity` is all that the numbers depend on (data, method, budget, code), with a `repr` that
    tells it: a path that was saved under another identity is not found.
    """

    def __init__(self, folder: PathLike, identity: object) -> None:
        self._folder = Path(folder)
        self._identity = repr(identity)

    def load(self, key: object) -> list[Point] | None:
        """Return the points of a path; None if it is not there, or damaged."""
        try:
            return read_records(Point, self._path(key))
        except FileError:
            return None

    def save(self, key: object, points: Sequence[Point]) -> None:
        """Save a path, if it took long enough."""
        if sum(point.seconds for point in points) >= WORTH_KEEPING:
            write_records(points, self._path(key))

    def remove(self) -> None:
        """Remove the folder: the job's own result is there."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _path(self, key: object) -> Path:
        digest = hashlib.sha256(f"{self._identity}\n{key!r}".encode()).hexdigest()
        return self._folder / f"{digest[:24]}.npz"
