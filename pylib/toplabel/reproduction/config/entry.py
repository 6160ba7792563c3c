"""One entry of the registry of data sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from toplabel.reproduction.config import formats
from toplabel.reproduction.config.documents import Fault
from toplabel.reproduction.config.model import (
    GIVEN,
    Closed,
    Count,
    FileName,
    RowName,
    Text,
    Unique,
    Whole,
    model,
)
from toplabel.reproduction.config.networks import Network
from toplabel.reproduction.config.splits import PartName, Split

# The forms in which a part P may stand: formats/features.py, formats/regions.py.
_REGION_FORMS = (("{}.npz",), ("{}.npy", "{}_regions.npz"), ("{}.h5",))
_FORMS = {
    "features": (("{}.npz",), ("{}.npy", "{}_labels.npy"), ("{}.mat",), ("{}.h5",)),
    "voc": _REGION_FORMS,
    "coco": _REGION_FORMS,
}
# Formats whose multilabel sets have no single label per row beside the label set.
_LABEL_SETS_ALONE = ("mulan_arff", "libsvm")

Sum = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Url = Annotated[str, Field(pattern=r"^https?://")]
Download = Annotated[str, Field(pattern=r"^https://")]
AsPrinted = Annotated[str, Field(pattern=r"^[0-9]+([.][0-9]+)?[KM]?$")]
ListName = Literal["train", "val", "trainval", "test"]
Amount = Annotated[Whole, Field(gt=0)] | Annotated[float, Field(strict=True, gt=0)]


@model
class RawFile(Closed):
    """A file as published: it holds one `part`, several `parts`, or none and has a `role`."""

    name: FileName = Field(description="Without the suffix of a compression.")
    part: PartName | None = Field(None, description="The part whose rows the file holds.")
    parts: Annotated[tuple[PartName, ...], Unique] = Field(
        (),
        description="Several parts that one file holds, each under variables of its own (mat, npz, hdf5).",
        json_schema_extra=GIVEN,
    )
    role: Literal["labels", "extra"] | None = Field(
        None,
        description="labels: it names the labels; extra: it is kept beside the others, and read only where an option "
        "names it.",
    )
    sha256: Sum | None = Field(
        None, description="Of the uncompressed content. Without it the file is taken as it is."
    )
    size: Count | None = Field(None, description="Bytes of the uncompressed content.")
    url: Download | None = Field(
        None,
        description="The official address, https, maybe of a compressed copy (.gz, .bz2, .xz).",
    )

    @property
    def holds(self) -> tuple[str, ...]:
        """The parts whose rows the file has."""
        return self.parts or ((self.part,) if self.part else ())


@model
class LabelLists(Closed):
    """A tar file with the label lists of a set in the layout of Pascal VOC, and the names of the
    lists of its parts.

    While the set lacks its features, its statistics are counted there.
    """

    name: FileName
    train: ListName = Field(description="The list of the rows to train on.")
    test: ListName = Field(description="The list of the rows to test on.")
    sha256: Sum | None = None
    size: Count | None = None

    @property
    def file(self) -> RawFile:
        """The tar file."""
        return RawFile(self.name, role="extra", sha256=self.sha256, size=self.size)


@model
class Divide(Closed):
    """How a part that is published as one is cut into several."""

    part: str
    method: Literal["in_order", "random", "stratified", "listed"] = Field(
        description="in_order takes rows as they stand; random and stratified (by class) shuffle first; listed takes "
        "the rows that an .npz file names, an array of row numbers (from 0) for each new part."
    )
    into: (
        Annotated[Mapping[PartName, Amount], Field(min_length=2)]
        | Annotated[tuple[PartName, ...], Field(min_length=2), Unique]
    ) = Field(
        description="For in_order the number of rows of each new part, for listed the names alone, else the shares."
    )
    file: str | None = Field(
        None, description="For listed, the .npz file, which files lists with the role extra."
    )

    def __post_init__(self) -> None:
        listed = self.method == "listed"
        if listed != (self.file is not None):
            raise Fault("file", "is given with the method listed, and only with that")
        if listed != isinstance(self.into, tuple):
            raise Fault("into", "is a list of names with the method listed, else a mapping")


@model
class Printed(Closed):
    """What one table of a paper prints about a data set, as printed: "10.5K", "4100", "2.40"."""

    source: str = Field(description="Paper and table, as in data/published/datasets.csv.")
    n_classes: AsPrinted | None = None
    n_train: AsPrinted | None = None
    n_features: AsPrinted | None = None
    label_cardinality: AsPrinted | None = None
    differs: Mapping[Literal["n_classes", "n_train", "n_features", "label_cardinality"], str] = (
        Field(
            default_factory=dict,
            description="Printed numbers that the files are known not to give, each with the reason.",
        )
    )
    cardinality_of: Literal["all", "train"] = Field(
        "all",
        description="Whether the printed label cardinality is that of all rows, or of those to train on.",
    )


@model
class Entry(Closed):
    """A registered data set."""

    name: RowName
    title: Text = Field(description="The name as printed in reports.")
    task: Literal["multiclass", "multilabel"] = Field(
        description="Whether a row has one label or a set of them."
    )
    protocol: Text = Field(description="A name of config/protocols.yaml.")
    licence: str = Field(description="As its publishers state it.")
    citation: str = Field(description="Who made it.")
    features: str = Field(
        "",
        description="What the vectors are, as in the column of data/published; empty for the set's own.",
    )
    published_key: str = Field(
        "",
        description="The data set of data/published that this one is compared with; by default its own key.",
    )
    published_sources: Annotated[
        tuple[Literal["tpami2017", "nips2015", "cvpr2016", "nips2012"], ...], Unique
    ] = Field(
        (),
        description="The papers that use the set as it is here; numbers of others are not put beside its results. By "
        "default all.",
        json_schema_extra=GIVEN,
    )
    embedded: Literal[tuple(formats.EMBEDDED)] | None = Field(
        None, description="The generator of a set that needs no file."
    )
    format: Literal[tuple(formats.FORMATS)] | None = Field(
        None,
        description="The format of the files; without it (and without embedded) the set waits for one.",
    )
    options: Mapping[str, Any] = Field(
        default_factory=dict, description="Options of the format or of the generator."
    )
    storage: Literal["auto", "dense", "csr"] = Field(
        "auto",
        description="Dense or CSR features; auto takes dense above a density of 0.2, and for features that stay in "
        "their file.",
    )
    network: Network | None = Field(
        None,
        description="The set is features of a network that is trained on another set's images (PyTorch).",
    )
    folder: Annotated[str, Field(pattern=r"^([A-Za-z0-9][A-Za-z0-9_.-]*)?$", max_length=100)] = (
        Field(
            "",
            description="The folder of the raw files below data/raw and the mirrors; by default the key.",
        )
    )
    files: tuple[RawFile, ...] = Field((), description="The raw files.")
    divide: Divide | None = Field(
        None, description="Cut a part that is published as one into several."
    )
    transform: Literal["standardise", "normalise", "pca", "gram"] | None = Field(
        None,
        description="standardise: mean 0 and variance 1 in each column, by the training part of each split; "
        "sparse features are scaled only; normalise: rows of norm 1; pca: centre by the training mean, keep all "
        "components with a variance above 0, up to a rotation; gram: the features are Gram matrices, training rows "
        "(n, n) and others (n', n), and become vectors with these inner products.",
    )
    C_scale: Literal["mean_squared_norm"] | None = Field(
        None,
        description="mean_squared_norm: linear methods divide the grid of C by the mean squared norm of the rows that "
        "they are trained on, for features whose scale is to stay.",
    )
    splits: tuple[Split, ...] = Field((), description="The experiments.")
    label_lists: LabelLists | None = Field(
        None, description="Where to count statistics while the features are missing."
    )
    statistics: tuple[Printed, ...] = Field((), description="What the papers print about the set.")
    waits_for: str | None = Field(
        None,
        description="What is missing, in plain words that go on from 'waits for'; shown while the set cannot be had.",
    )
    not_comparable: Text | None = Field(
        None,
        description="Why results on this set are not those that the papers print, in plain words; never compared then.",
    )
    url: Url | None = Field(None, description="The set's home page.")
    notes: str | None = Field(None, description="What else is to be known.")

    def __post_init__(self) -> None:
        object.__setattr__(self, "published_key", self.published_key or self.name)
        object.__setattr__(self, "folder", self.folder or self.name)

    def is_in(self, source: str) -> bool:
        """Return whether a paper's numbers for `published_key` are for this set as it is here."""
        return not self.published_sources or source in self.published_sources

    @property
    def is_readable(self) -> bool:
        """Whether there is code that makes the set, given its files."""
        return any(one is not None for one in (self.embedded, self.format, self.network))

    @property
    def lacks_single_labels(self) -> bool:
        """Whether it is known before the files are read that no row has a single label."""
        return self.task == "multilabel" and self.format in _LABEL_SETS_ALONE

    @property
    def split_names(self) -> list[str]:
        """The names of its splits, before the set is made: registered, or those that its generator
        or network gives.
        """
        if self.splits:
            return [split.name for split in self.splits]
        if self.network is not None:
            return self.network.splits
        if self.embedded == "circle":
            draws = formats.Circle(**self.options).n_draws
            return [f"s{draw:02d}" for draw in range(draws)]
        return ["main"]

    @property
    def known_classes(self) -> int | None:
        """The number of classes, as far as the papers print it or its network has it."""
        if self.network is not None:
            return self.network.classes
        printed = [table.n_classes or "" for table in self.statistics]
        return max((int(text) for text in printed if text.isdecimal()), default=None)

    def forms(self, file: RawFile) -> list[tuple[RawFile, ...]]:
        """Return the forms in which a file may stand: one of these groups of files, whole.

        All formats but those of features that the user extracts know one, the file itself.
        """
        if file.part is None:
            return [(file,)]
        names = [
            tuple(name.format(file.part) for name in form)
            for form in _FORMS.get(self.format or "", ())
        ]
        if not any(file.name in form for form in names):
            names.append((file.name,))
        names.sort(key=lambda form: file.name not in form)  # its own form first
        return [
            tuple(file if name == file.name else RawFile(name, file.part) for name in form)
            for form in names
        ]
