"""``python -m toplabel.workflow.summary [RESULTS]``: the numbers of the documents, from the last full run.

With a results folder, what the documents need of it is kept in reports/summary first. Then the fragments of the pages
between ``<!-- run: name -->`` and ``<!-- end -->`` are written anew from there, and the picture of README.md. A
fragment of which nothing is kept stays as it is. Tests hold pages and picture to the files.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection
from pathlib import Path

import pandas as pd

from toplabel.files import read_json, write_json
from toplabel.reporting import fragments
from toplabel.reporting.agreement import draw, lanes_of_cells
from toplabel.studies.published import load_published
from toplabel.tables.collected import COMPARISON
from toplabel.tables.table import read_csv, write_csv

SUMMARY = Path("reports/summary")
PICTURE = Path("docs/images/agreement.svg")
PAGES = (
    "README.md",
    "reports/summary/README.md",
    "docs/multiclass.md",
    "docs/multilabel.md",
    "docs/simplex-coding.md",
    "docs/torch.md",
)
STUDIES = ("multilabel_bias", "multilabel_baselines", "multilabel_baselines_rbf", "finetuning")
"""Those without published numbers of which the pages have tables."""

_MEASURED = ("study", "dataset", "method", "label", "metric", "measured", "std")
_CLAIMS = (
    *("claim", "says", "other_outcome"),
    *("other_comparisons", "other_first", "other_second", "other_median"),
)
_RUN = (
    *("created", "budget", "machine", "blas", "versions"),
    *("wall_seconds", "wall_seconds_note", "jobs"),
)
_FRAGMENT = re.compile(r"(<!-- run: ([\w ]+) -->\n).*?(\n<!-- end -->)", re.DOTALL)
_OF_SETS = ("rank_loss", "hamming_loss", "subset_accuracy", "f1_micro", "f1_macro")


def keep(results: Path, summary: Path) -> None:
    """Copy what the documents need of a results folder; nothing that names a folder of the machine.

    The run may be of a version with fewer columns.
    """
    cells = read_csv(results / "comparison.csv", ("verdict",))
    cells = cells[cells["verdict"] != ""].reindex(columns=COMPARISON.names, fill_value="")
    measured = read_csv(results / "evaluation.csv", _MEASURED)
    measured = measured[_of_studies(measured, STUDIES)]
    claims = read_csv(results / "findings.csv", _CLAIMS)
    thresholds = read_csv(results / "tables/thresholds.csv")
    run = read_json(results / "run.json", (*_RUN, "git"))
    kept = {key: run[key] for key in _RUN}
    kept["git"] = {key: run["git"].get(key) for key in ("commit", "dirty")}
    # Everything was read: nothing is left half-written.
    COMPARISON.write(cells, summary / "comparison.csv")
    write_csv(measured[list(_MEASURED)], summary / "measured.csv")
    write_csv(claims[list(_CLAIMS)], summary / "claims.csv")
    write_csv(thresholds, summary / "thresholds.csv")
    write_json(summary / "run.json", kept)


def _of_studies(measured: pd.DataFrame, studies: Collection[str]) -> pd.Series:
    """Which rows are of one of the studies; a row may be of several, joined by ";"."""
    found = measured["study"].map(lambda joined: not {*joined.split(";")}.isdisjoint(studies))
    return found.astype(bool)  # also of no rows


def filled(text: str, root: Path) -> str:
    """A page with its fragments made of the kept files.

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
        text = make(root, *arguments)
        return f"{found[1]}\n{text}\n{found[3]}" if text else found[0]

    return _FRAGMENT.sub(fragment, text)


def _cells(root: Path) -> pd.DataFrame:
    return COMPARISON.read_text(root / SUMMARY / "comparison.csv")


def _measured(root: Path, *studies: str) -> pd.DataFrame:
    frame = read_csv(root / SUMMARY / "measured.csv", _MEASURED)
    return frame[_of_studies(frame, studies)]


def _bias(root: Path) -> str:
    return fragments.variants(
        _measured(root, "multilabel_bias"),
        ("svm_ml", "svm_ml_smooth", "lr_ml"),
        ("", "_bias", "_standard"),
        ("rank_loss", "f1_micro", "subset_accuracy"),
    )


MAKERS: dict[str, tuple[str, Callable[..., str]]] = {
    "score": (
        "comparison.csv",
        lambda root: fragments.score(_cells(root), len(load_published(root / "data/published"))),
    ),
    "counts": ("comparison.csv", lambda root, *sets: fragments.counts(_cells(root), *sets)),
    "beside": ("comparison.csv", lambda root, *table: fragments.beside(_cells(root), *table)),
    "bias": ("measured.csv", _bias),
    "baselines": (
        "measured.csv",
        lambda root: fragments.grid(
            _measured(root, "multilabel_baselines", "multilabel_baselines_rbf"), _OF_SETS
        ),
    ),
    "finetuning": (
        "measured.csv",
        lambda root: fragments.grid(
            _measured(root, "finetuning"), ("top1", "top3", "top5", "top10")
        ),
    ),
    "claims": (
        "claims.csv",
        lambda root, prefix: fragments.claims(
            read_csv(root / SUMMARY / "claims.csv", _CLAIMS), prefix
        ),
    ),
    "strategies": (
        "thresholds.csv",
        lambda root: fragments.strategies(
            read_csv(root / SUMMARY / "thresholds.csv"),
            ("hamming_loss", "subset_accuracy", "f1_micro", "f1_macro"),
        ),
    ),
    "conditions": (
        "run.json",
        lambda root: fragments.conditions(read_json(root / SUMMARY / "run.json")),
    ),
}


def main(arguments: list[str]) -> None:
    """Write the pages and the picture of the checkout in the working folder."""
    root = Path()
    if arguments:
        keep(Path(arguments[0]), root / SUMMARY)
    for name in PAGES:
        page = root / name
        page.write_text(filled(page.read_text(encoding="utf-8"), root), encoding="utf-8")
    (root / PICTURE).write_text(
        draw(lanes_of_cells(_cells(root)), standalone=True), encoding="utf-8"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
