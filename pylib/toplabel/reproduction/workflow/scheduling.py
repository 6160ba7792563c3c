"""Snakemake's scheduler, without a limit that costs a core.

By default at most 100 jobs start in a second. For this limit Snakemake 9 sets a timer each time
that it looks for jobs to start, and looks again when it fires; as it also looks when a job ends,
every job adds a timer that never stops. After some hundred jobs it does nothing else.
"""

from __future__ import annotations

from typing import Any

_DEFAULT = (100, 1)  # jobs, in seconds


def lift_default_limit(workflow: Any) -> None:
    """Let Snakemake start as many jobs at once as have room; a limit that the user gives stays.

    Parameters
    ----------
    workflow : snakemake.workflow.Workflow
        As it is when a run begins.
    """
    limiter = getattr(workflow.scheduler, "job_rate_limiter", None)
    if limiter is not None and (limiter.max_jobs, limiter.timespan) == _DEFAULT:
        workflow.scheduler.job_rate_limiter = None
