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
from xml.etree import ElementTree

import numpy as np

from toplabel.reproduction.datasets.formats.objects import Object, labels_of
from toplabel.reproduction.datasets.formats.regions import Regions, read_regions
from toplabel.reproduction.datasets.formats.source import (
    FormatError,
    Source,
    beside,
    damage,
    parse_xml,
    shown,
)
from toplabel.reproduction.datasets.parts import Loaded

DIFFICULT = ("absent", "present")
_LIST = re.compile(r"(?P<label>.+)_(?P<set>train|val|trainval|test)\.txt")
_LARGEST = 2**26  # bytes of an annotation or a label list
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
        For each part the tar file (or folder) beside its features with ``Annotations/*.xml``, or
        with ``ImageSets/Main/*.txt`` alone; then images have label sets and no single label.
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
    if difficult not in DIFFICULT:
        raise ValueError(f"difficult must be one of {DIFFICULT}, not {difficult!r}")
    regions = {part: read_regions(path) for part, path in source.parts.items()}
    archives = {}
    for part, path in source.parts.items():
        if part not in labels:
            message = f"the option 'labels' names no file for the part '{part}'"
            raise FormatError(path, None, message)
        archives[part] = Archive(beside(path, labels[part]))
    if all(archive.annotations for archive in archives.values()):
        return _from_annotations(regions, archives, classes, difficult)
    return _from_lists(regions, archives, classes, difficult)


class Archive:
    """The text files of a tar file or a folder, by the end of their paths.

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
        It is neither, or holds neither annotations nor label lists.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.annotations: dict[str, str] = {}
        self.lists: dict[tuple[str, str], str] = {}
        for name in self._members():
            place = PurePosixPath(name)
            if place.suffix == ".xml" and place.parent.name == "Annotations":
                self.annotations[place.stem] = name
            in_main = place.parts[-3:-1] == ("ImageSets", "Main")
            if in_main and (found := _LIST.fullmatch(place.name)):
                self.lists[found["label"], found["set"]] = name
        if not self.annotations and not self.lists:
            message = "neither Annotations/*.xml nor ImageSets/Main/<class>_<set>.txt in it"
            raise FormatError(path, None, message)

    def _members(self) -> list[str]:
        if self.path.is_dir():
            found = (path for path in self.path.rglob("*") if path.is_file())
            return sorted(path.relative_to(self.path).as_posix() for path in found)
        with damage(self.path, "folder and no tar file"), tarfile.open(self.path) as tar:
            return sorted(member.name for member in tar if member.isfile())

    def read(self, names: Sequence[str]) -> Iterator[bytes]:
        """Yield the contents of files, in that order."""
        if self.path.is_dir():
            for name in names:
                yield (self.path / name).read_bytes()
            return
        with damage(self.path, "tar file"), tarfile.open(self.path) as tar:
            for name in names:
                if (size := tar.getmember(name).size) > _LARGEST:
                    message = f"{shown(name)} has {size:,} bytes; at most {_LARGEST:,} are read"
                    raise FormatError(self.path, None, message)
                yield tar.extractfile(name).read()


def read_lists(path: Path, difficult: str = "absent") -> tuple[list[str], dict[str, np.ndarray]]:
    """Read all label lists of a tar file or folder.

    Returns
    -------
    classes : list of str
        In alphabetical order.
    flags : dict of str to ndarray of shape (m,)
        By image, uint8: the classes that it has.
    """
    return _label_sets(Archive(path), difficult)


def set_names(path: Path, name: str) -> list[str]:
    """Return the images of a set (train, val, trainval or test), in the order of its first label
    list.
    """
    archive = Archive(path)
    lists = sorted(file for (_, of), file in archive.lists.items() if of == name)
    if not lists:
        raise FormatError(path, None, f"no label list of the set '{name}'")
    (content,) = archive.read(lists[:1])
    return [image for image, _ in _lines(path / lists[0], content)]


def _label_sets(archive: Archive, difficult: str) -> tuple[list[str], dict[str, np.ndarray]]:
    classes = sorted({label for label, _ in archive.lists})
    least = 1 if difficult == "absent" else 0
    flags: dict[str, np.ndarray] = {}
    known: dict[str, np.ndarray] = {}
    files = list(archive.lists.items())
    contents = archive.read([file for _, file in files])
    for ((label, _), file), content in zip(files, contents, strict=True):
        j = classes.index(label)
        for image, flag in _lines(archive.path / file, content):
            row = flags.setdefault(image, np.zeros(len(classes), dtype=np.uint8))
            seen = known.setdefault(image, np.zeros(len(classes), dtype=bool))
            row[j], seen[j] = flag >= least, True
    for image, seen in known.items():
        if not seen.all():
            label = classes[int(np.flatnonzero(~seen)[0])]
            raise FormatError(archive.path, None, f"no list of '{label}' has the image {image!r}")
    return classes, flags


def _lines(path: Path, content: bytes) -> Iterator[tuple[str, int]]:
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), start=1):
        tokens = line.split()
        if not tokens:
            continue
        if len(tokens) != 2 or tokens[1] not in ("-1", "0", "1"):
            message = f"{shown(line.strip())} is not an image and one of -1, 0 and 1"
            raise FormatError(path, number, message)
        yield tokens[0], int(tokens[1])


def _from_lists(
    regions: Mapping[str, Regions],
    archives: Mapping[str, Archive],
    classes: Mapping[str, str] | None,
    difficult: str,
) -> Loaded:
    parts, names = {}, None
    for part, of_part in regions.items():
        archive = archives[part]
        if not archive.lists:
            message = "has annotations, but the file of another part has label lists alone"
            raise FormatError(archive.path, None, message)
        found, flags = _label_sets(archive, difficult)
        names = names or list(classes or found)
        missing = [name for name in names if name not in found]
        if missing or len(found) != len(names):
            other = missing or [name for name in found if name not in names]
            message = f"the class '{other[0]}' is not among both its lists and the set's classes"
            raise FormatError(archive.path, None, message)
        columns = [found.index(name) for name in names]
        rows = [_annotated(archive.path, flags, image)[columns] for image in of_part.images]
        parts[part] = of_part.part(np.array(rows), None)
    return Loaded(parts=parts, class_names=_printed(names, classes))


def _annotated(path: Path, by_image: Mapping, image: str):
    if image not in by_image:
        raise FormatError(path, None, f"the image {image!r} of the features is not in it")
    return by_image[image]


def _from_annotations(
    regions: Mapping[str, Regions],
    archives: Mapping[str, Archive],
    classes: Mapping[str, str] | None,
    difficult: str,
) -> Loaded:
    objects = {}
    for part, of_part in regions.items():
        archive = archives[part]
        files = [_annotated(archive.path, archive.annotations, image) for image in of_part.images]
        known = None if classes is None else frozenset(classes)
        objects[part] = [
            read_objects(content, archive.path / name, known, difficult)
            for name, content in zip(files, archive.read(files), strict=True)
        ]
    occurring = {one.label for images in objects.values() for image in images for one in image}
    names = sorted(occurring) if classes is None else list(classes)
    parts = {
        part: of_part.part(*labels_of(objects[part], names)) for part, of_part in regions.items()
    }
    return Loaded(parts=parts, class_names=_printed(names, classes))


def _printed(names: Sequence[str], classes: Mapping[str, str] | None) -> list[str]:
    return [name if classes is None else classes[name] for name in names]


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
        try:
            value = float(text)
        except ValueError:
            value = np.nan
        if not np.isfinite(value):
            raise FormatError(path, None, f"{place}: {name} is {shown(text)}, no number")
        corners.append(value)
    width, height = corners[2] - corners[0] + 1, corners[3] - corners[1] + 1
    if width <= 0 or height <= 0:
        raise FormatError(path, None, f"{place}: the box {corners} is empty")
    if not np.isfinite(width * height):
        raise FormatError(path, None, f"{place}: the box {corners} is too large")
    return width * height
