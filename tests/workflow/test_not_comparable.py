"""Features that are marked as not those of the papers: measured, and never compared."""

from dataclasses import fields, replace

import numpy as np
import pandas as pd
from running import ROOT

from toplabel.reproduction.compare.cells import MEASURED, compared
from toplabel.reproduction.compare.comparison import compare_results
from toplabel.reproduction.config.catalogue import load_catalogue
from toplabel.reproduction.config.datasets import load_registry
from toplabel.reproduction.data import PrepareTask
from toplabel.reproduction.data.prepare import prepare
from toplabel.reproduction.data.prepared import save_prepared
from toplabel.reproduction.frames import write_rows
from toplabel.reproduction.selection import evaluation

DATASETS = pd.DataFrame(
    columns=[
        "dataset",
        "published_key",
        "features",
        "status",
        "reason",
        "published_sources",
        "n_train",
        "n_test",
    ]
)


def _measure(folder, dataset, marked):
    """Prepare a set from synthetic features and write test metrics as if it had been trained on."""
    raw, results = folder / "raw", folder / "results"
    (raw / dataset).mkdir(parents=True)
    rng = np.random.default_rng(0)
    n = 500  # the size of the real training part, so that nothing but the mark tells them apart
    for part in ("train", "test"):
        np.save(raw / dataset / f"{part}.npy", rng.standard_normal((n, 8)).astype(np.float32))
        np.save(raw / dataset / f"{part}_labels.npy", np.arange(n) % 10)
    entry = load_registry(ROOT / "config/datasets.yaml")[dataset]
    entry = replace(entry, not_comparable="synthetic features" if marked else None)
    save_prepared(prepare(PrepareTask.of(entry), raw), results / dataset / "data")
    row = dict.fromkeys((field.name for field in fields(evaluation.TestMetric)), 1.0)
    row |= {"dataset": dataset, "method": "lr_multi", "split": "main", "metric": "top1"}
    row |= {"value": 77.0, "epochs": 3, "status": "converged", "budget": "quick"}
    row |= {"candidate": None, "selected_k": None}
    path = results / dataset / "lr_multi/evaluation.csv"
    write_rows(evaluation.TestMetric, [evaluation.TestMetric(**row)], path)
    return path


def test_marked_features_are_never_put_beside_published_numbers(tmp_path):
    catalogue = load_catalogue(ROOT)
    for marked in (True, False):
        evaluation = _measure(tmp_path / f"{marked}", "fmd", marked)
        meta = evaluation.parents[1] / "data/meta.json"
        cells = compare_results(catalogue, [evaluation], DATASETS, metas=[meta]).cells
        measured = cells[cells["run"] == MEASURED]
        assert set(measured["value"]) == {77.0}
        assert compared(cells).empty == marked
        assert set(measured["note"]) == {"not compared: synthetic features" if marked else ""}
