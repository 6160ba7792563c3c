"""A strict look at a page with the standard library's parser."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

VOID = {"meta", "link", "br", "input", "img", "hr", "use", "path"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str | None]
    parent: Element | None
    children: list[Element] = field(default_factory=list)
    own_text: str = ""

    @property
    def text(self) -> str:
        """The text of the element, that of its children at the end of its own."""
        return self.own_text + "".join(child.text for child in self.children)

    @property
    def classes(self) -> set[str]:
        return set((self.attributes.get("class") or "").split())

    def all(self, tag: str = "", cls: str = "") -> list[Element]:
        """Return the elements below with this tag and class."""
        found = []
        for child in self.children:
            if (not tag or child.tag == tag) and (not cls or cls in child.classes):
                found.append(child)
            found.extend(child.all(tag, cls))
        return found

    def inside(self, tag: str = "", cls: str = "") -> bool:
        node = self.parent
        while node is not None and not (
            (not tag or node.tag == tag) and (not cls or cls in node.classes)
        ):
            node = node.parent
        return node is not None


class Page(HTMLParser):
    """Builds the tree; a tag that is closed in the wrong place, or never, is an error."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {}, None)
        self._open = self.root
        self.feed(text)
        self.close()
        assert self._open is self.root, f"<{self._open.tag}> is never closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"an attribute of <{tag}> stands twice: {attrs}"
        element = Element(tag, dict(attrs), self._open)
        self._open.children.append(element)
        if tag not in VOID:
            self._open = element

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open.children.append(Element(tag, dict(attrs), self._open))

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert tag == self._open.tag, f"</{tag}> closes <{self._open.tag}>"
        self._open = self._open.parent

    def handle_data(self, data: str) -> None:
        self._open.own_text += data


class Site:
    """All pages of a report in a folder; `all` and `text` go over them together."""

    def __init__(self, folder: Path) -> None:
        self.texts = {path.stem: path.read_text("utf-8") for path in sorted(folder.glob("*.html"))}
        self.pages = {name: Page(text).root for name, text in self.texts.items()}

    def __getitem__(self, name: str) -> Element:
        return self.pages[name]

    @property
    def markup(self) -> str:
        """The text of all files."""
        return "".join(self.texts.values())

    @property
    def text(self) -> str:
        """What all pages show."""
        return "".join(page.text for page in self.pages.values())

    def all(self, tag: str = "", cls: str = "") -> list[Element]:
        """Elements of all pages."""
        return [element for page in self.pages.values() for element in page.all(tag, cls)]

    def by_id(self, name: str) -> Element:
        """The first element with this id."""
        return next(e for e in self.all() if e.attributes.get("id") == name)
