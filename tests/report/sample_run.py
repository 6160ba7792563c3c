"""A small run, whose report tests look at."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
from markup import Site

from samples_of_results import KEPT, MEASURED, PUBLISHED, evaluations, frame, number
from toplabel.reproduction.compare.beside import compare_methods
from toplabel.reproduction.compare.claims import COLUMNS as CLAIMS
from toplabel.reproduction.compare.claims import NUMBERS
from toplabel.reproduction.compare.comparison import Comparison, totals
from toplabel.reproduction.compare.wide import widen
from toplabel.reproduction.config.catalogue import Study, load_catalogue
from toplabel.reproduction.files import result_path
from toplabel.reproduction.frames import empty_frame
from toplabel.reproduction.report.write import write_report

ROOT = Path(__file__).parents[2]
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50"><path d="M0 0H9"/></svg>'
RUN = {
    "created": "2026-03-01T12:00:00+00:00",
    "config": {"studies": ["multiclass/letter", "own"], "budget": "standard", "tol_train": 1e-3},
    "budget": "standard",
    "seeds": {"run": 0},
    "machine": {"cpu": "A processor", "cores": 2, "memory_gib": 24.0, "os": "Linux"},
    "versions": {"toplabel": "1.0.0", "numpy": "2.4.6", "snakemake": "9.27.1"},
    "git": {"commit": "0123456789abcdef", "dirty": True},
    "blas": [{"library": "openblas", "kernels": "Haswell"}],
    "jobs": [{"stage": "tune", "jobs": 2, "hours": 0.5, "longest_seconds": 1200.0, "peak_mb": 300}],
    "wall_seconds": 754.2,
    "studies": [
        {"name": "multiclass", "title": "The multiclass methods", "description": "All of them."},
        {"name": "own", "title": "Own data", "description": "A set of ours."},
    ],
}
_COLUMNS = """dataset title task status reason n_classes n_train n_val n_test n_features
label_cardinality zero_rows empty_label_sets full_label_sets classes_without_example
paper_n_classes paper_n_train paper_n_features paper_label_cardinality paper_source agrees licence
citation url published_key features published_sources"""


def dataset(name: str, **facts: str) -> dict[str, str]:
    """A row of datasets.csv."""
    row = dict.fromkeys(_COLUMNS.split(), "") | {"dataset": name, "title": name.capitalize()}
    row |= {"task": "multiclass", "status": "ready", "n_test": "5000", "published_key": name}
    return row | facts


def cells() -> pd.DataFrame:
    """Numbers of letter: printed, measured, kept and under another reading, and one of own data."""
    shared = {"study": "multiclass", "label": "SVM^{Multi}", "relative_gap": 1e-4, "C": 10.0}
    shared |= {"status": "converged", "budget": "standard", "seconds": 2.0}
    logistic = {"method": "lr_multi", "config_method": "lr_multi"}
    interval = {"rows_low": 75.0, "rows_high": 78.0, "in_rows": "true"}
    inside, outside = ({"seeds": 5.0, "in_seeds": text} for text in ("true", "false"))
    return frame(
        number(PUBLISHED, 76.5),
        number(PUBLISHED, 75.3, method="lr_multi"),
        number(PUBLISHED, 90.0, "top2", choice="online_passes"),
        number(PUBLISHED, 91.0, "top2", "lr_multi"),
        number(PUBLISHED, 95.2, "top3", "lr_multi", choice="boosting"),
        number(PUBLISHED, 63.6, method="topk_ent_tr", k="3"),
        number(PUBLISHED, 97.98, method="reference", printed="97.98"),
        number(PUBLISHED, 62.8, dataset="caltech101_silhouettes"),
        number(MEASURED, 76.98, printed="76.5", verdict="match", **shared | interval),
        number(MEASURED, 71.0, printed="75.3", verdict="off", **shared | logistic)
        | {"status": "max_iter", "relative_gap": 0.02, "reason": "fold_draws"},
        number(MEASURED, 90.04, "top2", printed="90.0", verdict="match", **shared)
        | {"seeds": 4.0, "in_seeds": "false"},
        number(MEASURED, 60.8, method="topk_ent_tr", k="3", printed="63.6", verdict="off")
        | {"study": "multiclass", "config_method": "topk_ent_tr_k3", "in_rows": "false"},
        number(MEASURED, 63.1, method="topk_ent_tr", k="3", printed="63.6", verdict="match")
        | {"reading": "entropy_descent_letter", "config_method": "topk_ent_tr_k3_gd100"},
        number(MEASURED, 88.8, method="mine", dataset="own", **shared | interval)
        | {"source": "", "table": "", "printed": "", "label": "My method", "study": "own"},
        number(KEPT, 91.2, "top2", "lr_multi", printed="91.0", verdict="match", **outside),
        number(KEPT, 70.0, printed="75.3", method="lr_multi", verdict="off"),
        number(KEPT, 62.6, dataset="caltech101_silhouettes", printed="62.8", verdict="match")
        | inside,
    )


def claims() -> pd.DataFrame:
    """A claim that was tested on other data, and one that was not."""
    words = {"source": "tpami2017", "place": "section 6.2", "expects": "first", "sets": 0.0}
    words |= {"first": "LR^{Multi}", "second": "SVM^{Multi}"}
    rows = [
        words | {"claim": claim, "says": says, "numbers": numbers}
        for claim, says in (("a", "the softmax is ahead"), ("b", "nothing is known"))
        for numbers in NUMBERS
    ]
    tested = {"sets": 9.0, "wins": 6.0, "losses": 2.0, "difference": 0.52, "outcome": "undecided"}
    rows[3] |= tested | {"low": -0.31, "high": 1.26, "over": "rows", "datasets": "own"}
    frame = pd.DataFrame(rows, columns=[*CLAIMS])
    texts = [name for name, kind in CLAIMS.items() if kind is str]
    return frame.astype(dict.fromkeys(texts, object)).fillna(dict.fromkeys(texts, ""))


def comparison(numbers: pd.DataFrame, datasets: pd.DataFrame, run: dict[str, Any]) -> Comparison:
    """What rule compare makes of some numbers."""
    catalogue = load_catalogue(ROOT)
    labels = {method.key: method.label for method in catalogue.methods.values()}
    studies = [name.partition("/")[0] for name in run["config"]["studies"]]
    frame = widen(numbers, datasets, catalogue.notes, labels, {}, studies)
    return Comparison(
        cells=numbers,
        wide=frame,
        **beside_of(numbers),
        claims=claims(),
        totals=totals(numbers, frame) | {"procedures": {"own": "Nested cross-validation."}},
    )


def beside_of(
    numbers: pd.DataFrame, *more: tuple, datasets: tuple[str, ...] = ("own",)
) -> dict[str, pd.DataFrame]:
    """The own study of some numbers, and of more rows of `samples_of_results.evaluations`."""
    own = numbers[(numbers["study"] == "own") & (numbers["run"] == MEASURED)]
    rows = [(r.dataset, "mine", "main", r.metric, r.value) for r in own.itertuples()] + [*more]
    methods = tuple(dict.fromkeys(row[1] for row in rows))
    if not methods:
        return compare_methods(evaluations(), load_catalogue(ROOT), (), {}, {})
    study = Study(name="own", title="Own data", datasets=datasets, methods=methods)
    catalogue = SimpleNamespace(
        studies={"own": study},
        methods={
            name: SimpleNamespace(variant_of="", label=f"{name.capitalize()} method")
            for name in methods
        },
        other_draws=set(),
    )
    made = compare_methods(evaluations(*rows), catalogue, ["own"], {}, dict.fromkeys(datasets, 0.2))
    return made


@dataclass
class Sample:
    """A small run in a folder; what differs from it is given to `write`."""

    folder: Path
    given: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        results = self.folder / "results"
        for name, text in (
            ("letter/svm_multi/evaluation.csv", "metric,value\n"),
            ("figures/rings.csv", "x\n1\n"),
            ("figures/rings.svg", SVG),
            ("figures/rings.json", _words("rings", alt="Two rings")),
            ("tables/plain.csv", "method,value\nSVM^{Multi},1000\n"),
            ("tables/plain.json", _words("plain", page="")),
            ("letter/data/meta.json", json.dumps({"raw": _RAW})),
        ):
            with result_path(results / name) as path:
                path.write_text(text, encoding="utf-8")

    @property
    def reports(self) -> Path:
        return self.folder / "reports"

    def write(self, **changes: Any) -> Site:
        """Write the report, and read its pages."""
        results = self.folder / "results"
        absent = dataset("caltech101_silhouettes", status="missing", reason="not at hand")
        sets = pd.DataFrame([dataset("letter", zero_rows="3"), dataset("own"), absent])
        given = {
            "cells": cells(),
            "datasets": sets,
            "run": RUN,
            "folder": self.reports,
            "checkout": ROOT,
            "results": results,
            "shown": [results / "tables/plain.json", results / "figures/rings.json"],
            "metas": [results / "letter/data/meta.json"],
            "linked": [results / "letter/svm_multi/evaluation.csv"],
            "workflow": [ROOT / "Snakefile", ROOT / "workflow/scripts/write_report.py"],
        }
        given |= changes
        numbers = given.pop("cells")
        made = comparison(numbers, given["datasets"], given["run"])
        made = replace(made, claims=given.pop("claims", made.claims))
        if beside := given.pop("beside", None):
            made = replace(made, **beside)
        write_report(made, **given)
        return Site(self.reports)

    def write_nothing(self, **changes: Any) -> Site:
        """Write the report of a run that measured nothing."""
        all_ = cells()
        nothing = {"cells": all_[all_["run"] == PUBLISHED], "claims": empty_frame(CLAIMS)}
        return self.write(**nothing | {"shown": ()} | changes)


_RAW = {
    "letter.data": {"sha256": "00ff", "size": 12, "url": "https://example.org/letter.data"},
    "own.txt": {"sha256": "11ee", "size": 8, "url": ""},
}


def _words(name: str, **more: str) -> str:
    words = {"name": name, "title": name.capitalize(), "caption": "A caption.", "source": ""}
    return json.dumps(words | more)
