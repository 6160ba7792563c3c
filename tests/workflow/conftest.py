"""One smoke run is shared by the session; the tests that ask for it are of the group `smoke`, one worker's."""

import pytest
from running import Run, snakemake


@pytest.fixture(scope="session")
def smoke_run(tmp_path_factory):
    """config/smoke.yaml from nothing to both reports. Tests do not change it."""
    folder = tmp_path_factory.mktemp("smoke")
    done = snakemake(directory=folder)
    assert done.returncode == 0, done.stdout[-5000:]
    return Run(folder, done.stdout)
