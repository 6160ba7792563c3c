"""Published cells drawn at random, computed again from raw data, beside the last full reproduction.

``python -m toplabel.reproduction.verify --cells 20 --seed 0``, or ``make verify
CELLS=20``: the measured numbers must be those of ``reports/summary/comparison.csv`` to the last
digit that stands there, and so must the other numbers of the results that are computed for them.

OpenBLAS has kernels for each kind of processor, which sum in different orders; where a fit ends
early, that can decide a test row. So the run is computed with the kernels of the one to verify
(``run.json``), if this processor has them.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from toplabel._core.files import FileError, read_json
from toplabel.reproduction.config.catalogue import load_catalogue
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.facts import kernels_of
from toplabel.reproduction.tables.collected import COMPARISON, PUBLISHED_KEYS
from toplabel.reproduction.tables.table import read_csv
from toplabel.reproduction.workflow.collecting.results import compare_results

_START = 2.0  # seconds of a job besides its script


def draw(
    summary: pd.DataFrame,
    cells: int,
    seed: int,
    times: Times | None = None,
    minutes: float | None = None,
) -> pd.DataFrame:
    """Return rows of `summary` that have a measured number, at random and without repetition; with
    `minutes`, of those that fit into so many by their `times`.

    Raises
    ------
    ValueError
        When there are fewer than `cells` of them.
    """
    measured = summary[summary["measured"].notna()]
    if not 1 <= cells <= len(measured):
        raise ValueError(f"--cells {cells}: it must be from 1 to {len(measured)}, those measured")
    if times is not None and minutes is not None:
        return times.fitting(measured.sample(frac=1, random_state=seed), cells, minutes)
    return measured.sample(cells, random_state=seed).sort_index()


class Times:
    """How long the results of the run to verify took, by its ``jobs.csv``.

    Parameters
    ----------
    path : Path
        Where it is not there, nothing is known.
    methods : mapping of str to Method
    cores : int
    """

    def __init__(self, path: Path, methods: Mapping[str, Method], cores: int) -> None:
        keys = ["stage", "dataset", "method", "seconds"]
        jobs = read_csv(path, keys) if path.is_file() else pd.DataFrame(columns=keys)
        self._jobs = jobs.assign(seconds=pd.to_numeric(jobs["seconds"], errors="coerce"))
        self._methods, self._cores = methods, cores

    def _jobs_of(self, file: str) -> pd.DataFrame:
        """Return the jobs of a result, ``<set>/<method>/evaluation.csv``, and of its data set."""
        dataset, name, _ = file.split("/")
        jobs, method = self._jobs, self._methods.get(name)
        tuned = method.tuned_as if method else name
        own = (jobs["method"] == name) | ((jobs["method"] == tuned) & (jobs["stage"] == "tune"))
        return jobs[(jobs["dataset"] == dataset) & (own | (jobs["method"] == ""))]

    def known(self, file: str) -> bool:
        """Return whether the jobs of a result have times."""
        return bool((self._jobs_of(file)["method"] != "").any())

    def seconds(self, files: Iterable[str]) -> float:
        """Return about how long some results take together, each job once."""
        of_each = [self._jobs_of(file)["seconds"] for file in files]
        if not of_each:
            return 0.0
        every = pd.concat(of_each)
        every = every[~every.index.duplicated()]
        shared = (every.sum() + _START * len(every)) / self._cores
        return max(shared, *(one.sum() for one in of_each))

    def fitting(self, cells: pd.DataFrame, most: int, minutes: float) -> pd.DataFrame:
        """Return at most so many of some cells in their order, whose results take no more."""
        files: list[str] = []
        rows = []
        for row, file in cells["file"].items():
            if len(rows) == most:
                break
            if file not in files and not self.known(file):
                continue
            if self.seconds({*files, file}) <= 60 * minutes:
                rows.append(row)
                files.append(file)
        if not rows:
            raise ValueError(f"--minutes {minutes:g}: no cell is known to take as little")
        return cells.loc[sorted(rows)]

    def announcement(self, drawn: pd.DataFrame) -> str:
        """Return the results of drawn cells, a line each, and how long all of them take."""
        lines = []
        for file, metrics in drawn.groupby("file")["metric"]:
            took = _minutes(self._jobs_of(file)["seconds"].sum()) if self.known(file) else "unknown"
            lines.append(f"  {Path(file).parent}: {', '.join(dict.fromkeys(metrics))}; {took}")
        unknown = sum(not self.known(file) for file in drawn["file"].unique())
        time = _minutes(self.seconds(drawn["file"].unique()))
        results = "1 result" if unknown == 1 else f"{unknown} results"
        more = f", and {results} of unknown length" if unknown else ""
        end = f"Together {time} on {self._cores} cores{more}, by the times of the run to verify."
        return "\n".join([*lines, end])


def _minutes(seconds: float) -> str:
    return f"{max(1, round(seconds / 60))} min"


def kernels_of_run(run: Path) -> dict[str, str]:
    """Return what to set in the environment so that OpenBLAS takes the kernels of a ``run.json``;
    says what it found.

    Nothing where the file is missing or says nothing of them, where they are those taken anyway,
    and where this processor does not have them.
    """
    wanted = kernels_of(read_json(run).get("blas", ())) if run.is_file() else ""
    taken = _kernels_taken({})
    if wanted in ("", taken):
        return {}
    setting = {"OPENBLAS_CORETYPE": wanted}
    if _kernels_taken(setting) == wanted:
        print(f"with OpenBLAS's kernels {wanted}, as in that run; by itself it takes {taken} here")
        return setting
    print(
        f"that run had OpenBLAS's kernels {wanted}, not to be had here, but {taken}: digits may differ"
    )
    return {}


def _kernels_taken(setting: Mapping[str, str]) -> str:
    """Return the kernels with which a product of matrices can be computed; a processor may not know
    their instructions.
    """
    script = (
        "import numpy as np; np.ones((99, 99)) @ np.ones((99, 99)); "
        "from toplabel.reproduction.facts import blas_facts, kernels_of; print(kernels_of(blas_facts()))"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=os.environ | setting, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def compute(
    root: Path,
    folder: Path,
    targets: Sequence[str],
    options: Sequence[str],
    setting: Mapping[str, str],
) -> int:
    """Let Snakemake make `targets` in `folder`, from raw data on; its exit status."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(root / "Snakefile")]
    return subprocess.run(
        [*command, "--directory", str(folder), *options, "--", *targets], env=os.environ | setting
    ).returncode


def beside(drawn: pd.DataFrame, again: pd.DataFrame) -> pd.DataFrame:
    """Return the drawn cells with `again`, the number that was computed now (NaN: none), and
    `same`.

    Numbers are the same if they are as a file has them, with twelve digits.
    """
    again = again[again["measured"].notna()]
    found = drawn.merge(
        again[[*PUBLISHED_KEYS, "measured"]],
        on=[*PUBLISHED_KEYS],
        how="left",
        suffixes=("", "_again"),
        validate="1:1",
    )
    found = found.rename(columns={"measured_again": "again"})
    found["same"] = [
        f"{old:.12g}" == f"{new:.12g}"
        for old, new in zip(found["measured"], found["again"], strict=True)
    ]
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, compute and compare; exit status 1 if a number differs or could not be computed."""
    parser = argparse.ArgumentParser(prog="make verify", description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=20)
    parser.add_argument("--minutes", type=float, help="draw among cells that fit into so many")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout")
    parser.add_argument("--summary", type=Path, help="comparison.csv of the run to verify")
    parser.add_argument("--configfile", type=Path, help="its config, config/full.yaml")
    parser.add_argument("--folder", type=Path, help="where to compute, empty or not yet there")
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    options = parser.parse_args(arguments)
    root = options.root.resolve()
    config = (options.configfile or root / "config/full.yaml").resolve()
    try:
        if options.cores < 1:
            raise ValueError(f"--cores {options.cores}: it must be at least 1")
        if options.seed < 0:
            raise ValueError(f"--seed {options.seed}: it must not be negative")
        if not config.is_file():
            raise ValueError(f"--configfile {options.configfile}: no such file")
        summary = options.summary or root / "reports/summary/comparison.csv"
        known = COMPARISON.read(summary)
        if options.minutes is not None and not options.minutes > 0:
            raise ValueError(f"--minutes {options.minutes:g}: it must be above 0")
        catalogue = load_catalogue(root)
        times = Times(summary.with_name("jobs.csv"), catalogue.methods, options.cores)
        drawn = draw(known, options.cells, options.seed, times, options.minutes)
        setting = kernels_of_run(summary.parent / "run.json")
        folder = _empty(options.folder)
    except (FileError, ValueError) as error:
        print(f"make verify: {error}", file=sys.stderr)
        return 1
    targets = sorted({f"results/{file}" for file in drawn["file"]})
    print(f"{len(drawn)} cells, seed {options.seed}: {len(targets)} results, computed in {folder}")
    print(times.announcement(drawn), flush=True)
    snakemake = ["--cores", str(options.cores), "--keep-going", "--configfile", str(config)]
    status = compute(root, folder, targets, snakemake, setting)
    made = [path for target in targets if (path := folder / target).exists()]
    again = compare_results(catalogue, map(str, made))[1] if made else drawn.iloc[:0]
    found = beside(known[known["file"].isin(drawn["file"])], again)
    is_drawn = (
        found[[*PUBLISHED_KEYS]]
        .apply(tuple, axis=1)
        .isin(drawn[[*PUBLISHED_KEYS]].apply(tuple, axis=1))
    )
    shown = ["source", "table", "dataset", "method", "k", "gamma", "kernel", "metric"]
    shown += ["measured", "again", "same"]
    print(_table(found.loc[is_drawn, shown]))
    others = found[~is_drawn]
    if not others["same"].all():
        print("other cells of these results that differ:")
        print(_table(others.loc[~others["same"], shown]))
    missing = int(found.loc[is_drawn, "again"].isna().sum())
    print(
        f"{found.loc[is_drawn, 'same'].sum()} of {len(drawn)} the same to the last digit, and "
        f"{others['same'].sum()} of {len(others)} others of their results",
        end="",
    )
    print(f"; {missing} could not be computed, see above" if missing else "")
    return 0 if status == 0 and found["same"].all() else 1


def _table(cells: pd.DataFrame) -> str:
    return cells.to_string(index=False, float_format=lambda number: f"{number:.12g}")


def _empty(folder: Path | None) -> Path:
    if folder is None:
        return Path(tempfile.mkdtemp(prefix="toplabel-verify-"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"--folder {folder}: {error.strerror}") from None
    if any(folder.iterdir()):
        raise ValueError(f"--folder {folder}: it is not empty, and verifying begins from raw data")
    return folder


if __name__ == "__main__":
    sys.exit(main())
