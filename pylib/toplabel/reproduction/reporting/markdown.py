"""Text and tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from toplabel.reproduction.reporting.labels import segments


def in_markdown(label: str) -> str:
    """Return a label in the small markup, for Markdown."""
    return "".join(
        text if style == "text" else f"<{style}>{text}</{style}>" for style, text in segments(label)
    )


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table in Markdown; empty without a row."""
    head, rows = list(head), list(rows)
    if not rows:
        return ""
    lines = [f"| {' | '.join(map(str, line))} |" for line in (head, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])
