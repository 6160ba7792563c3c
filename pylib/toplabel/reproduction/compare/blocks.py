"""The data sets and methods whose ranks can be compared; planning asks, so without pandas."""

from __future__ import annotations

from collections.abc import Iterable

LEAST_SETS, LEAST_METHODS = 3, 3


def block(cells: Iterable[tuple[str, str]]) -> tuple[list[str], list[str]]:
    """Return the data sets and methods of the largest complete table, whose ranks can be compared.

    `cells` are pairs of data set and method. Sets are taken from the one with most methods
    downwards, as long as (sets) x (methods of all of them) grows. Both lists are in alphabetical
    order, and empty where fewer than `LEAST_SETS` sets share `LEAST_METHODS` methods.
    """
    by_set: dict[str, set[str]] = {}
    for dataset, method in cells:
        by_set.setdefault(dataset, set()).add(method)
    order = sorted(by_set, key=lambda name: (-len(by_set[name]), name))
    found: tuple[list[str], list[str]] = ([], [])
    for count in range(LEAST_SETS, len(order) + 1):
        shared = set.intersection(*(by_set[name] for name in order[:count]))
        if len(shared) >= LEAST_METHODS and count * len(shared) > len(found[0]) * len(found[1]):
            found = (sorted(order[:count]), sorted(shared))
    return found
