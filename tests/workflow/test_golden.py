"""Two sets of the default run, computed anew: the numbers are those of golden.csv, digit for digit.

That file holds them from the solver of this commit, which reports/summary, an older run, does not.
"""

from pathlib import Path

import pandas as pd
import pytest
import yaml
from running import snakemake

from toplabel.reproduction.compare.cells import read_cells

pytestmark = pytest.mark.workflow

GOLDEN = Path(__file__).with_name("golden.csv")
SETS = {"circle": 18, "optdigits": 6}
"""The data sets, and how many printed numbers of each are compared."""
PLACE = ["source", "table", "dataset", "features", "method", "k", "gamma", "kernel", "metric"]
SAME = ["value", "verdict", "difference", "reason", "C", "theta", "threshold", "std"]


def test_the_numbers_are_the_golden_ones(tmp_path):
    config = tmp_path / "golden.yaml"
    config.write_text(yaml.safe_dump({"studies": ["circle", "simplex_coding/optdigits"]}))
    done = snakemake("results/cells.csv", directory=tmp_path / "run", configfiles=(config,))
    assert done.returncode == 0, done.stdout[-5000:]
    measured = printed(read_cells(tmp_path / "run/results/cells.csv"))
    assert dict(measured["dataset"].value_counts()) == SETS
    golden = pd.read_csv(GOLDEN, dtype=str, keep_default_na=False)
    assert measured.to_dict("records") == golden.to_dict("records")


def printed(cells):
    """The measured numbers under the stated reading that a paper prints, as strings."""
    stated = (cells["run"] == "measured") & (cells["reading"] == "") & (cells["source"] != "")
    found = cells.loc[stated, PLACE + SAME].sort_values(PLACE)
    for column in found:
        if found[column].dtype == float:
            found[column] = found[column].map("{:.12g}".format)
    return found.astype(str)
