"""A method on a data set: a folder of results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, order=True)
class Cell:
    """A method on a data set: one folder of results."""

    dataset: str
    method: str

    @property
    def names(self) -> tuple[str, str]:
        """Data set and method."""
        return self.dataset, self.method

    def path(self, name: str) -> str:
        """Return a file of that folder."""
        return f"results/{self.dataset}/{self.method}/{name}"

    @classmethod
    def of_path(cls, path: str) -> Cell | None:
        """Return the cell whose test metrics a file is."""
        parts = Path(path).parts
        if len(parts) == 4 and (parts[0], parts[3]) == ("results", "evaluation.csv"):
            return cls(*parts[1:3])
        return None


def dataset_names(cells: Sequence[Cell]) -> list[str]:
    """Return the data sets of some cells, each once."""
    return list(dict.fromkeys(cell.dataset for cell in cells))
