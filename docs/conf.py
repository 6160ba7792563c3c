"""The site: `make docs` writes build/docs/index.html.

Its source are these pages, as they are in the repository. Nothing is fetched.
"""

import re
import sys
from pathlib import Path

import toplabel

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs" / "site"))

project = "toplabel"
author = copyright = "the toplabel authors"
version = release = toplabel.__version__

extensions = [
    "pictures",
    "config_keys",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["gallery/*.ipynb", "site"]
nitpicky = True
default_role = "autolink"  # a name in single quotes is a link where it is public
toc_object_entries_show_parents = "hide"
nitpick_ignore_regex = [
    # No other project's index of names is fetched.
    ("py:.*", r"(numpy|scipy|sklearn|collections|matplotlib)\..*"),
    # Arguments, constants and modules have no page.
    ("py:obj", r"\w+|toplabel\.(\w+\.)?[A-Z]+|toplabel\.(nonconvex|metrics)"),
]

myst_enable_extensions = ["colon_fence", "dollarmath"]
html_math_renderer = "mathml"  # of site/pictures.py: browsers render it, nothing is fetched
# Links to a heading of a page.
myst_heading_anchors = 4

autosummary_generate = True
templates_path = ["site/templates"]
# The template of a class documents its methods.
numpydoc_show_class_members = False
autodoc_typehints = "none"  # numpydoc has them in words

sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "pictures.Order",
    # The page of a function or class shows the examples that use it.
    "backreferences_dir": "generated/backreferences",
    "doc_module": ("toplabel",),
    "inspect_global_variables": True,
    "image_scrapers": ("pictures.svg",),
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "abort_on_example_error": True,
    "plot_gallery": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "toplabel"
html_static_path = ["site/static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_sidebars = {"**": []}
html_theme_options = {
    "logo": {"text": "toplabel"},
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": False,
}


def keep_links_inside(app, name, source):
    """Print what stands in the repository beside docs/ by its name, without a link."""
    out = re.escape("../" * (name.count("/") + 1))
    source[0] = re.sub(rf"\[([^\]]+)\]\({out}[^)]+\)", r"`\1`", source[0])


def setup(app):
    app.connect("source-read", keep_links_inside)
