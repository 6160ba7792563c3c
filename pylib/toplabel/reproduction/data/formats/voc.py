"""Pascal VOC: features of regions, and the objects of images in the layout of the development kit.

``Annotations/<image>.xml`` has the objects with class, bounding box and whether they are difficult.
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

from toplabel.reproduction.config.model import FileName
from toplabel.reproduction.data.formats.regions import Object, read_regions
from toplabel.reproduction.data.formats.source import FormatError, Source, damage, parse_xml, shown
from toplabel.reproduction.data.parts import Loaded

_ANNOTATION = re.compile(r"(?:^|/)Annotations/([^/]+)\.xml$")
_LARGEST = 2**26  # bytes of a file in an archive


def load(
    source: Source, labels: Mapping[str, FileName], classes: Mapping[str, str] | None = None
) -> Loaded:
    """Read features of regions, and the labels of their images from a tar file for each part.

    The classes are those of `classes` in their order, with the names of the papers' tables, or
    those that occur. Objects that are marked as difficult do not count.
    """
    objects: dict[str, dict[str, list[Object]]] = {}
    for part in source.parts:
        path = source.beside(part, labels)
        objects[part] = {
            match[1]: _objects(content, path / match[0])
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


def _objects(content: bytes, path: Path) -> list[Object]:
    """Return the objects of an annotation that count; their size is the area of the bounding box."""
    found = []
    for number, element in enumerate(parse_xml(content, path).findall("object"), start=1):
        with damage(path, f"annotation: object {number}"):
            label, size = element.findtext("name", "").strip(), _area(element)
            if not label:
                raise ValueError("no name")
        if element.findtext("difficult", "0").strip() != "1":
            found.append(Object(label, size))
    return found


def _area(element: ElementTree.Element) -> float:
    """Return the area of a box in pixels; both corners belong to it."""
    names = ("xmin", "ymin", "xmax", "ymax")
    left, top, right, bottom = (float(element.findtext(f"bndbox/{name}", "")) for name in names)
    if not (right >= left and bottom >= top):
        raise ValueError("the box is empty")
    return (right - left + 1) * (bottom - top + 1)


def _texts(path: Path, pattern: re.Pattern[str]) -> list[tuple[re.Match[str], bytes]]:
    """Return the files of a tar archive whose names end as `pattern` says; none goes to disk."""
    found = []
    with damage(path, "tar file"), tarfile.open(path) as archive:
        for member in archive:
            match = pattern.search(member.name)
            if not match or not member.isfile() or match[1].startswith("._"):  # of macOS
                continue
            if member.size > _LARGEST:
                raise FormatError(path, None, f"{member.name} has {member.size:,} bytes")
            found.append((match, archive.extractfile(member).read()))
    return sorted(found, key=lambda pair: pair[0][0])
