"""COCO: features of regions, and objects in an "instances" JSON file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toplabel.reproduction.data.formats.regions import Object, read_regions
from toplabel.reproduction.data.formats.source import FormatError, Source, damage
from toplabel.reproduction.data.parts import Loaded


def load(
    source: Source, labels: Mapping[str, str], size: str = "bbox", crowd: str = "present"
) -> Loaded:
    """Read features of regions and the labels of their images.

    Classes are the categories in the order of their numbers, the same in every part.

    Parameters
    ----------
    source : Source
        Features of each part, in a form of `regions`; `images` are the numbers of the images in the
        JSON file.
    labels : mapping of str to str
        For each part the name of its JSON file, beside its features.
    size : {"bbox", "area"}
        What makes an object the largest: the area of its bounding box, or that of its outline.
    crowd : {"present", "absent"}
        Whether a group of objects with one outline (``iscrowd``) counts as an object.
    """
    parts, classes = {}, None
    for part, path in source.parts.items():
        annotated = source.beside(part, labels)
        names, objects = read_instances(annotated, size, crowd)
        if classes not in (None, names):
            message = f"its categories are not those of the part '{next(iter(parts))}'"
            raise FormatError(annotated, None, message)
        classes = names
        parts[part] = read_regions(path).labelled(objects, classes)
    return Loaded(parts, classes)


def read_instances(
    path: Path, size: str = "bbox", crowd: str = "present"
) -> tuple[list[str], dict[str, list[Object]]]:
    """Return the categories of an instances file, and the objects of each image that count."""
    with damage(path, "instances file of COCO"):
        document = json.loads(path.read_bytes())
        categories = {entry["id"]: entry["name"] for entry in document["categories"]}
        name, count = Counter(categories.values()).most_common(1)[0]
        if count > 1 or len(categories) < len(document["categories"]):
            raise ValueError(f"a category occurs twice, perhaps {name!r}")
        objects: dict[str, list[Object]] = {str(entry["id"]): [] for entry in document["images"]}
        for entry in document["annotations"]:
            if crowd == "present" or not entry.get("iscrowd", 0):
                found = Object(categories[entry["category_id"]], _size(entry, size))
                objects[str(entry["image_id"])].append(found)
    return [categories[key] for key in sorted(categories)], objects


def _size(entry: dict[str, Any], size: str) -> float:
    if size == "area":
        value = float(entry["area"])
    else:
        _, _, width, height = entry["bbox"]
        value = float(width * height)
    if not value >= 0:
        raise ValueError(f"the size of the annotation {entry.get('id')} is {value}")
    return value
