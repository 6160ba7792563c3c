"""The texts of Snakemake's own report: rendered as Snakemake does, without a warning of
docutils.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import jinja2
import pytest

docutils = pytest.importorskip("docutils.core", reason="docutils comes with Snakemake")

JOB = SimpleNamespace(
    output=["results/tables/table05.csv", "results/tables/table05.json"],
    rule="make_table",
    config={"budget": "standard", "studies": ["circle", "digits"]},
)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("workflow", "studies circle, digits; the budget is standard"),
        ("comparison", "0.005 for rank and Hamming loss"),
        ("findings", "winners.csv"),
        ("table", "table05.json"),
        ("figure", "table05.csv"),
    ],
)
def test_caption(repository: Path, name: str, words: str) -> None:
    text = (repository / "workflow" / "report" / f"{name}.rst").read_text(encoding="utf-8")
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
    rendered = environment.from_string(text).render(snakemake=JOB)
    settings = {"report_level": 1, "halt_level": 1}
    body = docutils.publish_parts(rendered, writer="html", settings_overrides=settings)["body"]
    assert words in body
