"""One-vs-all losses in groups of classes, each a problem of its own, on threads.

P, D and the bound of the rounding error are sums over the classes, so those of the groups add up to
the certificate of the whole. The groups depend on the number of classes alone, and all have the same
order of the rows: the numbers do not depend on the number of threads. What is left of a limit of time is
shared evenly by the groups that are still to come, and then by those that ended at their share.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from toplabel._core import sdca, threads, tuning
from toplabel._core.arrays import Labels, as_dual, zeros_by_columns
from toplabel._core.clock import Clock
from toplabel._core.problem import Problem
from toplabel._core.solution import Record, Solution
from toplabel._core.training import Options


def is_split(problem: Problem) -> bool:
    """Tell whether the loss is a sum over the classes, and these are enough for two groups."""
    return problem.loss.key in ("svm_ova", "lr_ova") and problem.labels.m > tuning.GROUP


def solutions(
    problem: Problem, Cs: Sequence[float], options: Options, warm_start, n_threads: int
) -> Iterator[Solution]:
    """Yield the solution for each C, in ascending order; as `toplabel._core.sdca.solutions`."""
    alone = replace(options, callback=None, threads=1)
    groups = _groups(problem, Cs, alone, warm_start)
    for i, C in enumerate(Cs):
        options = options.again() if i else options
        whole = _Whole(problem, is_last=i + 1 == len(Cs))
        parts, ended = whole.train_all(groups, options.clock, n_threads)
        while not ended and not options.clock.why_to_end() and (late := _late(parts)):
            rest = [
                whole.again(groups[j], parts[j], C, alone, len(late) - place)
                for place, j in enumerate(late)
            ]
            continued, ended = whole.train_all(rest, options.clock, n_threads)
            for j, part in zip(late, continued, strict=True):
                parts[j] = _one_after_the_other(parts[j], part)
        yield whole.joined(parts, C, options, ended)


@dataclass(frozen=True)
class _Group:
    """Columns, the problem of their classes, its trainings for one C after the other, and the number of
    groups from here on.
    """

    columns: slice
    problem: Problem
    left: int
    trainings: Generator[Solution, None, None]


def _late(parts: list[Solution]) -> list[int]:
    """Return the places of the groups that ended at their share of the time; none after Ctrl-C."""
    statuses = [part.status for part in parts]
    if "interrupted" in statuses:
        return []
    return [i for i, status in enumerate(statuses) if status == "time_limit"]


def _one_after_the_other(first: Solution, second: Solution) -> Solution:
    """Return the outcome of a training and its continuation."""
    before, last = first.history[-1], second.history[-1]
    record = replace(
        last,
        epoch=before.epoch + last.epoch,
        solve_seconds=before.solve_seconds + last.solve_seconds,
        evaluate_seconds=before.evaluate_seconds + last.evaluate_seconds,
    )
    return replace(
        second,
        epochs=record.epoch,
        history=[record],
        visits=(first.visits or 0) + (second.visits or 0),
        methods=first.methods + second.methods,
    )


def _groups(problem: Problem, Cs, options: Options, warm_start) -> list[_Group]:
    m = problem.labels.m
    count = 1
    while count * tuning.GROUP < m:  # a power of two is shared evenly by as many threads
        count *= 2
    bounds = [m * i // count for i in range(count + 1)]
    start = _checked(warm_start, problem)
    groups = []
    for i, (first, last) in enumerate(pairwise(bounds)):
        columns = slice(first, last)
        own = options.again()  # whose clock says why this group ends
        part = _of_columns(problem, columns)
        trainings = sdca.solutions(part, Cs, own, _start(start, columns))
        groups.append(_Group(columns, part, count - i, trainings))
    return groups


def _of_columns(problem: Problem, columns: slice) -> Problem:
    """Return the problem of these classes alone."""
    center = problem.center
    center = None if center is None else np.ascontiguousarray(center[:, columns])
    return replace(problem, labels=_labels(problem.labels, columns), center=center)


def _labels(labels: Labels, columns: slice) -> Labels:
    label = labels.label[: labels.start[-1]]
    inside = (label >= columns.start) & (label < columns.stop)
    start = np.concatenate([[0], np.cumsum(inside)])[labels.start]
    shifted = label[inside] - np.int32(columns.start)
    shifted = shifted if len(shifted) else np.zeros(1, np.int32)  # there must be an address
    return Labels(labels.n, columns.stop - columns.start, start.astype(np.int64), shifted)


def _checked(warm_start, problem: Problem):
    """Return dual variables, or a solution with dual variables, of the right shape."""
    if warm_start is None:
        return None
    n, m = problem.labels.n, problem.labels.m
    if not isinstance(warm_start, Solution):
        return as_dual(warm_start, n, m)
    return replace(warm_start, A=as_dual(warm_start.A, n, m))


def _start(start, columns: slice):
    """Return the columns of a start."""
    if start is None:
        return None
    if not isinstance(start, Solution):
        return np.ascontiguousarray(start[:, columns])
    names = ("A", "W", "coefficients")
    arrays = {name: getattr(start, name) for name in names}
    own: dict[str, Any] = {name: None if a is None else a[:, columns] for name, a in arrays.items()}
    intercept = None if start.intercept is None else start.intercept[columns]
    return replace(start, intercept=intercept, **own)


class _Whole:
    """The arrays of all classes, filled in by groups."""

    def __init__(self, problem: Problem, *, is_last: bool):
        n, m = problem.labels.n, problem.labels.m
        gram, d = problem.is_gram, problem.features.shape[1]
        self._problem = problem
        self._is_last = is_last
        self._arrays: dict[str, Any] = {
            "A": zeros_by_columns(n, m),
            "W": None if gram else zeros_by_columns(d, m),
            "coefficients": zeros_by_columns(n, m) if gram else None,
            "intercept": np.zeros(m) if problem.constant else None,
        }

    def train_all(
        self, groups: list[_Group], clock: Clock, n_threads: int
    ) -> tuple[list[Solution], bool]:
        """Train the groups; return the rest of their solutions, and whether Ctrl-C ended that."""
        train = partial(self.train, clock=clock, n_threads=n_threads)
        try:
            return threads.each(train, groups, n_threads, clock.is_over), False
        except threads.Interruption as stop:
            return stop.results, True

    def again(self, group: _Group, part: Solution, C: float, options: Options, left: int) -> _Group:
        """Return the group with a training that goes on from where it ended."""
        own = replace(options, max_iter=max(0, options.max_iter - part.epochs)).again()
        start = _start(replace(part, **self._arrays), group.columns)
        return replace(group, left=left, trainings=sdca.solutions(group.problem, [C], own, start))

    def train(self, group: _Group, clock: Clock, n_threads: int) -> Solution:
        """Train a group, keep its columns, and return the rest of its solution."""
        own = clock.part(-(-group.left // n_threads))
        # The grace for an evaluation is one for all groups.
        with threads.until(own.is_over, lambda: clock.is_over() and clock.is_grace_over()):
            part = next(group.trainings)
        if part.status == "interrupted":
            threads.end_all()
        if self._is_last:
            group.trainings.close()  # its memory
        for name, array in self._arrays.items():
            # To write zeros would touch the memory of groups that had no time.
            if array is not None and getattr(part, name).any():
                array[..., group.columns] = getattr(part, name)
        without: dict[str, Any] = dict.fromkeys((*self._arrays, "X"))
        return replace(part, **without)

    def joined(self, parts: list[Solution], C: float, options: Options, ended: bool) -> Solution:
        """Return the solution of all classes; its history is the record of its end."""
        problem = self._problem
        record = _record(parts)
        stop = options.callback is not None and bool(options.callback(record))
        return replace(
            parts[0],
            **self._arrays,
            primal=record.primal,
            dual=record.dual,
            relative_gap=record.relative_gap,
            epochs=record.epoch,
            status=_status(parts, record.relative_gap, options.tol, stop or ended),
            history=[record],
            seconds=options.clock.seconds,
            X=problem.kept_rows,
            visits=-(-sum(part.visits or 0 for part in parts) // len(parts)),
            methods=max((part.methods for part in parts), key=len),
            r=max(part.r for part in parts),
        )


def _record(parts: list[Solution]) -> Record:
    primal, dual = sum(part.primal for part in parts), sum(part.dual for part in parts)
    # |P_g - D_g| + e_g, whose sum is at least |P - D| + e
    bounds = [part.relative_gap * max(abs(part.primal), abs(part.dual)) for part in parts]
    size = max(abs(primal), abs(dual))
    gap = sum(bounds) / size if 0.0 < size < np.inf else size
    seconds = [
        sum(getattr(part.history[-1], name) for part in parts)
        for name in ("solve_seconds", "evaluate_seconds")
    ]
    return Record(max(part.epochs for part in parts), primal, dual, gap, *seconds)


def _status(parts: list[Solution], gap: float, tol: float, stopped: bool) -> str:
    statuses = {part.status for part in parts}
    if stopped or "interrupted" in statuses:
        return "interrupted"
    if gap <= tol or statuses == {"converged"}:
        return "converged"
    return next(s for s in ("time_limit", "max_iter", "stalled", "imprecise") if s in statuses)
