"""The real files, as far as a mirror holds them: what SOURCES and the papers say of them."""

import numpy as np
import pytest

from toplabel.datasets.fetch import available, fetch
from toplabel.datasets.prepare import prepare
from toplabel.datasets.registry import load_registry

pytestmark = pytest.mark.mirror

# n_train, n_val, n_test, d, m, label cardinality over all rows, all-zero training rows, empty
# label sets and labels without a positive in the training part.
EXPECTED = {
    "letter": (10_500, 4_500, 5_000, 16, 26, None, 0, 0, 0),
    "emotions": (391, None, 202, 72, 6, 1.8685, 0, 0, 0),
    "yeast": (1_500, None, 917, 103, 14, 4.2371, 0, 0, 0),
    "scene": (1_211, None, 1_196, 294, 6, 1.0740, 0, 0, 0),
    "medical": (333, None, 645, 1_449, 45, 1.2454, 0, 0, 7),
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
def test_statistics_of_the_real_files(prepared, mirror, name):
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


@pytest.mark.parametrize("name", EXPECTED)
def test_the_paper_prints_these_statistics(prepared, mirror, name):
    paper = prepared(name, mirror).meta["paper"]
    if name == "medical":  # the known exception, explained in the registry
        assert [text.split()[0] for text in paper["differences"]] == ["n_train", "n_features"]
        assert all(": " in text for text in paper["differences"])
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
