"""Pascal VOC: features of regions, and label lists or annotations in the layout of the development
kit.

``ImageSets/Main/<class>_<set>.txt`` has a line ``<image> <flag>`` an image: 1 present, 0 only
difficult objects, -1 absent. ``Annotations/<image>.xml`` has the objects with class, bounding box
and whether they are difficult. Only the latter say which object is the largest.
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any
from xml.etree import ElementTree

import numpy as np

from toplabel.reproduction.data.formats.regions import Object, labels_of, read_regions
from toplabel.reproduction.data.formats.source import (
    FormatError,
    Source,
    damage,
    is_finite,
    parse_xml,
    shown,
)
from toplabel.reproduction.data.parts import Loaded

_LIST = re.compile(r"(?P<label>.+)_(?P<set>train|val|trainval|test)\.txt")
_LARGEST = 2**26  # bytes of an annotation or a label list
_UNLISTED = -9  # of an image that a class's list has not
_CORNERS = ("xmin", "ymin", "xmax", "ymax")


def load(
    source: Source,
    labels: Mapping[str, str],
    classes: Mapping[str, str] | None = None,
    difficult: str = "absent",
) -> Loaded:
    """Read features of regions and the labels of their images.

    Parameters
    ----------
    source : Source
        Features of each part, in a form of `regions`; `images` are VOC's names, "000005".
    labels : mapping of str to str
        For each part the tar file beside its features with ``Annotations/*.xml``, or with
        ``ImageSets/Main/*.txt`` alone; then images have label sets and no single label.
    classes : mapping of str to str, optional
        The classes in their order, with the name of each in the papers' tables. Without it, those
        that occur, in alphabetical order.
    difficult : {"absent", "present"}
        Whether objects that are marked as difficult count.

    Raises
    ------
    FormatError
        With the file and the line or the object: malformed, a class that `classes` has not, an
        image that is not annotated.
    """
    regions = {part: read_regions(path) for part, path in source.parts.items()}
    archives = {part: Archive(source.beside(part, labels)) for part in source.parts}
    annotated = all(archive.annotations for archive in archives.values())
    names = None if classes is None else list(classes)
    images: dict[str, list[list[Object]]] = {}
    for part, archive in archives.items():
        if annotated:
            images[part] = _annotated_objects(archive, regions[part].images, names, difficult)
        else:
            listed, images[part] = _listed_objects(archive, regions[part].images, difficult)
            names = names or listed
            if other := sorted({*names} ^ {*listed}):
                message = (
                    f"the class '{other[0]}' is not among both its lists and the set's classes"
                )
                raise FormatError(archive.path, None, message)
    if names is None:
        names = sorted({o.label for part in images.values() for image in part for o in image})
    parts = {}
    for part, objects in images.items():
        Y, y = labels_of(objects, names)
        parts[part] = regions[part].part(Y, y if annotated else None)
    return Loaded(parts, names if classes is None else [classes[name] for name in names])


class Archive:
    """The text files of a tar file, by the end of their paths.

    Parameters
    ----------
    path : Path

    Attributes
    ----------
    annotations : mapping of str to str
        The file of each annotated image.
    lists : mapping of tuple of str to str
        The file of each (class, set).

    Raises
    ------
    FormatError
        It is none, holds neither annotations nor label lists, or one of them twice.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.annotations: dict[str, str] = {}
        self.lists: dict[tuple[str, str], str] = {}
        with damage(path, "tar file"), tarfile.open(path) as tar:
            names = sorted(member.name for member in tar if member.isfile())
        for name in names:
            place = PurePosixPath(name)
            if place.suffix == ".xml" and place.parent.name == "Annotations":
                self._add(self.annotations, place.stem, name)
            in_main = place.parts[-3:-1] == ("ImageSets", "Main")
            if in_main and (found := _LIST.fullmatch(place.name)):
                self._add(self.lists, (found["label"], found["set"]), name)
        if not self.annotations and not self.lists:
            message = "neither Annotations/*.xml nor ImageSets/Main/<class>_<set>.txt in it"
            raise FormatError(path, None, message)

    def _add(self, files: dict[Any, str], key: Any, name: str) -> None:
        if key in files:
            message = f"has both {shown(files[key])} and {shown(name)}"
            raise FormatError(self.path, None, message)
        files[key] = name

    def read(self, names: Sequence[str]) -> Iterator[bytes]:
        """Yield the contents of files, in that order."""
        with damage(self.path, "tar file"), tarfile.open(self.path) as tar:
            for name in names:
                if (size := tar.getmember(name).size) > _LARGEST:
                    message = f"{shown(name)} has {size:,} bytes; at most {_LARGEST:,} are read"
                    raise FormatError(self.path, None, message)
                yield tar.extractfile(name).read()

    def file_of(self, files: Mapping[str, Any], image: str) -> Any:
        """Return what a mapping has for an image of the features."""
        if image not in files:
            message = f"the image {image!r} of the features is not in it"
            raise FormatError(self.path, None, message)
        return files[image]

    def images_of(self, name: str) -> list[str]:
        """Return the images of a set (train, val, trainval or test), in the order of its first
        label list.
        """
        lists = sorted(file for (_, of), file in self.lists.items() if of == name)
        if not lists:
            raise FormatError(self.path, None, f"no label list of the set '{name}'")
        (content,) = self.read(lists[:1])
        return [image for image, _ in _lines(self.path / lists[0], content)]

    def label_sets(self, difficult: str = "absent") -> tuple[list[str], dict[str, np.ndarray]]:
        """Read all label lists.

        Returns
        -------
        classes : list of str
            In alphabetical order.
        flags : dict of str to ndarray of shape (m,)
            By image, uint8: the classes that it has.
        """
        classes = sorted({label for label, _ in self.lists})
        marks: dict[str, np.ndarray] = {}
        files = self.lists.items()
        contents = self.read([file for _, file in files])
        for ((label, _), file), content in zip(files, contents, strict=True):
            j = classes.index(label)
            for image, mark in _lines(self.path / file, content):
                marks.setdefault(image, np.full(len(classes), _UNLISTED))[j] = mark
        for image, row in marks.items():
            if _UNLISTED in row:
                label = classes[int(np.argmax(row == _UNLISTED))]
                message = f"no list of '{label}' has the image {image!r}"
                raise FormatError(self.path, None, message)
        least = 1 if difficult == "absent" else 0
        return classes, {image: (row >= least).astype(np.uint8) for image, row in marks.items()}


def _lines(path: Path, content: bytes) -> Iterator[tuple[str, int]]:
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), start=1):
        tokens = line.split()
        if not tokens:
            continue
        if len(tokens) != 2 or tokens[1] not in ("-1", "0", "1"):
            message = f"{shown(line.strip())} is not an image and one of -1, 0 and 1"
            raise FormatError(path, number, message)
        yield tokens[0], int(tokens[1])


def _listed_objects(
    archive: Archive, images: Sequence[str], difficult: str
) -> tuple[list[str], list[list[Object]]]:
    """Return the classes that have lists, and an object for each class of an image."""
    if not archive.lists:
        message = "has annotations, but the file of another part has label lists alone"
        raise FormatError(archive.path, None, message)
    classes, flags = archive.label_sets(difficult)
    rows = [archive.file_of(flags, image) for image in images]
    return classes, [[Object(classes[j], 0.0) for j in np.flatnonzero(row)] for row in rows]


def _annotated_objects(
    archive: Archive, images: Sequence[str], classes: Sequence[str] | None, difficult: str
) -> list[list[Object]]:
    files = [archive.file_of(archive.annotations, image) for image in images]
    known = None if classes is None else frozenset(classes)
    return [
        read_objects(content, archive.path / name, known, difficult)
        for name, content in zip(files, archive.read(files), strict=True)
    ]


def read_objects(
    content: bytes, path: Path, classes: frozenset[str] | None = None, difficult: str = "absent"
) -> list[Object]:
    """Return the objects of an annotation that count; their size is the area of the bounding box.

    Parameters
    ----------
    content : bytes
        XML.
    path : Path
        For messages.
    classes : frozenset of str, optional
        Any other class is an error.
    difficult : {"absent", "present"}

    Raises
    ------
    FormatError
        With the file, and the line or the object (from 1).
    """
    root = parse_xml(content, path)
    found = []
    for number, element in enumerate(root.findall("object"), start=1):
        place = f"object {number}"
        label = (element.findtext("name") or "").strip()
        if not label:
            raise FormatError(path, None, f"{place} has no name")
        if classes is not None and label not in classes:
            raise FormatError(path, None, f"{place} is of the unknown class {shown(label)}")
        mark = (element.findtext("difficult") or "0").strip()
        if mark not in ("0", "1"):
            raise FormatError(path, None, f"{place}: difficult is {shown(mark)}, not 0 or 1")
        size = _area(element.find("bndbox"), path, place)
        if mark == "0" or difficult == "present":
            found.append(Object(label, size))
    return found


def _area(box: ElementTree.Element | None, path: Path, place: str) -> float:
    """Return the area of a box in pixels; both corners belong to it."""
    if box is None:
        raise FormatError(path, None, f"{place} has no bndbox")
    corners = []
    for name in _CORNERS:
        text = (box.findtext(name) or "").strip()
        if not is_finite(text):
            raise FormatError(path, None, f"{place}: {name} is {shown(text)}, no number")
        corners.append(float(text))
    width, height = corners[2] - corners[0] + 1, corners[3] - corners[1] + 1
    if width <= 0 or height <= 0:
        raise FormatError(path, None, f"{place}: the box {corners} is empty")
    if not np.isfinite(width * height):
        raise FormatError(path, None, f"{place}: the box {corners} is too large")
    return width * height
