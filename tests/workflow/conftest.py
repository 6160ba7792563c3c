"""One smoke run is shared by the session."""

import pytest
from running import Run, snakemake


@pytest.fixture(scope="session")
def smoke_run(tmp_path_factory):
    """config/smoke.yaml from nothing to both reports."""
    folder = tmp_path_factory.mktemp("smoke")
    done = snakemake(directory=folder)
    assert done.returncode == 0, done.stdout[-5000:]
    return Run(folder, done.stdout)
