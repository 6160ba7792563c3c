"""The sets that need no file."""

import numpy as np

from toplabel.reproduction.data import embedded
from toplabel.reproduction.data.embedded import circle, digit_scenes, digits

PROBABILITIES = np.array(
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.4, 0.1, 0.5], [0.3, 0.7, 0.0], [0.0, 0.0, 1.0]]
)


def position(X):
    """The place on [0, 7] that a point of the circle comes from."""
    return 7 * (np.arctan2(X[:, 1], X[:, 0]) % (2 * np.pi)) / (2 * np.pi)


def test_circle_has_a_split_a_draw_with_the_sizes_of_the_paper():
    loaded = circle(10)
    assert [split.name for split in loaded.splits] == [f"s{i:02d}" for i in range(10)]
    for split in loaded.splits:
        sizes = [loaded.parts[part].n_instances for part in (split.train, split.val, split.test)]
        assert sizes == [200, 200, 200_000]
    assert len({loaded.parts[split.train].X.tobytes() for split in loaded.splits}) == 10


def test_circle_follows_the_distributions_of_segments_and_classes():
    part = circle(n_draws=1).parts["s00_test"]
    np.testing.assert_allclose(np.hypot(*part.X.T), 1.0, rtol=1e-12)
    x = position(part.X)
    segment = np.digitize(x, [1, 2, 3, 6])
    found = np.bincount(segment, minlength=5) / part.n_instances
    np.testing.assert_allclose(found, 0.2, atol=0.006)  # five deviations of a share of a half
    for s, expected in enumerate(PROBABILITIES):
        y = part.y[segment == s]
        found = np.bincount(y, minlength=3) / len(y)
        np.testing.assert_allclose(found, expected, atol=5 * 0.5 / np.sqrt(len(y)))
    within = x[segment == 3] - 3
    assert np.histogram(within, bins=10, range=(0, 3))[0].std() < 0.1 * len(within) / 10


def test_digits_are_split_by_class_and_disjoint():
    loaded = digits()
    train, test = loaded.parts["train"], loaded.parts["test"]
    assert (train.n_instances, test.n_instances, train.n_features) == (1201, 596, 64)
    of_train, of_test = np.bincount(train.y), np.bincount(test.y)
    np.testing.assert_array_equal(of_test, (of_train + of_test) // 3)
    assert (train.X.min(), train.X.max()) == (0, 16)
    assert not {row.tobytes() for row in train.X} & {row.tobytes() for row in test.X}


def test_scenes_have_consistent_labels():
    part = digit_scenes().parts["train"]
    assert (part.n_instances, part.Y.shape, part.y.shape) == (1000, (1000, 10), (1000,))
    regions = np.bincount(part.groups)
    np.testing.assert_array_equal(regions, part.Y.sum(axis=1))  # a digit occurs once a scene
    assert set(regions) == {1, 2, 3, 4}
    assert part.Y[np.arange(1000), part.y].all()  # the prominent digit is one of the set
    np.testing.assert_allclose(part.X * 255, np.round(part.X * 255), atol=1e-9)


def test_the_prominent_digit_is_the_largest_and_an_image_of_its_own_part(monkeypatch):
    # A tile of 1 x 1 is flat grey, one of 8 x 8 without noise is the image itself.
    for constant, value in {"_MOST_DIGITS": 2, "_SIDES": (1, 8), "_NOISE": 0.0}.items():
        monkeypatch.setattr(embedded, constant, value)
    for name, part in digit_scenes().parts.items():
        source = digits().parts[name]
        images = {
            np.round(row * 255 / 16).tobytes(): label
            for row, label in zip(source.X, source.y, strict=True)
        }
        pairs = np.flatnonzero(part.Y.sum(axis=1) == 2)
        assert len(pairs) > 5
        for scene in pairs:
            (sharp,) = (row for row in part.X[part.groups == scene] if np.ptp(row) > 0)
            assert images[np.round(sharp * 255).tobytes()] == part.y[scene]
