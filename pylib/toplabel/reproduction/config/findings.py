"""The claims of the papers about their results, as comparisons: ``config/findings.yaml``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from toplabel.reproduction.config.documents import Fault, check, read_yaml
from toplabel.reproduction.config.model import (
    GIVEN,
    Closed,
    Count,
    Flag,
    Name,
    Named,
    Number,
    Positive,
    RowName,
    Some,
    Text,
    Unique,
    model,
)
from toplabel.reproduction.config.studies import check_names, whole_names

Pattern = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*[*]?$")]


@model
class Selector(Closed):
    """Some methods; what is not named may be anything."""

    method: Name
    k: Literal["metric"] | Annotated[tuple[Count, ...], Some] | None = None
    """Values, or that of the metric."""
    gamma: Annotated[Number, Field(ge=0)] | None = None
    kernel: Literal["linear", "rbf", "precomputed", ""] | None = None
    """"" for methods that have none, as networks."""


@model
class Side(Closed):
    """One side of a comparison: of several methods the best counts."""

    label: Text
    """In the small markup of the reports, as LR^{Multi}."""
    methods: Literal["others"] | Annotated[tuple[Selector, ...], Some]
    """Which methods; `others` are all that the other side has not."""


@model
class Claim(Closed):
    """A sentence of a paper as a comparison (docs/results.md)."""

    name: RowName
    source: Name
    """The key of the paper."""
    place: Text
    """Where in it, as "section 6.2"."""
    says: Text
    """The claim in our words, one sentence without its full stop."""
    expects: Literal["first", "similar", "neither"]
    """first: the first side is ahead in at least `least` of the decided comparisons; similar: the
    sides are within `margin` in that many; neither: each side is ahead in at least a quarter, of
    four comparisons or more."""
    tables: Annotated[tuple[Name, ...], Some, Unique]
    """The published tables, by their whole names, in which the claim is looked up."""
    first: Side
    """The side that the sentence speaks of."""
    second: Side
    """What it is compared with."""
    metrics: Annotated[tuple[Pattern, ...], Some, Unique]
    """`*` stands for any letters and digits, as in `ap_*`."""
    datasets: tuple[Name, ...] = Field((), json_schema_extra=GIVEN)
    """The only data sets, by the papers' names; without it all."""
    excluded: Annotated[tuple[Name, ...], Field(alias="except")] = Field(
        (), description="Data sets that the claim is not about."
    )
    least: Annotated[Positive, Field(le=1)] = 0.6
    """The share of comparisons from which on the claim holds."""
    margin: Positive = 1.0
    """In points; a hundredth of a loss is a point."""
    ties_win: Flag = False
    """Whether a tie counts for the first side, as where several methods share the best printed
    number."""

    def __post_init__(self) -> None:
        if self.first.methods == "others":
            raise Fault("first", "'others' may only be second")


@model
class FindingsFile(Closed):
    """What the papers say of their results (config/findings.yaml)."""

    claims: Annotated[Mapping[str, Claim], Some, Named]


def load_claims(
    path: str | os.PathLike[str], published_folder: str | os.PathLike[str]
) -> list[Claim]:
    """Read the claims and check the tables that they name; a ValueError names file, key and fault."""
    claims = [*check(read_yaml(path), FindingsFile, str(path)).claims.values()]
    known = whole_names(published_folder)
    for claim in claims:
        check_names(f"{path}: claims.{claim.name}.tables", "table", claim.tables, known)
    return claims
