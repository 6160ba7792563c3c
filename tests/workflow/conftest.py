"""One smoke run is shared by the session; only test_smoke.py asks for it, so that one worker makes
it.
"""

import pytest
from running import Run, small_checkout, snakemake


@pytest.fixture(scope="session")
def smoke_run(tmp_path_factory):
    """config/smoke.yaml with few methods, from an empty folder to both reports. Tests do not change
    it.
    """
    folder = tmp_path_factory.mktemp("smoke")
    root = small_checkout(folder / "checkout")
    done = snakemake(directory=folder / "run", root=root)
    assert done.returncode == 0, done.stdout[-5000:]
    return Run(root, folder / "run", done.stdout)
