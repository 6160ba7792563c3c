"""The registry of data sets: ``config/datasets.yaml``."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import Field

from toplabel.reproduction.config.documents import (
    ConfigModel,
    Fault,
    Name,
    Named,
    Some,
    check_rows,
    model,
    read_yaml,
    unknown,
)
from toplabel.reproduction.config.entry import OWN, Entry
from toplabel.reproduction.files import PathLike

Key = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_]*$", max_length=100)]


class Registry(dict[str, Entry]):
    """The entries by name; an unknown name is an error that proposes the nearest ones.

    Attributes
    ----------
    seeds_of : dict of str to str
        By the name of a set whose folds are drawn several times, the name of the set itself.
    """

    def __init__(self, entries: Mapping[str, Entry], fold_seeds: Mapping[str, int]) -> None:
        drawn = {base: redrawn(entries[base], seeds) for base, seeds in fold_seeds.items()}
        super().__init__({**entries, **{entry.name: entry for entry in drawn.values()}})
        self.seeds_of = {entry.name: base for base, entry in drawn.items()}

    def origin_of(self, name: str) -> str:
        """Return the set that a data set is made of, or itself.

        Features of a network are made of its images, a set with folds drawn again of that set.
        """
        network = self[name].network
        return self.seeds_of.get(name, name) if network is None else network.images

    def published_key(self, name: str) -> str:
        """Return the name of a data set in the papers: its own where it is not registered."""
        return self[name].published_key if name in self else name

    def is_compared(self, name: str, source: str) -> bool:
        """Return whether results of a data set may stand beside the numbers of a paper."""
        return name not in self or self[name].is_in(source)

    def __missing__(self, name: str) -> Entry:
        raise ValueError(unknown("data set", name, self))


def redrawn(base: Entry, seeds: int) -> Entry:
    """Return a set with a split for each draw of its folds, which depend on the split's name."""
    return replace(
        base,
        name=f"{base.name}_seeds",
        title=f"{base.title}, {seeds} seeds of the folds",
        splits=tuple(replace(base.splits[0], name=f"s{seed:02d}") for seed in range(seeds)),
        statistics=(),
        published_key="",
        published_sources=(),
    )


@model
class DatasetsFile(ConfigModel):
    """The registry of data sets (config/datasets.yaml)."""

    datasets: Annotated[Mapping[Key, Entry], Some, Named]
    """The sets by the key that targets, studies and data/published/*.csv use."""
    fold_seeds: Mapping[Name, Annotated[int, Field(ge=2)]] = Field(default_factory=dict)
    """Number of draws of the folds of a set with one split, in a set `<set>_seeds` with a
    split for each draw: the same rows, another selection. Its spread stands beside the cells of the
    set, and it is compared with no published number itself."""

    def __post_init__(self) -> None:
        for base in self.fold_seeds:
            if base not in self.datasets:
                raise Fault(f"fold_seeds.{base}", unknown("data set", base, self.datasets))
            if (drawn := f"{base}_seeds") in self.datasets:
                raise Fault(f"datasets.{drawn}", f"the name of {base} with folds drawn again")
        for name, entry in self.datasets.items():
            try:
                _check_entry(entry, self.datasets)
            except Fault as fault:
                raise fault.below(f"datasets.{name}") from None


def load_registry(path: PathLike, run: Mapping[str, Any] = MappingProxyType({})) -> Registry:
    """Read and check the registry, with the data sets that the config of a run adds.

    A ValueError is one line with the file, the key and what is wrong; a `Fault` for rows of `run`.
    """
    own = run.get("datasets", {})
    file = check_rows(read_yaml(path), DatasetsFile, str(path), "datasets", own)
    return Registry(file.datasets, file.fold_seeds)


def _check_entry(entry: Entry, entries: Mapping[str, Entry]) -> None:
    """Refuse an entry whose keys do not fit each other, or the other entries."""
    if sum(kind is not None for kind in (entry.embedded, entry.format, entry.network)) != 1:
        raise Fault("format", "a set has one of embedded, format and network")
    if entry.format is not None:
        _check_parts(entry)
    if entry.network is not None and (images := entry.network.images) not in entries:
        raise Fault("network.images", unknown("data set", images, entries))


def _check_parts(entry: Entry) -> None:
    """Refuse an entry whose files, division and splits do not fit each other."""
    parts = [part for file in entry.files for part in file.holds]
    if not parts:
        raise Fault("files", f"missing, or without a part, which '{entry.format}' needs")
    if not entry.splits:
        message = "missing, and the set has neither parts train and test nor folds"
        near = difflib.get_close_matches(entry.protocol, [OWN])
        meant = f"; did you mean {OWN}?" if near else ""
        raise Fault(
            "splits",
            f"{message}, which `protocol: {OWN}` makes; the protocol is '{entry.protocol}'{meant}",
        )
    if twice := sorted({part for part in parts if parts.count(part) > 1}):
        raise Fault("files", f"the part '{twice[0]}' is in several")
    for key, names in (("files", dict.fromkeys(entry.parts)), ("splits", entry.split_names)):
        known: dict[str, str] = {}
        for name in names:
            if other := known.get(name.lower()):
                raise Fault(key, f"'{other}' and '{name}' are one file where case does not count")
            known[name.lower()] = name
    if entry.divide is not None and entry.divide.part not in parts:
        raise Fault("divide.part", unknown("part", entry.divide.part, parts))
    for i, split in enumerate(entry.splits):
        for role in ("train", "val", "test"):
            part = getattr(split, role)
            if part is not None and part not in entry.parts:
                raise Fault(f"splits[{i}].{role}", unknown("part", part, entry.parts))
