"""SVG files as pictures of a page: nothing in them runs or loads there."""

from __future__ import annotations

import base64
import xml.etree.ElementTree as ET

from toplabel._core.files import FileError

SVG = "http://www.w3.org/2000/svg"
_PAGE_WIDTH = 7.2 * 72  # points: `toplabel.reproduction.report.figures.style.WIDTH`
_PAGE_HEIGHT = 9.2 * 72  # points, with room for a caption


def data_uri(text: str) -> str:
    """Return an SVG file as the address of an image, in which no script runs."""
    return "data:image/svg+xml;base64," + base64.b64encode(text.encode()).decode()


def share_of(text: str, name: str) -> float:
    """Return the width of a figure as a share of the width of a whole page, so that letters are of
    one size in all figures; less where it would be higher than a page.

    Raises
    ------
    FileError
        The text is not SVG.
    """
    file = f"figures/{name}.svg"
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        raise FileError(f"{file}, line {error.position[0]}: not well-formed XML") from None
    if root.tag != f"{{{SVG}}}svg":
        raise FileError(f"{file}: the outermost element is not <svg>")
    try:
        width, height = map(float, root.get("viewBox", "").split()[2:])
        return round(min(width, _PAGE_WIDTH, _PAGE_HEIGHT / height * width) / _PAGE_WIDTH, 3)
    except (ValueError, ZeroDivisionError):
        return 1.0
