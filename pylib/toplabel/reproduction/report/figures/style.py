"""The style of all figures: byte-stable SVG, colour-blind safe colours, plain axes.

Text is drawn as outlines (`svg.fonttype: path`), so that a figure looks the same in a browser, in
the PDF and in a copy of the file alone; the alternative text says in words what is drawn. The
background is transparent, so that a page may be light or dark.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from cycler import cycler

#: Okabe and Ito's palette, the yellow left out, sky blue and orange darker: all have a contrast of
#: 3 or more to white.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#3A92C8", "#B07D00", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", "--", ":", "-.")

INK = "#222222"
MUTED = "#767676"
RULE = "#cccccc"

WIDTH, HEIGHT = 7.2, 9.2  # inches: the text of the PDF's page, with room for a caption

_STYLE: dict[Any, Any] = {
    "svg.fonttype": "path",
    "svg.hashsalt": "toplabel",
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "savefig.transparent": True,
    "font.family": "DejaVu Sans",
    "font.size": 8.0,
    "axes.titlesize": 8.5,
    "axes.titlelocation": "left",
    "axes.labelsize": 8.0,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.prop_cycle": cycler(color=PALETTE),
    "grid.color": RULE,
    "grid.linewidth": 0.4,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "lines.linewidth": 1.3,
    "lines.markersize": 3.5,
    "legend.frameon": False,
    "legend.fontsize": 7.5,
    "mathtext.fontset": "dejavusans",
}


@contextmanager
def house_style() -> Iterator[None]:
    """Apply the style while figures are drawn and saved, and restore the settings afterwards."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        yield


def colour(position: int) -> str:
    """Return the colour of the series at this position; the palette starts again after its end."""
    return PALETTE[position % len(PALETTE)]


def marker(position: int) -> str:
    """Return the marker of the series at this position."""
    return MARKERS[position % len(MARKERS)]


def look(position: int) -> dict[str, Any]:
    """Return colour, marker and line of the series at this position, all different up to 28."""
    line = LINES[(position // len(PALETTE)) % len(LINES)]
    return {"color": colour(position), "marker": marker(position), "linestyle": line}
