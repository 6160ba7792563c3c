"""A prepared set with a split for each draw of its folds: the rows of another one, which it
shares.
"""

import os

import numpy as np
import pytest
from standin import multiclass_set

from toplabel._core.files import FileError
from toplabel.reproduction.config.protocols import Axis, Budget, Protocol
from toplabel.reproduction.config.splits import Split
from toplabel.reproduction.data.prepared import load_prepared, read_meta, save_prepared
from toplabel.reproduction.data.redrawn import redraw
from toplabel.reproduction.selection.problems import folds_of

SPLITS = [Split(f"s0{i}", "train", None, "test") for i in range(3)]
ARGUMENTS = ("toy_seeds", "Toy, 3 seeds of the folds", SPLITS)


@pytest.fixture
def base(tmp_path):
    save_prepared(multiclass_set(), tmp_path / "toy")
    return tmp_path / "toy"


def test_the_rows_are_those_of_the_set_and_are_stored_once(base, tmp_path):
    redraw(base, tmp_path / "toy_seeds", *ARGUMENTS)
    whole, found = load_prepared(base), load_prepared(tmp_path / "toy_seeds")
    assert (found.name, found.meta["title"], found.splits) == ARGUMENTS
    assert found.meta["published_key"] == "toy_seeds"
    assert found.class_names == whole.class_names
    for name, part in whole.parts.items():
        np.testing.assert_array_equal(found.parts[name].X, part.X)
        np.testing.assert_array_equal(found.parts[name].y, part.y)
        assert os.path.samefile(base / f"X_{name}.npy", tmp_path / f"toy_seeds/X_{name}.npy")


def test_each_draw_has_folds_of_its_own(base, tmp_path):
    redraw(base, tmp_path / "toy_seeds", *ARGUMENTS)
    budget = Budget(Axis(2, 0, 0, 1), folds=4)
    protocol = Protocol("toy", "folds", "train", ("top1",), {"standard": budget})
    drawn = []
    for prepared in (load_prepared(base), load_prepared(tmp_path / "toy_seeds")):
        for split in prepared.splits:
            folds = folds_of(prepared, split, protocol, budget, 0)
            drawn.append(tuple(tuple(fold.val) for fold in folds))
    assert len(set(drawn)) == 1 + len(SPLITS)


@pytest.mark.parametrize("again", [False, True])
def test_without_hard_links_the_files_are_copied(base, tmp_path, monkeypatch, again):
    def refused(source, target):
        raise PermissionError(1, "Operation not permitted")

    if again:  # over what stood there
        redraw(base, tmp_path / "toy_seeds", *ARGUMENTS)
    monkeypatch.setattr(os, "link", refused)
    redraw(base, tmp_path / "toy_seeds", *ARGUMENTS)
    copy = tmp_path / "toy_seeds/X_train.npy"
    assert not os.path.samefile(base / copy.name, copy)
    assert copy.read_bytes() == (base / copy.name).read_bytes()
    assert read_meta(copy.parent)["parts"] == read_meta(base)["parts"]


def test_a_set_that_is_made_again_leaves_the_other_as_it_was(base, tmp_path):
    redraw(base, tmp_path / "toy_seeds", *ARGUMENTS)
    before = load_prepared(tmp_path / "toy_seeds", mmap=False).parts["train"].X
    changed = multiclass_set()
    changed.parts["train"].X[:] += 1.0
    save_prepared(changed, base)
    np.testing.assert_array_equal(load_prepared(tmp_path / "toy_seeds").parts["train"].X, before)


def test_what_cannot_be_is_one_line(base, tmp_path):
    with pytest.raises(
        FileError, match=r"none/meta\.json: missing, so the data set is not prepared"
    ):
        redraw(tmp_path / "none", tmp_path / "toy_seeds", *ARGUMENTS)
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match=r"file/toy: cannot be written \(Not a directory\)"):
        redraw(base, tmp_path / "file/toy", *ARGUMENTS)
