"""COCO: features of regions, and objects in an "instances" JSON file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from toplabel.reproduction.config.model import FileName
from toplabel.reproduction.data.formats.regions import Object, read_regions
from toplabel.reproduction.data.formats.source import FormatError, Source, damage
from toplabel.reproduction.data.parts import Loaded


def load(source: Source, labels: Mapping[str, FileName]) -> Loaded:
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
        parts[part] = read_regions(path).labelled(objects, classes)
    return Loaded(parts, classes)


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
            found = Object(categories[entry["category_id"]], float(width * height))
            objects[str(entry["image_id"])].append(found)
    return [categories[key] for key in sorted(categories)], objects
