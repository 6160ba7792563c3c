"""Which jobs start first: those that others wait for, then those of the cells that take longest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cache

from toplabel.reproduction.workflow.plan import Plan
from toplabel.reproduction.workflow.resources import kept_jobs

PREPARING = 10**6  # above every cell
_UNKNOWN = 10**5  # seconds of a cell that the kept run has not: it may take long


def longest_first(plan: Plan) -> Callable[[Mapping[str, str]], float]:
    """Return the priority of a job as a function of its wildcards: the seconds of the kept run that
    all jobs of its cell took.

    A long cell that starts last keeps one core busy alone. Since the stages of a cell have the same
    priority, one that has begun is also finished before shorter ones begin.
    """

    @cache
    def cells() -> dict[tuple[str, ...], float]:
        found: defaultdict[tuple[str, ...], float] = defaultdict(float)
        for job, (seconds, _) in kept_jobs(plan.root, plan.budget).items():
            _, *names = job.split("/")
            found[tuple(names[:2])] += seconds  # a stage without data sets has no names
        return dict(found)

    def priority(wildcards: Mapping[str, str]) -> float:
        names = (wildcards["dataset"], wildcards.get("method", ""))
        return cells().get(tuple(filter(None, names)), _UNKNOWN)

    return priority
