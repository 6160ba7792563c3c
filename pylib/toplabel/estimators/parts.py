"""Rows in parts, so that the scores of all of them are never in memory at once."""

from __future__ import annotations

from collections.abc import Iterator

_NUMBERS = 1 << 21  # scores of a part: 16 MiB


def parts(n: int, m: int) -> Iterator[slice]:
    """Yield the rows 0..n-1 in parts of which the scores for m classes fill about 16 MiB."""
    step = max(1, _NUMBERS // max(1, m))
    for first in range(0, n, step):
        yield slice(first, min(n, first + step))
