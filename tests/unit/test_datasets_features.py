"""Sets whose features the user extracts: every registered one, on seeded synthetic features."""

import json
import shutil
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from scipy import io, sparse

from array_files import needs_h5py, write_hdf5
from toplabel.reproduction.config.datasets import load_registry
from toplabel.reproduction.config.entry import RawFile
from toplabel.reproduction.data import rows
from toplabel.reproduction.data.fetch import NOT_COMPARABLE, fetch
from toplabel.reproduction.data.formats import hdf5
from toplabel.reproduction.data.locate import FetchError, available
from toplabel.reproduction.data.prepare import prepare
from toplabel.reproduction.data.prepared import load_prepared, not_comparable, save_prepared

SYNTHETIC = "synthetic features, seed 0"
M = 5  # classes; the shapes are those of the sets, the sizes are not


def features(rows_per_class, d, seed):
    """Float32 features around M centres, and their classes 1..M in no order."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(1, M + 1), rows_per_class))
    centres = 3 * np.random.default_rng(99).standard_normal((M + 1, d))
    return (centres[y] + rng.standard_normal((len(y), d))).astype(np.float32), y


def write(folder, part, form, X, y):
    folder.mkdir(parents=True, exist_ok=True)
    if form == "npy":
        np.save(folder / f"{part}.npy", X)
        np.save(folder / f"{part}_labels.npy", y)
    elif form == "npz":
        np.savez(folder / f"{part}.npz", X=X, y=y)
    elif form == "mat":
        io.savemat(folder / f"{part}.mat", {"X": X, "y": y[:, None].astype(float)})
    elif form == "h5":
        write_hdf5(folder / f"{part}.h5", {"X": X, "y": y})
    else:
        rows = [
            f"{label} " + " ".join(f"{j + 1}:{value:.9g}" for j, value in enumerate(row))
            for label, row in zip(y, X, strict=True)
        ]
        (folder / f"{part}.libsvm").write_text("\n".join(rows) + "\n")


FORMS = ["npz", "npy", "mat", pytest.param("h5", marks=needs_h5py), "libsvm"]


@pytest.fixture(scope="module")
def registry(repository):
    return load_registry(repository / "config/datasets.yaml")


def mark(raw, key):
    (raw / key / NOT_COMPARABLE).write_text(SYNTHETIC + "\n")


def rehearse(entry, raw):
    """The first stages, as the workflow goes through them."""
    assert available(entry, raw) == (True, "")
    fetch(entry, raw, network=False)
    prepared = prepare(entry, raw)
    folder = raw / "prepared"
    save_prepared(prepared, folder)
    assert not_comparable(folder) == SYNTHETIC
    return load_prepared(folder)


TRAIN_TEST = [
    "cub",
    "flowers",
    "fmd",
    "imagenet2012",
    "imagenet2012_alexnet_fc7",
    "indoor67",
    "indoor67_alexnet_fc7",
    "indoor67_vgg16_fc6",
    "places205",
    "places205_alexnet_fc7",
    "caltech101_hmax",
    "pubfig83",
]


def test_every_set_of_features_is_rehearsed_here(registry):
    others = {"aloi", "sun397", "sun397_alexnet_fc7", "sun397_fisher", "caltech101", "caltech256"}
    waiting = {name for name, entry in registry.items() if entry.format == "features"}
    assert waiting == {*TRAIN_TEST} | others


@pytest.mark.parametrize("name", TRAIN_TEST)
def test_training_and_test_features(registry, tmp_path, name):
    X, y = features(6, 16, seed=0)
    Z, z = features(3, 16, seed=1)
    write(tmp_path / name, "train", "npy", X, y)
    write(tmp_path / name, "test", "npy", Z, z)
    mark(tmp_path, name)
    prepared = rehearse(registry[name], tmp_path)
    train, test = prepared.parts["train"], prepared.parts["test"]
    assert isinstance(train.X, np.memmap)
    assert train.X.dtype == np.float32
    np.testing.assert_array_equal(train.X, X)
    np.testing.assert_array_equal(train.y, y - 1)
    np.testing.assert_array_equal(test.X, Z)
    assert prepared.class_names == ["1", "2", "3", "4", "5"]
    assert {"train.npy", "train_labels.npy"} <= set(prepared.meta["raw"])
    differs = False if registry[name].statistics else None  # NIPS 2012 prints no sizes
    assert prepared.meta["paper"]["agrees"] is differs  # told, and no error


def test_the_mark_comes_with_the_files_that_it_stands_beside(registry, tmp_path):
    X, y = features(6, 16, seed=0)
    for place in ("raw", "genuine", "synthetic"):
        for part in ("train", "test"):
            write(tmp_path / place / "fmd", part, "npy", X, y)
    mark(tmp_path / "synthetic", "fmd")
    kept = tmp_path / "raw/fmd" / NOT_COMPARABLE
    mirrors = [tmp_path / "genuine", tmp_path / "synthetic"]
    fetch(registry["fmd"], tmp_path / "raw", mirrors, network=False)  # the files are there
    assert not kept.exists()
    shutil.rmtree(tmp_path / "raw")
    fetch(registry["fmd"], tmp_path / "raw", mirrors, network=False)  # those of the first mirror
    assert not kept.exists()
    shutil.rmtree(tmp_path / "raw")
    fetch(registry["fmd"], tmp_path / "raw", mirrors[1:], network=False)
    assert kept.read_text(encoding="utf-8").strip() == SYNTHETIC
    shutil.rmtree(tmp_path / "raw/fmd")
    kept.parent.mkdir()
    kept.write_text("my own reason", encoding="utf-8")
    fetch(registry["fmd"], tmp_path / "raw", mirrors[1:], network=False)
    assert kept.read_text(encoding="utf-8") == "my own reason"


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_give_the_same_set(registry, tmp_path, form):
    X, y = features(6, 16, seed=0)
    write(tmp_path / "fmd", "train", form, X, y)
    write(tmp_path / "fmd", "test", "npz", X[:10], y[:10])  # another form is no matter
    mark(tmp_path, "fmd")
    train = rehearse(registry["fmd"], tmp_path).parts["train"]
    np.testing.assert_array_equal(train.X.astype(np.float32), X)
    np.testing.assert_array_equal(train.y, y - 1)
    assert train.X.dtype == (np.float64 if form == "libsvm" else np.float32)


def test_libsvm_text_whose_last_column_is_zero_is_as_wide_as_the_other_part(registry, tmp_path):
    X, y = features(6, 16, seed=0)
    write(tmp_path / "fmd", "train", "libsvm", X, y)
    (tmp_path / "fmd/test.libsvm").write_text("1 1:2.5\n2 3:1\n")
    mark(tmp_path, "fmd")
    parts = rehearse(registry["fmd"], tmp_path).parts
    assert (parts["train"].X.shape[1], parts["test"].X.shape) == (16, (2, 16))
    assert parts["test"].X.sum() == 3.5


@pytest.mark.parametrize("form", FORMS)
def test_aloi_is_cut_in_two_halves_that_keep_the_classes(registry, tmp_path, form):
    X, y = features(8, 128, seed=0)
    write(tmp_path / "aloi", "all", form, X, y)
    if form == "libsvm":  # as it is published
        (tmp_path / "aloi/all.libsvm").rename(tmp_path / "aloi/aloi.scale")
    mark(tmp_path, "aloi")
    prepared = rehearse(registry["aloi"], tmp_path)
    for part in prepared.parts.values():
        assert np.bincount(part.y).tolist() == [4] * M
    rows = np.concatenate([part.X for part in prepared.parts.values()])
    assert {row.tobytes() for row in rows.astype(np.float32)} == {row.tobytes() for row in X}


@pytest.mark.parametrize("name", ["sun397", "sun397_alexnet_fc7"])
def test_the_ten_splits_of_sun(registry, tmp_path, name):
    X, y = features(12, 16, seed=0)
    rng = np.random.default_rng(1)
    lists = {}
    for i in range(1, 11):
        parts = [[], []]
        for label in range(1, M + 1):
            rows = rng.permutation(np.flatnonzero(y == label))
            parts[0].extend(rows[:5])
            parts[1].extend(rows[5:9])
        lists[f"train_{i:02d}"], lists[f"test_{i:02d}"] = (np.sort(rows) for rows in parts)
    write(tmp_path / name, "all", "npy", X, y)
    np.savez(tmp_path / name / "splits.npz", **lists)
    mark(tmp_path, name)
    prepared = rehearse(registry[name], tmp_path)
    assert [split.name for split in prepared.splits] == [f"s{i:02d}" for i in range(1, 11)]
    for split in prepared.splits:
        for part in (split.train, split.test):
            np.testing.assert_array_equal(prepared.parts[part].X, X[lists[part]])
            np.testing.assert_array_equal(prepared.parts[part].y, y[lists[part]] - 1)
        assert set(lists[split.train]).isdisjoint(lists[split.test])
    assert prepared.meta["statistics"]["n_train"] == 25
    assert prepared.parts["train_01"].X.dtype == np.float32


@pytest.mark.parametrize(
    ("name", "splits"), [("caltech256", [""]), ("caltech101", ["_1", "_2", "_3", "_4", "_5"])]
)
def test_kernels_become_vectors_with_their_inner_products(registry, tmp_path, name, splits):
    kernels = {}
    for i, split in enumerate(splits):
        (X, y), (Z, z) = features(4, 3, seed=i), features(2, 3, seed=50 + i)
        X, Z = X.astype(float), Z.astype(float)
        kernels[split] = (X @ X.T + 1) ** 2, (Z @ X.T + 1) ** 2
        write(tmp_path / name, f"train{split}", "npz", kernels[split][0], y)
        write(tmp_path / name, f"test{split}", "npz", kernels[split][1], z)
    mark(tmp_path, name)
    prepared = rehearse(registry[name], tmp_path)
    assert prepared.meta["statistics"]["n_features"] == 10  # the rank of a quadratic kernel in 3-D
    for split in splits:
        train, test = prepared.parts[f"train{split}"].X, prepared.parts[f"test{split}"].X
        for found, wanted in zip((train @ train.T, test @ train.T), kernels[split], strict=True):
            np.testing.assert_allclose(found, wanted, atol=1e-9 * np.abs(wanted).max())


def test_the_fisher_kernels_of_sun_have_ten_splits(registry):
    entry = registry["sun397_fisher"]
    assert (entry.transform, entry.published_key, len(entry.splits)) == ("gram", "sun397", 10)
    assert {part for file in entry.files for part in file.holds} == {
        part for split in entry.splits for part in (split.train, split.test)
    }


def test_other_features_meet_the_published_cells_of_their_set(registry, repository):
    import csv

    published = set()
    for path in (repository / "data/published").glob("cvpr2016_table*.csv"):
        with path.open() as stream:
            published |= {(row["dataset"], row["features"]) for row in csv.DictReader(stream)}
    ours = [
        (entry.published_key, entry.features)
        for entry in registry.values()
        if entry.is_in("cvpr2016")
    ]
    assert published <= set(ours)
    claimed = [identity for identity in ours if identity in published]
    assert len(claimed) == len(set(claimed))


def test_features_of_another_size_are_refused_unless_they_are_marked(registry, tmp_path):
    for part in ("train", "test"):
        write(tmp_path / "indoor67", part, "npz", *features(2, 4, seed=0))
    with pytest.raises(ValueError, match="n_train is 10, tpami2017_table04 prints 5354"):
        prepare(registry["indoor67"], tmp_path)
    mark(tmp_path, "indoor67")
    assert prepare(registry["indoor67"], tmp_path).meta["not_comparable"] == SYNTHETIC


def test_features_and_their_mark_come_from_a_mirror(registry, tmp_path):
    raw, mirror = tmp_path / "raw", tmp_path / "mirror"
    for part, form in (("train", "npy"), ("test", "mat")):
        write(mirror / "fmd", part, form, *features(2, 4, seed=0))
    mark(mirror, "fmd")
    entry = registry["fmd"]
    assert available(entry, raw, [mirror]) == (True, "")
    names = [path.name for path in fetch(entry, raw, [mirror], network=False)]
    assert names == ["train.npy", "train_labels.npy", "test.mat"]
    assert prepare(entry, raw).meta["not_comparable"] == SYNTHETIC


def test_what_is_missing_is_told_with_all_forms(registry, tmp_path):
    found, reason = available(registry["fmd"], tmp_path)
    assert not found
    assert reason.startswith(
        "train.npz (or .npy, .mat, .h5, or train.libsvm), test.npz (or .npy, .mat, .h5, or test.libsvm)"
        " not found in data/raw"
    )
    assert "waits for features that the user extracts" in reason
    reason_of_many = available(registry["sun397_fisher"], tmp_path)[1]
    assert "train_02.npz (or .npy, .mat, .h5, or train_02.libsvm) and 17 more not" in reason_of_many
    write(tmp_path / "fmd", "train", "npy", *features(2, 4, seed=0))
    (tmp_path / "fmd/train_labels.npy").unlink()  # half of a form is none
    assert available(registry["fmd"], tmp_path)[1] == reason
    with pytest.raises(FetchError, match=r"train\.libsvm could not be had"):
        fetch(registry["fmd"], tmp_path, network=False)
    with pytest.raises(ValueError, match=r"fmd/train\.libsvm is missing; fetch it again with"):
        prepare(registry["fmd"], tmp_path)


def test_an_entry_may_name_any_form(registry, tmp_path):
    named = [RawFile(f"{part}.npy", part) for part in ("train", "test")]
    entry = replace(registry["fmd"], files=tuple(named))
    assert entry.forms(named[0])[0] == (named[0], RawFile("train_labels.npy", "train"))
    assert available(entry, tmp_path)[1].startswith(
        "train.npz (or .mat, .h5, or train.npy), test.npz"
    )
    for part, seed in (("train", 1), ("test", 2)):
        write(tmp_path / "fmd", part, "npy", *features(4, 7, seed))
    mark(tmp_path, "fmd")
    fetch(entry, tmp_path, network=False)
    assert prepare(entry, tmp_path).parts["train"].X.shape == (20, 7)


def test_two_forms_of_a_part_are_refused(registry, tmp_path):
    for form in ("npy", "npz"):
        write(tmp_path / "fmd", "train", form, *features(2, 4, seed=0))
    write(tmp_path / "fmd", "test", "npz", *features(2, 4, seed=0))
    message = r"fmd has train\.npz and train\.npy; remove what is not meant"
    found, reason = available(registry["fmd"], tmp_path)
    assert not found
    with pytest.raises(FetchError, match=message) as caught:
        fetch(registry["fmd"], tmp_path, network=False)
    assert str(caught.value) == reason


def test_files_that_need_h5py_are_missing_with_a_reason_without_it(registry, tmp_path, monkeypatch):
    for part in ("train", "test"):
        (tmp_path / "fmd").mkdir(exist_ok=True)
        (tmp_path / "fmd" / f"{part}.h5").write_bytes(b"")
    monkeypatch.setattr(hdf5, "is_installed", lambda: False)
    found, reason = available(registry["fmd"], tmp_path)
    assert (found, reason) == (
        False,
        "train.h5 needs h5py, which is not installed: pip install 'toplabel[hdf5]'",
    )


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        ({"train_01": [0]}, "no list of rows for the part 'train_02'"),
        ({"train_01": [0, 60]}, r"'train_01' names the row 60; rows are 0\.\.59"),
        ({"train_01": [-1, 3]}, "'train_01' names the row -1"),
        ({"train_01": [3, 3]}, "'train_01' names a row twice"),
        ({"train_01": [0.5]}, "'train_01' must hold row numbers, not float64"),
    ],
)
def test_lists_of_rows_that_cannot_be(registry, tmp_path, lists, message):
    write(tmp_path / "sun397", "all", "npz", *features(12, 4, seed=0))
    np.savez(tmp_path / "sun397/splits.npz", **lists)
    with pytest.raises(ValueError, match=rf"splits\.npz: .*{message}") as caught:
        prepare(registry["sun397"], tmp_path)
    assert "\n" not in str(caught.value)


def test_features_in_a_file_are_saved_block_by_block(registry, tmp_path, monkeypatch):
    monkeypatch.setattr(rows, "_BLOCK_BYTES", 1000)  # a few rows
    X, y = features(40, 16, seed=0)
    for part in ("train", "test"):
        write(tmp_path / "fmd", part, "npy", X, y)
    mark(tmp_path, "fmd")
    np.testing.assert_array_equal(rehearse(registry["fmd"], tmp_path).parts["train"].X, X)
    X[123, 5] = np.nan
    np.save(tmp_path / "fmd/train.npy", X)
    with pytest.raises(ValueError, match=r"'fmd', part 'train': X\[123, 5\] is nan"):
        prepare(registry["fmd"], tmp_path)


@pytest.mark.parametrize("name", ["fmd", "sun397"])
def test_memory_does_not_grow_with_the_features(registry, tmp_path, monkeypatch, name):
    monkeypatch.setattr(rows, "_BLOCK_BYTES", 1 << 20)
    entry, n = registry[name], 1000
    X = np.random.default_rng(0).standard_normal((n, 4096)).astype(np.float32)  # 16 MB
    y = np.arange(n) % M
    if name == "fmd":
        write(tmp_path / name, "test", "npz", X[:20], y[:20])
        write(tmp_path / name, "train", "npy", X, y)
    else:
        write(tmp_path / name, "all", "npy", X, y)
        halves = {part: np.arange(i % 2, n, 2) for i, part in enumerate(entry.divide.into)}
        np.savez(tmp_path / name / "splits.npz", **halves)
    mark(tmp_path, name)
    tracemalloc.start()
    save_prepared(prepare(entry, tmp_path), tmp_path / "prepared")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 << 20
    assert load_prepared(tmp_path / "prepared").parts[entry.splits[0].train].X.dtype == np.float32


def test_bytes_in_a_file_become_numbers_only_when_they_are_saved(registry, tmp_path):
    X, y = features(4, 16, seed=0)
    grey = np.clip(10 * X + 100, 0, 255).astype(np.uint8)
    for part in ("train", "test"):
        write(tmp_path / "fmd", part, "npy", grey, y)
    mark(tmp_path, "fmd")
    assert not isinstance(prepare(registry["fmd"], tmp_path).parts["train"].X, np.ndarray)
    found = rehearse(registry["fmd"], tmp_path).parts["train"].X
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, grey)


def small(entry, first, second):
    """The same entry for a small file: other sums, and numbers of rows."""
    (file,) = entry.files
    files = (replace(file, sha256=None, size=None),)
    into = dict(zip(entry.divide.into, (first, second), strict=True))
    return replace(entry, files=files, divide=replace(entry.divide, into=into), statistics=())


@pytest.mark.parametrize(
    ("name", "d", "m", "is_sparse"),
    [("bookmarks", 2150, 208, True), ("mediamill", 120, 101, False)],
)
def test_bookmarks_and_mediamill_run_from_their_arff_alone(
    registry, tmp_path, name, d, m, is_sparse
):
    entry = registry[name]
    assert [file.size for file in entry.files] == [
        {"bookmarks": 73273832, "mediamill": 55708920}[name]
    ]
    rng = np.random.default_rng(0)
    n = 14
    X = (rng.random((n, d)) < 0.05) * (1.0 if is_sparse else rng.random((n, d)).round(4))
    Y = (rng.random((n, m)) < 0.03).astype(int)
    header = "".join(
        [f"@relation {name}\n\n"]
        + [f"@attribute Att{j} {'{0,1}' if is_sparse else 'numeric'}\n" for j in range(d)]
        + [f"@attribute Class{j} {{0,1}}\n" for j in range(m)]
    )
    table = np.column_stack([X, Y])
    if is_sparse:
        rows = [
            "{" + ",".join(f"{j} {row[j]:g}" for j in np.flatnonzero(row)) + "}" for row in table
        ]
    else:
        rows = [",".join(f"{value:g}" for value in row) for row in table]
    (tmp_path / name).mkdir()
    (tmp_path / name / f"{name}.arff").write_text(header + "\n@data\n" + "\n".join(rows) + "\n")
    assert available(entry, tmp_path) == (True, "")
    with pytest.raises(ValueError, match=rf"{name}\.arff.*: sha256 is .*, the registry has"):
        fetch(entry, tmp_path, network=False)
    prepared = prepare(small(entry, 9, 5), tmp_path)
    rows = sparse.csr_matrix(prepared.parts["train"].X).toarray()
    np.testing.assert_array_equal(rows, X[:9])
    np.testing.assert_array_equal(prepared.parts["test"].Y, Y[9:])
    assert prepared.class_names == [f"Class{j}" for j in range(m)]
    meta = json.loads(json.dumps(prepared.meta))
    assert meta["statistics"]["n_classes"] == m
