"""Reading in a child process: what comes back, and what becomes of a crash, of too much memory and
of no end.
"""

import os
import signal

import numpy as np
import pytest
from scipy import io, sparse

from array_files import needs_h5py, write_hdf5
from toplabel.reproduction.data import reading
from toplabel.reproduction.data.child import ChildError, Limits, in_child
from toplabel.reproduction.data.formats import FORMATS, FormatError, Source

LIMITS = Limits(memory=2**30, seconds=5)
X = np.arange(24.0).reshape(6, 4)
y = np.arange(6) % 3


def test_an_answer_comes_back():
    answer = {"dense": X, "sparse": sparse.csr_matrix(X), "words": ["ä", None]}
    found = in_child(lambda: answer, limits=LIMITS)
    np.testing.assert_array_equal(found["dense"], X)
    np.testing.assert_array_equal(found["sparse"].toarray(), X)
    assert found["words"] == ["ä", None]


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a,
        lambda a: a.T,
        lambda a: a[2:5],
        lambda a: np.load(a.filename.with_name("f.npy"), mmap_mode="r"),
    ],
    ids=["whole", "transposed", "rows", "Fortran"],
)
def test_mapped_arrays_stay_on_disk(tmp_path, view):
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "f.npy", np.asfortranarray(X))
    array = view(np.load(tmp_path / "x.npy", mmap_mode="r"))
    found = in_child(lambda: array, limits=LIMITS)
    assert isinstance(found, np.memmap)
    assert found.filename.parent == tmp_path
    np.testing.assert_array_equal(found, array)


def test_errors_come_back():
    def refuse():
        raise FormatError("a.txt", 3, "no row")

    def fail():
        raise KeyError("x")

    with pytest.raises(FormatError, match=r"^a\.txt:3: no row$"):
        in_child(refuse, limits=LIMITS)
    with pytest.raises(KeyError, match="x") as caught:
        in_child(fail, limits=LIMITS)
    assert "in fail" in caught.value.__notes__[0]  # where it was raised


def test_the_limits_hold():
    with pytest.raises(ChildError, match=r"^takes more than 1 GiB of memory to read$"):
        in_child(lambda: np.ones(2**28), limits=LIMITS)
    with pytest.raises(ChildError, match=r"^takes more than 1 seconds of computing to read$"):
        in_child(lambda: [None for _ in iter(int, 1)], limits=Limits(LIMITS.memory, 1))


@pytest.mark.parametrize(
    ("signum", "message"), [(signal.SIGSEGV, "crashed .SIGSEGV"), (signal.SIGKILL, "was killed")]
)
def test_the_file_that_ends_its_reader_is_named(tmp_path, monkeypatch, signum, message):
    def load(source):
        if any(path.name == "bad.txt" for path in source.parts.values()):
            os.kill(os.getpid(), signum)
        raise FormatError(source.parts["train"], None, "not reached by the whole set")

    monkeypatch.setitem(FORMATS, "libsvm", load)
    parts = {"train": tmp_path / "good.txt", "test": tmp_path / "bad.txt"}
    for path in parts.values():
        path.touch()
    with pytest.raises(FormatError, match=rf"^{tmp_path}/bad\.txt: .*{message}"):
        reading.read("libsvm", Source(parts, "multiclass"), {})


@pytest.mark.parametrize(("place", "value"), [(145, 14), (145, 255), (176, 0), (176, 255)])
def test_a_matlab_file_that_crashes_scipy_is_refused_in_one_line(tmp_path, place, value):
    path = tmp_path / "bad.mat"
    io.savemat(path, {"X": X, "y": y})
    content = bytearray(path.read_bytes())
    content[place] = value  # each of them a segmentation fault in SciPy 1.17
    path.write_bytes(content)
    with pytest.raises(FormatError, match=rf"^{path}: .*") as caught:
        reading.read("mat", Source({"all": path}, "multiclass"), {})
    assert str(caught.value).isprintable()


@needs_h5py
def test_the_formats_read_the_same_as_without_a_child(tmp_path):
    np.savez(tmp_path / "a.npz", X=X, y=y)
    io.savemat(tmp_path / "a.mat", {"X": sparse.csc_matrix(X), "y": y})
    write_hdf5(tmp_path / "a.h5", {"X": X, "y": y})
    np.save(tmp_path / "a.npy", X)
    np.save(tmp_path / "a_labels.npy", y)
    for name in ("a.npz", "a.mat", "a.h5", "a.npy"):
        source = Source({"all": tmp_path / name}, "multiclass")
        here, there = FORMATS["features"](source), reading.read("features", source, {})
        assert here.class_names == there.class_names
        one, two = here.parts["all"], there.parts["all"]
        assert type(one.X) is type(two.X)
        assert one.X.dtype == two.X.dtype
        dense = [part.X.toarray() if sparse.issparse(part.X) else part.X for part in (one, two)]
        np.testing.assert_array_equal(*dense)
        np.testing.assert_array_equal(one.y, two.y)
