"""Snakemake's default limit of submissions is lifted, and no other."""

from types import SimpleNamespace

import pytest
from snakemake.cli import get_argument_parser
from snakemake.scheduling.job_scheduler import JobRateLimiter
from snakemake.settings.types import MaxJobsPerTimespan

from toplabel.reproduction.workflow.scheduling import lift_default_limit


def limited(limit):
    return SimpleNamespace(scheduler=SimpleNamespace(job_rate_limiter=JobRateLimiter(limit)))


def test_snakemakes_own_limit_is_lifted():
    default = get_argument_parser().parse_args(["--cores", "1"]).max_jobs_per_timespan
    if isinstance(default, str):
        default = MaxJobsPerTimespan.parse_choice(default)
    workflow = limited(default)
    lift_default_limit(workflow)
    assert workflow.scheduler.job_rate_limiter is None


@pytest.mark.parametrize("limit", ["10/1s", "100/1m"])
def test_a_limit_of_the_user_stays(limit):
    workflow = limited(MaxJobsPerTimespan.parse_choice(limit))
    lift_default_limit(workflow)
    assert workflow.scheduler.job_rate_limiter is not None


def test_a_scheduler_without_limit_is_left_alone():
    workflow = SimpleNamespace(scheduler=SimpleNamespace(job_rate_limiter=None))
    lift_default_limit(workflow)
    assert workflow.scheduler.job_rate_limiter is None
