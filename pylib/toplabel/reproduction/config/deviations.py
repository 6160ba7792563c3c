"""What changed in the protocol after numbers were seen: ``config/deviations.yaml``."""

from __future__ import annotations

import os
from typing import Annotated

from pydantic import Field

from toplabel.reproduction.config.documents import check, read_yaml
from toplabel.reproduction.config.model import Closed, Some, Text, model


@model
class Deviation(Closed):
    """One change of the protocol."""

    date: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    """The day of the change, in quotes, as "2026-11-23"."""
    what: Text
    """What changed, a sentence."""
    why: Text
    """The reason, a sentence."""


@model
class DeviationsFile(Closed):
    """The changes of the protocol, which the replication paper lists (config/deviations.yaml)."""

    deviations: Annotated[tuple[Deviation, ...], Some]


def load_deviations(path: str | os.PathLike[str]) -> tuple[Deviation, ...]:
    """Read and check the deviations; a ValueError names the file, the key and what is wrong."""
    return check(read_yaml(path), DeviationsFile, str(path)).deviations
