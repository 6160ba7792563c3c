"""What the targets by human names stand for."""

import csv
from pathlib import Path

import pytest

from toplabel.reproduction.config.keys import key_of
from toplabel.reproduction.plan import Plan

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("target", ["tpami2017_table05", "tpami2017_table09", "cvpr2016_table07"])
def test_a_published_table_stands_for_the_cells_that_it_prints(target):
    plan = Plan(ROOT, {"download": False})
    with (ROOT / f"data/published/{target}.csv").open(encoding="utf-8") as stream:
        printed = {(row["dataset"], key_of(row)) for row in csv.DictReader(stream)}
    cells = plan.cells_of(target.removeprefix("tpami2017_"))
    found = [
        (plan.registry[cell.dataset].published_key, plan.methods[cell.method].key) for cell in cells
    ]
    assert found
    assert len({*found}) == len(found)
    assert {*found} <= printed
