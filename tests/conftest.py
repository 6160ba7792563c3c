"""What every test shares: one thread for linear algebra, no deadlines, and the folder of raw
files.
"""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine is no failure.
settings.register_profile("toplabel", deadline=None)
settings.load_profile("toplabel")

# Set before any test imports numpy: sums, and with them the last digits, depend on the number
# of threads.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[_variable] = "1"


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the checkout."""
    return Path(__file__).resolve().parents[1]


@pytest.fixture
def mirror() -> Path:
    """The first folder of TOPLABEL_MIRROR; the test is skipped when it is not set."""
    folder = os.environ.get("TOPLABEL_MIRROR", "").split(os.pathsep)[0]
    if not folder:
        pytest.skip("TOPLABEL_MIRROR is not set, so there are no raw files")
    return Path(folder)
