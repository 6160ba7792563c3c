"""Where a checkout may lie."""

import pytest
from running import ROOT, jobs_of, snakemake

pytestmark = pytest.mark.workflow


@pytest.mark.parametrize(("name", "is_taken"), [("my (own) clone", True), ("br{a}ce", False)])
def test_a_checkout_runs_in_a_folder_with_a_blank_and_refuses_braces(tmp_path, name, is_taken):
    for part in ("Snakefile", "workflow", "config", "data", "reports", "csrc", "pylib", "papers"):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / part).symlink_to(ROOT / part)
    done = snakemake("--dry-run", directory=tmp_path, root=tmp_path / name)
    assert (done.returncode == 0) is is_taken, done.stdout[-2000:]
    if is_taken:
        assert jobs_of(done.stdout)["prepare"] > 0
    else:
        assert done.stdout.count("br{a}ce") == 1
        assert "Traceback" not in done.stdout
