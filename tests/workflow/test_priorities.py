from pathlib import Path

import pytest
import yaml

from toplabel.reproduction.workflow.plan import Plan
from toplabel.reproduction.workflow.priorities import PREPARING, longest_first
from toplabel.reproduction.workflow.resources import kept_jobs

ROOT = Path(__file__).parents[2]


@pytest.fixture
def plan():
    return Plan(ROOT, yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8")))


@pytest.fixture
def priority(plan):
    return longest_first(plan)


def test_all_jobs_of_a_cell_have_the_seconds_of_the_cell(plan, priority):
    cell = {"dataset": "letter", "method": "svm_multi"}
    stages = ("tune/letter/svm_multi/main", "train/letter/svm_multi", "evaluate/letter/svm_multi")
    seconds = sum(kept_jobs(plan.root, plan.budget)[stage][0] for stage in stages)
    assert priority(cell) == priority(cell | {"part": "main"}) == pytest.approx(seconds)


def test_a_job_without_a_method_has_its_own(priority):
    assert priority({"dataset": "caltech101_silhouettes"}) > 10


def test_a_cell_of_which_nothing_is_known_starts_before_those_that_are_known(plan, priority):
    unknown = priority({"dataset": "letter", "method": "own_method"})
    assert unknown > sum(seconds for seconds, _ in kept_jobs(plan.root, plan.budget).values())
    assert unknown < PREPARING
    other = longest_first(Plan(plan.root, plan.config | {"budget": "quick"}))
    assert other({"dataset": "letter", "method": "svm_multi"}) == unknown
