"""The prose of the reports: the macros of ``templates/words.j2``, filled with data.

Both the pages and the document print what they return, so that a sentence stands in one place. A
text may hold the small markup of `toplabel.reproduction.report.labels`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from toplabel.reproduction.report import labels, numbers, score

_SPACES = re.compile(r"[ \n]+")  # not those between the thousands


def environment(**options: Any) -> Environment:
    """Return an environment of the templates with the filters of numbers and names."""
    found = Environment(
        loader=PackageLoader("toplabel.reproduction.report", "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        **options,
    )
    found.filters.update(
        compact=numbers.compact,
        count=numbers.count,
        fixed=numbers.fixed,
        metric=labels.metric_label,
        plain=labels.plain,
        signed=numbers.signed,
        small=numbers.small,
    )
    found.globals.update(
        verdicts=labels.VERDICTS, outcomes=labels.OUTCOMES, in_words=score.in_words
    )
    return found


@cache
def _macros() -> Any:
    return environment().get_template("words.j2").module


def say(name: str, *data: Any) -> str:
    """Return what a macro says of some data, in one line."""
    return _SPACES.sub(" ", str(getattr(_macros(), name)(*data))).strip()
