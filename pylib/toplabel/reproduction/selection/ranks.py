"""Where the true class of each test row ranks: what top-k accuracies follow from, row by row."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from toplabel.reproduction.files import read_records, write_records

TOP = "top"


@dataclass(frozen=True)
class TrueRanks:
    """Ranks of one model on the n test rows of a split, a record of ranks.npz.

    `metric` names the top-k accuracies that are measured with this model, ``top<k>``. `above` (n,)
    says how many classes score higher than the true one, `tied` (n,) how many score the same, the
    true one among them.
    """

    split: str
    metric: np.ndarray
    above: np.ndarray
    tied: np.ndarray

    @classmethod
    def of(cls, split: str, metrics: Sequence[str], y: np.ndarray, scores: np.ndarray) -> TrueRanks:
        """Rank the true class y of each row among its scores, shape (n, m)."""
        own = np.take_along_axis(scores, y[:, None], axis=1)
        kind = np.min_scalar_type(scores.shape[1])
        counts = (np.count_nonzero(one, axis=1) for one in (scores > own, scores == own))
        above, tied = (count.astype(kind) for count in counts)
        return cls(split, np.array(metrics), above, tied)

    def hits(self, metric: str) -> np.ndarray:
        """Return whether each row counts for ``top<k>``: 0 or 1, or a share where classes tie.

        Their mean is ``metrics.top_k_accuracy(y, scores, k, ties="shared")``.
        """
        places = int(metric.removeprefix(TOP)) - self.above.astype(np.int64)
        return np.clip(places / self.tied, 0.0, 1.0)


def save_ranks(ranks: Iterable[TrueRanks], path: str | os.PathLike[str]) -> None:
    """Write ranks.npz: the i-th model's fields as ``<i>.<field>``."""
    write_records(ranks, path)


def load_ranks(path: str | os.PathLike[str]) -> list[TrueRanks]:
    """Read ranks.npz; a FileError names a file that is damaged or of another version."""
    return read_records(TrueRanks, path)
