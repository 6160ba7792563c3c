"""Classes that can take part in a projection, mostly few of many; the loss of these alone is that
of all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from toplabel.torch.projections import kth_largest

FEWEST_CLASSES = 64
"""Below, a search is not worth its time."""

_GROUPS = 32


@dataclass(frozen=True)
class Candidates:
    """Some classes of each row, packed.

    `scores` (n, width) are minus infinity behind a row's last; `target` are classes (n,) or an
    indicator (n, width) of the packed columns; `origin` and `place` say where each class is among
    all scores, and among the packed ones.
    """

    scores: Tensor
    target: Tensor | None
    origin: Tensor
    place: Tensor

    def spread(self, gradient: Tensor, shape: torch.Size) -> Tensor:
        """Return a gradient of the packed scores as one of all scores, which have this shape."""
        whole = gradient.new_zeros(shape)
        whole.view(-1)[self.origin] = gradient.view(-1)[self.place]
        return whole


def of_classes(scores: Tensor, y: Tensor, k: int, gamma: float, block: int) -> Candidates | None:
    """For the hinges of TPAMI Propositions 1 and 2, whose threshold is at most gamma/k below the
    k-th largest score.

    The first packed column is that of `y`. None where there would be too many; `block` rows are
    searched at a time.
    """
    n, m = scores.shape

    def near(s: Tensor, y: Tensor) -> np.ndarray:
        others = s.scatter(-1, y, -torch.inf)
        return _near(others, below_kth_largest(others, k), gamma / k)

    entries = _search(near, block, scores, y.unsqueeze(-1), at_least=k)
    if entries is None:
        return None
    rows = np.arange(n)
    origin = np.concatenate([entries.origin, rows * m + y.numpy()])
    width = entries.width + 1
    place = np.concatenate([entries.row * width + entries.column + 1, rows * width])
    return _packed(scores, torch.zeros_like(y), origin, place, width)


def of_sets(scores: Tensor, Y: Tensor, gamma: float, block: int) -> Candidates | None:
    """For the multilabel SVM, whose threshold is at most gamma below the largest score outside the
    set.
    """

    def near(s: Tensor, Y: Tensor) -> np.ndarray:
        outside = torch.where(Y, -torch.inf, s)
        return _near(outside, outside.amax(-1, keepdim=True), gamma) | Y.numpy()

    entries = _search(near, block, scores, Y)
    if entries is None:
        return None
    place = entries.row * entries.width + entries.column
    target = Y.all(-1, keepdim=True).repeat(1, entries.width)  # a full set stays one
    target.view(-1)[torch.from_numpy(place)] = Y.reshape(-1)[torch.from_numpy(entries.origin)]
    return _packed(scores, target, entries.origin, place, entries.width)


def of_largest(v: Tensor, k: int) -> Candidates | None:
    """Return the k largest entries and a few others. None in compiled code, off the CPU, or where
    there would be too many.
    """
    if torch.compiler.is_compiling() or not v.is_cpu:
        return None
    entries = _search(lambda v: _near(v, below_kth_largest(v, k), 0.0), len(v), v, at_least=k)
    if entries is None:
        return None
    place = entries.row * entries.width + entries.column
    return _packed(v, None, entries.origin, place, entries.width)


def topk(v: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """`torch.topk` of the last dimension, in a fraction of its time for many classes."""
    packed = of_largest(v, k)
    if packed is None:
        return v.topk(k, -1)
    columns = torch.zeros(packed.scores.shape, dtype=torch.int64)
    columns.view(-1)[packed.place] = packed.origin % v.shape[-1]
    top, where = packed.scores.topk(k, -1)
    return top, columns.gather(-1, where)


def below_kth_largest(v: Tensor, k: int) -> Tensor:
    """At most the k-th largest entry, and near it: the k-th largest of the maxima of disjoint
    groups.
    """
    m = v.shape[-1]
    groups = max(_GROUPS, 4 * k)
    if k == 1 or m < 2 * groups:
        return kth_largest(v, k)
    size = m // groups
    return kth_largest(v[..., : size * groups].unflatten(-1, (size, groups)).amax(-2), k)


def _near(v: Tensor, top: Tensor, reach: float) -> np.ndarray:
    """Return where v is at most `reach` below `top`, or not a number; NumPy takes a quarter of
    PyTorch's time.
    """
    bound = torch.nextafter(top - reach, torch.full_like(top, -torch.inf))
    bound.clamp_(min=torch.finfo(v.dtype).min)  # minus infinity takes no part
    mask = np.less(v.numpy(), bound.numpy())
    return np.logical_not(mask, out=mask)


@dataclass(frozen=True)
class _Found:
    """Entries of an array with `origin` their positions, and where each is when they are packed to
    the left.
    """

    origin: np.ndarray
    row: np.ndarray
    column: np.ndarray
    width: int


def _search(
    mask: Callable[..., np.ndarray], block: int, *arrays: Tensor, at_least: int = 1
) -> _Found | None:
    """Return the entries where the mask is true; None if a row has so many that nothing is gained,
    or a row has fewer than `at_least`.
    """
    n, m = arrays[0].shape
    if m < FEWEST_CLASSES or n == 0:
        return None
    origin = np.concatenate(
        [
            np.flatnonzero(mask(*parts)) + number * block * m
            for number, parts in enumerate(zip(*(a.split(block) for a in arrays), strict=True))
        ]
    )
    row = origin // m
    counts = np.bincount(row, minlength=n)
    width = int(counts.max())
    if 2 * width > m or counts.min() < at_least:
        return None
    starts = np.cumsum(counts) - counts
    return _Found(origin, row, np.arange(len(origin)) - starts[row], width)


def _packed(
    scores: Tensor, target: Tensor | None, origin: np.ndarray, place: np.ndarray, width: int
) -> Candidates:
    at, to = torch.from_numpy(origin), torch.from_numpy(place)
    packed = scores.new_full((len(scores), width), -torch.inf)
    packed.view(-1)[to] = scores.view(-1)[at]
    return Candidates(packed, target, at, to)
