"""A run that fails half-way: a report on what there is, which says what is missing and why."""

import pytest
from running import jobs_of, smoke_plan, snakemake

from toplabel._core.files import write_json
from toplabel.reproduction.tables.cells import TEST_METRICS
from toplabel.reproduction.tables.collected import DATASETS, EVALUATION, FAILURES, GRID
from toplabel.reproduction.workflow.cells import Cell
from toplabel.reproduction.workflow.failures import error_of, find_failures
from toplabel.reproduction.workflow.jobs import TERMINATED
from toplabel.reproduction.workflow.partial import _wanted, has_failures, write_partial


@pytest.fixture
def plan():
    return smoke_plan()


def _write(path, text=""):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _measure(folder, cell):
    """Test metrics of a cell, as if it had been trained."""
    row = dict.fromkeys(TEST_METRICS.names, "") | {"dataset": cell.dataset, "method": cell.method}
    row |= {"split": "main", "metric": "top1", "value": 50.0, "epochs": 1, "status": "converged"}
    TEST_METRICS.write(
        TEST_METRICS.frame([row | {"relative_gap": 0.0, "C": 1.0, "seconds": 1.0}]),
        folder / cell.path("evaluation.csv"),
    )


def test_the_error_of_a_log(tmp_path):
    log = tmp_path / "a.log"
    stamp = "2026-11-21 10:00:00,000"
    _write(log, f"{stamp} INFO fine\n")
    assert error_of(log) == ""
    _write(log, f"{stamp} INFO fine\n{stamp} ERROR letter.csv: line 3: no number\n")
    assert error_of(log) == "letter.csv: line 3: no number"
    _write(log, f"{stamp} ERROR the job failed\nTraceback\n  File x\nMemoryError: 3 GiB\n")
    assert error_of(log) == "MemoryError: 3 GiB"


def test_the_cause_of_a_silent_end_is_in_the_log_of_slurm(tmp_path, monkeypatch, plan):
    monkeypatch.chdir(tmp_path)
    logs, slurm = tmp_path / "results/logs", tmp_path / ".snakemake/slurm_logs"
    started = "2026-11-21 10:00:00,000 INFO started on node7, process 1, Slurm job {}\n"
    limit = (
        "slurmstepd: error: *** JOB 5 ON node7 CANCELLED AT 2026-11-21T10:05 DUE TO TIME LIMIT ***"
    )
    memory = (
        "slurmstepd: error: Detected 1 oom_kill event in StepId=6.0. Some of the step tasks ..."
    )
    _write(logs / "tune/digits/lr_multi/main.log", started.format(5))
    _write(slurm / "rule_tune/digits_lr_multi_main/5.log", f"Building DAG of jobs...\n{limit}\n")
    _write(logs / "train/digits/svm_multi.log", f"{started.format(6)}2026 ERROR {TERMINATED}\n")
    _write(slurm / "rule_train/digits_svm_multi/6.log", f"{memory}\n{limit}\n")
    _write(logs / "agree/digits.log", started.format(7))  # belongs to no cell
    _write(logs / "calibration.log", f"{started.format(8)}2026 INFO ended\n")
    _write(logs / "prepare/digits.log")
    _write(tmp_path / "results/digits/data/meta.json", "{}")
    _write(logs / "tune/digits/lr_ova/main.log")  # killed before its first line
    _write(slurm / "rule_tune/digits_lr_ova_main/9.log", f"{memory}\n")
    _write(tmp_path / "results/digits/toppush/tune/main.npz")
    _write(slurm / "rule_tune/digits_toppush_main/10.log", f"{limit}\n")  # done since
    _write(slurm / "rule_train/digits_toppush/11.log", f"{memory}\n")
    names = ("lr_multi", "svm_multi", "lr_ova", "toppush")
    rows = find_failures(plan, [Cell("digits", name) for name in names])
    found = {(r["stage"], r["method"]): r["reason"] for r in rows.to_dict("records")}
    assert found == {
        ("tune", "lr_ova"): f"Slurm: {memory.partition('error: ')[2]}".strip(),
        (
            "tune",
            "lr_multi",
        ): "Slurm: JOB 5 ON node7 CANCELLED AT 2026-11-21T10:05 DUE TO TIME LIMIT",
        ("train", "svm_multi"): f"Slurm: {memory.partition('error: ')[2]}".strip(),
        ("train", "toppush"): f"Slurm: {memory.partition('error: ')[2]}".strip(),
        ("agree", ""): "the job ended without a word, as when it is killed, or the run was stopped",
    }


def test_how_far_each_cell_came(tmp_path, monkeypatch, plan):
    monkeypatch.chdir(tmp_path)
    logs = tmp_path / "results/logs"
    error = "2026-11-21 10:00:00,000 ERROR no space left\n"
    _write(logs / "prepare/digits.log")
    _write(tmp_path / "results/digits/data/meta.json", "{}")
    _write(logs / "tune/digits/lr_multi/main.log", error)
    _write(logs / "train/digits/svm_multi.log", "2026 INFO starting\n")
    _write(logs / "figures/gaps.log", error)
    _write(logs / "fetch/letter.log", "2026 INFO starting\n")
    _write(tmp_path / "results/letter/fetch.json")
    _measure(tmp_path, Cell("digits", "toppush"))
    _write(logs / "tune/digits/lr_ova/main.log", "2026 INFO C 1\n")
    _write(tmp_path / "results/digits/lr_ova/tune/main.npz")
    names = ("lr_multi", "lr_ova", "svm_multi", "svm_multi_smooth", "toppush")
    cells = [Cell("digits", name) for name in names] + [Cell("circle", "lr_multi")]
    cells.append(Cell("letter", "lr_multi"))
    rows = find_failures(plan, cells)
    assert [*rows.columns] == FAILURES.names
    found = {(r["dataset"], r["method"]): r for r in rows.to_dict("records")}
    assert len(found) == len(rows) == 7
    assert found["digits", "lr_ova"]["stage"] == "after tune"
    lr = found["digits", "lr_multi"]
    assert (lr["stage"], lr["reason"]) == ("tune", "no space left")
    assert (lr["label"], lr["log"]) == ("LR^{Multi}", "logs/tune/digits/lr_multi/main.log")
    assert found["digits", "svm_multi"]["stage"] == "train"
    assert "without a word" in found["digits", "svm_multi"]["reason"]
    assert found["letter", "lr_multi"]["stage"] == "after fetch"
    waiting = found["digits", "svm_multi_smooth"]
    assert (waiting["stage"], waiting["log"]) == ("after prepare", "")
    assert found["circle", "lr_multi"]["reason"] == "the run ended before the next job"
    figure = found["", ""]
    assert (figure["stage"], figure["label"], figure["reason"]) == (
        "figures",
        "gaps",
        "no space left",
    )


def test_what_a_run_has_begun_gets_a_report(tmp_path, monkeypatch, plan):
    monkeypatch.chdir(tmp_path)
    logs = tmp_path / "results/logs"
    _write(logs / "smoke.log", "2026-11-21 10:00:00,000 ERROR no space left\n")
    assert not has_failures(plan)  # no cell was begun
    _write(logs / "fetch/yeast.log", "2026-11-21 10:00:00,000 ERROR wrong checksum\n")
    (tmp_path / "results/letter/lr_multi").mkdir(parents=True)
    assert has_failures(plan)
    cells = _wanted(plan)
    assert Cell("letter", "lr_multi") in cells
    assert {cell for cell in cells if cell.dataset == "yeast"} == plan.cells_of_dataset("yeast")
    for cell in cells:
        _measure(tmp_path, cell)
    assert not has_failures(plan)
    (tmp_path / cells[0].path("evaluation.csv")).write_text("cut", encoding="utf-8")
    assert has_failures(plan)


def test_a_damaged_cell_is_missing_with_its_reason_and_the_others_are_shown(
    tmp_path, monkeypatch, plan
):
    monkeypatch.chdir(tmp_path)
    whole, cut, set_cut = (
        Cell("digits", "lr_multi"),
        Cell("digits", "svm_multi"),
        Cell("circle", "lr_multi"),
    )
    for cell in (whole, cut, set_cut):
        _measure(tmp_path, cell)
    path = tmp_path / cut.path("evaluation.csv")
    path.write_text(path.read_text().splitlines(keepends=True)[0], encoding="utf-8")
    _write(tmp_path / "results/circle/data/meta.json", "{")
    # A table of a whole run, of which no cell is left.
    row = {"dataset": "letter", "metric": "top1", "measured": 76.0, "file": "letter/x.csv"}
    GRID.write(GRID.frame([row]), tmp_path / "results/tables/table05.csv")
    about = dict.fromkeys(("name", "title", "caption", "source", "table", "study"), "")
    write_json(tmp_path / "results/tables/table05.json", about)
    failures = write_partial(plan, tmp_path / "reports").set_index(["dataset", "method"])
    reason = failures.loc[cut.names, "reason"]
    assert reason.startswith(
        f"{cut.path('evaluation.csv')}: cut off or changed since it was written"
    )
    assert failures.loc[set_cut.names, "reason"].startswith("results/circle/data/meta.json:1: ")
    assert failures.loc[cut.names, "stage"] == "evaluate"
    assert whole.names not in failures.index
    shown = EVALUATION.read(tmp_path / "reports/data/evaluation.csv")
    assert {*zip(shown["dataset"], shown["method"], strict=True)} == {whole.names}
    sets = DATASETS.read(tmp_path / "reports/data/datasets.csv").set_index("dataset")
    assert sets.loc["circle", "reason"].startswith("results/circle/data/meta.json:1: ")
    assert "cut off or changed" in (tmp_path / "reports/data.html").read_text(encoding="utf-8")


@pytest.mark.workflow
def test_a_first_run_that_was_killed_goes_on_after_a_report(tmp_path):
    """Of a folder that never had a whole report Snakemake knows nothing but times."""
    folder = tmp_path / "run"
    folder.mkdir()
    assert snakemake("partial", directory=folder).returncode == 0
    assert (folder / "reports/index.html").is_file()
    planned = snakemake("-n", directory=folder).stdout
    assert "Nothing to be done" not in planned
    assert jobs_of(planned)["tune"] > 0
