"""How the tests run Snakemake: as a user would, in a folder of their own."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SMOKE = ROOT / "config/smoke.yaml"


def command(*arguments, directory, configfiles=(SMOKE,), cores=2):
    """The command line of a run, as a user would type it in another folder."""
    limit = ["--cores", str(cores)] if cores else []
    configs = ["--configfile", *map(str, configfiles)] if configfiles else []
    return [
        *(sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")),
        *("--directory", str(directory), *configs),
        *limit,
        *map(str, arguments),
    ]


def environment(mirror=None):
    """The environment of a run: no mirror unless one is given."""
    variables = {key: value for key, value in os.environ.items() if key != "TOPLABEL_MIRROR"}
    return variables | ({"TOPLABEL_MIRROR": str(mirror)} if mirror else {})


def snakemake(*arguments, directory, configfiles=(SMOKE,), mirror=None, timeout=900, cores=2):
    """Run Snakemake and wait for it."""
    return subprocess.run(
        command(*arguments, directory=directory, configfiles=configfiles, cores=cores),
        env=environment(mirror),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout,
        check=False,
    )


@dataclass(frozen=True)
class Run:
    """A finished run: its folder and what it printed."""

    folder: Path
    output: str


def count_jobs(plan, cells):
    """The jobs that give the test metrics of some cells; `test_targets.py` compares with Snakemake's count."""
    sets = {cell.dataset for cell in cells}
    jobs = 3 * len(sets)  # fetch, prepare, and the figure with the selection
    for cell in cells:
        units = plan.units(*cell.names)
        jobs += len(units) + 2  # train, evaluate
        jobs += not units[0].endswith("/all.npz")  # select
        jobs += any(".fine." in unit for unit in units)  # refine_grid
        jobs += plan.cutoffs(*cell.names).endswith("thresholds.csv")
    return jobs
