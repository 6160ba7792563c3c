"""Rows on which passes get nowhere: passes in coordinates in which all directions have one size.

With raw features a few directions of the rows may be thousands of times as long as the others (the
mean of the rows, a column of large numbers), and the steps that they allow are too short for the
rest. The principal axes of the rows, each divided by about its size, are coordinates without such
directions. In them the regulariser has a factor of its own for each axis (``ridge`` of
`toplabel._core.run.Run`), so that the problem, its optimum and its dual variables are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from toplabel import losses
from toplabel._core.arrays import is_mapped
from toplabel._core.problem import Problem
from toplabel._core.run import Run
from toplabel._core.solution import Record
from toplabel._core.training import Clock, Options, train
from toplabel.errors import ToplabelError

_PASSES = 100  # before a run may be given up
_GAP = 0.2  # above which it is,
_LOSS = 0.1  # if P is above this part of what needs no rows: where they are separated, others are better
_HARD = 5e4  # C times the mean squared norm of the rows, below which no run is
_EASY = 1e3  # the same in the new coordinates
_WIDEST = 1024  # features; the axes take d^3 operations
_BYTES = 1 << 28  # of the rows in the new coordinates
_STRETCH = 1e10  # most that an axis is divided by, squared
_SMOOTHINGS = (1.0, 0.3, 0.1, 0.03, 0.01)  # of a hinge without one, one after the other
_SMOOTH_EPS = 0.05  # gap of a smoothed problem, times its gamma


@dataclass(frozen=True)
class Coordinates:
    """Rows in their principal axes, each divided by about its size.

    Attributes
    ----------
    rows : ndarray, (n, d)
        ``X @ axes``, X with the constant feature.
    axes : ndarray, (d, d)
        Weights in these coordinates times this are those of X.
    ridge : ndarray, (d,)
        Factors of the regulariser.
    """

    rows: np.ndarray
    axes: np.ndarray
    ridge: np.ndarray

    @classmethod
    def of(cls, problem: Problem, C: float) -> Coordinates | None:
        """Return the coordinates; None where the rows are not so hard, or numbers overflow."""
        X = _rows(problem)
        n = len(X)
        share = (
            np.full(n, 1 / n) if problem.weight is None else problem.weight / problem.weight.sum()
        )
        with np.errstate(all="ignore"):
            moments = C * (X.T * share) @ X
            if not (np.isfinite(moments).all() and np.trace(moments) >= _HARD):
                return None
            try:
                sizes, axes = np.linalg.eigh(moments)
            except np.linalg.LinAlgError:
                return None
            ridge = _ridge(np.maximum(sizes, 0.0))
            axes = axes * np.sqrt(ridge)
            rows = np.ascontiguousarray(X @ axes)
        return cls(rows, axes, ridge) if np.isfinite(rows).all() else None


def _rows(problem: Problem) -> np.ndarray:
    """Return dense float64 rows with the constant feature."""
    X = problem.features
    X = X.toarray() if sparse.issparse(X) else X
    if not problem.constant:
        return X.astype(np.float64, copy=False)
    return np.hstack([X, np.full((len(X), 1), problem.constant)])


def _ridge(sizes: np.ndarray) -> np.ndarray:
    """Return t = 1/(1 + c size) with the c for which ``sum_k t_k size_k`` is `_EASY`."""
    low, high = 0.0, len(sizes) / _EASY  # at the upper end each term is below _EASY / d
    for _ in range(60):
        c = 0.5 * (low + high)
        if (sizes / (1.0 + c * sizes)).sum() > _EASY:
            low = c
        else:
            high = c
    return np.maximum(1.0 / (1.0 + high * sizes), 1.0 / _STRETCH)


class _Scaled(Run):
    """A run in other coordinates, whose weights are those of the rows as given."""

    def __init__(self, coordinates: Coordinates, *arguments, **options):
        super().__init__(coordinates.rows, *arguments, ridge=coordinates.ridge, **options)
        self._axes = coordinates.axes

    def weights(self) -> np.ndarray:
        return self._axes @ self.own_weights()

    def own_weights(self) -> np.ndarray:
        """Return the weights in these coordinates."""
        return super().weights()


class _Best:
    """The weights with the smallest P that were met, and the dual variables with the largest D."""

    def __init__(self, run: Run, at: Record):
        self.primal, self.weights = at.primal, run.weights()
        self.dual, self.A = at.dual, run.A.copy()

    def take(self, run: Run, objective) -> None:
        if objective.primal <= self.primal:
            self.primal, self.weights = objective.primal, run.weights()
        if objective.dual >= self.dual:
            self.dual, self.A = objective.dual, run.A


class Rescue:
    """Watches a run; where that gets nowhere, goes on in other coordinates.

    Parameters
    ----------
    problem : Problem
    C : float
    options : Options
    run : Run
        At its start.
    restart : callable
        From dual variables and weights to a run of the problem that is at this point.
    """

    def __init__(
        self,
        problem: Problem,
        C: float,
        options: Options,
        run: Run,
        restart: Callable[[np.ndarray, np.ndarray], Run],
    ):
        self._problem, self._C, self._options = problem, C, options
        self._run, self._restart = run, restart
        self._clock = Clock(options)
        self._first = run.epochs
        self._coordinates: Coordinates | None = None
        d = problem.weights_shape[0]
        self._is_open = (
            options.acceleration == "auto"
            and options.max_epochs > _PASSES
            and not problem.is_gram
            and problem.center is None
            and not is_mapped(problem.features)
            and d <= _WIDEST
            and 8 * d * problem.labels.n <= _BYTES
        )

    def is_given_up(self) -> bool:
        """Return whether to give the run up; asked between parts of its passes."""
        if not self._is_open:
            return False
        now = self._run.progress()
        if now.epochs - self._first < _PASSES:
            return False
        self._is_open = False  # asked once, so that it does not matter what is evaluated when
        if now.relative_gap > _GAP and now.primal > _LOSS * self._loss_of_constants():
            self._coordinates = Coordinates.of(self._problem, self._C)
        return self._coordinates is not None

    def _loss_of_constants(self) -> float:
        """Return the least loss of scores that are the same for all rows and labels: 0, or for
        one-vs-all losses, which grow with the number of labels at 0, a no to every label.
        """
        problem = self._problem
        n, m = problem.labels.n, problem.labels.m
        share = min(max(problem.labels.start[-1] / (n * m), 1e-6), 1.0 - 1e-6)
        scores = (np.full((n, m), c) for c in (0.0, -1.0, np.log(share / (1.0 - share))))
        options = problem.labels, problem.k, problem.gamma
        return min(
            float(np.average(losses.values_at(problem.loss, s, *options), weights=problem.weight))
            for s in scores
        )

    def go_on(self, history: list[Record]) -> tuple[Run, str, list[Record], int]:
        """Go on after the run was given up.

        Returns
        -------
        run : Run
            At the weights with the smallest P and the dual variables with the largest D that were
            met: any such pair has a certificate.
        status : str
        history : list of Record
            With the given one before it; the last one is that of the run.
        visits : int
            Rows visited here.
        """
        history, visits, status = list(history), 0, "stalled"
        best = _Best(self._run, history[-1])
        scaled: _Scaled | None = None
        for gamma in self._smoothings():
            before = history[-1]
            try:
                scaled = self._start(gamma, scaled)
                status, records = self._train(scaled, gamma, before)
                run = self._restart(scaled.A.copy(), scaled.weights())
                best.take(run, run.evaluate())
                run = self._restart(best.A.copy(), best.weights)
                objective = run.evaluate()
                last = self._record(run, objective, records[-1])
            except ToplabelError:  # numbers overflow in these coordinates
                status = "stalled"  # whatever became of a smoothed problem before
                break
            except KeyboardInterrupt:  # between two runs, which take it themselves
                status = "interrupted"
                break
            visits += scaled.visits
            self._run = run
            history += [*records[1:-1], last] if gamma == self._problem.gamma else [last]
            if gamma != self._problem.gamma and self._asks_to_stop(last):
                status = "interrupted"
            status = self._judge(status, gamma, last)
            if status != "":
                break
        else:  # no smoothing is left: passes over the rows as given, from this point
            before = history[-1]
            status, records = self._train(self._run, self._problem.gamma, before)
            visits += self._run.visits
            best.take(self._run, self._run.objective)
            history += records[1:]
            if status != "converged":
                self._run = self._restart(best.A.copy(), best.weights)
                history[-1] = self._record(self._run, self._run.evaluate(), history[-1])
        return self._run, status, history, visits

    def _smoothings(self) -> Iterator[float]:
        """Yield the gamma of a smooth loss, or for a hinge without one ever smaller ones."""
        own = self._problem.gamma
        if own > 0.0 or not self._problem.loss.smoothing:
            yield own
        else:
            yield from _SMOOTHINGS

    def _start(self, gamma: float, before: _Scaled | None) -> _Scaled:
        problem = self._problem
        start = {}
        if before is not None:
            start = {"start": before.A, "start_weights": before.own_weights(), "start_r": before.r}
        return _Scaled(
            self._coordinates,
            problem.labels,
            problem.loss,
            k=problem.k,
            gamma=gamma,
            C=self._C,
            seed=self._options.seed,
            gram=False,
            weight=problem.weight,
            **start,
        )

    def _train(self, run: Run, gamma: float, before: Record) -> tuple[str, list[Record]]:
        """Train to the end, or where the loss is smoothed to a gap that goes with it; records
        count from the start of the whole run.
        """
        options = self._options
        limits = {**self._clock.left(), "max_epochs": options.max_epochs - before.epoch}
        if gamma != self._problem.gamma:
            limits |= {
                "eps": _SMOOTH_EPS * gamma,
                "callback": None,
                "watch": {},
                "eval_every": None,
            }
        elif options.callback is not None:
            limits["callback"] = lambda record: (
                record.epoch > 0 and options.callback(_after(before, record))
            )
        status, records = train(run, replace(options, **limits))
        return status, [_after(before, record) for record in records]

    def _record(self, run: Run, objective, at: Record) -> Record:
        watched = {name: measure(run) for name, measure in self._options.watch.items()}
        values = {name: getattr(objective, name) for name in ("primal", "dual", "relative_gap")}
        return replace(at, watched=watched, **values)

    def _asks_to_stop(self, record: Record) -> bool:
        callback = self._options.callback
        return callback is not None and bool(callback(record))

    def _judge(self, status: str, gamma: float, last: Record) -> str:
        """Return the status of the whole run; empty: another smoothing is next."""
        if status in ("interrupted", "time_limit"):
            return status
        if last.relative_gap <= self._options.eps:
            return "converged"
        if last.epoch >= self._options.max_epochs:
            return "max_iter"
        if gamma != self._problem.gamma:
            return ""
        return "imprecise" if status == "converged" else status


def _after(before: Record, record: Record) -> Record:
    """Return a record of a run that went on where another had ended."""
    return replace(
        record,
        epoch=before.epoch + record.epoch,
        solve_seconds=before.solve_seconds + record.solve_seconds,
        evaluate_seconds=before.evaluate_seconds + record.evaluate_seconds,
    )
