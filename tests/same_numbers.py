"""Whether two result files agree: the same text in all columns but those of times."""

import csv
import re

_TIMES = re.compile(r"(seconds|ratio)($|[, ])")


def same_numbers(first, second):
    """Whether two CSV files agree field by field, as text."""
    return _rows(first) == _rows(second)


def _rows(path):
    with open(path, newline="", encoding="utf-8") as stream:
        return [
            {name: value for name, value in row.items() if not _TIMES.match(name)}
            for row in csv.DictReader(stream)
        ]
