"""A small run, and the report of it, made once."""

from __future__ import annotations

from pathlib import Path

import pytest
from markup import Site
from sample_run import Sample


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    """A run whose report a test writes with changes."""
    return Sample(tmp_path)


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """A run with its report. Tests do not change it."""
    made = Sample(tmp_path_factory.mktemp("whole"))
    made.write()
    return made


@pytest.fixture(scope="session")
def site(whole: Sample) -> Site:
    """The pages of the report."""
    return Site(whole.reports)
