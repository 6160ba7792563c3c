"""The options of the formats of files and of the generators of sets (``config/datasets.yaml``).

A test holds names and defaults to the arguments of the code that takes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from toplabel.reproduction.config.documents import Fault
from toplabel.reproduction.config.model import Closed, FileName, Some, model

_LARGEST = 2 * 10**9  # indices of LIBSVM text end at 2^31 - 1
_Size = Annotated[PositiveInt, Field(le=_LARGEST)]
_Labels = Annotated[Mapping[str, FileName], Some]


@model
class NoOptions(Closed):
    """Nothing can be set."""


@model
class Libsvm(Closed):
    """LIBSVM text."""

    n_features: _Size | None = None
    """The number of features; by default the largest index."""
    index_base: Literal[0, 1] | None = None
    """The first index; by default 0 where some row has that index, else 1."""
    n_classes: Annotated[int, Field(ge=2, le=_LARGEST)] | None = None
    """Of label sets: the number of labels; by default that of the largest label."""
    label_base: int | None = None
    """Of label sets: the number of the first label; without it 0, which some row must have."""


@model
class _FileOfLabels(Closed):
    """Features in files of their own, labels in others."""

    labels: _Labels
    """For each part the name of the file with its labels, listed under files, role extra."""


@model
class Idx(_FileOfLabels):
    """Unsigned bytes, as in MNIST."""


@model
class MulanArff(Closed):
    """Attributes and labels in ARFF."""

    first_labels: PositiveInt | None = None
    """Without an XML file: how many attributes, counted from the first, are the labels."""
    last_labels: PositiveInt | None = None
    """The same, counted from the last."""
    drop: tuple[str, ...] = ()
    """The names of attributes to leave out, of any type."""


@model
class UciCsv(Closed):
    """Numbers and a class per line."""

    delimiter: str = ","
    """The delimiter, or "whitespace" for any number of blanks and tabs."""
    label: int = -1
    """The column of the class, from 0; negative from the last."""
    skip_lines: NonNegativeInt = 0
    """The number of lines of a header."""


@model
class Tags(Closed):
    """A column that holds a list of words."""

    column: str
    """The name of the column."""
    separator: str = ";"
    """What stands between two words."""


@model
class Table(Closed):
    """A table with a header: CSV, TSV or Parquet (by the file's suffix)."""

    label: str | None = None
    """The column of the class; one of label, labels and tags is given."""
    labels: tuple[str, ...] = ()
    """The columns of the labels, 0 or 1."""
    tags: Tags | None = None
    """The column that holds the labels of a row as a list of words."""
    drop: tuple[str, ...] = ()
    """The columns to leave out."""
    categorical: tuple[str, ...] = ()
    """Columns of numbers that are categories; columns of words are."""
    missing: Literal["error", "median", "mean", "drop"] = "error"
    """What becomes of a gap in a feature: it is filled with the median or mean of the first part, or
    its row is dropped."""
    delimiter: str | None = None
    """The delimiter; by default a tab for .tsv, else a comma."""
    decimal: Literal[".", ","] = "."
    """The character before decimals."""

    def __post_init__(self) -> None:
        if (self.label is None) + (not self.labels) + (self.tags is None) != 2:
            raise Fault("label", "one of label, labels and tags says where the labels are")


@model
class Arrays(Closed):
    """Arrays of features and labels under their names."""

    X: str = "X"
    """The variable of the features; "{part}" stands for the part."""
    labels: str | None = None
    """The variable of the labels, by default y, of label sets Y; "{part}" as above."""


@model
class Mat(Arrays):
    """MATLAB files."""

    transposed: bool = False
    """Whether an example is a column of X."""


@model
class Features(Closed):
    """Features that the user extracts, in whichever form stands there."""

    n_features: _Size | None = None
    """Of LIBSVM text: the number of features; by default the largest index."""
    label_base: int | None = None
    """Of LIBSVM text with label sets: the number of the first label."""


@model
class Voc(_FileOfLabels):
    """Regions of images, labelled in the layout of Pascal VOC."""

    classes: Annotated[Mapping[str, str], Field(min_length=2)] | None = None
    """The classes in their order, each with its name in the papers' tables; without it, those that
    occur."""


@model
class Coco(_FileOfLabels):
    """Regions of images, labelled in an instances file."""


@model
class Circle(Closed):
    """Points of a circle (TPAMI section 6.1)."""

    n_draws: PositiveInt = 10
    """The number of draws, each a split."""
    segments: Literal["equal", "length"] = "equal"
    """Whether segments are hit equally often, or in proportion to their length."""
    generator: Literal["seeded", "authors"] = "seeded"
    """authors: the one draw of the authors' public demo, from MATLAB's rng(0); with n_draws 1."""

    def __post_init__(self) -> None:
        if self.generator == "authors" and (self.n_draws, self.segments) != (1, "equal"):
            raise Fault("generator", "the authors' draw is one, of equal segments")


FORMATS: dict[str, Any] = {
    "libsvm": Libsvm,
    "mulan_arff": MulanArff,
    "idx": Idx,
    "uci_csv": UciCsv,
    "table": Table,
    "mat": Mat,
    "npz": Arrays,
    "hdf5": Arrays,
    "features": Features,
    "voc": Voc,
    "coco": Coco,
}
"""Options by format of files."""

EMBEDDED: dict[str, Any] = {"circle": Circle, "digits": NoOptions, "digit_scenes": NoOptions}
"""Options by generator of a set that needs no file."""
