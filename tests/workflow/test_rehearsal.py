"""Sets that wait for features, through the real stages on synthetic ones: halves, ten splits,
kernels.

Seeded features of the registered form, marked as not those of the papers; never beside published
numbers.
"""

import numpy as np
import pytest
from running import call_script, count_jobs, jobs_of, read_rows, smoke_plan, snakemake

from toplabel.reproduction.data.locate import NOT_COMPARABLE
from toplabel.reproduction.workflow.cells import Cell

pytestmark = pytest.mark.workflow

M = 5
CELLS = [
    Cell("aloi", "svm_multi"),
    Cell("caltech101", "topk_svm_alpha_k2_smooth"),
    Cell("sun397", "lr_multi"),
]
MARK = "synthetic features, seed 0\n"


def _features(rows_per_class, d, seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(1, M + 1), rows_per_class))
    centres = np.random.default_rng(99).standard_normal((M + 1, d))
    return (centres[y] + rng.standard_normal((len(y), d))).astype(np.float32), y


def _write_halves(folder):
    """ALOI: one file, of whose classes half of the rows are trained on."""
    X, y = _features(20, 128, seed=0)
    np.savez(folder / "all.npz", X=X, y=y)


def _write_kernels(folder):
    """Caltech 101: five splits, each with the kernel of its training rows and that of its test rows
    with them.
    """
    for i in range(1, 6):
        (X, y), (Z, z) = _features(8, 3, seed=i), _features(8, 3, seed=50 + i)
        X, Z = X.astype(float), Z.astype(float)
        np.savez(folder / f"train_{i}.npz", X=(X @ X.T + 1) ** 2, y=y)
        np.savez(folder / f"test_{i}.npz", X=(Z @ X.T + 1) ** 2, y=z)


def _write_ten_splits(folder):
    """SUN 397: one file of features, and the rows of ten training and ten test parts."""
    X, y = _features(30, 4, seed=0)
    rng = np.random.default_rng(1)
    lists = {}
    for i in range(1, 11):
        rows = np.array([rng.permutation(np.flatnonzero(y == c)) for c in range(1, M + 1)])
        lists[f"train_{i:02d}"] = np.sort(rows[:, :10].ravel())
        lists[f"test_{i:02d}"] = np.sort(rows[:, 10:].ravel())
    np.save(folder / "all.npy", X)
    np.save(folder / "all_labels.npy", y)
    np.savez(folder / "splits.npz", **lists)


@pytest.fixture(scope="module")
def rehearsal(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rehearsal")
    writers = (_write_halves, _write_kernels, _write_ten_splits)
    for cell, write in zip(CELLS, writers, strict=True):
        raw = folder / "data/raw" / cell.dataset
        raw.mkdir(parents=True)
        write(raw)
        (raw / NOT_COMPARABLE).write_text(MARK, encoding="utf-8")
    done = snakemake(*(cell.path("evaluation.csv") for cell in CELLS), directory=folder)
    assert done.returncode == 0, done.stdout[-5000:]
    return folder, done.stdout


def test_every_split_is_tuned_and_measured(rehearsal):
    folder, _ = rehearsal
    splits = {}
    for cell in CELLS:
        rows = read_rows(folder / cell.path("evaluation.csv"))
        splits[cell.dataset] = sorted({row["split"] for row in rows})
        assert all(row["status"] == "converged" for row in rows)
        assert {row["metric"] for row in rows} == {"top1", "top2", "top3", "top4"}
        assert min(float(row["value"]) for row in rows) > 30  # by chance 20
    assert splits["aloi"] == ["main"]
    assert splits["caltech101"] == [f"s{i}" for i in range(1, 6)]
    assert splits["sun397"] == [f"s{i:02d}" for i in range(1, 11)]


def test_splits_become_mean_and_deviation_and_meet_no_published_number(rehearsal):
    folder, _ = rehearsal
    outputs = {name: str(folder / f"{name}.csv") for name in ("evaluation", "comparison")}
    paths = [str(folder / cell.path("evaluation.csv")) for cell in CELLS]
    call_script(
        "compare_published",
        folder,
        input={"evaluations": paths, "others": []},
        output=outputs,
    )
    values = [
        float(row["value"])
        for row in read_rows(folder / "results/sun397/lr_multi/evaluation.csv")
        if row["metric"] == "top1"
    ]
    assert len(set(values)) > 1
    (found,) = (
        row
        for row in read_rows(outputs["evaluation"])
        if row["dataset"] == "sun397" and row["metric"] == "top1"
    )
    assert float(found["measured"]) == pytest.approx(np.mean(values), rel=1e-9)
    assert float(found["std"]) == pytest.approx(np.std(values, ddof=1), rel=1e-9)
    assert found["splits"] == "10"
    assert not any(row["measured"] for row in read_rows(outputs["comparison"]))


def test_the_jobs_are_those_that_the_plan_counts(rehearsal):
    _, output = rehearsal
    plan = smoke_plan()
    figures = len(CELLS)  # not asked for here
    assert jobs_of(output)["total"] == count_jobs(plan, CELLS) - figures
