"""The files of ``--configfile``, looked at before Snakemake reads them.

Snakemake reads them before the Snakefile, with a traceback for one that is missing or nested too deep. The profile,
which it reads before all else, calls `check_configfiles`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from toplabel.config.documents import read_yaml

_OPTIONS = ("--configfile", "--configfiles")


def check_configfiles(arguments: Sequence[str] | None = None) -> None:
    """End the run in one line if a config file cannot be read.

    Parameters
    ----------
    arguments : sequence of str, optional
        Of the command line; by default that of this process.
    """
    for name in _named(sys.argv[1:] if arguments is None else arguments):
        path = Path(name)
        if path.is_file() or not path.exists():  # what is read from a pipe can be read once
            try:
                read_yaml(path)
            except ValueError as error:
                sys.exit(f"Error: {error}")


def _named(arguments: Sequence[str]) -> Iterator[str]:
    """What stands after the option, up to the next one."""
    inside = False
    for argument in arguments:
        option, equals, value = argument.partition("=")
        if argument.startswith("-"):
            inside = option in _OPTIONS
            if inside and equals:
                yield value
        elif inside:
            yield argument
