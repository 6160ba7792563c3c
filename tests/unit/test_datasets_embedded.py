"""The sets that need no file."""

import numpy as np
import pytest

from toplabel.reproduction.config import formats
from toplabel.reproduction.config.documents import Fault, validate
from toplabel.reproduction.data.embedded import (
    EMBEDDED,
    circle,
    digit_scenes,
    digits,
)

CIRCLE_PROBABILITIES = np.array(
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.4, 0.1, 0.5], [0.3, 0.7, 0.0], [0.0, 0.0, 1.0]]
)


def position(X):
    """The place on [0, 7] that a point of the circle comes from."""
    return 7 * (np.arctan2(X[:, 1], X[:, 0]) % (2 * np.pi)) / (2 * np.pi)


def segment(X):
    return np.digitize(position(X), [1, 2, 3, 6])


def flat_bytes(loaded):
    arrays = []
    for name in sorted(loaded.parts):
        part = loaded.parts[name]
        arrays += [a for a in (part.X, part.y, part.Y, part.groups) if a is not None]
    return b"".join(array.tobytes() for array in arrays)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("circle", {"n_test": 500, "n_draws": 2}),
        ("digits", {}),
        ("digit_scenes", {"n_train": 50, "n_test": 50}),
    ],
)
def test_same_options_give_the_same_bytes(name, options):
    assert flat_bytes(EMBEDDED[name](**options)) == flat_bytes(EMBEDDED[name](**options))


@pytest.mark.parametrize("name", ["circle", "digit_scenes"])
def test_another_seed_gives_other_data(name):
    sizes = {"n_train": 50, "n_test": 50}
    first = EMBEDDED[name](**sizes, seed=0)
    second = EMBEDDED[name](**sizes, seed=1)
    assert flat_bytes(first) != flat_bytes(second)


def test_circle_has_a_split_a_draw_with_the_sizes_of_the_paper():
    loaded = circle()
    assert [split.name for split in loaded.splits] == [f"s{i:02d}" for i in range(10)]
    for split in loaded.splits:
        sizes = [loaded.parts[part].n_instances for part in (split.train, split.val, split.test)]
        assert sizes == [200, 200, 200_000]
    trains = {loaded.parts[split.train].X.tobytes() for split in loaded.splits}
    assert len(trains) == 10


def test_circle_follows_the_class_distribution_of_each_segment():
    part = circle(n_draws=1).parts["s00_test"]
    np.testing.assert_allclose(np.hypot(*part.X.T), 1.0, rtol=1e-12)
    segments = segment(part.X)
    for s, expected in enumerate(CIRCLE_PROBABILITIES):
        y = part.y[segments == s]
        shares = np.bincount(y, minlength=3) / len(y)
        # 40,000 points a segment: five deviations of a share of one half.
        np.testing.assert_allclose(shares, expected, atol=5 * 0.5 / np.sqrt(len(y)))
        assert set(np.unique(y)) == set(np.flatnonzero(expected))


@pytest.mark.parametrize(
    ("segments", "shares"),
    [("equal", [0.2] * 5), ("length", [1 / 7, 1 / 7, 1 / 7, 3 / 7, 1 / 7])],
)
def test_circle_readings_differ_in_how_often_a_segment_is_hit(segments, shares):
    part = circle(n_draws=1, n_test=50_000, segments=segments).parts["s00_test"]
    found = np.bincount(segment(part.X), minlength=5) / part.n_instances
    np.testing.assert_allclose(found, shares, atol=5 * 0.5 / np.sqrt(50_000))


def test_circle_points_are_uniform_within_a_segment():
    part = circle(n_draws=1, n_test=50_000).parts["s00_test"]
    x = position(part.X)
    fourth = x[(x >= 3) & (x < 6)]
    counts = np.histogram(fourth, bins=10, range=(3, 6))[0]
    np.testing.assert_allclose(counts / len(fourth), 0.1, atol=5 * 0.3 / np.sqrt(len(fourth)))


def test_digits_are_split_by_class_and_disjoint():
    loaded = digits()
    train, test = loaded.parts["train"], loaded.parts["test"]
    assert (train.n_instances, test.n_instances, train.n_features) == (1201, 596, 64)
    of_train, of_test = np.bincount(train.y), np.bincount(test.y)
    np.testing.assert_array_equal(of_test, (of_train + of_test) // 3)
    assert train.X.min() == 0
    assert train.X.max() == 16
    assert not {row.tobytes() for row in train.X} & {row.tobytes() for row in test.X}


def test_scenes_have_consistent_labels():
    loaded = digit_scenes(n_train=200, n_test=100)
    part = loaded.parts["train"]
    assert (part.n_instances, part.Y.shape, part.y.shape) == (200, (200, 10), (200,))
    regions = np.bincount(part.groups)
    np.testing.assert_array_equal(regions, part.Y.sum(axis=1))  # a digit occurs once a scene
    assert set(regions) == {1, 2, 3, 4}
    assert part.Y[np.arange(200), part.y].all()  # the prominent digit is one of the set
    assert part.X.min() >= 0
    assert part.X.max() <= 1
    np.testing.assert_allclose(part.X * 255, np.round(part.X * 255), atol=1e-9)


def test_scenes_without_noise_show_images_of_their_own_part_only():
    # At the original scale and without noise a region is the image itself.
    loaded = digit_scenes(n_train=100, n_test=100, max_digits=1, sides=(8,), noise=0.0)
    images = {
        name: {np.round(row * 255 / 16).tobytes() for row in part.X}
        for name, part in digits().parts.items()
    }
    for name, part in loaded.parts.items():
        assert {np.round(row * 255).tobytes() for row in part.X} <= images[name]


def test_the_prominent_digit_is_the_sharpest_one():
    # A tile of 1 x 1 is flat grey, one of 8 x 8 is not: the prominent one must vary.
    loaded = digit_scenes(n_train=50, n_test=10, max_digits=2, sides=(1, 8), noise=0.0)
    part = loaded.parts["train"]
    train_images = {
        np.round(row * 255 / 16).tobytes(): label
        for row, label in zip(digits().parts["train"].X, digits().parts["train"].y, strict=True)
    }
    seen = 0
    for scene in np.flatnonzero(part.Y.sum(axis=1) == 2):
        rows = part.X[part.groups == scene]
        sharp = [row for row in rows if np.ptp(row) > 0]
        assert len(sharp) == 1
        assert train_images[np.round(sharp[0] * 255).tobytes()] == part.y[scene]
        seen += 1
    assert seen > 5


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("digits", {"seed": 1}, "unknown key 'seed'"),
        ("circle", {"n_draws": 0}, "n_draws: 0 is below 1"),
        ("circle", {"n_train": 1.5}, "n_train: 1.5 is not a whole number"),
        ("circle", {"segments": "odd"}, "segments: 'odd' is not one of 'equal' or 'length'"),
        ("circle", {"generator": "authors"}, "generator: the authors' draw is one, of equal"),
        ("digit_scenes", {"max_digits": 11}, "max_digits: 11 is above 10"),
        ("digit_scenes", {"sides": [4, 4, 5, 6]}, "sides: 4 is given twice"),
        ("digit_scenes", {"sides": [4]}, "sides: has fewer entries than max_digits, 4"),
        ("digit_scenes", {"noise": -1.0}, "noise: -1.0 is below 0"),
    ],
)
def test_bad_options_are_refused_by_the_registry(name, options, message):
    with pytest.raises(Fault, match=f"^{message}"):
        validate(options, formats.EMBEDDED[name])


def test_every_embedded_set_has_a_split():
    for make in EMBEDDED.values():
        assert make().splits
