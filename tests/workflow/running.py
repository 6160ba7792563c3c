"""How the tests run Snakemake: as a user would, in a folder of their own."""

import csv
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import yaml

from toplabel.reproduction.config.documents import read_yaml

ROOT = Path(__file__).resolve().parents[2]
SMOKE = ROOT / "config/smoke.yaml"


def command(*arguments, directory, configfiles=(SMOKE,), cores=2, root=ROOT):
    """The command line of a run of the checkout `root`, as a user would type it in another
    folder.
    """
    limit = ["--cores", str(cores)] if cores else []
    configs = ["--configfile", *map(str, configfiles)] if configfiles else []
    return [
        *(sys.executable, "-m", "snakemake", "--snakefile", str(root / "Snakefile")),
        *("--directory", str(directory), *configs),
        *limit,
        *map(str, arguments),
    ]


def environment(mirror=None):
    """The environment of a run: no mirror unless one is given."""
    variables = {key: value for key, value in os.environ.items() if key != "TOPLABEL_MIRROR"}
    return variables | ({"TOPLABEL_MIRROR": str(mirror)} if mirror else {})


def snakemake(*arguments, mirror=None, **how):
    """Run Snakemake and wait for it, as long as it takes; `how` is of `command`."""
    return subprocess.run(
        command(*arguments, **how),
        env=environment(mirror),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def jobs_of(output):
    """The number of jobs of each rule in the table that Snakemake prints, and of all (`total`)."""
    return {rule: int(n) for rule, n in re.findall(r"^(\w+) +(\d+)$", output, re.MULTILINE)}


def read_rows(path):
    """The rows of a CSV file, all values as they stand."""
    with open(path, newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


@dataclass(frozen=True)
class Run:
    """A finished run: the checkout, its folder and what it printed."""

    root: Path
    folder: Path
    output: str


#: A few methods of each kind: our losses, convex and not, with a selected k and of label sets,
#: baselines, kernels.
FEW = {
    "circle": ["svm_multi", "lr_multi", "topk_ent_tr_k2"],
    "digits": ["svm_ova", "lr_ova", "svm_ova_liblinear", "lr_ova_liblinear", "toppush"],
    "digit_scenes": ["topk_svm_alpha_smooth", "lr_ml"],
    "multilabel": ["lr_ml", "svm_ml_smooth_rbf"],
}


def copy_checkout(root):
    """A checkout at `root` with a config that may be changed; of the rest, which may not, links."""
    root.mkdir(parents=True)
    for name in (
        "config",
        "workflow",
    ):  # a script looks for the config beside the folder that it is in
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "Snakefile", root)
    for name in ("csrc", "data", "profiles"):
        (root / name).symlink_to(ROOT / name)
    return root


def small_checkout(root):
    """A checkout whose studies have few methods: the same stages in a third of the time."""
    copy_checkout(root)
    for study, methods in FEW.items():
        path = root / f"config/studies/{study}.yaml"
        path.write_text(yaml.safe_dump(read_yaml(path) | {"methods": methods}), encoding="utf-8")
    return root
