"""`protocol: own`: the defaults for data that no paper has, and advice on what they hold."""

import tracemalloc

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file
from small_sets import own_entry, problems_of, task_of

from toplabel.reproduction.config.entry import RawFile, Split
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.data import PrepareTask
from toplabel.reproduction.data.checks import advice, class_counts
from toplabel.reproduction.data.parts import Part, PreparedSet
from toplabel.reproduction.data.prepare import prepare
from toplabel.reproduction.data.prepared import load_prepared, save_prepared
from toplabel.reproduction.selection.tuning import tune_split


def entry(**changes):
    return own_entry(**{"files": (RawFile("mine.txt", "all"),), "format": "libsvm"} | changes)


@pytest.fixture
def raw(tmp_path):
    """A LIBSVM file of 30 rows in 3 classes, with features of very different scales."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(5.0, [1e-3, 1.0, 1e4], (30, 3)), np.arange(30) % 3
    (tmp_path / "mine").mkdir()
    dump_svmlight_file(X, y, str(tmp_path / "mine/mine.txt"), zero_based=False)
    return tmp_path


def test_what_an_entry_says_of_the_defaults_counts_null_and_false_too(raw):
    own = entry(transform=None, bias=False, C_scale=None)
    assert (own.transform, own.bias, own.C_scale) == (None, False, None)
    features = prepare(PrepareTask.of(own), raw).parts["train_f0"].X
    assert features.shape[1] == 3
    assert features.mean(axis=0).max() > 1.0
    assert (entry().transform, entry(bias=False).transform) == ("standardise", "standardise")


def test_each_row_is_tested_once_and_folds_have_their_share_of_each_class(raw):
    prepared = prepare(PrepareTask.of(entry(folds=3)), raw)
    tests = [prepared.parts[split.test] for split in prepared.splits]
    assert sum(part.n_rows for part in tests) == 30
    for part in tests:
        assert np.ptp(np.bincount(part.y, minlength=3)) <= 1


def test_folds_are_drawn_several_times(raw):
    once = prepare(PrepareTask.of(entry(folds=3)), raw)
    prepared = prepare(PrepareTask.of(entry(folds=3, repeats=2)), raw)
    names = [split.name for split in prepared.splits]
    assert names == ["f0", "f1", "f2", "r1f0", "r1f1", "r1f2"]
    rows = {name: prepared.parts[f"test_{name}"].rows.tolist() for name in names}
    assert [rows[name] for name in names[:3]] == [
        once.parts[f"test_f{i}"].rows.tolist() for i in range(3)
    ]
    for draw in (names[:3], names[3:]):
        assert sorted(row for name in draw for row in rows[name]) == [*range(30)]
    assert {*map(tuple, (rows[n] for n in names[:3]))} != {
        *map(tuple, (rows[n] for n in names[3:]))
    }


def test_the_folds_of_many_draws_are_never_in_memory_together(tmp_path):
    X, y = np.random.default_rng(0).standard_normal((2000, 50)), np.arange(2000) % 2
    (tmp_path / "mine").mkdir()
    np.savez(tmp_path / "mine/mine.npz", X=X, y=y)
    own = entry(files=(RawFile("mine.npz", "all"),), format="npz", folds=5, repeats=4)
    tracemalloc.start()
    save_prepared(prepare(PrepareTask.of(own), tmp_path), tmp_path / "prepared")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * X.nbytes
    loaded = load_prepared(tmp_path / "prepared")
    assert len(loaded.parts) == 40
    train = loaded.parts["train_r3f4"]
    np.testing.assert_allclose(train.X[:, :-1] * train.scale + train.shift, X[train.rows])


def test_a_set_without_folds_has_none_to_repeat():
    parts = RawFile("a.txt", "train"), RawFile("b.txt", "test")
    with pytest.raises(ValueError, match="repeats: is for a set of one part"):
        entry(files=parts, repeats=2)


def test_a_named_test_part_is_kept(raw):
    (raw / "mine/test.txt").write_bytes((raw / "mine/mine.txt").read_bytes())
    files = (RawFile("mine.txt", "train"), RawFile("test.txt", "test"))
    prepared = prepare(PrepareTask.of(entry(files=files), is_own=True), raw)
    assert [split.name for split in prepared.splits] == ["main"]
    assert prepared.meta["advice"] == ["30 of 30 test rows stand in the training part, too."]


def test_fewer_rows_of_a_class_than_folds_are_refused(raw):
    with pytest.raises(ValueError, match="folds"):
        prepare(PrepareTask.of(entry(folds=11)), raw)


def test_advice_names_what_is_peculiar():
    X = np.array([[0.0, 1.0, 2.0], [0.0, 1.0, 3.0], [0.0, 0.0, 0.0]])
    parts = {"train": Part(X, np.array([0, 0, 1])), "test": Part(X + 1, np.array([0, 1, 2]))}
    split = entry(files=(RawFile("a", "train"), RawFile("b", "test"))).splits
    prepared = PreparedSet("mine", "multiclass", ["a", "b", "c"], parts, list(split))
    assert advice(prepared) == [
        "1 of 3 columns are constant in the training part.",
        "1 of 3 training rows are 0.",
        "No training row has c.",
    ]
    assert list(class_counts(prepared)) == [2, 1, 0]


def test_rows_that_repeat_are_counted_in_less_memory_than_they_take(monkeypatch):
    monkeypatch.setattr("toplabel.reproduction.data.parts._BLOCK_BYTES", 1 << 19)
    X, y = np.random.default_rng(0).standard_normal((500, 1024)), np.arange(500) % 2
    rows = {"train": Part(X, y), "test": Part(X[::100].copy(), y[::100])}
    split = Split("main", "train", None, "test")
    prepared = PreparedSet("mine", "multiclass", ["a", "b"], rows, [split])
    tracemalloc.start()
    (told,) = advice(prepared)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert told == "5 of 5 test rows stand in the training part, too."
    assert peak < X.nbytes / 2


def test_the_path_goes_on_where_one_vs_all_hinges_fail_in_its_middle(protocols):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(20), 20)
    X = 2 * rng.standard_normal((20, 6))[y] + rng.standard_normal((400, 6))
    X = np.column_stack([(X - X.mean(axis=0)) / X.std(axis=0), np.ones(400)]) / np.sqrt(7)
    halves = {"train": slice(None, None, 2), "test": slice(1, None, 2)}
    parts = {name: Part(X[rows], y=y[rows]) for name, rows in halves.items()}
    names = [str(j) for j in range(20)]
    split = Split("main", "train", "test", "test")
    prepared = PreparedSet("toy", "multiclass", names, parts, [split])
    protocol = protocols["own_multiclass"]
    method, budget = Method("svm_ova", "A", "svm_ova"), protocol.budgets["standard"]
    task = task_of(method, budget, protocol.metrics)
    (tuned,) = tune_split(problems_of(prepared, task), task)
    top1 = tuned.value[0, :, 0, 0]
    assert len(top1) >= 7
    assert top1[-3:].max() > top1[:4].max() + 5


def table(options):
    return entry(files=(RawFile("mine.csv", "all"),), format="table", options=options, folds=2)


def test_what_helps_with_infinite_features_and_tags_by_a_name_alone_does_help(tmp_path):
    rows = [f"{i},{'inf' if i == 5 else 2 * i},{'ab'[i % 2]}" for i in range(12)]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/mine.csv").write_text("\n".join(["f,g,kind", *rows]))
    with pytest.raises(ValueError, match=r"mine\.csv:7: 'g' of row 5 .* `na_values: \[inf\]`"):
        prepare(PrepareTask.of(table({"label": "kind"})), tmp_path)
    filled = {"label": "kind", "na_values": ["inf"], "missing": "median"}
    parts = prepare(PrepareTask.of(table(filled)), tmp_path).parts
    assert sum(parts[name].n_rows for name in ("test_f0", "test_f1")) == 12
    with pytest.raises(ValueError, match=r"write `tags: \{column: kind\}`"):
        prepare(PrepareTask.of(table({"tags": "kind"})), tmp_path)
