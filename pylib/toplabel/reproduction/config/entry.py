"""One entry of the registry of data sets: what the set is, its files, its experiments."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field, PositiveFloat, PositiveInt, model_validator
from pydantic_core import ArgsKwargs

from toplabel.reproduction.config.documents import (
    ConfigModel,
    Fault,
    FileName,
    Name,
    RowName,
    model,
    unknown,
)

Format = Literal["libsvm", "mulan_arff", "idx", "table", "mat", "npz", "hdf5", "npy", "voc", "coco"]
"""The formats of raw files, whose readers are in `toplabel.reproduction.data.formats`."""
Generator = Literal["circle", "digits", "digit_scenes"]
"""The generators of sets that need no file."""
PROMINENT_LABEL = ("voc", "coco")
"""The formats whose multilabel sets have a single label per row beside the label set."""

PartName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$", max_length=100)]
Sum = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
AsPrinted = Annotated[str, Field(pattern=r"^[0-9]+([.][0-9]+)?[KM]?$")]
Statistic = Literal["n_classes", "n_train", "n_features", "label_cardinality"]
Source = Literal["tpami2017", "nips2015", "cvpr2016", "nips2012"]
Amount = PositiveInt | PositiveFloat

OWN = "own"
"""The protocol of data that no paper has."""
_OWN_FOLDS = 5
# What suits data of any scale: standardised features, a bias, and a scaled C.
_OWN_DEFAULTS = {"transform": "standardise", "bias": True, "C_scale": "mean_squared_norm"}
_DRAWS = 5  # of a network


_OTHER_NAMES = {
    **dict.fromkeys(("csv", "tsv", "txt", "parquet", "excel", "xlsx", "pandas"), "table"),
    **dict.fromkeys(("arff", "weka", "mulan", "meka"), "mulan_arff"),
    **dict.fromkeys(("svm", "svmlight", "svm_light", "xmc"), "libsvm"),
    **dict.fromkeys(("matlab",), "mat"),
    **dict.fromkeys(("numpy",), "npz"),
    **dict.fromkeys(("h5", "hdf", "hdf5"), "hdf5"),
    **dict.fromkeys(("mnist",), "idx"),
}


def _known_format(value: Any) -> Any:
    """Return the name of a format; that of a kind of file is refused with the format that reads it."""
    if isinstance(value, str) and value not in get_args(Format):
        if reader := _OTHER_NAMES.get(value.lower().lstrip(".")):
            raise ValueError(f"no format is named '{value}'; `format: {reader}` reads such files")
        raise ValueError(unknown("format", value, get_args(Format)))
    return value


@model
class RawFile(ConfigModel):
    """A file as published. One that holds no part has the labels: their names, of the format
    mulan_arff, or those of a part, by its name or by an option.
    """

    name: FileName
    """The name without the suffix of a compression."""
    part: PartName | None = None
    """The part whose rows the file holds."""
    parts: tuple[PartName, ...] = ()
    """Several parts that one file holds, each under variables of its own (mat, npz, hdf5)."""
    sha256: Sum | None = None
    """The sum of the uncompressed content; without it the file is taken as it is."""
    size: PositiveInt | None = None
    """The bytes of the uncompressed content."""
    url: Annotated[str, Field(pattern=r"^https://")] | None = None
    """The official address, https, maybe of a compressed copy (.gz, .bz2, .xz)."""

    @property
    def holds(self) -> tuple[str, ...]:
        """The parts whose rows the file has."""
        return self.parts or ((self.part,) if self.part else ())


@model
class Divide(ConfigModel):
    """Cut of a part, published as one, into several."""

    part: str
    """The part that is cut."""
    method: Literal["in_order", "random", "stratified"]
    """in_order takes rows as they stand; random and stratified (by class) shuffle first."""
    into: Annotated[Mapping[PartName, Amount], Field(min_length=2)]
    """For in_order the number of rows of each new part, else the shares, which sum to 1."""

    def __post_init__(self) -> None:
        shares = [*self.into.values()]
        if self.method != "in_order" and not math.isclose(sum(shares), 1.0, abs_tol=1e-6):
            raise Fault("into", f"the shares {shares} sum to {sum(shares):g}, not to 1")


@model
class Split(ConfigModel):
    """One experiment; several are repetitions, of which mean and deviation are reported."""

    name: PartName
    """The name of the experiment."""
    train: str
    """The part to train on."""
    val: str | None = None
    """The part to validate on, if the set has one."""
    test: str = Field(default=...)
    """The part to test on."""


@model
class PrintedStatistics(ConfigModel):
    """Statistics of a data set in one table of a paper, as printed: "10.5K", "4100", "2.40"."""

    source: str
    """Paper and table, as in data/published/datasets.csv."""
    n_classes: AsPrinted | None = None
    """The number of classes."""
    n_train: AsPrinted | None = None
    """The number of training rows."""
    n_features: AsPrinted | None = None
    """The number of features."""
    label_cardinality: AsPrinted | None = None
    """The mean number of labels of a row."""
    differs: Mapping[Statistic, str] = Field(default_factory=dict)
    """The printed numbers that the files are known not to give, each with the reason."""


@model
class Network(ConfigModel):
    """A convolutional network that is trained with softmax on images; its features are the data set
    (docs/evidence/pytorch.md).

    Two convolutions of 3 x 3 with stride 2, a layer of features and a linear classifier, with a
    ReLU between each two. Every draw is a split of its own: other initial weights, another order of
    the batches, other rows.
    """

    images: Name
    """A data set of this file whose rows are square images with one label each, and whose first
    split says what is trained and tested on."""
    classes: Annotated[int, Field(ge=2)]
    """The number of classes."""
    pairs: bool = False
    """True if an input is two images side by side, drawn at random, and its class the pair of
    theirs."""
    n_train: PositiveInt | None = None
    """The number of inputs to train on, drawn for each draw; by default all images, once."""
    n_test: PositiveInt | None = None
    """The number of inputs to test on, alike."""
    width: PositiveInt = 64
    """The number of features."""
    epochs: PositiveInt = Field(default=...)
    """The passes over the training inputs with softmax."""
    rate: PositiveFloat = 0.05
    """The learning rate with softmax."""
    batch: PositiveInt = 64
    """The number of inputs of a step."""


@model
class Entry(ConfigModel):
    """A registered data set."""

    name: RowName
    title: str
    """The name in reports."""
    task: Literal["multiclass", "multilabel"]
    """Kind of the labels: one a row, or a set."""
    protocol: str
    """A name of config/protocols.yaml. With `own`, for data of no paper, the defaults of
    `transform`, `bias`, `C_scale` and, for a set of one part, `folds` are others."""
    licence: str = "not stated"
    """The licence as the publishers state it."""
    citation: str = "not stated"
    """Who made the set."""
    features: str = ""
    """Kind of the vectors, as in the column of data/published; empty for the set's own."""
    published_key: str = ""
    """The data set of data/published that this one is compared with; by default its own key."""
    published_sources: tuple[Source, ...] = ()
    """The papers that use the set as it is here; numbers of other papers are not put beside its
    results. By default all papers do."""
    embedded: Generator | None = None
    """The generator of a set that needs no file."""
    format: Annotated[Format | None, BeforeValidator(_known_format)] = None
    """The format of the files; a set has one of embedded, format and network."""
    options: Mapping[str, Any] = Field(default_factory=dict)
    """Options of the format (docs/own-data.md) or of the generator, checked where they are used."""
    network: Network | None = None
    """The network that is trained on another set's images, and whose features are this set."""
    folder: Annotated[str, Field(pattern=r"^([A-Za-z0-9][A-Za-z0-9_.-]*)?$", max_length=100)] = ""
    """The folder of the raw files below data/raw and the mirrors; by default the key."""
    files: tuple[RawFile, ...] = ()
    """The raw files."""
    divide: Divide | None = None
    """Cut of a part, published as one, into several."""
    transform: Literal["standardise", "normalise"] | None = None
    """standardise: mean 0 and variance 1 in each column, by the training part of each split; sparse
    features are scaled only; normalise: rows of norm 1."""
    bias: bool = False
    """True if a column of ones is added to the features, after the transformation."""
    folds: Annotated[int, Field(ge=2)] | None = None
    """The number of folds of the one part, each of them the test part of a split; stratified by the
    classes where rows have one label."""
    repeats: PositiveInt = 1
    """Number of draws of the folds: `repeats: 10` gives ten times as many splits, r1f0 the first
    of the second draw. With few folds a test tells large differences alone."""
    C_scale: Literal["mean_squared_norm"] | None = None
    """mean_squared_norm: linear methods divide the grid of C by the mean squared norm of the rows
    that they are trained on, for features whose scale is to stay."""
    splits: tuple[Split, ...] = ()
    """The experiments; by default one, named main, on the parts train, val if there is one, and
    test."""
    statistics: tuple[PrintedStatistics, ...] = ()
    """Statistics of the set in the papers."""
    waits_for: str | None = None
    """Missing parts, in plain words that go on from "waits for"; shown while the set cannot be
    had."""
    is_published: bool = False
    """True if somebody publishes what the set waits for."""
    not_comparable: str | None = None
    """Why results on this set are not those that the papers print, in plain words; they are never
    compared then."""
    url: Annotated[str, Field(pattern=r"^https?://")] | None = None
    """The set's home page."""
    notes: str | None = None
    """Remarks for the reader."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "published_key", self.published_key or self.name)
        object.__setattr__(self, "folder", self.folder or self.name)
        if self.protocol == OWN:
            self._set_own_protocol()
        if self.folds is not None:
            self._set_folds()
        elif self.repeats > 1:
            raise Fault("repeats", "is for a set of one part that is cut into folds")
        if not self.splits and {"train", "test"} <= {*self.parts}:
            val = "val" if "val" in self.parts else None
            object.__setattr__(self, "splits", (Split("main", "train", val, "test"),))

    @model_validator(mode="before")
    @classmethod
    def _own_defaults(cls, values: Any) -> Any:
        """Give data of no paper the keys of `_OWN_DEFAULTS` that the entry does not state."""
        given = values.kwargs if isinstance(values, ArgsKwargs) else values
        if not isinstance(given, Mapping) or given.get("protocol") != OWN:
            return values
        whole = {**_OWN_DEFAULTS, **given}
        return ArgsKwargs(values.args, whole) if isinstance(values, ArgsKwargs) else whole

    def _set_own_protocol(self) -> None:
        """Take the protocol of the task, and folds where there is one part alone."""
        object.__setattr__(self, "protocol", f"{OWN}_{self.task}")
        if len(self.parts) == 1 and not self.splits:
            object.__setattr__(self, "folds", self.folds or _OWN_FOLDS)

    def _set_folds(self) -> None:
        if len(self.parts) != 1 or self.splits or self.divide:
            raise Fault("folds", "is for a set of one part, without divide and splits")
        draws = ["", *(f"r{draw}" for draw in range(1, self.repeats))]
        names = [f"{draw}f{i}" for draw in draws for i in range(self.folds)]
        splits = (Split(name, f"train_{name}", None, f"test_{name}") for name in names)
        object.__setattr__(self, "splits", tuple(splits))

    @property
    def has_own_protocol(self) -> bool:
        """True if it follows the protocol of data that no paper has."""
        return self.protocol in (f"{OWN}_multiclass", f"{OWN}_multilabel")

    @property
    def parts(self) -> list[str]:
        """The parts that the files hold, and those that one of them is cut into."""
        parts = [part for file in self.files for part in file.holds]
        folds = [part for split in self.splits for part in (split.train, split.test) if self.folds]
        return [*parts, *(self.divide.into if self.divide else ()), *folds]

    @property
    def draws_training_rows(self) -> bool:
        """Tell whether each split has training rows that are drawn for it alone."""
        return self.embedded == "circle" or bool(self.network and self.network.n_train)

    def is_in(self, source: str) -> bool:
        """Return whether a paper's numbers for `published_key` are for this set as it is here."""
        return not self.published_sources or source in self.published_sources

    @property
    def split_names(self) -> list[str]:
        """The names of the splits: registered, or those that the generator or network gives."""
        if self.splits:
            return [split.name for split in self.splits]
        if self.network is not None:
            return [f"d{draw}" for draw in range(_DRAWS)]
        if self.embedded == "circle":
            return [f"s{draw:02d}" for draw in range(self.options["n_draws"])]
        return ["main"]

    @property
    def known_classes(self) -> int | None:
        """The number of classes, as far as the papers print it or the network has it."""
        if self.network is not None:
            return self.network.classes
        printed = [table.n_classes or "" for table in self.statistics]
        return max((int(text) for text in printed if text.isdecimal()), default=None)

    @property
    def empty_hamming_loss(self) -> float:
        """The Hamming loss of a prediction without any label: printed cardinality over classes; NaN
        where no paper prints them.
        """
        for table in self.statistics:
            if table.label_cardinality and table.n_classes:
                return float(table.label_cardinality) / float(table.n_classes)
        return math.nan
