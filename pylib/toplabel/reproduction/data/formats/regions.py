"""Features of the regions of images, and the labels of images from their objects (TPAMI section 6.3).

An image has several rows of features. A part P has the features ``X`` (rows, d), the number ``image``
(rows,) of each row's image, from 0, and ``images`` (n,), the images' names, or their numbers in the
annotations. They are arrays of an .npz or .h5 file, or P.npy, P_labels.npy and P_images.npy. The
objects are annotated as in Pascal VOC or in COCO.
"""

from __future__ import annotations

import json
import re
import tarfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np

from toplabel.reproduction.config.documents import FileName
from toplabel.reproduction.data.formats.arrays import read_beside, read_hdf5, read_npy, read_npz
from toplabel.reproduction.data.formats.common import (
    FormatError,
    Source,
    damage,
    features_of,
    parse_xml,
    shown,
)
from toplabel.reproduction.data.parts import LoadedSet, Part

_ANNOTATION = re.compile(r"(?:^|/)Annotations/([^/]+)\.xml$")
_LARGEST = 2**26  # bytes of a file in an archive
_NO_LABEL = -1  # the single label of an image without an object


class Object(NamedTuple):
    """An object of an image: its class and its size, in pixels squared."""

    label: str
    size: float


def load_voc(
    source: Source, labels: Mapping[str, FileName], classes: Mapping[str, str] | None = None
) -> LoadedSet:
    """Read features of regions, and the labels of their images from a tar file for each part.

    ``Annotations/<image>.xml`` in it, as in the development kit, has the objects with class and
    bounding box; those that are marked as difficult do not count. The classes are those of
    `classes` in their order, with the names of the papers' tables, or those that occur.
    """
    objects: dict[str, dict[str, list[Object]]] = {}
    there: set[str] = set()
    for part in source.parts:
        path = source.beside(part, labels)
        objects[part] = dict(_annotations(path))
        if not objects[part]:
            raise FormatError(path, None, "no Annotations/*.xml in it")
        labels_there = {item.label for image in objects[part].values() for item in image}
        if classes is not None and (unknown := sorted(labels_there - {*classes})):
            raise FormatError(path, None, f"objects of the unknown class {shown(unknown[0])}")
        there |= labels_there
    names = sorted(there) if classes is None else list(classes)
    parts = {part: _labelled(path, objects[part], names) for part, path in source.parts.items()}
    return LoadedSet(parts, names if classes is None else [classes[name] for name in names])


def _annotations(path: Path) -> Iterator[tuple[str, list[Object]]]:
    """Yield the name of each image in a tar file, and its objects; no file goes to disk."""
    with damage(path, "tar file"), tarfile.open(path) as archive:
        for member in archive:
            match = _ANNOTATION.search(member.name)
            if not match or not member.isfile() or match[1].startswith("._"):  # of macOS
                continue
            if member.size > _LARGEST:
                raise FormatError(path, None, f"{member.name} has {member.size:,} bytes")
            place = path / match[0]
            root = parse_xml(archive.extractfile(member).read(), place)
            with damage(place, "annotation"):
                yield match[1], [_object(e) for e in root.findall("object") if not _is_difficult(e)]


def _is_difficult(element: ElementTree.Element) -> bool:
    return element.findtext("difficult", "0").strip() == "1"


def _object(element: ElementTree.Element) -> Object:
    """Return an object; both corners of its box belong to it."""
    names = ("xmin", "ymin", "xmax", "ymax")
    left, top, right, bottom = (float(element.findtext(f"bndbox/{name}", "")) for name in names)
    label = element.findtext("name", "").strip()
    if not label:
        raise ValueError("an object without a name")
    return Object(label, (right - left + 1) * (bottom - top + 1))


def load_coco(source: Source, labels: Mapping[str, FileName]) -> LoadedSet:
    """Read features of regions, and the labels of their images from an instances file for each part.

    Images have their numbers as names. Classes are the categories in the order of their numbers,
    the same in every part. The size of an object is the area of its box.
    """
    parts, classes = {}, None
    for part, path in source.parts.items():
        annotated = source.beside(part, labels)
        names, objects = _instances(annotated)
        if classes not in (None, names):
            message = f"its categories are not those of the part '{next(iter(parts))}'"
            raise FormatError(annotated, None, message)
        classes = names
        parts[part] = _labelled(path, objects, classes)
    return LoadedSet(parts, classes)


def _instances(path: Path) -> tuple[list[str], dict[str, list[Object]]]:
    """Return the categories of an instances file, and the objects of each image."""
    with damage(path, "instances file of COCO"):
        document = json.loads(path.read_bytes())
        categories = {entry["id"]: entry["name"] for entry in document["categories"]}
        name, count = Counter(categories.values()).most_common(1)[0]
        if count > 1 or len(categories) < len(document["categories"]):
            raise ValueError(f"a category occurs twice, perhaps {name!r}")
        objects: dict[str, list[Object]] = {str(entry["id"]): [] for entry in document["images"]}
        for entry in document["annotations"]:
            _, _, width, height = entry["bbox"]
            label = categories[entry["category_id"]]
            objects[str(entry["image_id"])].append(Object(label, float(width * height)))
    return [categories[key] for key in sorted(categories)], objects


def _labelled(path: Path, objects: Mapping[str, Sequence[Object]], classes: Sequence[str]) -> Part:
    """Read the features of a part, and label its images by their objects.

    ``Y`` says whether an image has an object of a class; ``y`` is the class of its largest object,
    of equally large ones the first, and -1 for an image without one.
    """
    if path.suffix == ".npy":
        X, image, images = read_npy(path), read_beside(path, "labels"), read_beside(path, "images")
    else:
        read = read_npz if path.suffix == ".npz" else read_hdf5
        X, image, images = read(path, ("X", "image", "images"))
    if image.dtype.kind not in "iu":
        raise FormatError(path, None, "'image' must hold whole numbers, one for each row of X")
    index = {name: j for j, name in enumerate(classes)}
    Y = np.zeros((len(images), len(classes)), dtype=np.uint8)
    y = np.full(len(images), _NO_LABEL, dtype=np.int64)
    for i, name in enumerate(images.tolist()):
        name = name.decode() if isinstance(name, bytes) else str(name)
        if name not in objects:
            raise FormatError(path, None, f"the image {name!r} has no annotation")
        for item in objects[name]:
            Y[i, index[item.label]] = 1
        if objects[name]:
            y[i] = index[max(objects[name], key=lambda item: item.size).label]
    return Part(features_of(path, X), y=y, Y=Y, groups=image.astype(np.int64))
