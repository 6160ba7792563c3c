"""The stages of the workflow as a graph, with what their jobs took: from the top down, side
branches on the right.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from markupsafe import Markup, escape

from toplabel.reproduction.reporting.provenance import Stage

# Each stage with its lane and those that it waits for. What no job is measured for stands without
# numbers.
_GRAPH = {
    "fetch": (0, ()),
    "prepare": (0, ("fetch",)),
    "network": (1, ("prepare",)),
    "extract": (1, ("network",)),
    "tune": (0, ("prepare", "extract")),
    "train": (0, ("tune",)),
    "threshold": (1, ("train",)),
    "evaluate": (0, ("train", "threshold")),
    "fine_tune": (1, ("network",)),
    "agree": (1, ("prepare",)),
    "calibration": (1, ()),
    "compare": (0, ("evaluate", "fine_tune", "agree")),
    "report": (0, ("compare", "calibration")),
}
_UNMEASURED = ("fetch", "compare", "report")
_WIDTH, _HEIGHT, _STEP, _GAP = 136, 36, 54, 44


def draw(stages: Sequence[Stage]) -> Markup:
    """Return the graph of the stages that a run had, as SVG; empty where nothing is known of
    them.
    """
    measured = {stage.name: stage for stage in stages}
    shown = [name for name in _GRAPH if name in measured or name in _UNMEASURED]
    if not any(name in measured for name in shown):
        return Markup("")
    rows = _rows(shown)
    width = max(_corner(name, 0)[0] for name in shown) + _WIDTH + 2
    height = _STEP * max(rows.values()) + _HEIGHT + 2
    pairs = [(before, name) for name in shown for before in _GRAPH[name][1] if before in rows]
    straight = [pair for pair in pairs if _is_straight(*pair, rows)]
    others = [pair for pair in pairs if pair not in straight]
    edges = [_down(*pair, rows) for pair in straight]
    edges += [
        _between(*pair, rows, _GAP * i // (len(others) + 1))
        for i, pair in enumerate(others, start=1)
    ]
    boxes = [_box(name, rows[name], measured.get(name)) for name in shown]
    label = f"The stages of the workflow, each after those that it needs: {', '.join(shown)}"
    return Markup(
        f'<svg class="stages" role="img" aria-label="{label}" width="{width}" height="{height}"'
        f' viewBox="-1 -1 {width} {height}"><defs><marker id="st-end" viewBox="0 0 8 8" refX="7" refY="4"'
        ' markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0L8 4L0 8Z"/></marker></defs>'
        f"{''.join(edges)}{''.join(boxes)}</svg>"
    )


def _rows(shown: Sequence[str]) -> dict[str, int]:
    """The row of each stage: the first that is free below all that it waits for."""
    rows: dict[str, int] = {}
    for name in shown:
        lane, before = _GRAPH[name]
        taken = {row for one, row in rows.items() if _GRAPH[one][0] == lane}
        # The main lane has its own order, top down.
        least = max(taken, default=-1) if lane == 0 else -1
        row = max([least, *(rows[one] for one in before if one in rows)]) + 1
        rows[name] = next(free for free in count(row) if free not in taken)
    return rows


def _corner(name: str, row: int) -> tuple[int, int]:
    return _GRAPH[name][0] * (_WIDTH + _GAP), row * _STEP


def _is_straight(before: str, name: str, rows: dict[str, int]) -> bool:
    """Whether a line down from one stage to another meets no third."""
    lane = _GRAPH[name][0]
    between = range(rows[before] + 1, rows[name])
    met = any(_GRAPH[one][0] == lane and row in between for one, row in rows.items())
    return _GRAPH[before][0] == lane and not met


def _down(before: str, name: str, rows: dict[str, int]) -> str:
    (x, y), (_, to_y) = _corner(before, rows[before]), _corner(name, rows[name])
    return _edge(f"M{x + _WIDTH // 2} {y + _HEIGHT}V{to_y}")


def _between(before: str, name: str, rows: dict[str, int], along: int) -> str:
    """A line in the gap between the lanes: out of a box below its middle, into one above it."""
    (x, y), (to_x, to_y) = _corner(before, rows[before]), _corner(name, rows[name])
    start, end = (edge or _WIDTH for edge in (x, to_x))
    return _edge(f"M{start} {y + _HEIGHT - 11}H{_WIDTH + along}V{to_y + 11}H{end}")


def _edge(path: str) -> str:
    return f'<path class="edge" d="{path}" marker-end="url(#st-end)"/>'


def _box(name: str, row: int, stage: Stage | None) -> str:
    x, y = _corner(name, row)
    took = f"{stage.jobs} job{'' if stage.jobs == '1' else 's'}, {stage.hours} h" if stage else ""
    lines = [(name.replace("_", "-"), "name", 15), (took, "took", 29)]
    texts = "".join(
        f'<text class="{kind}" x="{x + 9}" y="{y + (down if stage else 22)}">{escape(text)}</text>'
        for text, kind, down in lines
        if text
    )
    return f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="3"/>{texts}'
