"""The sentences of the report that no number changes (templates/words.yml)."""

from __future__ import annotations

from importlib import resources
from typing import Any

import yaml


def read_template(name: str) -> str:
    """Return the text of a file of the folder ``templates``."""
    folder = resources.files("toplabel.reproduction.report").joinpath("templates")
    return folder.joinpath(name).read_text("utf-8")


WORDS: dict[str, Any] = yaml.safe_load(read_template("words.yml"))
