"""Two sets of the default run, computed anew: the numbers are those of reports/summary, digit for
digit.
"""

import pytest
import yaml
from running import ROOT, snakemake

from toplabel.reproduction.compare.cells import read_cells

pytestmark = pytest.mark.workflow

SETS = {"circle": 18, "optdigits": 6}
"""The data sets, and how many printed numbers of each are compared."""
SAME = ["value", "verdict", "difference", "reason", "C", "theta", "threshold", "std"]


def test_the_numbers_are_those_of_the_kept_run(tmp_path):
    config = tmp_path / "golden.yaml"
    config.write_text(yaml.safe_dump({"studies": ["circle", "simplex_coding/optdigits"]}))
    done = snakemake("results/cells.csv", directory=tmp_path / "run", configfiles=(config,))
    assert done.returncode == 0, done.stdout[-5000:]
    measured, kept = (
        _printed(read_cells(folder / "cells.csv"), run)
        for folder, run in (
            (tmp_path / "run/results", "measured"),
            (ROOT / "reports/summary", "kept"),
        )
    )
    assert dict(measured.index.get_level_values("dataset").value_counts()) == SETS
    both = measured.join(kept.add_suffix("_kept"), validate="1:1")
    for column in SAME:
        ours, theirs = both[column], both[f"{column}_kept"]
        if ours.dtype == float:
            ours, theirs = (numbers.map("{:.12g}".format) for numbers in (ours, theirs))
        assert list(ours) == list(theirs), column


def _printed(cells, run):
    """The numbers of a run under the stated reading that a paper prints, by their places."""
    place = ["source", "table", "dataset", "features", "method", "k", "gamma", "kernel", "metric"]
    stated = (cells["run"] == run) & (cells["reading"] == "") & (cells["source"] != "")
    return cells[stated].set_index(place)
