"""What the site draws when it is built: a picture of each loss, and the figures of the examples as
SVG.
"""

from pathlib import Path

import matplotlib
import numpy as np
from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from matplotlib.figure import Figure
from sphinx.application import Sphinx
from sphinx_gallery.scrapers import matplotlib_scraper

import toplabel

LIMIT = 3.0

# The examples, from what most people need to what few do.
ORDER = (
    *("topk", "thresholds", "kernel", "calibration", "simplex_coding", "precision_at_k"),
    *("path_and_gap", "liblinear", "float32_and_files", "own_loss"),
)


def svg(block, block_vars, gallery_conf):
    """The scraper of sphinx-gallery, for SVG."""
    return matplotlib_scraper(block, block_vars, gallery_conf, format="svg")


class Order:
    """The order of the examples."""

    def __init__(self, folder: str):
        self.folder = folder

    def __call__(self, name: str) -> int:
        return ORDER.index(name.removeprefix("plot_").removesuffix(".py"))


def setup(app: Sphinx) -> dict:
    """Draw the losses before the pages are read."""
    app.add_html_math_renderer("mathml", (write_mathml, None), (write_mathml, None))
    app.connect("builder-inited", lambda app: draw_losses(Path(app.srcdir) / "generated/losses"))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_mathml(translator, node) -> None:
    """Write a formula as MathML."""
    block = isinstance(node, nodes.math_block)
    formula = tex2mathml(node.astext(), as_block=block)
    translator.body.append(f"<p>{formula}</p>" if block else formula)
    raise nodes.SkipNode


def draw_losses(folder: Path) -> None:
    """Write <key>.svg for each loss."""
    folder.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context({"svg.hashsalt": "toplabel", "font.size": 8}):
        for loss in toplabel.losses.LOSSES.values():
            figure = draw(loss)
            figure.savefig(folder / f"{loss.key}.svg", metadata={"Date": None}, transparent=True)


def draw(loss: toplabel.losses.Loss) -> Figure:
    """The loss of one row of three classes over two scores, the third being 0."""
    ticks = np.linspace(-LIMIT, LIMIT, 81)
    first, second = np.meshgrid(ticks, ticks)
    zero = np.zeros(first.size)
    if loss.labels == "set":
        scores = np.column_stack([first.ravel(), second.ravel(), zero])
        y = np.tile([1, 1, 0], (first.size, 1))
        names = "score of label 1", "score of label 2"
    else:
        scores = np.column_stack([zero, first.ravel(), second.ravel()])
        y = np.zeros(first.size, dtype=int)
        names = "score of class 2", "score of class 3"
    k = 2 if loss.top_k else 1
    values = toplabel.losses.value(loss.key, scores, y, k=k).reshape(first.shape)

    figure = Figure(figsize=(1.75, 1.45), layout="constrained")
    axes = figure.add_subplot(aspect="equal")
    levels = np.arange(0, 4.01, 0.5)
    axes.contourf(first, second, values, levels, cmap="cividis", extend="max")
    axes.contour(first, second, values, levels, colors="white", linewidths=0.4)
    axes.set(xlabel=names[0], ylabel=names[1], xticks=[-3, 0, 3], yticks=[-3, 0, 3])
    return figure
