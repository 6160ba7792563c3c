"""The real files, as far as a mirror holds them: what SOURCES and the papers say of them."""

import lzma

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits

from toplabel.reproduction.config.datasets import load_registry
from toplabel.reproduction.data.fetch import fetch, find_checked
from toplabel.reproduction.data.formats import FORMATS, Source
from toplabel.reproduction.data.formats.voc import Archive
from toplabel.reproduction.data.locate import available
from toplabel.reproduction.data.prepare import prepare
from toplabel.reproduction.data.statistics import dataset_row, list_statistics

pytestmark = pytest.mark.mirror

# n_train, n_val, n_test, d, m, label cardinality over all rows, all-zero training rows, empty
# label sets and labels without a positive in the training part.
EXPECTED = {
    "letter": (10_500, 4_500, 5_000, 16, 26, None, 0, 0, 0),
    "caltech101_silhouettes": (4_100, 2_264, 2_307, 784, 101, None, 0, 0, 0),
    "landsat": (4_435, None, 2_000, 36, 6, None, 0, 0, 0),
    "optdigits": (3_823, None, 1_797, 64, 10, None, 0, 0, 0),
    "usps": (7_291, None, 2_007, 256, 10, None, 0, 0, 0),
    "mnist": (60_000, None, 10_000, 784, 10, None, 0, 0, 0),
    "isolet1": (1_248, None, 312, 617, 26, None, 0, 0, 0),
    "news20_sparse": (12_748, None, 3_187, 62_061, 20, None, 0, 0, 0),
    "emotions": (391, None, 202, 72, 6, 1.8685, 0, 0, 0),
    "yeast": (1_500, None, 917, 103, 14, 4.2371, 0, 0, 0),
    "scene": (1_211, None, 1_196, 294, 6, 1.0740, 0, 0, 0),
    "medical": (333, None, 645, 1_449, 45, 1.2454, 0, 0, 7),
    "medical_645": (645, None, 333, 1_449, 45, 1.2454, 0, 0, 6),
    "enron": (1_123, None, 579, 1_001, 53, 3.3784, 6, 0, 1),
    "bibtex": (4_880, None, 2_515, 1_836, 159, 2.4019, 0, 0, 0),
    "corel5k": (4_500, None, 500, 499, 374, 3.5220, 0, 0, 3),
    "delicious": (12_920, None, 3_185, 500, 983, 19.0200, 0, 10, 0),
}


@pytest.fixture(scope="module")
def prepared(repository, tmp_path_factory):
    """Fetch and prepare a set, once for all tests."""
    registry = load_registry(repository / "config/datasets.yaml")
    raw = tmp_path_factory.mktemp("raw")
    done = {}

    def make(name, mirror):
        if name not in done:
            entry = registry[name]
            found, reason = available(entry, raw, [mirror])
            if not found:
                pytest.skip(reason)
            fetch(entry, raw, [mirror], network=False)
            done[name] = prepare(entry, raw)
        return done[name]

    return make


@pytest.mark.parametrize("name", EXPECTED)
def test_statistics_of_the_real_files_are_those_of_the_paper(prepared, mirror, name):
    n_train, n_val, n_test, d, m, cardinality, zero, empty, unused = EXPECTED[name]
    measured = prepared(name, mirror).meta["statistics"]
    sizes = (measured["n_train"], measured["n_val"], measured["n_test"])
    assert sizes == (n_train, n_val, n_test)
    assert (measured["n_features"], measured["n_classes"]) == (d, m)
    if cardinality is None:
        assert measured["label_cardinality"] is None
    else:
        assert round(measured["label_cardinality"], 4) == cardinality
    assert (measured["zero_rows"], measured["empty_label_sets"]) == (zero, empty)
    assert measured["classes_without_example"] == unused
    paper = prepared(name, mirror).meta["paper"]
    if name == "medical":  # the known exception, explained in the registry
        assert [text.split()[0] for text in paper["differences"]] == ["n_train", "n_features"]
        assert all(": " in text for text in paper["differences"])
    elif paper["paper_source"] is None:
        assert paper["agrees"] is None
    else:
        assert paper["agrees"] is True


def test_yeast_labels_go_by_name_not_by_position(prepared, mirror, repository, tmp_path):
    yeast = prepared("yeast", mirror)
    assert yeast.class_names[:5] == ["Class1", "Class2", "Class3", "Class6", "Class4"]
    # Straight from the text, where the columns are in another order.
    entry = load_registry(repository / "config/datasets.yaml")["yeast"]
    paths = {path.name: path for path in fetch(entry, tmp_path, [mirror], network=False)}
    lines = paths["yeast-test.arff"].read_text().splitlines()
    header = [line.split()[1] for line in lines if line.startswith("@attribute")]
    rows = [line.split(",") for line in lines if line and line[0] in "-0123456789"]
    assert yeast.class_names != header[-14:]
    assert sorted(yeast.class_names) == sorted(header[-14:])
    for j, name in enumerate(yeast.class_names):
        column = [int(row[header.index(name)]) for row in rows]
        np.testing.assert_array_equal(yeast.parts["test"].Y[:, j], column)


def as_multiset(X, y):
    table = np.column_stack([X, y])
    return table[np.lexsort(table.T)]


def test_the_uci_text_of_letter_has_the_rows_of_the_libsvm_files(prepared, mirror, tmp_path):
    path = tmp_path / "letter.data"
    path.write_bytes(lzma.decompress((mirror / "letter/letter-recognition.data.xz").read_bytes()))
    uci = FORMATS["uci_csv"](Source({"all": path}, "multiclass"), label=0)
    assert uci.class_names == [chr(ord("A") + j) for j in range(26)]
    letter = prepared("letter", mirror)
    X = np.concatenate([letter.parts[name].X for name in ("train", "val", "test")])
    y = np.concatenate([letter.parts[name].y for name in ("train", "val", "test")])
    grey = np.round(7.5 * X + 7.5)
    np.testing.assert_allclose(7.5 * X + 7.5, grey, atol=1e-4)
    ours = uci.parts["all"]
    np.testing.assert_array_equal(as_multiset(ours.X, ours.y), as_multiset(grey, y))


def test_optdigits_are_the_digits_of_scikit_learn(prepared, mirror):
    test, digits = prepared("optdigits", mirror).parts["test"], load_digits()
    np.testing.assert_array_equal(test.X, digits.data)
    np.testing.assert_array_equal(test.y, digits.target)


def test_usps_classes_are_as_many_as_its_description_says(prepared, mirror):
    lines = (mirror / "usps/zip.info.txt").read_text().splitlines()
    for role, word in (("train", "Train 1194"), ("test", " Test  359")):
        (line,) = (line for line in lines if line.startswith(word))
        counts = np.bincount(prepared("usps", mirror).parts[role].y)
        assert counts.tolist() == [int(number) for number in line.split()[1:-1]]


def test_silhouettes_are_binary_and_some_test_images_are_trained_on(prepared, mirror):
    parts = prepared("caltech101_silhouettes", mirror).parts
    assert {value for part in parts.values() for value in np.unique(part.X)} == {0.0, 1.0}
    known = {row.tobytes() for name in ("train", "val") for row in parts[name].X}
    assert sum(row.tobytes() in known for row in parts["test"].X) == 11


def test_isolet_rows_stand_in_columns(prepared, mirror):
    isolet = prepared("isolet1", mirror)
    assert np.bincount(isolet.parts["train"].y).tolist() == [48] * 26
    assert "speaker group 1 alone" in isolet.meta["not_comparable"]
    assert max(np.abs(part.X).max() for part in isolet.parts.values()) == 1.0


def test_both_news20_sets_are_cut_alike(prepared, mirror, repository):
    registry = load_registry(repository / "config/datasets.yaml")
    one, two = registry["news20_sparse"], registry["news20_pca"]
    assert (one.folder, one.divide, one.files) == (two.folder, two.divide, two.files)
    assert sparse.issparse(prepared("news20_sparse", mirror).parts["train"].X)


def test_both_readings_of_medical_have_the_same_rows(prepared, mirror):
    one, two = prepared("medical", mirror), prepared("medical_645", mirror)
    assert (one.splits[0].train, two.splits[0].train) == ("train", "test")
    X, Z = (sparse.csr_matrix(each.parts["train"].X) for each in (one, two))
    assert (X != Z).nnz == 0
    assert two.meta["published_key"] == "medical_645"


def test_label_lists_of_voc_2007_give_the_printed_statistics(repository, mirror, tmp_path):
    entry = load_registry(repository / "config/datasets.yaml")["voc2007"]
    path = find_checked(entry, entry.label_lists.file, tmp_path, [mirror])
    if path is None:
        pytest.skip(f"{entry.label_lists.file.name} not found in the mirror")
    found = list_statistics(path, entry.label_lists)
    assert (found["n_classes"], found["n_train"], found["n_test"]) == (20, 5011, 4952)
    assert found["classes_without_example"] == found["empty_label_sets"] == 0
    # 1.46 is printed: of the training part, without objects marked as difficult.
    assert round(found["parts"]["train"]["label_cardinality"], 4) == 1.4580
    row = dataset_row(entry, None, "no features", found)
    assert (row["status"], row["agrees"]) == ("missing", True)
    assert round(row["label_cardinality"], 2) == 1.46
    # The other readings are not 1.46.
    assert round(found["label_cardinality"], 2) == 1.44
    images = Archive(path).images_of("trainval")
    with_difficult = Archive(path).label_sets("present")[1]
    assert round(float(np.mean([with_difficult[image].sum() for image in images])), 2) == 1.58
    assert {*Archive(path).label_sets()[0]} == {*entry.options["classes"]}
