"""The docstrings of the public objects pass numpydoc's validation: parameters and results."""

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from numpydoc.validate import validate

CODES = {"PR01", "PR02", "PR03", "PR04", "PR07", "RT03"}
"""Parameters that are missing, unknown, in another order, without a type or a description; results
without a description."""


def public_names() -> Iterator[str]:
    """Yield the names of docs/api.md, but for those that need PyTorch, and of classes the methods."""
    text = (Path(__file__).parents[2] / "docs/api.md").read_text(encoding="utf-8")
    for module, names in re.findall(
        r"currentmodule:: (\S+)\n.*?nosignatures:\n\n(.*?)```", text, re.S
    ):
        for name in names.split() if module != "toplabel.torch" else ():
            yield f"{module}.{name}"
            kind = getattr(import_module(module), name)
            for member, value in inspect.getmembers(kind) if inspect.isclass(kind) else ():
                is_own = getattr(value, "__module__", None) or ""
                if inspect.isfunction(value) and member[0] != "_" and is_own.startswith("toplabel"):
                    yield f"{module}.{name}.{member}"


@pytest.mark.parametrize("name", list(public_names()))
def test_parameters_and_results_are_described(name):
    assert [error for error in validate(name)["errors"] if error[0] in CODES] == []
