"""The prepared form: round trip and what it refuses."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from toplabel._core.files import FileError
from toplabel.reproduction.config.splits import Split
from toplabel.reproduction.data.parts import Part, Prepared
from toplabel.reproduction.data.prepared import load_prepared, save_prepared
from toplabel.reproduction.data.validation import validate_prepared

META = {"meta.json", "meta.json.sha256"}


def multiclass_part(n=6, d=3, m=3, shift=0):
    X = np.arange(n * d, dtype=float).reshape(n, d) + shift
    return Part(X=X, y=np.arange(n, dtype=np.int64) % m)


def multiclass(**changes):
    prepared = Prepared(
        name="toy",
        task="multiclass",
        n_classes=3,
        class_names=["a", "b", "c"],
        parts={"train": multiclass_part(), "test": multiclass_part(shift=1)},
        splits=[Split("main", "train", None, "test")],
        meta={"title": "Toy", "statistics": {"n_train": 6}},
    )
    return replace(prepared, **changes)


def multilabel(**changes):
    Y = np.array([[1, 0, 1], [0, 0, 0], [1, 1, 1]], dtype=np.uint8)
    part = Part(X=np.eye(3), Y=Y)
    prepared = Prepared(
        name="toy",
        task="multilabel",
        n_classes=3,
        class_names=["a", "b", "c"],
        parts={"train": part, "test": part},
        splits=[Split("main", "train", None, "test")],
    )
    return replace(prepared, **changes)


def with_train(prepared, **changes):
    train = replace(prepared.parts["train"], **changes)
    return replace(prepared, parts={**prepared.parts, "train": train})


def same(a, b):
    if a is None or b is None:
        return a is b
    if sparse.issparse(a) or sparse.issparse(b):
        return sparse.issparse(a) and sparse.issparse(b) and (a != b).nnz == 0
    return a.dtype == b.dtype and np.array_equal(a, b)


@pytest.mark.parametrize("mmap", [True, False])
def test_round_trip_keeps_everything(tmp_path, mmap):
    grouped = Part(
        X=np.arange(8.0).reshape(4, 2),
        y=np.array([0, 1, 2], dtype=np.int64),
        Y=np.eye(3, dtype=np.uint8),
        groups=np.array([0, 0, 1, 2], dtype=np.int64),
    )
    csr = replace(grouped, X=sparse.csr_matrix(grouped.X))
    prepared = multilabel(
        parts={"train": grouped, "test": csr},
        splits=[Split("a", "train", None, "test"), Split("b", "test", "train", "train")],
        meta={"title": "Zwölf", "raw": {"f": {"size": 3}}},
    )
    save_prepared(prepared, tmp_path)
    loaded = load_prepared(tmp_path, mmap=mmap)
    for key in ("name", "task", "n_classes", "class_names", "splits", "meta"):
        assert getattr(loaded, key) == getattr(prepared, key)
    assert list(loaded.parts) == list(prepared.parts)
    for name, part in prepared.parts.items():
        for key in ("X", "y", "Y", "groups"):
            assert same(getattr(loaded.parts[name], key), getattr(part, key)), (name, key)
    assert isinstance(loaded.parts["train"].X, np.memmap) == mmap


def test_the_same_set_gives_the_same_bytes(tmp_path):
    for folder in ("one", "two"):
        save_prepared(multiclass(), tmp_path / folder)
    for path in sorted((tmp_path / "one").iterdir()):
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_meta_is_the_last_file_and_its_absence_an_error(tmp_path):
    save_prepared(multiclass(), tmp_path)
    meta = json.loads((tmp_path / "meta.json").read_text())
    assert meta["statistics"] == {"n_train": 6}
    assert meta["parts"]["train"]["n_features"] == 3
    (tmp_path / "meta.json").unlink()
    with pytest.raises(ValueError, match=r"meta\.json: missing, so the data set is not prepared"):
        load_prepared(tmp_path)


def test_a_failed_save_leaves_no_meta_behind(tmp_path, monkeypatch):
    save_prepared(multiclass(), tmp_path)
    monkeypatch.setattr(np, "savez_compressed", lambda *a, **k: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        save_prepared(multiclass(), tmp_path)
    assert not (tmp_path / "meta.json").exists()


def test_parts_of_an_earlier_form_go_away(tmp_path):
    save_prepared(multiclass(), tmp_path)
    parts = {"train": multiclass_part(), "other": multiclass_part()}
    save_prepared(multiclass(parts=parts, splits=[Split("main", "train", None, "other")]), tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"X_train.npy", "X_other.npy", "Y_train.npz", "Y_other.npz"} | META


def _flip_last_byte(content):
    return content[:-1] + bytes([content[-1] ^ 1])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("of", ["X", "Y"])
@pytest.mark.parametrize("damage", [_flip_last_byte, lambda content: content[: len(content) // 2]])
def test_damaged_files_are_named(tmp_path, form, of, damage):
    whole = multiclass()
    save_prepared(with_train(whole, X=form(whole.parts["train"].X)), tmp_path)
    (path,) = tmp_path.glob(f"{of}_train.np[yz]")
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(FileError) as caught:
        load_prepared(tmp_path)
    command = f"`snakemake -f {tmp_path / 'meta.json'}` makes it again"
    assert str(caught.value).startswith(f"{path}: cut off or changed since it was written")
    assert str(caught.value).endswith(command)


def test_broken_meta_is_named(tmp_path):
    save_prepared(multiclass(), tmp_path)
    (tmp_path / "meta.json").write_text("{\n oops")
    with pytest.raises(FileError, match=r"meta\.json: cut off or changed"):
        load_prepared(tmp_path)
    (tmp_path / "meta.json.sha256").unlink()
    with pytest.raises(ValueError, match=r"meta\.json:2: not JSON"):
        load_prepared(tmp_path)


NAN = np.array([[0.0, np.nan, 0.0]] * 6)
BAD = {
    "m = 1": (
        lambda: multiclass(n_classes=1, class_names=["a"]),
        "m = 1 classes; at least 2 are needed",
    ),
    "names": (lambda: multiclass(class_names=["a", "b"]), "2 class names for 3 classes"),
    "same name": (
        lambda: multiclass(class_names=["a", "b", "a"]),
        "the class name 'a' occurs 2 times",
    ),
    "task": (lambda: multiclass(task="regression"), "task must be multiclass or multilabel"),
    "no split": (lambda: multiclass(splits=[]), "no split says what to train"),
    "same split": (
        lambda: multiclass(splits=[Split("main", "train", None, "test")] * 2),
        "the split name 'main' occurs 2 times",
    ),
    "unknown part": (
        lambda: multiclass(splits=[Split("main", "train", "dev", "test")]),
        "split 'main': val names the part 'dev', but the parts are: train, test",
    ),
    "n = 0": (
        lambda: with_train(multiclass(), X=np.zeros((0, 3)), y=np.zeros(0, dtype=np.int64)),
        "part 'train': n = 0",
    ),
    "d = 0": (lambda: with_train(multiclass(), X=np.zeros((6, 0))), "part 'train': d = 0"),
    "float16": (
        lambda: with_train(multiclass(), X=np.zeros((6, 3), dtype=np.float16)),
        "X must be 2-D float64 or float32, not 2-D float16",
    ),
    "NaN": (lambda: with_train(multiclass(), X=NAN), r"X\[0, 1\] is nan; features must be"),
    "infinity": (
        lambda: with_train(multiclass(), X=sparse.csr_matrix(np.where(np.eye(6, 3), -np.inf, 0.0))),
        r"X\[0, 0\] is -inf; features must be",
    ),
    "rows": (lambda: with_train(multiclass(), X=np.zeros((5, 3))), "5 rows of X, 6 of labels"),
    "widths": (
        lambda: with_train(multiclass(), X=np.zeros((6, 4))),
        "the parts differ in their number of features: {'train': 4, 'test': 3}",
    ),
    "label": (
        lambda: with_train(multiclass(), y=np.array([0, 1, 2, 3, 0, 0])),
        r"y\[3\] is 3; class indices are 0..2",
    ),
    "negative label": (
        lambda: with_train(multiclass(), y=np.array([0, 1, 2, -1, 0, 0])),
        r"y\[3\] is -1; class indices are 0..2",
    ),
    "label type": (
        lambda: with_train(multiclass(), y=np.zeros(6)),
        "y must be 1-D int64, not 1-D float64",
    ),
    "no y": (lambda: with_train(multiclass(), y=None), "a multiclass part needs y"),
    "class without example": (
        lambda: with_train(multiclass(), y=np.zeros(6, dtype=np.int64)),
        r"part 'train': class 'b' has no training example \(nor have 1 others\)",
    ),
    "no Y": (lambda: with_train(multilabel(), Y=None), "a multilabel part needs Y"),
    "indicator": (
        lambda: with_train(multilabel(), Y=np.full((3, 3), 2, dtype=np.uint8)),
        r"Y\[0, 0\] is 2; an indicator holds 0 and 1",
    ),
    "columns": (
        lambda: with_train(multilabel(), Y=np.zeros((3, 2), dtype=np.uint8)),
        "Y has 2 columns for 3 classes",
    ),
    "y beside Y": (
        lambda: with_train(multilabel(), y=np.zeros(2, dtype=np.int64)),
        "2 class indices, but 3 label sets",
    ),
    "group": (
        lambda: with_train(multilabel(), groups=np.array([0, 1, 3])),
        r"groups\[2\] is 3; instances are 0..2",
    ),
    "empty group": (
        lambda: with_train(multilabel(), groups=np.array([0, 0, 1])),
        "instance 2 has no row of X",
    ),
    "groups": (
        lambda: with_train(multilabel(), groups=np.array([0, 1])),
        "groups must be int64 with one entry a row",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_sets_are_refused_in_one_line_and_not_written(tmp_path, case):
    make, message = BAD[case]
    with pytest.raises(ValueError, match=message) as caught:
        save_prepared(make(), tmp_path / "data")
    assert str(caught.value).startswith("data set 'toy'")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "data").exists()


def test_names_that_cannot_be_stored_are_refused(tmp_path):
    part = multiclass_part()
    bad = multiclass(parts={"a/b": part}, splits=[Split("main", "a/b", None, "a/b")])
    with pytest.raises(ValueError, match="the part name 'a/b' may hold only"):
        save_prepared(bad, tmp_path)
    with pytest.raises(ValueError, match="meta may not hold the key 'splits'"):
        save_prepared(multiclass(meta={"splits": 1}), tmp_path)


def test_a_label_without_example_is_no_error_for_label_sets():
    Y = np.zeros((3, 3), dtype=np.uint8)
    validate_prepared(with_train(multilabel(), Y=Y))
