"""The real files, as far as a mirror holds them: what the papers and their publishers say of them."""

import numpy as np
import pytest

from toplabel.reproduction.data import PrepareTask
from toplabel.reproduction.data.checks import disagreements
from toplabel.reproduction.data.fetch import missing_reason, raw_path, read_raw
from toplabel.reproduction.data.prepare import prepare

pytestmark = pytest.mark.mirror

# n_train, n_val, n_test, d, m, label cardinality over all rows, all-zero training rows, empty
# label sets and labels without a positive in the training part.
EXPECTED = {
    "letter": (10_500, 4_500, 5_000, 16, 26, None, 0, 0, 0),
    "caltech101_silhouettes": (4_100, 2_264, 2_307, 784, 101, None, 0, 0, 0),
    "landsat": (4_435, None, 2_000, 36, 6, None, 0, 0, 0),
    "optdigits": (3_823, None, 1_797, 64, 10, None, 0, 0, 0),
    "pendigits": (7_494, None, 3_498, 16, 10, None, 0, 0, 0),
    "isolet": (6_238, None, 1_559, 617, 26, None, 0, 0, 0),
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


@pytest.fixture
def prepared(registry, mirror):
    """Prepare a set of the mirror."""

    def make(name):
        if reason := missing_reason(registry[name], mirror):
            pytest.skip(reason)
        return prepare(PrepareTask.of(registry[name]), mirror)

    return make


@pytest.mark.parametrize("name", EXPECTED)
def test_statistics_of_the_real_files_are_those_of_the_paper(registry, prepared, name):
    measured = prepared(name).meta["statistics"]
    cardinality = measured["label_cardinality"]
    assert EXPECTED[name] == (
        *(measured[key] for key in ("n_train", "n_val", "n_test", "n_features", "n_classes")),
        cardinality and round(cardinality, 4),
        *(measured[key] for key in ("zero_rows", "empty_label_sets", "classes_without_example")),
    )
    differing = [key for _, key in disagreements(measured, registry[name].statistics)]
    # The known exception is explained in the registry.
    assert differing == (["n_train", "n_features"] if name == "medical" else [])


def test_yeast_labels_go_by_name_not_by_position(registry, prepared, mirror):
    yeast = prepared("yeast")
    pieces = []
    (file,) = (file for file in registry["yeast"].files if file.part == "test")
    read_raw(file, raw_path("yeast", file.name, mirror), pieces.append)
    lines = b"".join(pieces).decode().splitlines()
    header = [line.split()[1] for line in lines if line.startswith("@attribute")]
    rows = [line.split(",") for line in lines if line and line[0] in "-0123456789"]
    assert yeast.class_names != header[-14:]
    for j, name in enumerate(yeast.class_names):
        column = [int(row[header.index(name)]) for row in rows]
        np.testing.assert_array_equal(yeast.parts["test"].Y[:, j], column)
