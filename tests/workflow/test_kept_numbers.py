"""Two sets of the default run, computed anew: the numbers are those of the kept run, digit for digit."""

import pytest
import yaml
from running import snakemake

from toplabel.reproduction.compare.cells import read_cells

pytestmark = pytest.mark.workflow

SETS = {"circle": 18, "optdigits": 6}
"""The data sets, and how many printed numbers of each are compared."""
PLACE = ["source", "table", "dataset", "features", "method", "k", "gamma", "kernel", "metric"]
SAME = ["value", "verdict", "difference", "reason", "C", "theta", "threshold", "std"]


def test_the_numbers_are_those_of_the_kept_run(tmp_path):
    config = tmp_path / "kept.yaml"
    config.write_text(yaml.safe_dump({"studies": ["circle", "simplex_coding/optdigits"]}))
    done = snakemake("results/cells.csv", directory=tmp_path / "run", configfiles=(config,))
    assert done.returncode == 0, done.stdout[-5000:]
    cells = read_cells(tmp_path / "run/results/cells.csv")
    measured, kept = printed(cells, "measured"), printed(cells, "kept")
    assert dict(measured["dataset"].value_counts()) == SETS
    of_both = kept.merge(measured[PLACE])
    assert measured.to_dict("records") == of_both[measured.columns].to_dict("records")


def printed(cells, run):
    """The numbers of a run under the stated reading that a paper prints, as strings."""
    stated = (cells["run"] == run) & (cells["reading"] == "") & (cells["source"] != "")
    found = cells.loc[stated, PLACE + SAME].sort_values(PLACE)
    for column in found:
        if found[column].dtype == float:
            found[column] = found[column].map("{:.12g}".format)
    return found.astype(str)
