"""Options of the formats of data sets, and of the sets that are made here: ``options`` in
``config/datasets.yaml``.

A test holds names and defaults to the arguments of the code that takes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from toplabel.reproduction.config.documents import Fault
from toplabel.reproduction.config.model import (
    Closed,
    Count,
    FileName,
    Number,
    Some,
    Text,
    Unique,
    Whole,
    model,
)

_LARGEST = 2 * 10**9  # indices of LIBSVM text end at 2^31 - 1
_Size = Annotated[Count, Field(le=_LARGEST)]
_Labels = Annotated[Mapping[str, FileName], Some]
_FILES_OF_LABELS = Field(
    description="For each part the name of the file with its labels, listed under files with the role extra."
)
_X = Field("X", description='The variable of the features; "{part}" stands for the part.')
_VARIABLE_OF_LABELS = Field(
    None,
    description='The variable of the labels, by default y, of label sets Y; "{part}" as above.',
)


@model
class NoOptions(Closed):
    """None."""


@model
class Libsvm(Closed):
    """LIBSVM text."""

    n_features: _Size | None = Field(None, description="Without it, the largest index.")
    index_base: Annotated[Whole, Field(ge=0)] = Field(1, description="The first index.")
    n_classes: Annotated[Whole, Field(ge=2, le=_LARGEST)] | None = Field(
        None, description="Multilabel only; without it, from the largest label."
    )
    label_base: Whole | None = Field(
        None,
        description="Multilabel only: the number of the first label; without it 0, which some row must have.",
    )


@model
class Idx(Closed):
    """Unsigned bytes, as in MNIST."""

    labels: _Labels = _FILES_OF_LABELS


@model
class MulanArff(Closed):
    """Attributes and labels in ARFF."""

    first_labels: Count | None = Field(
        None, description="Without an XML file: so many attributes are the labels."
    )
    last_labels: Count | None = Field(None, description="The same, counted from the last.")
    drop: tuple[Text, ...] = Field((), description="Attributes to leave out, by name; of any type.")


@model
class UciCsv(Closed):
    """Numbers and a class per line."""

    delimiter: Text = Field(",", description="Or whitespace, any number of blanks and tabs.")
    label: Whole = Field(-1, description="The column of the class, from 0; negative from the last.")
    skip_lines: Annotated[Whole, Field(ge=0)] = Field(0, description="Lines of a header.")


@model
class Arrays(Closed):
    """Arrays of features and labels under their names."""

    X: Text = _X
    labels: Text | None = _VARIABLE_OF_LABELS


@model
class Mat(Arrays):
    """MATLAB files."""

    transposed: Annotated[bool, Field(strict=True)] = Field(
        False, description="One example a column of X."
    )


@model
class Npy(Closed):
    """Features in a file, labels in another."""

    labels: _Labels = _FILES_OF_LABELS


@model
class Features(Closed):
    """Whichever form stands there."""

    n_features: _Size | None = Field(
        None, description="Of LIBSVM text; without it, the largest index."
    )
    label_base: Whole | None = Field(
        None, description="Of LIBSVM text with label sets: the number of the first label."
    )


@model
class Voc(Closed):
    """Regions of images, labelled in the layout of Pascal VOC."""

    labels: _Labels = _FILES_OF_LABELS
    classes: Annotated[Mapping[str, Text], Field(min_length=2)] | None = Field(
        None,
        description="The classes in their order, each with its name in the papers' tables; without it, those that "
        "occur.",
    )
    difficult: Literal["absent", "present"] = Field(
        "absent", description="Whether objects marked as difficult count."
    )


@model
class Coco(Closed):
    """Regions of images, labelled in an instances file."""

    labels: _Labels = _FILES_OF_LABELS
    size: Literal["bbox", "area"] = Field(
        "bbox", description="What makes an object the largest: its box or its outline."
    )
    crowd: Literal["present", "absent"] = Field(
        "present", description="Whether groups of objects (iscrowd) count."
    )


@model
class Circle(Closed):
    """Points of a circle (TPAMI section 6.1)."""

    n_train: Count = Field(200, description="Rows to train on.")
    n_val: Count = Field(200, description="Rows to validate on.")
    n_test: Count = Field(200000, description="Rows to test on.")
    n_draws: Count = Field(10, description="Draws, each a split.")
    segments: Literal["equal", "length"] = Field(
        "equal",
        description="Whether segments are hit equally often, or in proportion to their length.",
    )
    seed: Whole = Field(0, description="Another value gives other draws.")
    generator: Literal["seeded", "authors"] = Field(
        "seeded",
        description="authors: the one draw of the authors' public demo, from MATLAB's rng(0); with n_draws: 1.",
    )

    def __post_init__(self) -> None:
        others = self.n_draws, self.segments, self.seed
        if self.generator == "authors" and others != (1, "equal", 0):
            raise Fault("generator", "the authors' draw is one, of equal segments, with seed 0")


@model
class DigitScenes(Closed):
    """Scenes of several digits."""

    n_train: Count = Field(1000, description="Scenes to train on.")
    n_test: Count = Field(1000, description="Scenes to test on.")
    max_digits: Annotated[Count, Field(le=10)] = Field(4, description="Most digits of a scene.")
    sides: Annotated[tuple[Count, ...], Unique] = Field(
        (4, 5, 6, 8, 12, 16), description="Sides of the regions, in pixels."
    )
    noise: Annotated[Number, Field(ge=0)] = Field(0.15, description="Deviation of the noise.")
    seed: Whole = Field(0, description="Another value gives other scenes.")

    def __post_init__(self) -> None:
        if len(self.sides) < self.max_digits:
            raise Fault("sides", f"has fewer entries than max_digits, {self.max_digits}")


FORMATS: dict[str, Any] = {
    "libsvm": Libsvm,
    "mulan_arff": MulanArff,
    "idx": Idx,
    "uci_csv": UciCsv,
    "mat": Mat,
    "npz": Arrays,
    "npy": Npy,
    "hdf5": Arrays,
    "features": Features,
    "voc": Voc,
    "coco": Coco,
}
"""Options by format of files."""

EMBEDDED: dict[str, Any] = {"circle": Circle, "digits": NoOptions, "digit_scenes": DigitScenes}
"""Options by generator of a set that needs no file."""
