"""IDX files: what is read, and the errors."""

import numpy as np
import pytest

from toplabel.reproduction.data.formats import FORMATS, FormatError, Source

LABELS = {"train": "train-labels"}


def _idx(array, kind=0x08):
    sizes = b"".join(size.to_bytes(4, "big") for size in array.shape)
    return bytes([0, 0, kind, array.ndim]) + sizes + array.astype(np.uint8).tobytes()


IMAGES = np.arange(12).reshape(3, 2, 2) * 20
GOOD = (_idx(IMAGES), _idx(np.array([7, 3, 7])))


@pytest.fixture
def read(tmp_path):
    def load(images, labels, names=LABELS):
        (tmp_path / "train-images").write_bytes(images)
        if labels:
            (tmp_path / "train-labels").write_bytes(labels)
        source = Source(parts={"train": tmp_path / "train-images"}, task="multiclass")
        return FORMATS["idx"](source, labels=names)

    return load


def test_images_become_rows_and_labels_classes(read):
    loaded = read(*GOOD)
    np.testing.assert_array_equal(loaded.parts["train"].X, IMAGES.reshape(3, 4))
    np.testing.assert_array_equal(loaded.parts["train"].y, [1, 0, 1])
    assert loaded.class_names == ["3", "7"]


@pytest.mark.parametrize(
    ("images", "labels", "message"),
    [
        (b"", GOOD[1], "train-images: not an IDX file"),
        (b"\x00\x01" + GOOD[0][2:], GOOD[1], "train-images: not an IDX file"),
        (_idx(IMAGES, kind=0x0D), GOOD[1], "train-images: type 0x0d"),
        (GOOD[0][:7], GOOD[1], "train-images: cut off in its header"),
        (GOOD[0][:-1], GOOD[1], r"train-images: 11 numbers, but the header says \(3, 2, 2\)"),
        (GOOD[0] + b"\x00", GOOD[1], "train-images: 13 numbers"),
        (_idx(IMAGES[:0]), GOOD[1], "train-images: no row in it"),
        (_idx(np.ones((3, *[1] * 63))), GOOD[1], "train-images: 64 dimensions; at most 8 are"),
        (GOOD[0], GOOD[1][:-1], "train-labels: 2 numbers"),
        (GOOD[0], _idx(np.array([1, 2])), r"train-labels: \(2,\) labels for 3 images"),
        (GOOD[0], _idx(np.ones((3, 1))), r"train-labels: \(3, 1\) labels for 3 images"),
        (GOOD[0], b"", "train-labels: cannot be read"),
    ],
)
def test_faults_name_the_file(read, images, labels, message):
    with pytest.raises(FormatError, match=message):
        read(images, labels)


def test_a_part_needs_the_name_of_its_labels(read):
    with pytest.raises(FormatError, match="names no file for the part 'train'"):
        read(*GOOD, names={"test": "t10k-labels"})
