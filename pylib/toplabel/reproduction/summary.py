"""``python -m toplabel.reproduction.summary [RESULTS] [--paper RESULTS]``: the numbers of
the documents.

With the results folder of a full run, what the documents need of it is kept in reports/summary
first; with ``--paper`` the cells of a run whose budget is `paper`. Then the fragments of the pages
between ``<!-- run: name -->`` and ``<!-- end -->`` are written anew from there, and the picture of
README.md. A fragment of which nothing is kept stays as it is. Tests hold pages and picture to the
files.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from toplabel._core.files import FileError, read_json, write_json
from toplabel.reproduction.compare.published import load_published
from toplabel.reproduction.config.run import SUMMARY
from toplabel.reproduction.facts import jobs
from toplabel.reproduction.report import fragments
from toplabel.reproduction.report.agreement import draw, points_of_cells
from toplabel.reproduction.report.kept import kept_with_found
from toplabel.reproduction.report.labels import VERDICTS
from toplabel.reproduction.tables.collected import COMPARISON, FINDINGS, HEADLINE, PUBLISHED_KEYS
from toplabel.reproduction.tables.table import read_csv, write_csv

PICTURE = "docs/images/agreement.svg"
PAGES = (
    "README.md",
    "docs/index.md",
    "reports/summary/README.md",
    "docs/results.md",
    "docs/cluster.md",
    "docs/simplex-coding.md",
    "docs/torch.md",
)
STUDIES = (
    *("multilabel_bias", "multilabel_baselines", "multilabel_baselines_rbf", "finetuning"),
    "digit_scenes",
    *("multiclass_small", "multiclass_own_splits", "multiclass_costly"),
)
"""Those without published numbers that are kept."""

_MEASURED = ("study", "dataset", "method", "label", "metric", "measured", "std")
_RUN = (
    *("created", "budget", "machine", "blas", "versions"),
    *("parts", "jobs"),
)
_STAGE = ("stage", "jobs", "hours", "longest_seconds", "peak_mb")
_JOBS = ["study", "stage", "dataset", "method", "part", "seconds", "peak_mb"]
_FRAGMENT = re.compile(r"(<!-- run: ([\w ]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_OF_SCENES = ("map", "p_at_1", "r_at_3", "rank_loss", "hamming_loss", "accuracy")
_OF_SCENES += ("subset_accuracy", "f1_micro", "f1_macro", "f1_instance")
_OF_SETS = ("hamming_loss", "subset_accuracy", "f1_micro", "f1_macro")


def keep(results: Path, summary: Path) -> None:
    """Copy what the documents need of a results folder; nothing that names a folder of the machine.

    The run may be of a version with fewer columns.

    Raises
    ------
    FileError
        With the file that is not what a run writes.
    """
    cells = _compared(results / "comparison.csv")
    collected = read_csv(results / "evaluation.csv", _MEASURED)
    measured = collected[_of_studies(collected, STUDIES)]
    run = read_json(results / "run.json", (*_RUN, "git"))
    if {*cells["budget"]} != {run["budget"]} or run["budget"] == "quick":
        raise FileError(
            f"{results / 'comparison.csv'}: its cells have the budgets"
            f" {', '.join(sorted({*cells['budget']}))}; kept is a run of one, and not `quick`"
        )
    kept = {key: run[key] for key in _RUN}
    kept["git"] = {key: run["git"].get(key) for key in ("commit", "dirty")}
    kept["jobs"] = [{key: stage[key] for key in _STAGE} for stage in run["jobs"]]
    kept["machine"] = {key: run["machine"].get(key) for key in ("cpu", "cores", "memory_gib")}
    COMPARISON.write(cells, summary / "comparison.csv")
    write_csv(measured[list(_MEASURED)], summary / "measured.csv")
    FINDINGS.write(FINDINGS.read_text(results / "findings.csv"), summary / "claims.csv")
    for name in ("thresholds", "differences", "variants", "winners", "readings", "headline"):
        folder = results / "tables" if name == "thresholds" else results
        write_csv(read_csv(folder / f"{name}.csv"), summary / f"{name}.csv")
    write_csv(_jobs(results / "benchmarks", collected), summary / "jobs.csv")
    write_json(summary / "run.json", kept)


def _compared(path: Path) -> pd.DataFrame:
    """Return the compared cells of a comparison.csv as text, each once, with a number and a known
    verdict.
    """
    cells = read_csv(path, (*PUBLISHED_KEYS, "verdict", "measured"))
    cells = cells[cells["verdict"] != ""].reindex(columns=COMPARISON.names, fill_value="")
    if unknown := sorted({*cells["verdict"]} - {*VERDICTS}):
        raise FileError(f"{path}: unknown verdict '{unknown[0]}'")
    if (twice := cells.duplicated([*PUBLISHED_KEYS])).any():
        raise FileError(f"{path}: the cell {_named(cells[twice].iloc[0])} stands twice")
    if (bad := pd.to_numeric(cells["measured"], errors="coerce").isna()).any():
        raise FileError(f"{path}: the cell {_named(cells[bad].iloc[0])} has no number")
    return cells


def _named(cell: pd.Series) -> str:
    return ", ".join(filter(None, cell[[*PUBLISHED_KEYS]]))


def _jobs(folder: Path, collected: pd.DataFrame) -> pd.DataFrame:
    """Return what each job took, with the first study of its data set and method."""
    cells = zip(collected["dataset"], collected["method"], strict=True)
    studies = dict(zip(cells, collected["study"].str.partition(";")[0], strict=True))
    rows = [
        {"study": studies.get((job["dataset"], job["method"]), "")} | job for job in jobs(folder)
    ]
    return pd.DataFrame(rows, columns=_JOBS)


def keep_paper(results: Path, summary: Path) -> None:
    """Copy the compared cells of a run with the papers' own grid.

    Raises
    ------
    ValueError
        When a cell has another budget, or none is there.
    """
    cells = _compared(results / "comparison.csv")
    if set(cells["budget"]) != {"paper"}:
        raise ValueError(f"{results / 'comparison.csv'}: --paper is for the budget `paper` alone")
    COMPARISON.write(cells, summary / "paper.csv")


def check_whole(kept: Path, before: Path) -> None:
    """Refuse files of a run that lack cells of the present summary.

    Raises
    ------
    ValueError
        One line with the file, the number of missing cells and the first.
    """
    of_measured = ("dataset", "method", "metric")
    for name, keys in (
        ("comparison", PUBLISHED_KEYS),
        ("paper", PUBLISHED_KEYS),
        ("measured", of_measured),
    ):
        if not (before / f"{name}.csv").is_file():
            continue
        have, known = (
            read_csv(folder / f"{name}.csv", keys)[[*keys]].itertuples(index=False, name=None)
            for folder in (kept, before)
        )
        kept_cells, known_cells = set(have), list(known)
        if missing := [cell for cell in known_cells if cell not in kept_cells]:
            raise ValueError(
                f"{len(missing)} of the {len(known_cells)} cells of {before / name}.csv are not in this run, "
                f"first {', '.join(filter(None, missing[0]))}; --fewer to keep it all the same"
            )


def _of_studies(measured: pd.DataFrame, studies: Collection[str]) -> pd.Series:
    """Return which rows are of one of the studies; a row may be of several, joined by ";"."""
    found = measured["study"].map(lambda joined: not {*joined.split(";")}.isdisjoint(studies))
    return found.astype(bool)  # also of no rows


def filled(text: str, root: Path) -> str:
    """Return a page with its fragments made of the kept files.

    Raises
    ------
    ValueError
        For a fragment of an unknown name.
    """

    def fragment(found: re.Match) -> str:
        name, *arguments = found[2].split()
        if name not in MAKERS:
            raise ValueError(f"no fragment has the name {name!r}, in '<!-- run: {found[2]} -->'")
        file, make = MAKERS[name]
        if not (root / SUMMARY / file).is_file():
            return found[0]
        text = make(_Kept(root), *arguments)
        return f"{found[1]}\n{text}\n\n{found[3]}" if text else found[0]

    return _FRAGMENT.sub(fragment, text)


class _Kept:
    """The kept files of a checkout, as fragments ask for them."""

    def __init__(self, root: Path) -> None:
        self.root, self.folder = root, root / SUMMARY

    def table(self, name: str, columns: Sequence[str] = ()) -> pd.DataFrame:
        return read_csv(self.folder / f"{name}.csv", columns)

    def cells(self, name: str = "comparison") -> pd.DataFrame:
        return COMPARISON.read_text(self.folder / f"{name}.csv")

    def measured(self, *studies: str) -> pd.DataFrame:
        frame = self.table("measured", _MEASURED)
        return frame[_of_studies(frame, studies)]

    def run(self) -> dict[str, Any]:
        return read_json(self.folder / "run.json")


def _score(kept: _Kept) -> str:
    return fragments.score(
        kept_with_found(kept.folder),
        HEADLINE.read(kept.folder / "headline.csv"),
        len(load_published(kept.root / "data/published")),
        kept.run()["created"],
    )


def _bias(kept: _Kept) -> str:
    return fragments.variants(
        kept.measured("multilabel_bias"),
        ("svm_ml", "svm_ml_smooth", "lr_ml"),
        ("", "_bias", "_standard"),
        ("rank_loss", "f1_micro", "subset_accuracy"),
    )


def _baselines(kept: _Kept) -> str:
    measured = kept.measured("multilabel_baselines", "multilabel_baselines_rbf")
    return fragments.grid(measured, ("rank_loss", *_OF_SETS))


#: Of each fragment the kept file that it needs, and what makes it.
MAKERS: dict[str, tuple[str, Callable[..., str]]] = {
    "score": ("comparison.csv", _score),
    "counts": ("comparison.csv", lambda kept, *sets: fragments.counts(kept.cells(), *sets)),
    "intervals": ("comparison.csv", lambda kept: fragments.intervals(kept.cells())),
    "beside": ("comparison.csv", lambda kept, *table: fragments.beside(kept.cells(), *table)),
    "bias": ("measured.csv", _bias),
    "baselines": ("measured.csv", _baselines),
    "scenes": (
        "measured.csv",
        lambda kept: fragments.grid(kept.measured("digit_scenes"), _OF_SCENES),
    ),
    "finetuning": (
        "measured.csv",
        lambda kept: fragments.grid(kept.measured("finetuning"), ("top1", "top3", "top5", "top10")),
    ),
    "grids": (
        "paper.csv",
        lambda kept, *sets: fragments.grids(kept.cells(), kept.cells("paper"), *sets),
    ),
    "claims": (
        "claims.csv",
        lambda kept, prefix: fragments.claims(kept.table("claims", FINDINGS.names), prefix),
    ),
    "strategies": (
        "thresholds.csv",
        lambda kept: fragments.strategies(kept.table("thresholds"), _OF_SETS),
    ),
    "cardinality": ("thresholds.csv", lambda kept: fragments.cardinality(kept.table("thresholds"))),
    "differences": (
        "differences.csv",
        lambda kept: fragments.differences(kept.table("differences")),
    ),
    "jobs": ("jobs.csv", lambda kept: fragments.jobs(kept.table("jobs", _JOBS))),
    "conditions": ("run.json", lambda kept: fragments.conditions(kept.run())),
}


def main(arguments: Sequence[str]) -> int:
    """Write pages and picture of the checkout in the working folder; all, or none where a file of
    the run is bad.
    """
    parser = argparse.ArgumentParser(prog="make summary", description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path, nargs="?", help="folder of a full run")
    parser.add_argument("--paper", type=Path, help="folder of a run with the budget `paper`")
    parser.add_argument("--fewer", action="store_true", help="keep a run that lacks known cells")
    options = parser.parse_args(arguments)
    root = Path()
    with TemporaryDirectory() as folder:
        staged = Path(folder)
        try:
            shutil.copytree(root / SUMMARY, staged / SUMMARY)
            (staged / "data").symlink_to((root / "data").resolve())
            if options.results:
                keep(options.results, staged / SUMMARY)
            if options.paper:
                keep_paper(options.paper, staged / SUMMARY)
            if not options.fewer:
                check_whole(staged / SUMMARY, root / SUMMARY)
            pages = {name: filled((root / name).read_text("utf-8"), staged) for name in PAGES}
            pages[PICTURE] = draw(points_of_cells(_Kept(staged).cells()), "white")
        except (FileError, OSError, ValueError) as error:
            print(f"make summary: {error}", file=sys.stderr)
            return 1
        except (AttributeError, KeyError, TypeError) as error:
            print(
                f"make summary: a file of the run is not of this version ({error!r})",
                file=sys.stderr,
            )
            return 1
        shutil.copytree(staged / SUMMARY, root / SUMMARY, dirs_exist_ok=True)
    for name, text in pages.items():
        (root / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
