"""Data sets that need no file: circle, digits and digit_scenes.

A set is a function of its registry options, which are checked by the annotations of its arguments;
every draw comes from `toplabel.reproduction.jobs.seed_of`, so the same options give the same bytes
in whatever order the sets are made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from pydantic import PositiveInt
from sklearn.datasets import load_digits

from toplabel.reproduction.config.entry import Split
from toplabel.reproduction.data.parts import LoadedSet, Part
from toplabel.reproduction.jobs import seed_of

_CIRCLE_EDGES = np.array([0.0, 1.0, 2.0, 3.0, 6.0, 7.0])
# Row: class; column: segment. The columns sum to one, so these are P(class | segment).
_CIRCLE_CLASSES = np.array(
    [
        [0.0, 1.0, 0.4, 0.3, 0.0],
        [1.0, 0.0, 0.1, 0.7, 0.0],
        [0.0, 0.0, 0.5, 0.0, 1.0],
    ]
)
_CIRCLE_SIZES = {"train": 200, "val": 200, "test": 200_000}  # points of a draw
_MATLAB_SEED = 5489  # of rng(0)
_DIGITS = [str(digit) for digit in range(10)]
_DIGIT_SIDE = 8
_DIGIT_MAX = 16.0  # the UCI digits count the dark pixels of 4 x 4 blocks
_GREYS = 255.0
_SCENES = 1000  # of each part
_MOST_DIGITS = 4  # of a scene; each number from 1 on is equally likely
_SIDES = (4, 5, 6, 8, 12, 16)  # of a tile, in pixels; those within a scene differ
_NOISE = 0.15  # the standard deviation; pixels are in 0..1


def circle(n_draws: PositiveInt, generator: Literal["seeded", "authors"] = "seeded") -> LoadedSet:
    """Draw the synthetic set of TPAMI section 6.1, `n_draws` times, each a split of its own.

    A point lies in one of five segments of [0, 7] (the fourth has length 3, the others 1), uniform
    within it; its class follows the segment's distribution; [0, 7] is then wound once around the
    unit circle. Segments are hit equally often; the paper's text also allows another reading, in
    proportion to their length. Bayes top-1 and top-2 accuracy are 84 % and 98 %.

    The generator "authors" is the one draw of the authors' public demo (mlapin/libsdca,
    ``matlab/getdata.m``), which begins with MATLAB's ``rng(0)``. All its points come from one
    stream, and the first ones train. MATLAB's default generator is the Mersenne Twister with the
    seed 5489, and its uniform numbers are those of NumPy's `RandomState`.
    """
    if generator == "authors":
        return _authors_circle()
    parts, splits = {}, []
    for draw in range(n_draws):
        split = f"s{draw:02d}"
        names = {role: f"{split}_{role}" for role in _CIRCLE_SIZES}
        for role, n in _CIRCLE_SIZES.items():
            rng = np.random.default_rng(seed_of("circle", 0, split, role))
            parts[names[role]] = _circle_part(rng.random((3, n)))
        splits.append(Split(name=split, **names))
    return LoadedSet(parts, ["1", "2", "3"], splits)


def _authors_circle() -> LoadedSet:
    """Make the one draw of the authors: all rows at once, then cut into parts."""
    ends = np.cumsum([*_CIRCLE_SIZES.values()])
    uniforms = np.random.RandomState(_MATLAB_SEED).random_sample((3, ends[-1]))
    cuts = zip(_CIRCLE_SIZES, np.split(uniforms, ends[:-1], axis=1), strict=True)
    parts = {role: _circle_part(cut) for role, cut in cuts}
    return LoadedSet(parts, ["1", "2", "3"], [Split("s00", "train", "val", "test")])


def _circle_part(uniforms: np.ndarray) -> Part:
    """Turn uniform numbers, for segment, place and class of each point, (3, n), into points."""
    # Inverse distribution functions, to depend on nothing of the generator but its uniforms.
    u_segment, u_place, u_class = uniforms
    segment = np.searchsorted(np.cumsum(np.full(5, 0.2))[:-1], u_segment, side="right")
    x = _CIRCLE_EDGES[segment] + u_place * np.diff(_CIRCLE_EDGES)[segment]
    cumulative = np.cumsum(_CIRCLE_CLASSES, axis=0)[:-1]
    y = (u_class >= cumulative[:, segment]).sum(axis=0)
    angle = 2.0 * np.pi * x / _CIRCLE_EDGES[-1]
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    return Part(X=X, y=y.astype(np.int64))


def digits() -> LoadedSet:
    """Split the 1797 UCI digits that scikit-learn ships: 8 x 8 grey values 0..16, as published.

    The split is fixed and stratified without a draw: of each class, in the order of the file, every
    third image is tested on (1201 training and 596 test images).
    """
    images, labels, is_test = _digit_images()
    parts = {
        name: Part(X=images[mask].reshape(-1, _DIGIT_SIDE**2), y=labels[mask])
        for name, mask in (("train", ~is_test), ("test", is_test))
    }
    return LoadedSet(parts, _DIGITS, [Split("main", "train", None, "test")])


def _digit_images() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return images (1797, 8, 8) with values 0..16, labels, and the mask of the test images."""
    bunch = load_digits()
    labels = bunch.target.astype(np.int64)
    is_test = np.zeros(len(labels), dtype=bool)
    for digit in range(10):
        is_test[np.flatnonzero(labels == digit)[2::3]] = True
    return bunch.images.astype(np.float64), labels, is_test


def digit_scenes() -> LoadedSet:
    """Compose scenes of different digits at different scales.

    A scene stands for an image with several objects (TPAMI section 6.3): each digit is a tile of
    its own side length, drawn from an image of `digits`, with Gaussian noise added at that scale; a
    tile is a region, described by its 8 x 8 resampling. Small tiles have lost detail and carry more
    noise, as small objects do. ``Y`` holds the set of digits, ``y`` the prominent one: that of the
    largest tile. Training and test scenes are made of disjoint digit images.
    """
    images, labels, is_test = _digit_images()
    images = images / _DIGIT_MAX
    parts = {}
    for name, mask in (("train", ~is_test), ("test", is_test)):
        rng = np.random.default_rng(seed_of("digit_scenes", 0, name))
        parts[name] = _compose(rng, images[mask], labels[mask])
    return LoadedSet(parts, _DIGITS, [Split("main", "train", None, "test")])


def _compose(rng: np.random.Generator, images: np.ndarray, labels: np.ndarray) -> Part:
    of_digit = [np.flatnonzero(labels == digit) for digit in range(10)]
    rows, groups = [], []
    Y = np.zeros((_SCENES, 10), dtype=np.uint8)
    y = np.zeros(_SCENES, dtype=np.int64)
    for scene in range(_SCENES):
        count = int(rng.integers(1, _MOST_DIGITS + 1))
        chosen = rng.permutation(10)[:count]
        scales = np.asarray(_SIDES)[rng.permutation(len(_SIDES))[:count]]
        for digit, side in zip(chosen, scales, strict=True):
            image = images[rng.choice(of_digit[digit])]
            rows.append(_tile(rng, image, int(side)))
            groups.append(scene)
        Y[scene, chosen] = 1
        y[scene] = chosen[np.argmax(scales)]
    return Part(X=np.array(rows), y=y, Y=Y, groups=np.array(groups, dtype=np.int64))


def _tile(rng: np.random.Generator, image: np.ndarray, side: int) -> np.ndarray:
    """Return one region: the noisy image at `side` x `side`, as 64 grey values in [0, 1]."""
    tile = _resample(image, side)
    tile = np.clip(tile + _NOISE * rng.standard_normal(tile.shape), 0.0, 1.0)
    # Whole grey levels, as a camera stores them; it also hides the last bits of the sums.
    return np.round(_resample(tile, _DIGIT_SIDE) * _GREYS).ravel() / _GREYS


def _resample(image: np.ndarray, side: int) -> np.ndarray:
    """Resample a square image by the mean over each new pixel's area."""
    weights = _overlaps(image.shape[0], side)
    # einsum without optimisation calls no BLAS, whose sums depend on the machine.
    return np.einsum("ik,kl,jl->ij", weights, image, weights, optimize=False)


def _overlaps(n_in: int, n_out: int) -> np.ndarray:
    """Return the share of each old pixel (column) in each new one (row), in one dimension; rows sum
    to one.
    """
    new = np.arange(n_out)[:, None] * n_in
    old = np.arange(n_in)[None, :] * n_out
    shared = np.minimum(new + n_in, old + n_out) - np.maximum(new, old)
    return np.maximum(shared, 0) / n_in


EMBEDDED: dict[str, Callable[..., LoadedSet]] = {
    "circle": circle,
    "digits": digits,
    "digit_scenes": digit_scenes,
}
