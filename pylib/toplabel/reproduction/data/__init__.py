"""Params of the jobs of data sets, besides raw files: those of prepare and of their overview.

Planning a run reads this module, so it imports no reader.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Literal

from toplabel.reproduction.config.entry import Divide, Entry, PrintedStatistics, RawFile, Split
from toplabel.reproduction.config.protocols import Axis


@dataclass(frozen=True)
class PrepareTask:
    """Params of a prepared data set, besides the bytes of its raw files.

    Fields without a comment have the meaning of the keys of a registry entry (`config.entry.Entry`).
    """

    name: str
    task: Literal["multiclass", "multilabel"]
    folder: str
    embedded: str | None = None
    format: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[RawFile, ...] = ()
    sums: Mapping[str, str] = field(default_factory=dict)  # of the user's own raw files, by path
    divide: Divide | None = None
    transform: Literal["standardise", "normalise"] | None = None
    bias: bool = False
    folds: int | None = None
    splits: tuple[Split, ...] = ()
    not_comparable: str = ""
    # The number of training rows that papers print and the files must have, by source.
    printed_rows: Mapping[str, str] = field(default_factory=dict)
    C: Axis | None = None  # the grid, for advice where the norms of the rows do not suit it
    is_own: bool = False  # whether it is a set of the user's own, which gets more advice

    @classmethod
    def of(
        cls,
        entry: Entry,
        C: Axis | None = None,
        sums: Mapping[str, str] = MappingProxyType({}),
        is_own: bool = False,
    ) -> PrepareTask:
        """Return the task of a registry entry; the grid of C counts where the set does not scale it."""
        own = {"sums", "not_comparable", "printed_rows", "C", "is_own"}
        names = [field.name for field in fields(cls) if field.name not in own]
        printed = {
            row.source: row.n_train
            for row in entry.statistics
            if row.n_train is not None and "n_train" not in row.differs
        }
        return cls(
            **{name: getattr(entry, name) for name in names},
            sums=dict(sums),
            not_comparable=entry.not_comparable or "",
            printed_rows={} if entry.not_comparable else printed,
            C=None if entry.C_scale else C,
            is_own=is_own,
        )


@dataclass(frozen=True)
class DescribedSet:
    """The keys of a registry entry that describe a data set and do not change it."""

    name: str
    title: str
    task: str
    licence: str
    citation: str
    url: str | None
    published_key: str
    features: str
    published_sources: tuple[str, ...]
    statistics: tuple[PrintedStatistics, ...]

    @classmethod
    def of(cls, entry: Entry) -> DescribedSet:
        """Return the description of a registry entry."""
        return cls(**{field.name: getattr(entry, field.name) for field in fields(cls)})


@dataclass(frozen=True)
class DescribeTask:
    """The registered data sets, and why those that are not prepared are missing, by name."""

    sets: tuple[DescribedSet, ...]
    reasons: Mapping[str, str]
