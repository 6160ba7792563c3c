"""Pascal VOC: features of regions, and the objects of images in the layout of the development kit.

``Annotations/<image>.xml`` has the objects with class, bounding box and whether they are difficult.
``ImageSets/Main/<class>_<set>.txt`` has a line ``<image> <flag>`` an image: 1 present, 0 only
difficult objects, -1 absent; it does not say which object is the largest, and gives statistics alone.
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd

from toplabel.reproduction.data.formats.regions import Object, read_regions
from toplabel.reproduction.data.formats.source import FormatError, Source, damage, parse_xml, shown
from toplabel.reproduction.data.parts import Loaded

_ANNOTATION = re.compile(r"(?:^|/)Annotations/([^/]+)\.xml$")
_LIST = re.compile(r"(?:^|/)ImageSets/Main/([^/]+)_(train|val|trainval|test)\.txt$")
_LARGEST = 2**26  # bytes of a file in an archive


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
        For each part the tar file beside its features with ``Annotations/*.xml``.
    classes : mapping of str to str, optional
        The classes in their order, with the name of each in the papers' tables. Without it, those
        that occur, in alphabetical order.
    difficult : {"absent", "present"}
        Whether objects that are marked as difficult count.
    """
    objects: dict[str, dict[str, list[Object]]] = {}
    for part in source.parts:
        path = source.beside(part, labels)
        objects[part] = {
            match[1]: read_objects(content, path / match[0], difficult)
            for match, content in _texts(path, _ANNOTATION)
        }
        if not objects[part]:
            raise FormatError(path, None, "no Annotations/*.xml in it")
    found = {o.label for part in objects.values() for image in part.values() for o in image}
    names = sorted(found) if classes is None else list(classes)
    if unknown := sorted(found - {*names}):
        raise FormatError(path, None, f"objects of the unknown class {shown(unknown[0])}")
    parts = {
        part: read_regions(path).labelled(objects[part], names)
        for part, path in source.parts.items()
    }
    return Loaded(parts, names if classes is None else [classes[name] for name in names])


def read_objects(content: bytes, path: Path, difficult: str = "absent") -> list[Object]:
    """Return the objects of an annotation that count; their size is the area of the bounding box.

    `path` is for messages; both corners belong to a box.
    """
    found = []
    for number, element in enumerate(parse_xml(content, path).findall("object"), start=1):
        with damage(path, f"annotation: object {number}"):
            size = _area(element)
            label = element.findtext("name", "").strip()
            if not label:
                raise ValueError("no name")
        if difficult == "present" or element.findtext("difficult", "0").strip() != "1":
            found.append(Object(label, size))
    return found


def _area(element: ElementTree.Element) -> float:
    corners = [
        float(element.findtext(f"bndbox/{name}", "")) for name in ("xmin", "ymin", "xmax", "ymax")
    ]
    width, height = corners[2] - corners[0] + 1, corners[3] - corners[1] + 1
    if not (width > 0 and height > 0):
        raise ValueError(f"the box {corners} is empty")
    return width * height


def read_lists(path: Path) -> dict[str, pd.DataFrame]:
    """Read the label lists of a tar file.

    Returns
    -------
    dict of str to DataFrame
        For each set (train, val, trainval, test) the flags 1, 0 and -1 of its images, a row an
        image and a column a class.
    """
    lists: dict[str, dict[str, pd.Series]] = {}
    for match, content in _texts(path, _LIST):
        with damage(path / match[0], "label list"):
            rows = dict(line.split() for line in content.decode().splitlines() if line.strip())
            lists.setdefault(match[2], {})[match[1]] = pd.Series(rows).astype(int)
    frames = {name: pd.DataFrame(columns) for name, columns in lists.items()}
    if not frames:
        raise FormatError(path, None, "no ImageSets/Main/<class>_<set>.txt in it")
    for name, frame in frames.items():
        if not np.isin(frame, (-1, 0, 1)).all():
            message = f"the lists of '{name}' differ in their images, or have flags other than"
            raise FormatError(path, None, f"{message} -1, 0 and 1")
    return frames


def _texts(path: Path, pattern: re.Pattern[str]) -> list[tuple[re.Match[str], bytes]]:
    """Return the files of a tar archive whose names end as `pattern` says, sorted by name.

    Nothing is extracted to disk.
    """
    with damage(path, "tar file"), tarfile.open(path) as archive:
        found = {
            match[0].lstrip("/"): (match, member)
            for member in archive
            if member.isfile() and (match := pattern.search(member.name))
            if not match[1].startswith("._")  # macOS adds such files
        }
        for name, (_, member) in found.items():
            if member.size > _LARGEST:
                raise FormatError(path, None, f"{name} has {member.size:,} bytes")
        return [
            (match, archive.extractfile(member).read())
            for _, (match, member) in sorted(found.items())
        ]
