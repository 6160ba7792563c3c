"""An experiment on a data set."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toplabel.reproduction.config.model import Closed, model

PartName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$", max_length=100)]


@model
class Split(Closed):
    """One experiment; several are repetitions, of which mean and deviation are reported."""

    name: PartName
    train: str = Field(description="The part to train on.")
    val: str | None = Field(None, description="The part to validate on, if the set has one.")
    test: str = Field(description="The part to test on.")
