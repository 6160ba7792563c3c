"""The scripts of the stages, called with a stand-in for Snakemake's object."""

import os
import platform
import signal
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from running import ROOT, call_script, script

from toplabel._core.files import FileError
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import Axis, Budget, EquallySpaced, Protocol, Refinement
from toplabel.reproduction.config.run import Settings
from toplabel.reproduction.config.splits import Split
from toplabel.reproduction.data.parts import Part, Prepared
from toplabel.reproduction.data.prepared import load_prepared, save_prepared
from toplabel.reproduction.selection.ranks import load_ranks
from toplabel.reproduction.selection.results import load_units
from toplabel.reproduction.tables.cells import AGREEMENT, SELECTION, TEST_METRICS
from toplabel.reproduction.workflow.environment import NOTE, durations, note_start, read_starts
from toplabel.reproduction.workflow.jobs import TERMINATED, run

SCRIPTS = sorted((ROOT / "workflow/scripts").glob("*.py"))
BUDGET = Budget(
    Axis(2, -6, 2, 4),
    thresholds=EquallySpaced("linear", "five", -1, 1, 5),
    folds=2,
    refine=Refinement(2, 1),
)


def _params(validation, task, metrics, loss=None, k=1):
    loss = loss or {"multiclass": "lr_multi", "multilabel": "lr_ml"}[task]
    return {
        "task": {
            "dataset": "toy",
            "method": Method(loss, loss, loss, k=k),
            "protocol": Protocol("toy", validation, "train", metrics, {}),
            "budget": BUDGET,
            "settings": Settings(),
        },
        "budget": "standard",
        "threshold": {"strategy": "tune"},
    }


def _toy(folder, task, splits=("main",)):
    rng = np.random.default_rng(0)
    parts = {}
    for name in ("train", "test"):
        y = np.arange(60) % 3
        X = np.eye(3)[y] + 0.5 * rng.standard_normal((60, 3))
        Y = np.eye(3, dtype=np.uint8)[y]
        Y[::5, 0] = 1
        X[::5, 0] += 1
        labels = {"y": y.astype(np.int64)} if task == "multiclass" else {"Y": Y}
        parts[name] = Part(X=X, **labels)
    splits = [Split(name, "train", None, "test") for name in splits]
    save_prepared(Prepared("toy", task, 3, ["a", "b", "c"], parts, splits), folder)
    return str(folder / "meta.json")


def _finish(tmp_path, meta, units, params):
    """train, evaluate, and threshold for sets of labels; the table of test metrics by metric."""
    files = {
        name: str(tmp_path / name)
        for name in ("selection.csv", "models.npz", "certificates.csv", "thresholds.csv")
    }
    selection, models, certificates, thresholds = files.values()
    call_script(
        "train_final",
        tmp_path,
        input={"meta": meta, "units": units},
        output={"selection": selection, "models": models, "certificates": certificates},
        params=params,
    )
    chosen = selection
    if params["task"]["method"].task == "multilabel":
        chosen = thresholds
        call_script(
            "set_thresholds",
            tmp_path,
            input={"meta": meta, "selection": selection, "models": models},
            output={"thresholds": chosen, "strategies": str(tmp_path / "threshold_strategies.csv")},
            params=params,
        )
    call_script(
        "evaluate_test",
        tmp_path,
        input={
            "meta": meta,
            "units": units,
            "models": models,
            "certificates": certificates,
            "thresholds": chosen,
        },
        output={
            "evaluation": str(tmp_path / "evaluation.csv"),
            "ranks": str(tmp_path / "ranks.npz"),
        },
        params=params,
        wildcards={"dataset": "toy", "method": params["task"]["method"].name},
    )
    return TEST_METRICS.read(tmp_path / "evaluation.csv").set_index("metric")


@pytest.mark.parametrize(("loss", "k"), [("lr_multi", 1), ("topk_ent_tr", 2)])
def test_a_multiclass_set_goes_through_all_stages(tmp_path, loss, k):
    meta = _toy(tmp_path / "data", "multiclass")
    params = _params("holdout", "multiclass", ["top1", "top2", "top9"], loss, k)
    unit = str(tmp_path / "main.npz")
    call_script(
        "tune_splits",
        tmp_path,
        input={"meta": meta},
        output={"unit": unit},
        params=params | {"splits": ["main"]},
    )
    table = _finish(tmp_path, meta, [unit], params)
    assert list(table.index) == ["top1", "top2"]  # there are three classes
    ranks = load_ranks(tmp_path / "ranks.npz")
    hits = {str(name): one.hits(name) for one in ranks for name in one.metric}
    assert {name: 100.0 * float(np.mean(hits[name])) for name in hits} == dict(table["value"])
    assert table.loc[f"top{k}", "value"] > 60
    if loss == "lr_multi":
        assert (table["relative_gap"] <= 1e-3).all()
        assert table["gradient_norm"].isna().all()
    else:
        assert table["relative_gap"].isna().all()
        assert (table["gradient_norm"] < 0.1).all()
    assert (table["status"] == "converged").all()


def test_a_kernel_on_a_multilabel_set_goes_through_both_phases(tmp_path):
    meta = _toy(tmp_path / "data", "multilabel")
    params = _params("folds", "multilabel", ["rank_loss", "f1_micro"])
    fit = params["task"]
    fit["method"] = replace(fit["method"], kernel="rbf")
    fit["budget"] = replace(BUDGET, theta=Axis(2, -2, 0, 2), theta_block=1)

    def tune(name, script, given=(), wildcards=()):
        unit = str(tmp_path / f"{name}.npz")
        call_script(
            script,
            tmp_path,
            input={"meta": meta, **dict(given)},
            output={"unit": unit},
            params=params | {"splits": ["main"]},
            wildcards={"part": "main", **dict(wildcards)},
        )
        return unit

    blocks = [tune(f"block{j}", "tune_block", wildcards={"block": j}) for j in "01"]
    found = [(float(one.theta[0]), one.fold) for one in load_units(blocks)]
    assert found == [(0.25, "0"), (0.25, "1"), (1.0, "0"), (1.0, "1")]
    table = _finish(tmp_path, meta, [tune("main", "tune_splits", {"blocks": blocks})], params)
    assert table.loc["rank_loss", "value"] < 0.3
    assert load_ranks(tmp_path / "ranks.npz") == []
    assert table.loc["f1_micro", "value"] > 60
    assert np.isnan(table.loc["rank_loss", "threshold"])
    assert {np.log2(C) for C in table["C"]} <= {-6, -4, -2, 0, 2}
    assert {np.log2(theta) for theta in table["theta"]} <= {-2, 0}


def test_a_job_may_tune_all_splits(tmp_path):
    meta = _toy(tmp_path / "data", "multiclass", splits=("s00", "s01"))
    params = _params("holdout", "multiclass", ["top1", "top2"])
    unit = str(tmp_path / "all.npz")
    call_script(
        "tune_splits",
        tmp_path,
        input={"meta": meta},
        output={"unit": unit},
        params=params | {"splits": ["s00", "s01"]},
    )
    _finish(tmp_path, meta, [unit], params)
    chosen = SELECTION.read(str(tmp_path / "selection.csv"))
    assert chosen["split"].tolist() == ["s00", "s00", "s01", "s01"]


def test_one_vs_all_is_put_beside_liblinear(tmp_path):
    meta, csv = _toy(tmp_path / "data", "multiclass"), str(tmp_path / "agreement.csv")
    settings = {"Cs": [0.1, 1.0], "eps": 1e-5, "max_epochs": 5000, "seed": 0}
    files = {"input": {"meta": meta}, "output": {"agreement": csv}}
    call_script("agree_liblinear", tmp_path, params={"settings": settings}, **files)
    found = AGREEMENT.read(csv)
    assert found["method"].tolist() == ["svm_ova", "svm_ova", "lr_ova", "lr_ova"]
    assert (found["finished"] == 1).all()
    assert (found["difference"].abs() < 1e-4).all()
    table = {name: str(tmp_path / f"tables/agreement.{name}") for name in ("csv", "json")}
    labels = {"svm_ova": "SVM", "lr_ova": "LR"}
    inputs, params = {"agreements": [csv]}, {"labels": labels, "titles": {"toy": "Toy"}}
    call_script("table_agreement", tmp_path, input=inputs, output=table, params=params)
    shown = pd.read_csv(table["csv"])
    assert shown["data set"].tolist() == ["toy"] * 4
    assert shown["both converged"].tolist() == ["yes"] * 4


def test_the_top_k_figure_has_what_the_papers_print(tmp_path):
    path, svg = tmp_path / "results/circle/lr_multi/evaluation.csv", tmp_path / "topk_circle.svg"
    row = dict.fromkeys(TEST_METRICS.names, 1.0)
    row |= {"dataset": "circle", "method": "lr_multi", "split": "s00", "status": "converged"}
    row |= {"epochs": 3, "budget": "quick"}
    values = {"top1": 55.0, "top2": 80.0}
    rows = [row | {"metric": metric, "value": value} for metric, value in values.items()]
    TEST_METRICS.write(TEST_METRICS.frame(rows), path)
    shows = {"title": "Circle", "methods": [{"name": "lr_multi", "label": "LR", "group": "G"}]}
    call_script(
        "draw_topk",
        tmp_path,
        input={"evaluations": [str(path)]},
        output={"svg": str(svg)},
        params={"shows": shows},
        wildcards={"dataset": "circle"},
    )
    drawn = pd.read_csv(svg.with_suffix(".csv"))
    assert drawn["published"].tolist() == [54.7, 81.7]
    assert set(drawn["printed_in"]) == {"TPAMI 2017, Table 3"}


def test_bad_input_is_one_line_in_the_log_and_status_1(tmp_path):
    meta = _toy(tmp_path / "data", "multiclass")
    params = _params("holdout", "multiclass", ["top1"])
    with pytest.raises(SystemExit) as caught:
        call_script(
            "tune_splits",
            tmp_path,
            input={"meta": meta},
            output={"unit": str(tmp_path / "unit.npz")},
            params=params | {"splits": ["s07"]},
        )
    assert caught.value.code == 1
    log = (tmp_path / "logs/tune_splits.log").read_text(encoding="utf-8").splitlines()
    assert len(log) == 2
    assert log[1].endswith("data set 'toy': unknown split 's07'; known: main")
    trace = tmp_path / "logs/tune_splits.traceback"
    assert "in split_named" in trace.read_text(encoding="utf-8")
    assert not (tmp_path / "unit.npz").exists()


def test_a_damaged_file_between_the_stages_is_one_line(tmp_path, capsys):
    meta = _toy(tmp_path / "data", "multiclass")
    params = _params("holdout", "multiclass", ["top1"])
    unit = tmp_path / "unit.npz"
    tuning = {"input": {"meta": meta}, "params": params | {"splits": ["main"]}}
    call_script("tune_splits", tmp_path, output={"unit": str(unit)}, **tuning)
    unit.write_bytes(unit.read_bytes()[:-100])
    with pytest.raises(SystemExit):
        _finish(tmp_path, meta, [str(unit)], params)
    _, line = (tmp_path / "logs/train_final.log").read_text(encoding="utf-8").splitlines()
    assert f" ERROR {unit}: cut off or changed since it was written" in line
    assert line.endswith(f"`snakemake -f {unit}` makes it again")
    features = tmp_path / "data/X_train.npy"
    content = bytearray(features.read_bytes())
    content[200] ^= 1
    features.write_bytes(content)
    with pytest.raises(SystemExit):
        call_script("tune_splits", tmp_path, output={"unit": str(unit)}, **tuning)
    line = (tmp_path / "logs/tune_splits.log").read_text(encoding="utf-8").splitlines()[-1]
    assert f" ERROR {features}: cut off or changed since it was written" in line
    assert line.endswith(f"`snakemake -f {meta}` makes it again")
    assert "Traceback" not in "".join(capsys.readouterr())


def test_an_error_of_the_system_is_one_line(tmp_path):
    def main(snakemake):
        (tmp_path / "none/file").write_text("")

    with pytest.raises(SystemExit) as caught:
        run(main, SimpleNamespace(log=[str(tmp_path / "x.log")]))
    assert caught.value.code == 1
    _, line = (tmp_path / "x.log").read_text(encoding="utf-8").splitlines()
    assert line.endswith(f" ERROR {tmp_path}/none/file: No such file or directory")
    assert "in main" in (tmp_path / "x.traceback").read_text(encoding="utf-8")
    (tmp_path / "logs").write_text("")
    with pytest.raises(SystemExit, match=rf"^Error: {tmp_path}/logs: File exists$"):
        run(main, SimpleNamespace(log=[str(tmp_path / "logs/x.log")]))


def test_an_error_without_room_for_its_log_is_told_on_the_terminal(tmp_path, capsys):
    def main(snakemake):
        raise OSError(28, "No space left on device", "results/x.npz")

    log = tmp_path / "x.log"
    log.symlink_to("/dev/full")
    (tmp_path / "x.traceback").symlink_to("/dev/full")
    with pytest.raises(SystemExit) as caught:
        run(main, SimpleNamespace(log=[str(log)]))
    assert caught.value.code == 1
    assert capsys.readouterr().err == "Error: results/x.npz: No space left on device\n"


def test_an_unexpected_error_keeps_its_traceback(tmp_path):
    def main(snakemake):
        raise RuntimeError("unexpected")

    stand_in = SimpleNamespace(log=[str(tmp_path / "x.log")])
    with pytest.raises(RuntimeError):
        run(main, stand_in)
    assert "Traceback" in (tmp_path / "x.log").read_text(encoding="utf-8")


def test_an_interruption_is_one_line_in_the_log_and_status_130(tmp_path):
    def main(snakemake):
        raise KeyboardInterrupt

    with pytest.raises(SystemExit) as caught:
        run(main, SimpleNamespace(log=[str(tmp_path / "x.log")]))
    assert caught.value.code == 130
    started, line = (tmp_path / "x.log").read_text(encoding="utf-8").splitlines()
    assert line.endswith("interrupted")
    assert f" INFO started on {platform.node()}, process {os.getpid()}" in started


def test_a_job_says_where_it_runs_that_it_ended_and_that_it_was_terminated(tmp_path, monkeypatch):
    log, stand_in = tmp_path / "x.log", SimpleNamespace(log=[str(tmp_path / "x.log")])
    monkeypatch.setenv("SLURM_JOB_ID", "17")
    before = signal.getsignal(signal.SIGTERM)
    run(lambda snakemake: None, stand_in)
    first, last = log.read_text(encoding="utf-8").splitlines()
    assert first.endswith(", Slurm job 17")
    assert last.endswith(" INFO ended")

    def main(snakemake):
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        except Exception:
            pytest.fail("the signal was taken for an error of the job")

    with pytest.raises(SystemExit) as caught:
        run(main, stand_in)
    assert caught.value.code == 143
    assert log.read_text(encoding="utf-8").endswith(f" ERROR {TERMINATED}\n")
    assert signal.getsignal(signal.SIGTERM) is before


def test_fetching_and_preparing_an_embedded_set(tmp_path):
    common = {
        "params": {"raw_folder": str(tmp_path / "raw")},
        "wildcards": {"dataset": "digits"},
        "config": {"mirrors": [], "download": False, "budget": "quick"},
    }
    receipt = tmp_path / "fetch.json"
    call_script("fetch_raw", tmp_path, output={"receipt": str(receipt)}, **common)
    assert receipt.read_text(encoding="utf-8").strip() == "{}"
    meta = tmp_path / "results/digits/data/meta.json"
    call_script("prepare_dataset", tmp_path, output={"meta": str(meta)}, **common)
    prepared = load_prepared(meta.parent)
    assert prepared.n_classes == 10
    assert "give the set `transform: standardise`" in prepared.meta["advice"]
    logs = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.log")]
    assert sum(f"WARNING digits: {prepared.meta['advice']}" in log for log in logs) == 1
    datasets = tmp_path / "datasets.csv"
    (tmp_path / "raw/voc2007").mkdir(parents=True)
    (tmp_path / "raw/voc2007/VOC2007_ImageSets_Main.tar").write_text("not the lists")
    call_script(
        "collect_datasets",
        tmp_path,
        input={"metas": [str(meta)], "others": []},
        output={"datasets": str(datasets)},
        params={
            "reasons": {"letter": "not at hand", "voc2007": "no features"},
            "raw_folder": str(tmp_path / "raw"),
            "mirrors": [],
        },
    )
    table = pd.read_csv(datasets).set_index("dataset")
    assert table.loc["digits", "status"] == "ready"
    assert table.loc["digits", "n_features"] == 64
    assert table.loc["letter", ["status", "reason"]].tolist() == ["missing", "not at hand"]
    # Lists that are not the registered ones are said, and end no run.
    assert table.loc["voc2007", "reason"].startswith("no features; ")
    assert "sha256 is" in table.loc["voc2007", "reason"]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_scripts_are_importable_and_documented(path):
    try:
        module = script(path.stem)
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        pytest.skip("PyTorch is not installed: make test-torch")
    assert callable(module.main)
    assert module.__doc__
    assert path.stem not in sys.stdlib_module_names  # the folder is on the path of every job


@pytest.mark.parametrize("text", ["", "[1]", '{"started": 1}', '{"started": "x", "command": ""}'])
def test_a_damaged_note_of_the_start_is_named(tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    note_start()
    note_start()
    first, second = read_starts()[0]
    assert 0.0 < first <= second
    NOTE.write_text(text)
    with pytest.raises(FileError, match=rf"^{NOTE}"):
        read_starts()
    note_start()
    assert len(read_starts()[0]) == 1


@pytest.mark.parametrize(
    ("starts", "ends", "parts"),
    [
        ([], [5.0], [0.0]),
        ([10.0], [], [90.0]),
        ([10.0], [20.0, 30.0], [90.0]),
        ([10.0, 50.0], [20.0, 30.0, 60.0], [20.0, 50.0]),
        ([10.0, 40.0, 50.0], [30.0, 20.0, 60.0], [20.0, 50.0]),  # the second ended no job
        ([10.0, 40.0, 50.0], [45.0, 2.0], [5.0, 50.0]),  # an end from before any start
    ],
)
def test_an_invocation_that_was_killed_lasted_until_its_last_job_ended(starts, ends, parts):
    assert durations(starts, ends, 100.0) == parts
