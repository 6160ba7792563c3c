"""How long a run would take on so many cores: list scheduling of Snakemake's graph with measured
times.

In the folder of a run whose data sets are prepared (``snakemake data``):

    snakemake --dag dot --forceall --configfile config/full.yaml >graph.dot python -m
    toplabel.reproduction.workflow.simulation --configfile config/full.yaml graph.dot RESULTS...

RESULTS are `results` folders, for their benchmark files and the seconds of their cells, or
collected CSV files with the seconds of cells (`results/comparison.csv`); the first that knows a job
counts. Other jobs that train have a time that is fitted to their size
(`toplabel.reproduction.workflow.resources`), and so has the memory of jobs without a benchmark
file.
"""

from __future__ import annotations

import argparse
import csv
import heapq
import math
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from toplabel.reproduction.config.documents import read_yaml
from toplabel.reproduction.workflow.plan import Plan
from toplabel.reproduction.workflow.resources import Size, estimate

_CELL = ("dataset", "method")
_WILDCARDS = {"tune": (*_CELL, "part"), "tune_block": (*_CELL, "part", "block")}
_WILDCARDS |= dict.fromkeys(("train", "threshold", "evaluate"), _CELL)
_FITTED = (*_WILDCARDS,)  # of which `estimate` knows how long they take
_WILDCARDS |= dict.fromkeys(("fetch", "prepare", "agree", "redraw_folds"), ("dataset",))
_WILDCARDS |= {"train_network": ("dataset", "part"), "extract_features": ("dataset",)}
_WILDCARDS |= {"fine_tune": (*_CELL, "part")}
_FOLDERS = {"tune_block": "tune", "train_network": "network", "extract_features": "extract"}
_SHARING = ("tune_block", "tune", "train")  # the seconds of a cell
_BEGIN = 1.3  # seconds from the start of a process to the first line of its log
_OTHER, _OTHER_MB = 2.3, 170.0  # of a script that does not train


@dataclass
class Job:
    """A job of the graph; `after` has the numbers of those it waits for, `source` says where its
    time is from.
    """

    rule: str
    wildcards: dict[str, str]
    after: list[int] = field(default_factory=list)
    seconds: float = _OTHER
    mb: float = _OTHER_MB
    source: str = "constant"

    @property
    def path(self) -> str:
        """Its benchmark file, in the folder of these."""
        names = [*self.wildcards.values()]
        if "block" in self.wildcards:
            names[-2:] = [".block".join(names[-2:])]
        rule = _FOLDERS.get(self.rule, self.rule.removeprefix("study_"))
        return "/".join((rule, *names)) + ".tsv"


def read_graph(text: str) -> list[Job]:
    """The jobs of ``snakemake --dag dot``, which names only wildcards that no job before has.

    Raises
    ------
    ValueError
        When the text has no job, or an edge to none.
    """
    jobs, place = [], {}
    for number, label in re.findall(r'^\s*(\d+)\[label = "([^"]*)"', text, re.MULTILINE):
        rule, *pairs = label.split("\\n")
        place[number] = len(jobs)
        jobs.append(Job(rule, dict(pair.partition(": ")[::2] for pair in pairs)))
    if not jobs:
        raise ValueError("the graph has no job: is it what `snakemake --dag dot` prints?")
    for edge in re.findall(r"^\s*(\d+) -> (\d+)", text, re.MULTILINE):
        if not place.keys() >= {*edge}:
            raise ValueError(f"the graph has an edge to a job that it has not: {' -> '.join(edge)}")
        before, after = (place[number] for number in edge)
        jobs[after].after.append(before)
    depths = _depths(jobs)
    for i in sorted(range(len(jobs)), key=depths.__getitem__):
        _inherit(jobs, i, depths)
    for job in jobs:
        names = _WILDCARDS.get(job.rule, ())
        job.wildcards = {name: job.wildcards.get(name, "") for name in names}
    return jobs


def _depths(jobs: Sequence[Job]) -> list[int]:
    """Of each job how many stand one after another before it."""
    try:
        order = TopologicalSorter({i: job.after for i, job in enumerate(jobs)}).static_order()
        depths = [0] * len(jobs)
        for i in order:
            depths[i] = 1 + max((depths[k] for k in jobs[i].after), default=0)
    except CycleError:
        raise ValueError("the graph has a cycle") from None
    return depths


def _inherit(jobs: Sequence[Job], i: int, depths: Sequence[int]) -> None:
    """Wildcards of the jobs that it waits for, those of the last first: a network trains on images
    prepared before.
    """
    for k in sorted(jobs[i].after, key=lambda k: -depths[k]):
        jobs[i].wildcards = jobs[k].wildcards | jobs[i].wildcards


def measure(jobs: Sequence[Job], plan: Plan, sources: Sequence[Path]) -> None:
    """Give each job its time and memory: measured, a share of its cell's seconds, or fitted to its
    size.
    """
    cells: dict[tuple[str, ...], list[Job]] = {}
    for job in jobs:
        if job.rule in _FITTED:
            at = SimpleNamespace(**job.wildcards)
            job.mb, job.seconds = fitted(plan, job.rule, at, size_of(at.dataset))
            job.source = "fitted"
            if job.rule in _SHARING:
                cells.setdefault((at.dataset, at.method), []).append(job)
    for source in reversed(sources):
        for cell, seconds in _cell_seconds(source).items():
            whole = sum(job.seconds for job in cells.get(cell, ()))
            for job in cells.get(cell, ()):
                job.seconds, job.source = _BEGIN + seconds * job.seconds / whole, "cell"
        for job in jobs:
            if found := read_benchmark(source / "benchmarks" / job.path):
                job.seconds, job.source = found[0], "benchmark"
                job.mb = found[1] or job.mb


def size_of(dataset: str) -> Size:
    """Return the size of a set that is prepared here.

    Raises
    ------
    FileNotFoundError
        It is not.
    """
    return Size.of(f"results/{dataset}/data/meta.json")


def fitted(plan: Plan, stage: str, wildcards: Any, size: Size) -> tuple[float, float]:
    """Memory in MB, and seconds from the process's start on, of a job that `estimate` knows."""
    mb, seconds = estimate(plan, stage, wildcards, size)
    return mb, _BEGIN + seconds


def read_benchmark(path: Path) -> tuple[float, float] | None:
    """Seconds and memory in MB of a benchmark file, 0 where that was not measured; None without a
    whole file.
    """
    try:
        with path.open(newline="", encoding="utf-8") as stream:
            row = next(csv.DictReader(stream, delimiter="\t"))
        unmeasured = row["max_rss"] in ("NA", "-")
        return float(row["s"]), 0.0 if unmeasured else float(row["max_rss"])
    except (OSError, StopIteration, KeyError, TypeError, ValueError):
        return None


def _cell_seconds(source: Path) -> dict[tuple[str, ...], float]:
    """Tuning and training of each data set and method: the most of any metric, summed over the
    splits.
    """
    found: dict[tuple[str, ...], dict[str, float]] = {}
    for path in source.glob("*/*/evaluation.csv") if source.is_dir() else [source]:
        with path.open(newline="", encoding="utf-8") as stream:
            for row in csv.DictReader(stream):
                cell = Path(row.get("file") or f"{row['dataset']}/{row['method']}").parts[:2]
                splits, split = found.setdefault(cell, {}), row.get("split", "")
                splits[split] = max(float(row["seconds"] or 0), splits.get(split, 0.0))
    return {cell: sum(splits.values()) for cell, splits in found.items()}


def schedule(jobs: Sequence[Job], cores: int) -> tuple[float, float]:
    """Wall time in seconds, and the most memory in use in MB, when ready jobs start in order as
    cores are free.
    """
    waiting = [len(job.after) for job in jobs]
    next_ones: list[list[int]] = [[] for _ in jobs]
    for number, job in enumerate(jobs):
        for before in job.after:
            next_ones[before].append(number)
    ready = [number for number, left in enumerate(waiting) if not left]
    running: list[tuple[float, int]] = []
    now = used = most = 0.0
    while ready or running:
        while ready and len(running) < cores:
            number = heapq.heappop(ready)
            heapq.heappush(running, (now + jobs[number].seconds, number))
            used += jobs[number].mb
        most = max(most, used)
        now, done = heapq.heappop(running)
        used -= jobs[done].mb
        for number in next_ones[done]:
            waiting[number] -= 1
            if not waiting[number]:
                heapq.heappush(ready, number)
    return now, most


def _lines(jobs: Sequence[Job]) -> Iterable[str]:
    for source in ("benchmark", "cell", "fitted", "constant"):
        some = [job.seconds for job in jobs if job.source == source]
        yield f"{source}: {len(some)} jobs, {sum(some) / 3600:.2f} core hours"
    for job in sorted(jobs, key=lambda job: -job.seconds)[:3]:
        yield f"long: {job.path}, {job.seconds:.0f} s ({job.source})"
    for cores in (1, 2, 16, 100, 1000):
        wall, most = schedule(jobs, cores)
        yield f"{cores} cores: {timedelta(seconds=round(wall))}, {most / 1000:.1f} GB in use"


def main(arguments: Sequence[str]) -> int:
    """Print what the graph would take; the process's exit status."""
    parser = argparse.ArgumentParser(prog="python -m toplabel.reproduction.workflow.simulation")
    parser.add_argument("--configfile", type=Path, required=True)
    parser.add_argument("--overhead", type=float, default=0.0, help="seconds more for each job")
    parser.add_argument("graph", type=Path)
    parser.add_argument("sources", type=Path, nargs="*")
    chosen = parser.parse_args(arguments)
    root = chosen.configfile.resolve().parent.parent
    if not 0 <= chosen.overhead < math.inf:
        parser.error("argument --overhead: must be a number of seconds, and not negative")
    try:
        jobs = read_graph(chosen.graph.read_text(encoding="utf-8"))
        config = read_yaml(root / "config/config.yaml") | read_yaml(chosen.configfile)
        measure(jobs, Plan(root, config), chosen.sources)
    except (OSError, ValueError) as error:
        prepared = "; is the set prepared (snakemake data)?" if "meta.json" in str(error) else ""
        print(f"Error: {error}{prepared}", file=sys.stderr)
        return 1
    for job in jobs:
        job.seconds += chosen.overhead
    print("\n".join(_lines(jobs)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
