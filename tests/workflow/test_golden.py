"""The numbers of two sets of the default run, computed anew: those of reports/summary, digit for
digit.
"""

import pandas as pd
import pytest
from running import ROOT, snakemake

pytestmark = pytest.mark.workflow

SETS = {"circle": 18, "optdigits": 8}
"""The data sets, with the number of printed numbers of each that the run compares."""


def test_the_numbers_are_those_of_the_kept_run(tmp_path):
    config = tmp_path / "golden.yaml"
    config.write_text("studies: [circle, simplex_coding/optdigits]\n", encoding="utf-8")
    done = snakemake("results/comparison.csv", directory=tmp_path / "run", configfiles=(config,))
    assert done.returncode == 0, done.stdout[-5000:]
    found = _compared(tmp_path / "run/results/comparison.csv")
    kept = _compared(ROOT / "reports/summary/comparison.csv")
    kept = kept[kept["dataset"].isin(SETS) & kept["file"].isin(found["file"])]
    assert dict(found["dataset"].value_counts()) == SETS
    keys = ["source", "table", "dataset", "method", "k", "gamma", "kernel", "metric"]
    both = found.merge(kept, on=keys, suffixes=("", "_kept"), validate="1:1")
    assert len(both) == len(found)
    for column in ("measured", "verdict", "C", "threshold"):
        assert list(both[column]) == list(both[f"{column}_kept"])


def _compared(path):
    cells = pd.read_csv(path, dtype=str, keep_default_na=False)
    return cells[cells["measured"] != ""]
