"""Features that are marked as not those of the papers: measured, and never compared."""

import numpy as np
import pandas as pd
from running import ROOT, call_script

from toplabel.reproduction.config.datasets import load_registry
from toplabel.reproduction.data.locate import NOT_COMPARABLE
from toplabel.reproduction.data.prepare import prepare
from toplabel.reproduction.data.prepared import save_prepared
from toplabel.reproduction.tables.cells import TEST_METRICS


def _measure(folder, dataset, marked):
    """Prepare a set from synthetic features and write test metrics as if it had been trained on."""
    raw, results = folder / "raw", folder / "results"
    (raw / dataset).mkdir(parents=True)
    rng = np.random.default_rng(0)
    n = 500  # the size of the real training part, so that nothing but the mark tells them apart
    for part in ("train", "test"):
        np.save(raw / dataset / f"{part}.npy", rng.standard_normal((n, 8)).astype(np.float32))
        np.save(raw / dataset / f"{part}_labels.npy", np.arange(n) % 10)
    if marked:
        (raw / dataset / NOT_COMPARABLE).write_text("synthetic features\n")
    entry = load_registry(ROOT / "config/datasets.yaml")[dataset]
    save_prepared(prepare(entry, raw), results / dataset / "data")
    row = dict.fromkeys(TEST_METRICS.names, 1.0)
    row |= {"dataset": dataset, "method": "lr_multi", "split": "main", "metric": "top1"}
    row |= {"value": 77.0, "epochs": 3, "status": "converged", "budget": "quick"}
    path = results / dataset / "lr_multi/evaluation.csv"
    TEST_METRICS.write(TEST_METRICS.frame([row]), path)
    return path


def _compared(folder, marked):
    path = _measure(folder, "fmd", marked)
    outputs = {name: str(folder / f"{name}.csv") for name in ("evaluation", "comparison")}
    call_script(
        "compare_published",
        folder,
        input={"evaluations": [str(path)], "others": []},
        output=outputs,
    )
    cells = pd.read_csv(outputs["comparison"], keep_default_na=False)
    ours = pd.read_csv(outputs["evaluation"])
    assert ours["measured"].tolist() == [77.0]
    chosen = (cells["dataset"] == "fmd") & (cells["method"] == "lr_multi")
    return cells[chosen & (cells["metric"] == "top1") & (cells["source"] == "tpami2017")].iloc[0]


def test_marked_features_are_never_put_beside_published_numbers(tmp_path):
    cell = _compared(tmp_path / "marked", marked=True)
    assert (cell["measured"], cell["verdict"]) == ("", "")
    assert cell["reason"] == "not compared: synthetic features"
    cell = _compared(tmp_path / "real", marked=False)
    assert float(cell["measured"]) == 77.0
    assert cell["verdict"]
