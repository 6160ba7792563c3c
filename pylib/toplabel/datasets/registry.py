"""The registry of data sets: ``config/datasets.yaml``, checked and as dataclasses."""

from __future__ import annotations

import difflib
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jsonschema.exceptions import ValidationError, best_match

from toplabel.config.documents import read_yaml
from toplabel.config.schemas import Validator
from toplabel.datasets.prepared import Split, Task


class RegistryError(ValueError):
    """The registry does not follow its schema, or a data set is not in it."""


# The forms in which a part P may stand: formats/features.py, formats/regions.py.
_REGION_FORMS = (("{}.npz",), ("{}.npy", "{}_regions.npz"), ("{}.h5",))
_FORMS = {
    "features": (("{}.npz",), ("{}.npy", "{}_labels.npy"), ("{}.mat",), ("{}.h5",)),
    "voc": _REGION_FORMS,
    "coco": _REGION_FORMS,
}
# Formats whose multilabel sets have no single label a row beside the label set.
_LABEL_SETS_ALONE = ("mulan_arff", "libsvm")


@dataclass(frozen=True)
class RawFile:
    """A file as published; sum and size are those of the uncompressed content.

    It holds one `part`, several `parts`, or none and has a `role`.
    """

    name: str
    part: str | None = None
    parts: tuple[str, ...] = ()
    role: str | None = None
    sha256: str | None = None
    size: int | None = None
    url: str | None = None

    @property
    def holds(self) -> tuple[str, ...]:
        """The parts whose rows the file has."""
        return self.parts or ((self.part,) if self.part else ())


@dataclass(frozen=True)
class LabelLists:
    """A tar file of label lists (formats/voc.py), and the names of the lists of the two parts."""

    file: RawFile
    train: str
    test: str


@dataclass(frozen=True)
class Divide:
    """How a part that is published as one is cut into several.

    `into` maps new parts to numbers of rows or to shares; for the method "listed" it is their names,
    and `file` has the row numbers of each.
    """

    part: str
    method: str
    into: dict[str, float] | tuple[str, ...]
    file: str | None = None


@dataclass(frozen=True)
class Printed:
    """What one table of a paper prints about a data set, as printed ("10.5K").

    `cardinality_of` says of which rows the label cardinality is: "all", or "train". `differs` gives the
    reason for each number that the files are known not to give.
    """

    source: str
    n_classes: str | None = None
    n_train: str | None = None
    n_features: str | None = None
    label_cardinality: str | None = None
    differs: dict[str, str] = field(default_factory=dict)
    cardinality_of: str = "all"


@dataclass(frozen=True)
class Entry:
    """A registered data set. The fields are described in the schema."""

    name: str
    title: str
    task: Task
    protocol: str
    licence: str
    citation: str
    features: str = ""
    published_key: str = ""
    published_sources: tuple[str, ...] = ()
    embedded: str | None = None
    format: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    storage: str = "auto"
    folder: str = ""
    files: tuple[RawFile, ...] = ()
    divide: Divide | None = None
    transform: str | None = None
    splits: tuple[Split, ...] = ()
    label_lists: LabelLists | None = None
    statistics: tuple[Printed, ...] = ()
    waits_for: str | None = None
    not_comparable: str | None = None
    url: str | None = None
    notes: str | None = None

    def is_in(self, source: str) -> bool:
        """Whether a paper's numbers for `published_key` are for this set as it is here."""
        return not self.published_sources or source in self.published_sources

    @property
    def is_readable(self) -> bool:
        """Whether there is code that makes the set, given its files."""
        return self.embedded is not None or self.format is not None

    @property
    def lacks_single_labels(self) -> bool:
        """Whether it is known before the files are read that no row has a single label."""
        return self.task == "multilabel" and self.format in _LABEL_SETS_ALONE

    def forms(self, file: RawFile) -> list[tuple[RawFile, ...]]:
        """The forms in which a file may stand: one of these groups of files, whole.

        All formats but those of features that the user extracts know one, the file itself.
        """
        forms = [(file,)]
        if file.part is not None:
            known = _FORMS.get(self.format or "", ())
            names = [tuple(name.format(file.part) for name in form) for form in known]
            others = [form for form in names if form != (file.name,)]
            forms += [tuple(RawFile(name, file.part) for name in form) for form in others]
        return forms


class Registry(Mapping[str, Entry]):
    """The entries by name; an unknown name is an error that proposes the nearest ones."""

    def __init__(self, entries: dict[str, Entry]) -> None:
        self._entries = dict(entries)

    def __getitem__(self, name: str) -> Entry:
        if name not in self._entries:
            near = difflib.get_close_matches(name, self._entries, n=3)
            hint = f"did you mean {' or '.join(near)}?" if near else "see config/datasets.yaml"
            raise RegistryError(f"unknown data set '{name}'; {hint}")
        return self._entries[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def load_registry(
    path: str | os.PathLike[str], schema_path: str | os.PathLike[str] | None = None
) -> Registry:
    """Read and check the registry.

    Parameters
    ----------
    path : path-like
        ``config/datasets.yaml``.
    schema_path : path-like, optional
        By default ``workflow/schemas/datasets.schema.yaml`` of the checkout that `path` is in.

    Raises
    ------
    RegistryError
        One line that names the file, the data set, the key and what was found.
    """
    path = Path(path)
    if schema_path is None:
        schema_path = path.resolve().parents[1] / "workflow/schemas/datasets.schema.yaml"
    try:
        schema, document = read_yaml(schema_path), read_yaml(path)
    except ValueError as error:
        raise RegistryError(str(error)) from None
    error = best_match(Validator(schema).iter_errors(document))
    if error is not None:
        raise RegistryError(f"{path}: {_explain(error)}")
    registry = Registry(
        {name: _entry(name, record) for name, record in document["datasets"].items()}
    )
    for entry in registry.values():
        _check_parts(path, entry)
    return registry


def _explain(error: ValidationError) -> str:
    steps = list(error.absolute_path)
    if steps[:1] == ["datasets"] and len(steps) > 1:
        where = f"data set '{steps[1]}'"
        key = "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in steps[2:]).lstrip(".")
    else:
        where, key = "top level", ".".join(str(step) for step in steps)
    place = f"{where}, {key}" if key else where
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = error.schema.get("properties", {})
        unknown = [name for name in error.instance if name not in known]
        if unknown:
            allowed = ", ".join(known) or "none"
            return f"{place}: unknown key '{unknown[0]}'; allowed: {allowed}"
    if error.validator == "not" and isinstance(error.instance, dict):
        return f"{place}: an embedded set has neither format nor files"
    return f"{place}: {' '.join(error.message.split())}"


def _entry(name: str, record: dict[str, Any]) -> Entry:
    fields = dict(record)
    fields.setdefault("published_key", name)
    fields.setdefault("folder", name)
    fields["published_sources"] = tuple(record.get("published_sources", ()))
    fields["files"] = tuple(
        RawFile(**{**file, "parts": tuple(file.get("parts", ()))})
        for file in record.get("files", ())
    )
    fields["splits"] = tuple(
        Split(split["name"], split["train"], split.get("val"), split["test"])
        for split in record.get("splits", ())
    )
    if "label_lists" in record:
        lists = dict(record["label_lists"])
        parts = {role: lists.pop(role) for role in ("train", "test")}
        fields["label_lists"] = LabelLists(RawFile(role="extra", **lists), **parts)
    fields["statistics"] = tuple(Printed(**row) for row in record.get("statistics", ()))
    if "divide" in record:
        into = record["divide"]["into"]
        into = tuple(into) if isinstance(into, list) else into
        fields["divide"] = Divide(**{**record["divide"], "into": into})
    return Entry(name=name, **fields)


def _check_parts(path: Path, entry: Entry) -> None:
    """Refuse an entry whose files, division and splits do not fit each other."""
    where = f"{path}: data set '{entry.name}'"
    if entry.format is None:
        return
    for kind, names in (
        ("file", [file.name for file in entry.files]),
        ("part", [part for file in entry.files for part in file.holds]),
        ("labels file", [file.role for file in entry.files if file.role == "labels"]),
    ):
        for value, count in Counter(names).items():
            if count > 1:
                raise RegistryError(f"{where}: the {kind} '{value}' is given {count} times")
    for file in entry.files:
        if (file.part is not None) + bool(file.parts) + (file.role is not None) != 1:
            raise RegistryError(
                f"{where}, file '{file.name}': needs either a part, or parts, or a role"
            )
    parts = [part for file in entry.files for part in file.holds]
    if entry.divide is not None:
        if entry.divide.part not in parts:
            raise RegistryError(f"{where}, divide.part: no file has the part '{entry.divide.part}'")
        if entry.divide.file not in (None, *(file.name for file in entry.files)):
            raise RegistryError(
                f"{where}, divide.file: '{entry.divide.file}' is not listed under files"
            )
        parts = [*parts, *entry.divide.into]
    for split in entry.splits:
        for role in ("train", "val", "test"):
            part = getattr(split, role)
            if part is not None and part not in parts:
                raise RegistryError(
                    f"{where}, split '{split.name}': {role} names the part '{part}', "
                    f"but the parts are: {', '.join(parts)}"
                )
