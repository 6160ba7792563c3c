"""The plan of data sets that are features of networks, with PyTorch and without."""

import pytest
from running import ROOT

from toplabel.reproduction.config.datasets import load_registry
from toplabel.reproduction.config.documents import read_yaml
from toplabel.reproduction.config.methods import load_methods
from toplabel.reproduction.workflow import sources
from toplabel.reproduction.workflow.cells import Cell
from toplabel.reproduction.workflow.failures import find_failures
from toplabel.reproduction.workflow.plan import Plan, PlanError
from toplabel.reproduction.workflow.shown import Shown
from toplabel.reproduction.workflow.targets import Targets

FINE_TUNED = Cell("digits_network", "lr_multi_ft")


@pytest.fixture
def plan(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOPLABEL_MIRROR", raising=False)
    monkeypatch.setattr(sources, "find_spec", lambda name: name)
    return Plan(ROOT, read_yaml(ROOT / "config/config.yaml") | {"download": False})


def test_without_pytorch_the_study_says_so_in_one_line(plan, monkeypatch):
    monkeypatch.setattr(sources, "find_spec", lambda name: None)
    reason = "PyTorch is not installed: pip install 'toplabel[torch]'"
    assert Shown(plan, Targets(plan)).reasons()["digits_network"] == reason
    with pytest.raises(PlanError, match="none of its data sets can be had: digits_network") as said:
        Targets(plan).cells("finetuning")
    assert reason in str(said.value)
    assert "\n" not in str(said.value)


def test_a_network_needs_its_images(plan):
    assert plan.reason_missing("digits_network") == ""
    assert "train-images-idx3-ubyte" in plan.reason_missing("mnist_pairs_network")
    assert "train-images-idx3-ubyte" in plan.reason_not_at_hand("mnist_network")
    cells = Targets(plan).cells("finetuning")
    assert FINE_TUNED in cells
    assert {cell.dataset for cell in cells} == {"digits_network"}


def test_every_draw_is_a_job(plan):
    assert plan.draws("digits_network") == [
        f"results/digits_network/network/d{i}.npz" for i in range(5)
    ]
    assert plan.draws(*FINE_TUNED.names)[4] == "results/digits_network/lr_multi_ft/draws/d4.csv"
    quick = Plan(ROOT, plan.config | {"budget": "quick"})
    assert quick.split_names("mnist_network") == ["d0", "d1"]


def test_a_k_that_the_classes_are_too_few_for_is_left_out(plan):
    cells = plan.cells_of_studies(["finetuning"])
    assert Cell("mnist_pairs_network", "topk_ent_k10") in cells
    assert Cell("mnist_network", "topk_ent_k10") not in cells


def test_a_failed_job_of_a_network_is_named(plan, tmp_path):
    log = tmp_path / "results/logs/fine_tune/digits_network/lr_multi_ft/d1.log"
    log.parent.mkdir(parents=True)
    log.write_text("09:00 ERROR the training of the network diverged\n", encoding="utf-8")
    row = find_failures(plan, [FINE_TUNED]).iloc[0]
    assert (row["stage"], row["reason"]) == ("fine_tune", "the training of the network diverged")
    assert row["log"] == "logs/fine_tune/digits_network/lr_multi_ft/d1.log"


def test_fine_tuning_has_the_keys_of_the_papers_table():
    methods = load_methods(ROOT / "config/methods.yaml")
    assert methods["topk_svm_alpha_k3_smooth_ft"].key == ("topk_svm_alpha_ft", "3", "1", "")
    assert methods["topk_ent_tr_k5_ft"].key == ("topk_ent_tr_ft", "5", "", "")
    assert methods["lr_multi_ft"].key == ("lr_multi_ft", "", "", "")
    assert methods["lr_multi_ft6"].key == ("lr_multi_ft6", "", "", "")
    assert methods["lr_multi_network"].key == ("lr_multi_network", "", "", "")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kernel": "linear"}, "kernel: not with epochs"),
        ({"labels": "set"}, "labels: not with epochs"),
        ({"loss": "lr_ml"}, "loss: 'lr_ml' is trained on label sets"),
        ({"loss": "topk_ent", "k": 2, "epochs": 0}, "loss: a network is trained with lr_multi"),
        ({"loss": "", "baseline": "toppush"}, "baseline: not with epochs"),
        ({"epochs": -1}, "epochs"),
    ],
)
def test_a_fine_tuning_that_makes_no_sense_is_refused(tmp_path, changes, message):
    row = {"label": "L", "loss": "lr_multi", "epochs": 3} | changes
    text = ", ".join(f"{key}: {value!r}" for key, value in row.items())
    path = tmp_path / "methods.yaml"
    path.write_text(f"methods: {{ mine: {{ {text} }} }}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"methods\.yaml: methods\.mine") as caught:
        load_methods(path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("images: digits,", "images: digit,", "network.images: unknown data set 'digit'"),
        (
            "images: digits,",
            "images: digit_scenes,",
            "network.images: 'digit_scenes' has no images",
        ),
        ("images: digits,", "images: digits, depth: 3,", "unknown key 'depth'"),
        ("images: digits,", "images: digits, pairs: true,", "pairs needs n_train and n_test"),
        (
            "network: {images: digits,",
            "embedded: digits\n    network: {images: digits,",
            "embedded:",
        ),
    ],
)
def test_a_wrong_network_is_refused(tmp_path, before, after, message):
    text = (ROOT / "config/datasets.yaml").read_text(encoding="utf-8")
    assert text.count(before) == 1
    path = tmp_path / "datasets.yaml"
    path.write_text(text.replace(before, after), encoding="utf-8")
    with pytest.raises(ValueError, match=r"datasets\.digits_network") as caught:
        load_registry(path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
