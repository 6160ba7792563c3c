"""The cells that studies, data sets and published tables stand for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from toplabel.reproduction.config.catalogue import Catalogue
from toplabel.reproduction.config.keys import Key, key_of
from toplabel.reproduction.config.studies import whole_name
from toplabel.reproduction.frames import read_texts


@dataclass(frozen=True, order=True)
class Cell:
    """A method on a data set: one folder of results."""

    dataset: str
    method: str

    def path(self, name: str) -> str:
        """Return a file of the folder."""
        return f"results/{self.dataset}/{self.method}/{name}"


class NamedCells:
    """The cells of a catalogue, by the names that a config or a target may have.

    Parameters
    ----------
    catalogue : Catalogue
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._registry, self._methods = catalogue.registry, catalogue.methods
        self._studies = catalogue.studies

    def cells_of(self, name: str) -> set[Cell]:
        """Return the cells that a name stands for, whether their data sets can be had or not.

        The name is that of a study, a data set (all methods of all studies but variants) or a
        published table (what it prints); ``name/dataset`` is the part of one data set.
        """
        name, _, dataset = name.partition("/")
        if name in self._studies:
            found = self._of_studies([name])
        elif name in self._registry:
            found = {
                cell
                for cell in self._of_studies(self._studies)
                if cell.dataset == name and not self._methods[cell.method].variant_of
            }
        else:
            studies = [s.name for s in self._studies.values() if name in s.tables]
            found = {c for c in self._of_studies(studies) if self._is_printed(c, name)}
        return {cell for cell in found if dataset in ("", cell.dataset)}

    def _of_studies(self, studies: Iterable[str]) -> set[Cell]:
        """Return all methods on all data sets of the studies, where k is below the number of
        classes.
        """
        return {
            Cell(dataset, method)
            for study in studies
            for dataset, method in self._studies[study].pairs
            if self._fits(dataset, method)
        }

    def _fits(self, dataset: str, method: str) -> bool:
        classes = self._registry[dataset].known_classes
        return classes is None or self._methods[method].smallest_k < classes

    @cache  # noqa: B019  it lives as long as the process
    def sets_of_table(self, table: str) -> dict[str, set[Key]]:
        """Return the data sets that a published table prints, with the keys of its methods."""
        source, _ = self._catalogue.tables[table]
        path = self._catalogue.published / f"{whole_name(table)}.csv"
        printed: dict[tuple[str, str], set[Key]] = {}
        for row in read_texts(path):
            printed.setdefault((row["dataset"], row["features"]), set()).add(key_of(row))
        return {
            name: printed[entry.published_key, entry.features]
            for name, entry in self._registry.items()
            if entry.is_in(source) and (entry.published_key, entry.features) in printed
        }

    def _is_printed(self, cell: Cell, table: str) -> bool:
        """Return whether a published table has numbers of a cell."""
        key = self._methods[cell.method].key
        if self._registry[cell.dataset].features.endswith("_kernels"):
            key = key._replace(kernel="precomputed")
        return key in self.sets_of_table(table).get(cell.dataset, ())
