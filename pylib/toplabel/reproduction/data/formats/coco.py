"""COCO: features of regions, and objects in an "instances" JSON file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toplabel.reproduction.data.formats.regions import Object, labels_of, read_regions
from toplabel.reproduction.data.formats.source import (
    FormatError,
    Source,
    read_bytes,
    shown,
)
from toplabel.reproduction.data.parts import Loaded

_LARGEST = 1e100  # of a size: the product of two is finite


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

    Raises
    ------
    FormatError
        With the file and the line or the element: malformed, or an image that is not in it.
    """
    parts, classes = {}, None
    for part, path in source.parts.items():
        regions, annotated = read_regions(path), source.beside(part, labels)
        names, objects = read_instances(annotated, size, crowd)
        if classes not in (None, names):
            message = f"its categories are not those of the part '{next(iter(parts))}'"
            raise FormatError(annotated, None, message)
        classes = names
        missing = [image for image in regions.images if image not in objects]
        if missing:
            message = f"the image {missing[0]!r} of the features is not in it"
            raise FormatError(annotated, None, message)
        parts[part] = regions.part(*labels_of([objects[i] for i in regions.images], classes))
    return Loaded(parts=parts, class_names=classes)


def read_instances(
    path: Path, size: str = "bbox", crowd: str = "present"
) -> tuple[list[str], dict[str, list[Object]]]:
    """Read the objects of an instances file.

    Returns
    -------
    classes : list of str
        Names of the categories.
    objects : dict of str to list of Object
        By image, those that count; an image without any has an empty list.

    Raises
    ------
    FormatError
        With the file, and the line or the element.
    """
    document = _document(path)
    categories = {}
    for i, entry in enumerate(document["categories"]):
        key = _field(path, f"categories[{i}]", entry, "id", int)
        if key in categories:
            raise FormatError(path, None, f"categories[{i}]: the id {key} occurs twice")
        categories[key] = _field(path, f"categories[{i}]", entry, "name", str)
    objects: dict[str, list[Object]] = {}
    for i, entry in enumerate(document["images"]):
        objects[str(_field(path, f"images[{i}]", entry, "id", int))] = []
    for i, entry in enumerate(document["annotations"]):
        place = f"annotations[{i}]"
        image = str(_field(path, place, entry, "image_id", int))
        category = _field(path, place, entry, "category_id", int)
        if image not in objects:
            raise FormatError(path, None, f"{place}: no image has the id {image}")
        if category not in categories:
            raise FormatError(path, None, f"{place}: no category has the id {category}")
        if crowd == "present" or not entry.get("iscrowd", 0):
            measured = _size(path, place, entry, size)
            objects[image].append(Object(categories[category], measured))
    return [categories[key] for key in sorted(categories)], objects


def _document(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(read_bytes(path))
    except json.JSONDecodeError as error:
        raise FormatError(path, error.lineno, f"not JSON: {error.msg}") from None
    except UnicodeDecodeError as error:
        raise FormatError(path, None, f"not UTF-8 text ({error.reason})") from None
    except ValueError:  # Python reads 4300 digits
        raise FormatError(path, None, "a number in it has too many digits") from None
    except RecursionError:
        raise FormatError(path, None, "lists or objects in it are nested too deep") from None
    for key in ("images", "annotations", "categories"):
        if not isinstance(document, dict) or not isinstance(document.get(key), list):
            raise FormatError(path, None, f"no list '{key}'; is it an instances file?")
    return document


def _field(path: Path, place: str, entry: Any, key: str, kind: type) -> Any:
    value = entry.get(key) if isinstance(entry, dict) else None
    if not isinstance(value, kind) or isinstance(value, bool):
        word = "a whole number" if kind is int else "a text"
        raise FormatError(path, None, f"{place}: {key} is {shown(value)}, not {word}")
    return value


def _size(path: Path, place: str, entry: dict[str, Any], size: str) -> float:
    value = entry.get(size)
    numbers = value if isinstance(value, list) else [value]
    right = all(isinstance(x, int | float) and 0 <= x <= _LARGEST for x in numbers[-2:])
    if not right or len(numbers) != (4 if size == "bbox" else 1):
        form = "[x, y, width, height]" if size == "bbox" else "a number"
        raise FormatError(path, None, f"{place}: {size} is {shown(value)}, not {form}")
    return float(numbers[-2] * numbers[-1]) if size == "bbox" else float(numbers[0])
