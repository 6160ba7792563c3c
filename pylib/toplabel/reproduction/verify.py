"""Kept numbers drawn at random, computed again from raw data.

``python -m toplabel.reproduction.verify --cells 20 --seed 0``, or ``make verify CELLS=20``: the
numbers must be those of ``reports/summary/cells.csv`` to the last digit that stands there, and so
must the other numbers of the results that are computed for them.

OpenBLAS has kernels for each kind of processor, which sum in different orders; where a fit ends
early, that can decide a test row. So the kernels of the kept run are taken where this processor has
them, unless ``OPENBLAS_CORETYPE`` names others. Numbers with other kernels or another seed may be
the same in the digits that a report shows alone, so these are counted too.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from toplabel.reproduction.compare.cells import KEPT, VARIANT, read_cells
from toplabel.reproduction.compare.published import decimals_of
from toplabel.reproduction.config.methods import Method, load_methods
from toplabel.reproduction.facts import KEPT_JOBS, kernels_of
from toplabel.reproduction.files import SUMMARY, FileError, read_json
from toplabel.reproduction.frames import read_frame
from toplabel.reproduction.report.text import fixed
from toplabel.reproduction.selection.evaluation import load_metrics

_START = 2.0  # seconds of a job besides its work
_CELL = ["config_dataset", "config_method"]
_SHOWN = [*_CELL, "metric", "value", "again"]


def kept_numbers(path: Path) -> pd.DataFrame:
    """Return the kept numbers that a paper prints, each measurement once."""
    cells = read_cells(path)
    cells = cells[(cells["run"] == KEPT) & (cells["reading"] != VARIANT) & (cells["printed"] != "")]
    return cells.drop_duplicates([*_CELL, "metric"])


def seconds_of_results(
    kept: pd.DataFrame, jobs: pd.DataFrame, methods: Mapping[str, Method]
) -> pd.Series:
    """Return the seconds that each result took in the kept run, by data set and method.

    They are those of its jobs and of its data set's. A result without a job in `jobs`, the stage, dataset,
    method and seconds of that run's jobs, takes infinitely long.
    """
    seconds = {}
    for dataset, name in kept[_CELL].drop_duplicates().itertuples(index=False):
        of_set = jobs[jobs["dataset"] == dataset]
        is_tuning = (of_set["stage"] == "tune") & (of_set["method"] == methods[name].tuned_as)
        own = of_set[(of_set["method"] == name) | is_tuning]
        took = pd.concat([own, of_set[of_set["method"] == ""]])["seconds"] + _START
        seconds[dataset, name] = took.sum() if len(own) else np.inf
    return pd.Series(seconds, dtype=float)


def together(seconds: pd.Series, cores: int) -> float:
    """Return about how long results take at once, each of whose jobs follow each other."""
    return max(seconds.sum() / cores, seconds.max())


def draw(
    kept: pd.DataFrame,
    cells: int,
    seed: int,
    minutes: float | None,
    seconds: pd.Series,
    cores: int,
) -> pd.DataFrame:
    """Return kept numbers at random; with `minutes`, of results that take no more together.

    `seconds` are those of `seconds_of_results`. A ValueError says that there are fewer numbers than `cells`,
    or that none takes as little.
    """
    if not 1 <= cells <= len(kept):
        raise ValueError(f"--cells {cells}: it must be from 1 to {len(kept)}, the kept numbers")
    shuffled = kept.sample(frac=1, random_state=seed)
    if minutes is None:
        return shuffled.head(cells)
    rows: list[int] = []
    results: set[tuple[str, str]] = set()
    for row, result in zip(shuffled.index, shuffled[_CELL].itertuples(index=False), strict=True):
        wider = results | {tuple(result)}
        if len(rows) < cells and together(seconds[[*wider]], cores) <= 60 * minutes:
            rows.append(row)
            results = wider
    if not rows:
        raise ValueError(f"--minutes {minutes:g}: no result is known to take as little")
    return kept.loc[rows]


def kernels_of_run(run: Path) -> dict[str, str]:
    """Return the environment with which OpenBLAS takes the kernels of a run.json, and say so.

    It is empty where these are taken anyway, or where this processor lacks them.
    """
    wanted, taken = kernels_of(read_json(run).get("blas", ())), _kernels_taken({})
    setting = {"OPENBLAS_CORETYPE": wanted}
    if wanted in ("", taken):
        return {}
    if _kernels_taken(setting) == wanted:
        print(f"with OpenBLAS's kernels {wanted}, as in that run; by itself it takes {taken} here")
        return setting
    print(f"that run had OpenBLAS's kernels {wanted}, this one {taken}: digits may differ")
    return {}


def _kernels_taken(setting: dict[str, str]) -> str:
    """Return the kernels that OpenBLAS takes in a new process; "" if it cannot compute with them."""
    script = (
        "import numpy as np; np.ones((99, 99)) @ np.ones((99, 99)); "
        "from toplabel.reproduction.facts import blas_facts, kernels_of; "
        "print(kernels_of(blas_facts()))"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=os.environ | setting, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def computed(folder: Path, drawn: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers that were computed for drawn ones: set, method, metric and `again`."""
    frames = []
    for dataset, method in sorted({*drawn[_CELL].itertuples(index=False, name=None)}):
        path = folder / f"results/{dataset}/{method}/evaluation.csv"
        if path.is_file():
            values = pd.DataFrame(load_metrics([path])).groupby("metric")["value"]
            names = {"config_dataset": dataset, "config_method": method}
            frames.append(values.mean().rename("again").reset_index().assign(**names))
    return pd.concat(frames) if frames else pd.DataFrame(columns=[*_CELL, "metric", "again"])


def beside(kept: pd.DataFrame, again: pd.DataFrame) -> pd.DataFrame:
    """Return kept numbers with those computed again (NaN: none), and whether both are the same.

    Numbers are the `same` if they are so with the twelve digits that cells.csv has, and
    `same_shown` with those that a report shows.
    """
    joined = kept.merge(again, how="left", on=[*_CELL, "metric"], validate="1:1")
    joined.index = kept.index
    decimals = map(decimals_of, joined["metric"], joined["printed"])
    pairs = [*zip(joined["value"], joined["again"], decimals, strict=True)]
    return joined.assign(
        same=[f"{old:.12g}" == f"{new:.12g}" for old, new, _ in pairs],
        same_shown=[fixed(old, shown) == fixed(new, shown) for old, new, shown in pairs],
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, compute and compare; exit status 1 if a number differs or could not be computed."""
    parser = argparse.ArgumentParser(prog="make verify", description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=20)
    parser.add_argument("--minutes", type=float, help="draw results that take no more together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, help="where to compute, empty or not yet there")
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    parser.add_argument("--config", nargs="*", default=(), help="more values, for Snakemake")
    options = parser.parse_args(arguments)
    root = Path.cwd()
    summary = root / SUMMARY
    try:
        kept = kept_numbers(summary / "cells.csv")
        jobs = read_frame(summary / "jobs.csv", KEPT_JOBS)
        methods = load_methods(root / "config/methods.yaml")
        seconds = seconds_of_results(kept, jobs, methods)
        drawn = draw(kept, options.cells, options.seed, options.minutes, seconds, options.cores)
        own = "OPENBLAS_CORETYPE" in os.environ
        setting = {} if own else kernels_of_run(summary / "run.json")
        folder = _empty(options.folder)
    except (FileError, OSError, ValueError) as error:
        print(f"make verify: {error}", file=sys.stderr)
        return 1
    results = sorted({*drawn[_CELL].itertuples(index=False, name=None)})
    print(f"{len(drawn)} numbers, seed {options.seed}: {len(results)} results, in {folder}")
    for dataset, method in results:
        print(f"  {dataset} {method}: about {seconds[dataset, method]:.0f} s")
    print(f"together about {together(seconds[results], options.cores) / 60:.0f} min", flush=True)
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(root / "Snakefile")]
    command += ["--directory", str(folder), "--cores", str(options.cores), "--keep-going"]
    command += [f"results/{dataset}/{method}/evaluation.csv" for dataset, method in results]
    command += ["--configfile", str(root / "config/full.yaml")]
    command += ["--config", *options.config] if options.config else []
    status = subprocess.run(command, env=os.environ | setting).returncode
    chosen = pd.MultiIndex.from_frame(kept[_CELL]).isin(results)
    compared = beside(kept[chosen], computed(folder, drawn))
    is_drawn = compared.index.isin(drawn.index)
    print(_table(compared[is_drawn]))
    others = compared[~is_drawn & compared["again"].notna()]
    if not others["same"].all():
        print(f"other numbers of these results that differ:\n{_table(others[~others['same']])}")
    print(counts(compared, is_drawn))
    return 0 if status == 0 and compared["same"].all() else 1


def counts(compared: pd.DataFrame, is_drawn: np.ndarray) -> str:
    """Return how many of the numbers that were computed are the same, and how many were not computed."""
    is_computed = compared["again"].notna()
    drawn, others = compared[is_drawn & is_computed], compared[~is_drawn & is_computed]
    lines = []
    if len(drawn):
        lines = [
            f"{drawn[which].sum()} of {len(drawn)} the same {digits}, and "
            f"{others[which].sum()} of {len(others)} others of their results"
            for which, digits in (
                ("same", "to the last digit"),
                ("same_shown", "as shown in a report"),
            )
        ]
    if missing := int((~is_computed[is_drawn]).sum()):
        lines.append(
            f"{missing} of {is_drawn.sum()} could not be computed: nothing is known of them"
        )
    return "\n".join(lines)


def _table(numbers: pd.DataFrame) -> str:
    return numbers[_SHOWN].to_string(index=False, float_format=lambda number: f"{number:.12g}")


def _empty(folder: Path | None) -> Path:
    """Return the folder to compute in, which must not hold anything."""
    folder = folder or Path(tempfile.mkdtemp(prefix="toplabel-verify-"))
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise ValueError(f"--folder {folder}: it is not empty, and verifying begins from raw data")
    return folder.resolve()


if __name__ == "__main__":
    sys.exit(main())
