"""SVG files made safe to embed in a page: unique names, nothing that runs or loads."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
_PAGE_WIDTH = 7.2 * 72  # points: `toplabel.reproduction.reporting.style.WIDTH`
_PAGE_HEIGHT = 9.2 * 72  # points, with room for a caption
_HREFS = ("href", f"{{{XLINK}}}href")
# Script, foreign markup, and what would load or describe; the page has its own words for a figure.
_DROPPED = {"script", "foreignObject", "metadata", "title", "desc", "iframe"}
_REFERENCE = re.compile(r"url\(\s*(['\"]?)#([^)'\"]+)\1\s*\)")
_NAMED = re.compile(r"#([\w.-]+)")
_COORDINATES = ("d", "x", "y", "points")
_LONG = re.compile(r"-?\d+\.\d{3,}(?![\de])")
_REMOTE = re.compile(r"url\(\s*['\"]?(?!#|data:)|@import|expression\(", re.IGNORECASE)


def inline_svg(text: str, name: str, alt: str) -> str:
    """Return an SVG file as markup for a page.

    Parameters
    ----------
    text : str
        The file.
    name : str
        Made the first part of every id, so that several figures stand in one page.
    alt : str
        The alternative text.

    Raises
    ------
    ValueError
        The text is not SVG.
    """
    root = _parse(text, name)
    prefix = "fig-" + re.sub(r"[^A-Za-z0-9_-]", "-", name) + "-"
    _clean(root, prefix)
    _slim(root, set(_NAMED.findall(_serialise(root))))
    root.set("style", f"--share:{width_share(root)}")
    for size in ("width", "height"):
        root.attrib.pop(size, None)
    root.set("id", f"{prefix}svg")
    root.set("role", "img")
    root.set("aria-label", alt)
    return _serialise(root)


def width_share(root: ET.Element) -> float:
    """The width of a figure as a share of the width of a whole page, so that letters are of one
    size in all figures.
    """
    try:
        width = float(root.get("viewBox", "").split()[2])
    except (IndexError, ValueError):
        return 1.0
    return round(min(width / _PAGE_WIDTH, 1.0), 3)


def share_of(text: str, name: str) -> float:
    """`width_share` of a file, less where it would be higher than a page."""
    root = _parse(text, name)
    share = width_share(root)
    try:
        width, height = map(float, root.get("viewBox", "").split()[2:])
    except ValueError:
        return share
    return round(min(share, _PAGE_HEIGHT / height * width / _PAGE_WIDTH), 3)


def standalone_svg(text: str, name: str) -> str:
    """Return an SVG file with nothing in it that runs or loads, for the PDF.

    Raises
    ------
    ValueError
        The text is not SVG.
    """
    root = _parse(text, name)
    _clean(root, "")
    return _serialise(root)


def _parse(text: str, name: str) -> ET.Element:
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        raise ValueError(
            f"figures/{name}.svg, line {error.position[0]}: not well-formed XML"
        ) from None
    if root.tag != f"{{{SVG}}}svg":
        raise ValueError(f"figures/{name}.svg: the outermost element is not <svg>")
    return root


def _serialise(root: ET.Element) -> str:
    ET.register_namespace("", SVG)
    ET.register_namespace("xlink", XLINK)
    return ET.tostring(root, encoding="unicode")


def _clean(element: ET.Element, prefix: str) -> None:
    for child in list(element):
        kind = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else "comment"
        if kind in _DROPPED or kind == "comment":
            element.remove(child)
        elif kind == "style":
            _scope(child, element, prefix)
        else:
            _clean(child, prefix)
    for attribute in list(element.attrib):
        _clean_attribute(element, attribute, prefix)


def _slim(element: ET.Element, used: set[str]) -> None:
    """Take away what only makes a page larger: names that nothing refers to, bare groups, spaces,
    long decimals.
    """
    kept: list[ET.Element] = []
    for child in element:
        kind = child.tag.rpartition("}")[2]
        if kind not in ("text", "style"):
            _slim(child, used)
            child.tail = None
        bare = kind == "g" and not child.attrib
        kept += list(child) if bare else [child]
    element[:] = kept
    element.text = (element.text or "").strip() or None
    if element.get("id") not in used:
        element.attrib.pop("id", None)
    for name in _COORDINATES:
        if name in element.attrib:
            text = _LONG.sub(lambda number: f"{float(number[0]):.2f}", element.attrib[name])
            element.set(name, " ".join(text.split()))


def _scope(style: ET.Element, parent: ET.Element, prefix: str) -> None:
    """Nest the rules of a figure in a page under its own id, so that they end at its border."""
    rules = style.text or ""
    if _REMOTE.search(rules) or "<" in rules:
        parent.remove(style)
    elif prefix:
        style.text = f"#{prefix}svg{{{_with_prefix(rules, prefix)}}}"


def _clean_attribute(element: ET.Element, attribute: str, prefix: str) -> None:
    value = element.attrib[attribute]
    if attribute.lower().startswith("on") or _REMOTE.search(value):
        del element.attrib[attribute]
    elif attribute in _HREFS:
        if value.startswith("#"):
            element.set(attribute, f"#{prefix}{value[1:]}")
        elif not value.startswith("data:image/"):
            del element.attrib[attribute]
    elif attribute == "id":
        element.set(attribute, prefix + value)
    else:
        element.set(attribute, _with_prefix(value, prefix))


def _with_prefix(text: str, prefix: str) -> str:
    """Put `prefix` before the names in ``url(#name)``."""
    return _REFERENCE.sub(lambda found: f"url(#{prefix}{found[2]})", text)
