"""From an entry to a prepared set, its statistics, and how they compare with the papers."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from toplabel.reproduction.config.entry import Divide, Entry, Printed, RawFile
from toplabel.reproduction.config.protocols import Axis
from toplabel.reproduction.config.splits import Split
from toplabel.reproduction.data.parts import Loaded, Part, Prepared
from toplabel.reproduction.data.prepare import divide, prepare, store
from toplabel.reproduction.data.statistics import (
    check_row_count,
    compare_with_paper,
    dataset_row,
    norm_advice,
    printed_interval,
    statistics,
)
from toplabel.reproduction.tables.collected import DATASETS

TRAIN = "1 1:0.5 2:1\n2 2:1\n1 1:1\n2\n"
TEST = "2 1:1\n1 2:0.25\n"


def entry_with(**changes):
    fields = {
        "name": "toy",
        "title": "Toy",
        "task": "multiclass",
        "protocol": "multiclass",
        "licence": "free",
        "citation": "us",
        "format": "libsvm",
        "folder": "toy",
        "published_key": "toy",
        "files": (RawFile("a.txt", part="train"), RawFile("b.txt", part="test")),
        "splits": (Split("main", "train", None, "test"),),
    }
    return Entry(**{**fields, **changes})


@pytest.fixture
def raw(tmp_path):
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "a.txt").write_text(TRAIN)
    (tmp_path / "toy" / "b.txt").write_text(TEST)
    return tmp_path


def test_a_set_of_files(raw):
    prepared = prepare(entry_with(), raw)
    assert (prepared.name, prepared.task, prepared.class_names) == ("toy", "multiclass", ["1", "2"])
    np.testing.assert_array_equal(prepared.parts["train"].X, [[0.5, 1], [0, 1], [1, 0], [0, 0]])
    np.testing.assert_array_equal(prepared.parts["test"].y, [1, 0])
    meta = prepared.meta
    assert meta["raw"]["a.txt"]["size"] == len(TRAIN)
    assert meta["raw"]["a.txt"]["checked"] is False
    assert meta["statistics"]["n_train"] == 4
    assert meta["statistics"]["zero_rows"] == 1
    assert meta["paper"]["agrees"] is None


def test_an_embedded_set(tmp_path):
    entry = entry_with(
        format=None, files=(), splits=(), embedded="circle", options={"n_draws": 2, "n_test": 30}
    )
    prepared = prepare(entry, tmp_path / "nowhere")
    assert [split.name for split in prepared.splits] == ["s00", "s01"]
    assert prepared.meta["raw"] == {}
    assert prepared.meta["options"] == {"n_draws": 2, "n_test": 30}


def test_one_mulan_file_cut_by_rows_as_bookmarks_is(raw):
    header = "@relation r\n@attribute a numeric\n@attribute t {0,1}\n@attribute u {0,1}\n@data\n"
    (raw / "toy" / "toy.arff").write_text(header + "{0 1,1 1}\n{0 2,2 1}\n{0 3,1 1,2 1}\n")
    (raw / "toy" / "toy.xml").write_text('<labels><label name="u"/><label name="t"/></labels>')
    entry = entry_with(
        task="multilabel",
        format="mulan_arff",
        files=(RawFile("toy.arff", part="all"), RawFile("toy.xml", role="labels")),
        divide=Divide("all", "in_order", {"train": 2, "test": 1}),
    )
    prepared = prepare(entry, raw)
    np.testing.assert_array_equal(prepared.parts["train"].X, [[1], [2]])
    np.testing.assert_array_equal(prepared.parts["train"].Y, [[0, 1], [1, 0]])
    np.testing.assert_array_equal(prepared.parts["test"].Y, [[1, 1]])
    assert prepared.class_names == ["u", "t"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"files": (RawFile("c.txt", part="train"),)},
            r"toy/c\.txt is missing; fetch it again with",
        ),
        (
            {"files": (RawFile("a.txt", part="train", sha256="0" * 64),)},
            r"a\.txt: sha256 is [0-9a-f]{64} .*, the registry has 0{64}",
        ),
        ({"format": None, "waits_for": "rain"}, "data set 'toy' waits for rain"),
        (
            {"statistics": (Printed("table 4", n_train="5"),)},
            "data set 'toy': n_train is 4, table 4 prints 5",
        ),
        (
            {"divide": Divide("train", "in_order", {"c": 2, "d": 3})},
            r"data set 'toy', divide: the numbers of rows \[2, 3\] do not add up to 4",
        ),
    ],
)
def test_what_cannot_be_prepared_is_told(raw, changes, message):
    with pytest.raises(ValueError, match=message) as caught:
        prepare(entry_with(**changes), raw)
    assert "\n" not in str(caught.value)


def test_a_class_without_training_example_is_refused(raw):
    (raw / "toy" / "b.txt").write_text("3 1:1\n")
    with pytest.raises(ValueError, match="part 'train': class '3' has no training example"):
        prepare(entry_with(), raw)


def test_a_single_class_is_refused(raw):
    for name in ("a.txt", "b.txt"):
        (raw / "toy" / name).write_text("1 1:1\n")
    with pytest.raises(ValueError, match="m = 1 classes"):
        prepare(entry_with(), raw)


def loaded_whole(n=30, labels=True):
    y = (np.arange(n) % 3).astype(np.int64) if labels else None
    Y = None if labels else np.ones((n, 2), dtype=np.uint8)
    X = sparse.csr_matrix(np.arange(2.0 * n).reshape(n, 2))
    return Loaded(parts={"all": Part(X=X, y=y, Y=Y)}, class_names=["a", "b", "c"])


def first_column(part):
    return part.X.toarray()[:, 0] / 2


def test_division_in_order():
    parts = divide(
        "toy", loaded_whole(), Divide("all", "in_order", {"train": 20, "test": 10})
    ).parts
    assert list(parts) == ["train", "test"]
    np.testing.assert_array_equal(first_column(parts["train"]), np.arange(20))
    np.testing.assert_array_equal(first_column(parts["test"]), np.arange(20, 30))
    np.testing.assert_array_equal(parts["test"].y, np.arange(20, 30) % 3)


def test_stratified_division_keeps_the_shares_of_the_classes_and_depends_on_the_name():
    how = Divide("all", "stratified", {"train": 0.5, "test": 0.5})
    parts = divide("toy", loaded_whole(), how).parts
    for part in parts.values():
        np.testing.assert_array_equal(np.bincount(part.y), [5, 5, 5])
        assert (np.diff(first_column(part)) > 0).all()
    rows = np.concatenate([first_column(part) for part in parts.values()])
    np.testing.assert_array_equal(np.sort(rows), np.arange(30))
    again = divide("toy", loaded_whole(), how).parts
    other = divide("other", loaded_whole(), how).parts
    assert (first_column(again["train"]) == first_column(parts["train"])).all()
    assert (first_column(other["train"]) != first_column(parts["train"])).any()


def test_random_division_of_label_sets():
    how = Divide("all", "random", {"train": 0.5, "val": 0.2, "test": 0.3})
    parts = divide("toy", loaded_whole(labels=False), how).parts
    assert [part.n_instances for part in parts.values()] == [15, 6, 9]
    with pytest.raises(ValueError, match="a stratified division needs classes; use random"):
        divide("toy", loaded_whole(labels=False), Divide("all", "stratified", how.into))
    with pytest.raises(ValueError, match=r"the shares \[0.9, 0.2\] exceed 1"):
        divide("toy", loaded_whole(), Divide("all", "random", {"a": 0.9, "b": 0.2}))


def test_storage_follows_density():
    at_the_limit = {"train": Part(X=sparse.eye(5, format="csr"))}  # a density of 0.2
    assert sparse.issparse(store(at_the_limit, "auto")["train"].X)
    above = {"train": Part(X=sparse.eye(4, format="csr"))}
    assert isinstance(store(above, "auto")["train"].X, np.ndarray)
    both = at_the_limit | {"test": above["train"]}
    assert not any(sparse.issparse(part.X) for part in store(both, "auto").values())
    assert isinstance(store(at_the_limit, "dense")["train"].X, np.ndarray)
    assert sparse.issparse(store({"train": Part(X=np.eye(4))}, "csr")["train"].X)


def prepared_multilabel():
    train = Part(
        X=np.array([[0.0, 0.0], [1.0, 0.0], [0.0, -2.0]]),
        Y=np.array([[0, 0, 0], [1, 1, 0], [1, 1, 0]], dtype=np.uint8),
    )
    test = Part(X=np.ones((1, 2)), Y=np.array([[1, 1, 1]], dtype=np.uint8))
    names = ["a", "b", "c"]
    splits = [Split("main", "train", "train", "test")]
    return Prepared("toy", "multilabel", 3, names, {"train": train, "test": test}, splits)


def test_statistics_count_what_is_peculiar():
    measured = statistics(prepared_multilabel())
    parts = measured.pop("parts")
    assert measured == {
        "n_classes": 3,
        "n_train": 3,
        "n_val": 3,
        "n_test": 1,
        "n_features": 2,
        "label_cardinality": 7 / 4,  # over distinct parts: the validation part is the training one
        "zero_rows": 1,
        "row_norm": 1.0,  # of 0, 1 and 2
        "mean_squared_norm": 5 / 3,
        "empty_label_sets": 1,
        "full_label_sets": 0,
        "classes_without_example": 1,
    }
    assert parts["test"]["full_label_sets"] == 1
    assert parts["train"]["label_cardinality"] == 4 / 3


def test_statistics_of_sparse_features_and_regions():
    X = sparse.csr_matrix(([0.0, 1.0, 1.0], ([0, 1, 3], [1, 0, 0])), shape=(4, 2))  # a stored zero
    part = Part(X=X, Y=np.eye(3, dtype=np.uint8), groups=np.array([0, 1, 1, 2]))
    prepared = Prepared(
        "toy", "multilabel", 3, ["a", "b", "c"], {"p": part}, [Split("main", "p", None, "p")]
    )
    measured = statistics(prepared)
    assert (measured["n_train"], measured["parts"]["train"]["n_rows"]) == (3, 4)
    assert measured["zero_rows"] == 2
    norms = {key: measured[key] for key in ("row_norm", "mean_squared_norm")}
    assert norms == {"row_norm": 0.5, "mean_squared_norm": 0.5}  # of 0, 1, 1 and 0
    assert measured["n_val"] is None


@pytest.mark.parametrize(
    ("square", "told"), [(0.0, False), (1.0, False), (9e3, False), (2e4, True), (1e-5, True)]
)
def test_rows_for_which_the_grid_of_C_is_of_no_use_are_told(square, told):
    advice = norm_advice({"mean_squared_norm": square}, Axis(10, -5, 3, 1))
    assert bool(advice) is told
    assert (
        not told
        or "`transform: standardise`, or, if all columns have one unit, `C_scale:" in advice
    )


def test_advice_stands_in_what_is_prepared_unless_C_is_scaled(raw):
    (raw / "toy" / "a.txt").write_text(TRAIN.replace(":", ":1000"))
    grid = Axis(10, -5, 3, 1)
    advice = prepare(entry_with(), raw, grid).meta["advice"]
    assert "the rows have the mean squared norm 1e+08" in advice
    assert "grid of C is 1e+03 to 1e+11" in advice
    assert prepare(entry_with(), raw).meta["advice"] == ""
    assert prepare(entry_with(C_scale="mean_squared_norm"), raw, grid).meta["advice"] == ""
    assert prepare(entry_with(transform="normalise"), raw, grid).meta["advice"] == ""


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
    low, high = printed_interval(text)
    assert all(low <= Fraction(value) <= high for value in inside)
    assert not any(low <= Fraction(value) <= high for value in outside)


def test_comparison_with_the_papers():
    measured = {"n_classes": 3, "n_train": 333, "n_features": 1449, "label_cardinality": 1.2454}
    table = Printed("table 8", "3", "645", "1.5K", "1.25", {"n_train": "the other file"})
    exact = Printed("section 5", n_train="333")
    result = compare_with_paper(measured, [table, exact])
    assert result["agrees"] is False
    assert result["differences"] == [
        "n_train is 333, table 8 prints 645: the other file",
        "n_features is 1449, table 8 prints 1.5K",
    ]
    assert result["paper_n_train"] == "645"
    assert result["paper_source"] == "table 8; section 5"
    check_row_count("toy", measured, [table, exact])  # explained, so no error
    assert compare_with_paper(measured, [exact])["agrees"] is True
    assert compare_with_paper(measured, [])["agrees"] is None


def test_rows_of_the_data_sets_table(raw):
    entry = entry_with(statistics=(Printed("table 4", n_classes="2"),))
    row = dataset_row(entry, prepare(entry, raw).meta)
    assert set(row) >= set(DATASETS.names)
    assert (row["status"], row["n_train"], row["agrees"], row["paper_n_classes"]) == (
        "ready",
        4,
        True,
        "2",
    )
    marked = dataset_row(entry, prepare(replace(entry, not_comparable="half of it"), raw).meta)
    assert (marked["status"], marked["reason"]) == ("ready", "not comparable: half of it")
    assert row["reason"] == ""
    missing = dataset_row(entry, None, "no file")
    assert (missing["status"], missing["reason"], missing.get("n_train")) == (
        "missing",
        "no file",
        None,
    )
    assert missing["paper_n_classes"] == "2"
