"""What the targets by human names stand for."""

import csv
from pathlib import Path

import pytest
import yaml

from toplabel.reproduction.config.datasets import load_registry
from toplabel.reproduction.config.keys import key_of
from toplabel.reproduction.data.fetch import (
    NOT_ASKED,
    NOT_PUBLISHED,
    NOT_REACHED,
    Places,
    RawFiles,
)
from toplabel.reproduction.plan import Plan, PlanError

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("target", ["tpami2017_table05", "tpami2017_table09", "cvpr2016_table07"])
def test_a_published_table_stands_for_the_cells_that_it_prints(target):
    plan = Plan(ROOT, {"download": False})
    with (ROOT / f"data/published/{target}.csv").open(encoding="utf-8") as stream:
        printed = {(row["dataset"], key_of(row)) for row in csv.DictReader(stream)}
    cells = plan.catalogue.cells_of(target.removeprefix("tpami2017_"))
    found = [
        (plan.registry[cell.dataset].published_key, plan.methods[cell.method].key) for cell in cells
    ]
    assert found
    assert len({*found}) == len(found)
    assert {*found} <= printed


def test_of_a_run_that_shows_only_cells_whose_data_are_there_are_missing(tmp_path, monkeypatch):
    """The study multiclass_features needs files that the checkout has not."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOPLABEL_MIRROR", raising=False)
    done = Path("results/digits/svm_ova/evaluation.csv")
    done.parent.mkdir(parents=True)
    done.touch()
    studies = ["digits", "multiclass_features"]
    run = {"studies": studies, "mirrors": [], "download": False, "show": True}
    missing = Plan(ROOT, run).missing
    assert "digits/lr_ova" in missing
    assert {cell.partition("/")[0] for cell in missing} == {"digits"}


def test_the_example_of_a_loss_trains_no_method_whose_k_its_table_does_not_allow():
    example = yaml.safe_load((ROOT / "examples/own/own.yaml").read_text(encoding="utf-8"))
    plan = Plan(ROOT, {"download": False, **example})
    cells = plan.catalogue.cells_of("own_loss")
    ks = {
        dataset: {plan.methods[c.method].k for c in cells if c.dataset == dataset}
        for dataset in ("wine", "letter")
    }
    assert ks == {"wine": {1, 2}, "letter": {1, 2, 5}}


@pytest.mark.parametrize("protocol", ["multilabel", "own_multiclass"])
def test_the_widths_of_a_kernel_are_those_of_the_protocol_of_the_method(protocol):
    row = {"label": "Mine", "loss": "svm_ml", "gamma": 0.5, "kernel": "rbf", "protocol": protocol}
    study = {"title": "Mine", "datasets": ["emotions"], "methods": ["mine"]}
    run = {"methods": {"mine": row}, "studies": {"mine": study}, "download": False}
    if protocol == "multilabel":
        assert Plan(ROOT, run).methods["mine"].tunes_width
    else:
        with pytest.raises(PlanError, match=r"own_multiclass\.budgets\.standard: theta is missing"):
            Plan(ROOT, run)


def test_data_that_a_run_does_not_ask_for_are_unpublished_have_an_address_or_are_here():
    places = Places((str(ROOT / "data/embedded"),), download=False)
    raw = RawFiles(load_registry(ROOT / "config/datasets.yaml"), places)
    assert raw.absence("cub").startswith(f"{NOT_PUBLISHED}: features")
    assert raw.absence("news20").startswith(f"{NOT_REACHED}: features")
    assert raw.absence("aloi") == NOT_REACHED
    assert raw.absence("emotions") == NOT_ASKED
