"""The figures of the examples as SVG, their order, and formulas as MathML."""

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx_gallery.scrapers import matplotlib_scraper

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
    """Register the form of formulas."""
    app.add_html_math_renderer("mathml", (write_mathml, None), (write_mathml, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_mathml(translator, node) -> None:
    """Write a formula as MathML."""
    block = isinstance(node, nodes.math_block)
    formula = tex2mathml(node.astext(), as_block=block)
    translator.body.append(f"<p>{formula}</p>" if block else formula)
    raise nodes.SkipNode
