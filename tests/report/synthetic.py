"""A results folder as the pipeline would leave it, with made-up measurements beside published
cells.

The published cells are those of data/published; a measurement is the published number plus noise
with a fixed seed, so that all verdicts occur. Nothing of the pipeline is run.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd

from toplabel.reproduction.tables.collected import (
    COMPARISON,
    DATASETS,
    DIFFERENCES,
    EVALUATION,
    FINDINGS,
    HEADLINE,
    READINGS,
    WINNERS,
)

PUBLISHED = Path(__file__).parents[2] / "data" / "published"
KEYS = ["dataset", "features", "method", "k", "gamma", "kernel", "metric"]
MEASURED_METHODS = ("svm_multi", "lr_multi", "svm_ml", "lr_ml")
MEASURED_SETS = ("circle", "letter", "yeast", "scene", "emotions")

#: A small drawing with an inner reference.
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20" width="40pt" height="20pt">'
    '<defs><path id="p" d="M 0 0 L 9 9"/></defs><use href="#p"/></svg>'
)
RUN = {
    "created": "2026-03-01T12:00:00+00:00",
    "command": "snakemake --cores 2 report",
    "config": {"budget": "standard", "datasets": list(MEASURED_SETS), "eps": 0.001},
    "budget": "standard",
    "seeds": {"run": 0, "rule": "SHA-256 of run seed and names"},
    "machine": {"cpu": "An x86-64 processor", "cores": 2, "memory_gib": 24.0, "os": "Linux 6.1"},
    "versions": {"toplabel": "0.1.0", "numpy": "2.4.6", "scipy": "1.17.1"},
    "git": {"commit": "0123456789abcdef0123456789abcdef01234567", "dirty": True},
    "blas": [{"library": "openblas", "version": "0.3.30", "kernels": "SkylakeX"}] * 2,
    "jobs": [{"stage": "train", "jobs": 12, "hours": 1.25, "longest_seconds": 90, "peak_mb": 310}],
    "wall_seconds": 754.2,
    "studies": [
        {"name": "multilabel", "title": "Label sets", "description": "Sets of labels."},
        {"name": "papers", "title": "All tables", "description": "What <the> papers print."},
        {"name": "never_run", "title": "Never run", "description": ""},
    ],
}


def published_cells(tables: str = "*_table*.csv") -> pd.DataFrame:
    """Return the published cells of these tables with the columns of comparison.csv."""
    frames = [
        pd.read_csv(path, dtype=str, keep_default_na=False)
        for path in sorted(PUBLISHED.glob(tables))
        if path.name != "tpami2017_table02.csv"
    ]
    cells = pd.concat(frames, ignore_index=True).rename(columns={"value": "published"})
    for column in COMPARISON.names:
        if column not in cells.columns:
            cells[column] = ""
    return cells[COMPARISON.names]


def loss_of(row: pd.Series) -> str:
    """Return the loss of a published row: top-1 losses under their multiclass names."""
    same = {"topk_svm_alpha": "svm_multi", "topk_ent": "lr_multi"}
    return same.get(row["method"], row["method"]) if row["k"] == "1" else row["method"]


def run_name(row: pd.Series) -> str:
    """Return the name that methods.yaml would give to the method of a row."""
    return loss_of(row) + ("_smooth" if row["gamma"] == "1" else "")


def measure(cells: pd.DataFrame, chosen: pd.Series, seed: int = 7) -> pd.DataFrame:
    """Fill in made-up measurements for the `chosen` cells."""
    rng = np.random.default_rng(seed)
    cells = cells.copy()
    for index in cells.index[chosen]:
        loss = cells.at[index, "metric"].endswith("_loss")
        unit = 0.005 if loss else 0.5
        published = float(cells.at[index, "published"])
        measured = round(published + unit * 1.2 * rng.standard_normal(), 6)
        gap = measured - published
        better = "lower" if loss else "higher"
        size = abs(gap) / unit
        far = better if (gap < 0) == loss else "off"
        verdict = "match" if size <= 1 else "close" if size <= 3 else far
        values = {
            "measured": f"{measured}",
            "difference": f"{gap:.6f}",
            "verdict": verdict,
            "budget": "standard",
            "C": f"{2.0 ** rng.integers(-12, 6)}",
            "threshold": "" if cells.at[index, "metric"].startswith("top") else "-0.0125",
            "file": f"{cells.at[index, 'dataset']}/{run_name(cells.loc[index])}/evaluation.csv",
            "relative_gap": f"{10 ** rng.uniform(-6, -3):.3e}",
            "seconds": f"{rng.uniform(0.05, 40):.3f}",
        }
        for column, value in values.items():
            cells.at[index, column] = value
    return cells


def default_cells() -> pd.DataFrame:
    """Return all published cells, those of our methods on five sets measured (linear kernel)."""
    cells = published_cells()
    chosen = (
        cells["dataset"].isin(MEASURED_SETS)
        & (cells["kernel"] == "linear")
        & (
            cells["method"].isin(MEASURED_METHODS)
            | (cells["method"].isin(["topk_svm_alpha", "topk_ent"]) & (cells["k"] == "1"))
        )
        & cells["source"].isin(["tpami2017", "cvpr2016"])
    )
    return measure(cells, chosen)


def evaluation_of(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the evaluation that these measurements would come from, under the names of
    methods.yaml.
    """
    rows = cells[cells["measured"] != ""].copy()
    rows["loss"] = [loss_of(row) for _, row in rows.iterrows()]
    rows["method"] = [run_name(row) for _, row in rows.iterrows()]
    rows["k"] = ""
    rows = rows.drop_duplicates(["dataset", "features", "method", "metric"])
    several = rows["dataset"].isin(["yeast", "scene", "emotions"]) & (rows["method"] != "lr_ml")
    frame = rows.assign(
        study=several.map({True: "multilabel;papers", False: "papers"}),
        label=rows["method"].astype(str).str.upper().str.replace("_SMOOTH", "_{1}"),
        std="",
        splits="1",
        epochs="12",
        status="converged",
        gradient_norm="",
    )
    return EVALUATION.frame(frame.assign(variant_of="").to_dict("records"))


def dataset_rows(cells: pd.DataFrame) -> pd.DataFrame:
    """Return a registry: the sets with a measurement are there, the others wait for files."""
    ready = set(cells.loc[cells["measured"] != "", "dataset"])
    printed = pd.read_csv(PUBLISHED / "datasets.csv", dtype=str, keep_default_na=False)
    printed = printed.drop_duplicates("dataset").set_index("dataset")
    rows = []
    for name in sorted({*cells["dataset"], *printed.index}):
        row = dict.fromkeys(DATASETS.names, "")
        row.update(
            dataset=name,
            title=name.replace("_", " ").capitalize(),
            task="multiclass",
            status="ready" if name in ready else "missing",
            reason="" if name in ready else f"raw file {name}.tar.bz2 is in no mirror",
            licence="not stated",
            citation=f"The authors of {name}",
            url=f"https://example.org/{name}",
            published_key=name,
            features=min(cells.loc[cells["dataset"] == name, "features"], default=""),
        )
        if name in printed.index:
            paper = printed.loc[name]
            row.update(
                task=paper["task"],
                paper_n_classes=paper["m"],
                paper_n_train=paper["n_train"],
                paper_n_features=paper["d"],
                paper_label_cardinality=paper["label_cardinality"],
                paper_source=paper["source"],
            )
        if name in ready:
            row.update(n_classes="14", n_train="1500", n_val="", n_test="917", n_features="103")
            row.update(
                label_cardinality="4.2371",
                zero_rows="0",
                row_norm="237.5",
                empty_label_sets="3",
                agrees="True",
            )
        rows.append(row)
    return DATASETS.frame(rows)


def findings_rows() -> pd.DataFrame:
    """Return three claims: one that holds, one that fails on one comparison, one that is not
    tested.
    """
    base = dict.fromkeys(FINDINGS.names, "") | {"source": "tpami2017", "place": "section 6.2"}
    counts = {"published_comparisons": "32", "published_first": "30", "published_second": "1"}
    base |= counts | {"published_within": "20", "published_median": "1.1", "margin": ""}
    base |= {"published_low": "0.4", "published_high": "2.1", "published_outcome": "holds"}
    base |= {"least": "0.6", "ties_win": "false"}
    same = {"comparisons": "3", "first": "2", "second": "0", "within": "1"}
    same |= {"low": "0.5", "median": "0.9", "high": "1.5", "outcome": "holds"}
    same |= {"datasets": "letter;circle"}
    other = {"comparisons": "0", "first": "0", "second": "0", "within": "0"}
    ours = _prefixed("same", same) | _prefixed("other", other) | {"both": "2", "agree": "2"}
    sides = {"expects": "first", "first": "LR^{Multi}", "second": "SVM^{Multi}"}
    single = {"comparisons": "1", "first": "0", "second": "1", "datasets": "digits"}
    single |= {"low": "-1.04", "median": "-1.04", "high": "-1.04", "outcome": "fails"}
    none = _prefixed("same", other) | _prefixed("other", other) | {"both": "0", "agree": "0"}
    similar = {"expects": "similar", "margin": "1"}
    return pd.DataFrame(
        [
            base | sides | none | similar | {"claim": "c", "says": "both are alike"},
            base | sides | ours | {"claim": "a_b", "says": "softmax wins for k > 1"},
            base | sides | none | _prefixed("other", single) | {"claim": "b", "says": "one wins"},
        ]
    )


def _prefixed(prefix: str, row: dict[str, str]) -> dict[str, str]:
    return {f"{prefix}_{name}": value for name, value in row.items()}


def winners_rows() -> pd.DataFrame:
    """Return the winners of two columns of TPAMI Table 3, one of them the paper's too."""
    rows = [
        ("top1", "svm_multi::0:linear", "svm_multi::0:linear", "true"),
        ("top2", "lr_multi:::linear;svm_multi::0:linear", "topk_ent:2::linear", "false"),
    ]
    names = ["metric", "ours", "papers", "same"]
    frame = pd.DataFrame(rows, columns=names).assign(source="tpami2017", table="3", features="")
    frame = frame.assign(dataset="circle", methods="9", measured="60.5", published="61.2")
    frame = frame.assign(margin="0.4", published_margin="")
    return frame[WINNERS.names]


def write_results(folder: Path, cells: pd.DataFrame | None = None) -> Path:
    """Write a whole results folder and return it."""
    cells = default_cells() if cells is None else cells
    folder.mkdir(parents=True, exist_ok=True)
    cells.to_csv(folder / "comparison.csv", index=False)
    evaluation = evaluation_of(cells)
    evaluation.to_csv(folder / "evaluation.csv", index=False)
    dataset_rows(cells).to_csv(folder / "datasets.csv", index=False)
    (folder / "run.json").write_text(json.dumps(RUN), encoding="utf-8")
    findings_rows().to_csv(folder / "findings.csv", index=False)
    winners_rows().to_csv(folder / "winners.csv", index=False)
    DIFFERENCES.frame().to_csv(folder / "differences.csv", index=False)
    READINGS.frame().to_csv(folder / "readings.csv", index=False)
    HEADLINE.frame().to_csv(folder / "headline.csv", index=False)
    for file in evaluation["file"].unique():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("dataset,method\n", encoding="utf-8")
    return folder


def write_figure_files(
    folder: Path, name: str, svg: str, csv: str = "x,y\n1,2\n", **meta: str
) -> None:
    """Add a figure to a results folder."""
    figures = folder / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    fields = {"title": name, "caption": "", "alt": name, "source": "", "script": ""} | meta
    (figures / f"{name}.svg").write_text(svg, encoding="utf-8")
    (figures / f"{name}.csv").write_text(csv, encoding="utf-8")
    (figures / f"{name}.json").write_text(json.dumps({"name": name, **fields}), encoding="utf-8")


def write_table_files(folder: Path, name: str, frame: pd.DataFrame, **meta: str) -> None:
    """Add a table to a results folder."""
    tables = folder / "tables"
    tables.mkdir(parents=True, exist_ok=True)
    fields = {"title": name, "caption": "", "source": "", "table": "", "study": ""} | meta
    frame.to_csv(tables / f"{name}.csv", index=False)
    (tables / f"{name}.json").write_text(json.dumps({"name": name, **fields}), encoding="utf-8")
