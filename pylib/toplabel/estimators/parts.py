"""Rows in parts, so that the scores of all of them are never in memory at once."""

from __future__ import annotations

from collections.abc import Iterator

from toplabel._core.arrays import row_blocks

_NUMBERS = 1 << 21  # scores of a part: 16 MiB


def parts(n: int, m: int) -> Iterator[slice]:
    """Return the rows 0..n-1 in parts of which the scores for m classes fill about 16 MiB."""
    return row_blocks(n, m, _NUMBERS)
