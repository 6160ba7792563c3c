"""From an entry of the registry to the prepared form of a data set, and back from disk."""

import gzip
import hashlib
import json
import tracemalloc
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from toplabel.reproduction.config.entry import Divide, Entry, PrintedStatistics, RawFile, Split
from toplabel.reproduction.config.protocols import Axis
from toplabel.reproduction.data import DescribedSet, PrepareTask, parts
from toplabel.reproduction.data.checks import (
    COLUMNS,
    dataset_row,
    disagreements,
    norm_advice,
    rounds_to,
    statistics,
    validate_prepared,
)
from toplabel.reproduction.data.fetch import SHIPPED
from toplabel.reproduction.data.parts import LoadedSet, Part, PreparedSet
from toplabel.reproduction.data.prepare import divide, prepare, store
from toplabel.reproduction.data.prepared import damaged_files, load_prepared, save_prepared
from toplabel.reproduction.files import FileError, write_json

TRAIN = "1 1:0.5 2:1\n2 2:1\n1 1:1\n2\n"
TEST = "2 1:1\n1 2:0.25\n"
MAIN = (Split("main", "train", None, "test"),)
ENTRY = Entry(
    "toy",
    "Toy",
    "multiclass",
    "multiclass",
    "free",
    "us",
    format="libsvm",
    files=(RawFile("a.txt", part="train"), RawFile("b.txt", part="test")),
    splits=MAIN,
)


@pytest.fixture
def raw(tmp_path):
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy/a.txt").write_text(TRAIN)
    (tmp_path / "toy/b.txt").write_text(TEST)
    return tmp_path


# ---- raw files -----------------------------------------------------------------------------------


def test_a_set_of_files(raw):
    prepared = prepare(PrepareTask.of(ENTRY), raw)
    assert (prepared.name, prepared.task, prepared.class_names) == ("toy", "multiclass", ["1", "2"])
    np.testing.assert_array_equal(prepared.parts["train"].X, [[0.5, 1], [0, 1], [1, 0], [0, 0]])
    np.testing.assert_array_equal(prepared.parts["test"].y, [1, 0])
    assert prepared.meta["raw"]["a.txt"]["size"] == len(TRAIN)
    assert prepared.meta["statistics"]["zero_rows"] == 1


def test_compressed_files_are_read_and_checked_as_plain_ones(raw):
    plain = prepare(PrepareTask.of(ENTRY), raw)
    (raw / "toy/a.txt").unlink()
    (raw / "toy/a.txt.gz").write_bytes(gzip.compress(TRAIN.encode()))
    packed = prepare(PrepareTask.of(ENTRY), raw)
    assert packed.meta == plain.meta
    np.testing.assert_array_equal(packed.parts["train"].X, plain.parts["train"].X)
    (raw / "toy/a.txt.gz").write_bytes(gzip.compress(b"1 1:x\n"))
    with pytest.raises(ValueError, match=r"toy/a\.txt:1: "):
        prepare(PrepareTask.of(ENTRY), raw)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"files": (RawFile("c.txt", part="train"),)}, r"toy/c\.txt is missing"),
        ({"files": (RawFile("a.txt", part="train", sha256="0" * 64),)}, "the registry has 0{64}"),
        ({"options": {"n_features": "many"}}, r"'toy': options\.n_features: "),
        ({"options": {"features": 3}}, r"'toy': options\.features: "),
        ({"format": "idx"}, "'toy': options: the key 'labels' is missing"),
        (
            {"statistics": (PrintedStatistics("table 4", n_train="5"),)},
            "n_train is 4, table 4 prints 5",
        ),
        ({"divide": Divide("train", "in_order", {"c": 2, "d": 3})}, "do not add up to 4"),
    ],
)
def test_what_cannot_be_prepared_is_one_line(raw, changes, message):
    with pytest.raises(ValueError, match=message) as caught:
        prepare(PrepareTask.of(replace(ENTRY, **changes)), raw)
    assert "\n" not in str(caught.value)


def test_classes_without_a_training_row_are_refused(raw):
    (raw / "toy/b.txt").write_text("3 1:1\n")
    with pytest.raises(ValueError, match="part 'train': class '3' has no training example"):
        prepare(PrepareTask.of(ENTRY), raw)


# ---- features that the user extracts -------------------------------------------------------------


def features(n=30, d=16, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)).astype(np.float32), rng.permutation(np.arange(n) % 5) + 1


def write_features(folder, part, X, y):
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / f"{part}.npy", X)
    np.save(folder / f"{part}_labels.npy", y)


def marked(entry):
    return replace(entry, not_comparable="synthetic")


def test_features_of_another_size_than_the_papers_are_marked(registry, tmp_path):
    X, y = features()
    write_features(tmp_path / "fmd", "train", X, y)
    write_features(tmp_path / "fmd", "test", X[:10], y[:10])
    with pytest.raises(ValueError, match=r"n_train is 30, .* prints 500"):
        prepare(PrepareTask.of(registry["fmd"]), tmp_path)
    prepared = prepare(PrepareTask.of(marked(registry["fmd"])), tmp_path)
    assert prepared.meta["not_comparable"] == "synthetic"
    np.testing.assert_array_equal(np.asarray(prepared.parts["train"].X, np.float32), X)
    np.testing.assert_array_equal(prepared.parts["train"].y, y - 1)


def test_features_in_a_file_are_saved_block_by_block(registry, tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "_BLOCK_BYTES", 1 << 20)
    X, y = features(1000, 4096)  # 16 MB
    write_features(tmp_path / "fmd", "train", X, y)
    write_features(tmp_path / "fmd", "test", X[:20], y[:20])
    tracemalloc.start()
    save_prepared(prepare(PrepareTask.of(marked(registry["fmd"])), tmp_path), tmp_path / "prepared")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 << 20
    found = load_prepared(tmp_path / "prepared").parts["train"].X
    assert (found.dtype, isinstance(found, np.memmap)) == (np.float32, True)
    np.testing.assert_array_equal(found, X)


# ---- divisions, storage --------------------------------------------------------------------------


def whole(n=30):
    X = sparse.csr_matrix(np.arange(2.0 * n).reshape(n, 2))
    part = Part(X=X, y=(np.arange(n) % 3).astype(np.int64))
    return LoadedSet(parts={"all": part}, class_names=["a", "b", "c"])


def numbers_of(part):
    """The numbers in `whole` of the rows of a part."""
    return part.X.toarray()[:, 0] / 2


def test_division_in_order_and_by_class():
    parts = divide("toy", whole(), Divide("all", "in_order", {"train": 20, "test": 10})).parts
    np.testing.assert_array_equal(numbers_of(parts["train"]), np.arange(20))
    np.testing.assert_array_equal(parts["test"].y, np.arange(20, 30) % 3)
    how = Divide("all", "stratified", {"train": 0.5, "test": 0.5})
    parts = divide("toy", whole(), how).parts
    found = np.concatenate([numbers_of(part) for part in parts.values()])
    np.testing.assert_array_equal(np.sort(found), np.arange(30))
    for part in parts.values():
        np.testing.assert_array_equal(np.bincount(part.y), [5, 5, 5])
        assert (np.diff(numbers_of(part)) > 0).all()
    again, other = (divide(name, whole(), how).parts["train"] for name in ("toy", "other"))
    assert (numbers_of(again) == numbers_of(parts["train"])).all()
    assert (numbers_of(other) != numbers_of(parts["train"])).any()


def test_random_division_of_label_sets():
    part = Part(X=np.eye(30), Y=np.ones((30, 2), dtype=np.uint8))
    loaded = LoadedSet({"all": part}, ["a", "b"])
    how = Divide("all", "random", {"train": 0.5, "val": 0.2, "test": 0.3})
    sizes = [part.n_instances for part in divide("toy", loaded, how).parts.values()]
    assert sizes == [15, 6, 9]
    with pytest.raises(ValueError, match="needs classes; use random"):
        divide("toy", loaded, replace(how, method="stratified"))
    thirds = replace(how, into={"a": 1 / 3, "b": 0.333333, "c": 0.333333})
    assert [part.n_instances for part in divide("toy", loaded, thirds).parts.values()] == [10] * 3


def test_storage_follows_density():
    at_the_limit = {"train": Part(X=sparse.eye(5, format="csr"))}  # a density of 0.2
    above = {"test": Part(X=sparse.eye(4, format="csr"))}
    assert sparse.issparse(store(at_the_limit)["train"].X)
    assert isinstance(store(above)["test"].X, np.ndarray)
    assert not any(sparse.issparse(part.X) for part in store(at_the_limit | above).values())
    assert sparse.issparse(store({"train": Part(X=np.eye(6))})["train"].X)


# ---- statistics ----------------------------------------------------------------------------------


def test_statistics_count_what_is_peculiar():
    sets = np.array([[0, 0, 0], [1, 1, 0], [1, 1, 0]], dtype=np.uint8)
    train = Part(X=np.array([[0.0, 0.0], [1.0, 0.0], [0.0, -2.0]]), Y=sets)
    test = Part(X=sparse.csr_matrix(np.ones((1, 2))), Y=np.ones((1, 3), dtype=np.uint8))
    splits = [Split("main", "train", "train", "test")]
    parts = {"train": train, "test": test}
    measured = statistics(PreparedSet("toy", "multilabel", list("abc"), parts, splits))
    assert measured == {
        "n_classes": 3,
        "n_train": 3,
        "n_val": 3,
        "n_test": 1,
        "n_features": 2,
        "label_cardinality": 7 / 4,  # over distinct parts: the validation part is the training one
        "zero_rows": 1,
        "mean_squared_norm": 5 / 3,
        "empty_label_sets": 1,
        "full_label_sets": 0,
        "classes_without_example": 1,
    }


@pytest.mark.parametrize(
    ("square", "is_told"), [(0.0, False), (1.0, False), (9e3, False), (2e4, True), (1e-5, True)]
)
def test_advice_on_rows_for_which_the_grid_of_C_is_of_no_use(square, is_told):
    assert bool(norm_advice({"mean_squared_norm": square}, Axis(10, -5, 3, 1))) is is_told


def test_advice_stands_in_meta_unless_C_is_scaled(raw):
    (raw / "toy/a.txt").write_text(TRAIN.replace(":", ":1000"))
    grid = Axis(10, -5, 3, 1)
    (advice,) = prepare(PrepareTask.of(ENTRY, grid), raw).meta["advice"]
    assert "`transform: standardise`" in advice
    for changes in ({"C_scale": "mean_squared_norm"}, {"transform": "normalise"}):
        assert prepare(PrepareTask.of(replace(ENTRY, **changes), grid), raw).meta["advice"] == []


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("4K", [3500, 4096, 4500], [3499, 4501]),
        ("10.5K", [10450, 10500, 10550], [10449, 10551]),
        ("1.3M", [1281167], [1200000]),
        ("4100", [4100], [4099, 4101]),
        ("2.40", [2.4019, 2.395, Fraction("2.405")], [2.3803, 2.4437]),
    ],
)
def test_printed_numbers_stand_for_an_interval(text, inside, outside):
    assert all(rounds_to(value, text) for value in inside)
    assert not any(rounds_to(value, text) for value in outside)


def test_comparison_with_the_papers():
    measured = {"n_classes": 3, "n_train": 333, "n_features": 1449, "label_cardinality": 1.2454}
    table = PrintedStatistics("table 8", "3", "645", "1.5K", "1.25", {"n_train": "the other file"})
    exact = PrintedStatistics("section 5", n_train="333")
    assert disagreements(measured, [table, exact]) == [
        ("table 8", "n_train"),
        ("table 8", "n_features"),
    ]
    assert disagreements(measured, [exact]) == []


def test_rows_of_the_table_of_data_sets(raw):
    entry = replace(ENTRY, statistics=(PrintedStatistics("table 4", n_classes="2"),))
    row = dataset_row(DescribedSet.of(entry), prepare(PrepareTask.of(entry), raw).meta)
    assert {*COLUMNS} <= {*row}
    assert (row["status"], row["n_train"], row["agrees"], row["reason"]) == ("ready", 4, True, "")
    marked = dataset_row(
        DescribedSet.of(entry),
        prepare(PrepareTask.of(replace(entry, not_comparable="half")), raw).meta,
    )
    assert (marked["status"], marked["reason"]) == ("ready", "not comparable: half")
    missing = dataset_row(DescribedSet.of(entry), None, "no file")
    assert (missing["status"], missing["reason"]) == ("missing", "no file")
    assert (missing.get("n_train"), missing["paper_n_classes"]) == (None, "2")


# ---- the prepared form ---------------------------------------------------------------------------


def made(**changes):
    Y = np.array([[1, 0, 1], [0, 0, 0], [1, 1, 1]], dtype=np.uint8)
    fields = {"X": np.arange(8.0).reshape(4, 2), "y": np.array([0, -1, 2]), "Y": Y}
    part = Part(**(fields | {"groups": np.array([0, 0, 1, 2])} | changes))
    other = replace(part, X=sparse.csr_matrix(np.ones((4, 2))))
    parts = {"train": part, "test": other}
    meta = {"title": "Zwölf", "raw": {"f": {"size": 3}}}
    return PreparedSet("toy", "multilabel", list("abc"), parts, list(MAIN), meta)


def test_a_round_trip_keeps_everything(tmp_path):
    prepared = made()
    save_prepared(prepared, tmp_path)
    found = load_prepared(tmp_path)
    for key in ("name", "task", "n_classes", "class_names", "splits", "meta"):
        assert getattr(found, key) == getattr(prepared, key)
    for name, part in prepared.parts.items():
        for key in ("X", "y", "Y", "groups"):
            a, b = (getattr(one, key) for one in (found.parts[name], part))
            assert a.dtype == b.dtype
            assert sparse.issparse(a) == sparse.issparse(b)
            assert ((a != b).nnz == 0) if sparse.issparse(a) else np.array_equal(a, b)
    assert isinstance(found.parts["train"].X, np.memmap)


def test_the_same_set_gives_the_same_bytes_and_parts_of_an_earlier_one_go(tmp_path):
    save_prepared(replace(made(), parts={"old": made().parts["train"]}), tmp_path / "two")
    for folder in ("one", "two"):
        save_prepared(made(), tmp_path / folder)
    for path in sorted((tmp_path / "two").iterdir()):
        assert path.read_bytes() == (tmp_path / "one" / path.name).read_bytes()


def test_a_failed_save_leaves_no_meta_behind(tmp_path, monkeypatch):
    save_prepared(made(), tmp_path)
    monkeypatch.setattr(np, "savez_compressed", lambda *a, **k: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        save_prepared(made(), tmp_path)
    with pytest.raises(FileError, match="the data set is not prepared"):
        load_prepared(tmp_path)


@pytest.mark.parametrize("name", ["X_train.npy", "X_test.npz", "Y_train.npz", "meta.json"])
def test_damaged_files_are_named(tmp_path, name):
    save_prepared(made(), tmp_path)
    content = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(FileError, match=rf"{name}: cut off or changed .*snakemake -f"):
        load_prepared(tmp_path)


def test_all_damaged_files_of_a_folder_of_results_are_listed(tmp_path):
    results = tmp_path / "results"
    save_prepared(made(), results / "mine/data")
    for name in ("mine/svm/evaluation.json", "cells.json"):
        write_json(results / name, {"a": 1})
    (results / "mine/svm/.evaluation.a1b2.csv").write_text("what a killed writer leaves")
    assert damaged_files(results) == ("3 files and 1 prepared sets", [])
    (results / "cells.json").write_text("{}")
    (results / "mine/data/Y_train.npz").unlink()
    _, errors = damaged_files(results)
    assert [error.partition(": ")[0] for error in errors] == [
        str(results / "cells.json"),
        str(results / "mine/data/Y_train.npz"),
    ]


BAD = {
    "groups": [np.array([0, 1, 2, 3]), np.array([0, 0, 1, 1]), np.array([0, 1, 2]), None],
    "X": [
        np.zeros((4, 0)),
        np.full((4, 2), np.nan),
        sparse.csr_matrix(np.full((4, 2), -np.inf)),
        np.zeros((4, 3)),
    ],
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key in BAD for value in BAD[key]])
def test_a_set_that_cannot_be_trained_on_is_refused(key, value):
    validate_prepared(made())
    with pytest.raises(ValueError, match="data set 'toy'") as caught:
        validate_prepared(made(**{key: value}))
    assert "\n" not in str(caught.value)


def test_names_of_classes_are_two_or_more_and_differ():
    for names in (["a"], ["a", "b", "a"]):
        with pytest.raises(ValueError, match=r"m = 1|class name"):
            validate_prepared(replace(made(), class_names=names))


# ---- the sets of the checkout --------------------------------------------------------------------


def sum_of(part):
    """The SHA-256 of the numbers of a part, whatever their compression on disk."""
    X = (part.X.data, part.X.indices, part.X.indptr) if sparse.issparse(part.X) else (part.X,)
    digest = hashlib.sha256()
    for array in (*X, part.y, part.Y, part.groups):
        digest.update(b"" if array is None else np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def test_parts_of_the_generated_and_shipped_sets_are_those_of_the_kept_run(registry, repository):
    """Their sums were written by an earlier version, before all readers were rebuilt."""
    for name, sums in json.loads(
        (repository / "tests/unit/prepared_sums.json").read_text()
    ).items():
        parts = prepare(PrepareTask.of(registry[name]), repository / SHIPPED).parts
        assert {part: sum_of(rows) for part, rows in parts.items()} == sums, name
