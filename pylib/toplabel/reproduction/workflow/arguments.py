"""The command line, looked at before Snakemake acts on it.

Snakemake goes to the work folder and reads the files of ``--configfile`` before the Snakefile, with
a traceback for a folder that is a file, and for a config that is missing or nested too deep; and it
finds nothing to be done for a target that is there, damaged or not. The profile, which it reads
before all else, calls `check_arguments`.
"""

from __future__ import annotations

import re
import signal
import sys
from base64 import urlsafe_b64encode
from collections.abc import Collection, Sequence
from pathlib import Path

from toplabel._core.files import checked
from toplabel.reproduction.config.documents import read_yaml, unknown

_CONFIGFILES = ("--configfile", "--configfiles")
_DIRECTORY = ("--directory", "-d")
_FORCE = re.compile(r"--force(all|run)?(=.*)?|-\w*[fFR]\w*")
_INCOMPLETE = ".snakemake/incomplete"  # notes of outputs that Snakemake makes again, since their job was killed
_OTHER_FOLDERS = ("logs", "benchmarks", "partial", "smoke")  # of results/, with folders in them
_TEMPLATE = "__use_yte__"  # Snakemake would run the Python that such a file holds


def check_arguments(arguments: Sequence[str] | None = None) -> None:
    """End the run in one line if the work folder, a config file or a target cannot be used.

    From here to `Session.begin`, Ctrl-C ends it without a word.

    Parameters
    ----------
    arguments : sequence of str, optional
        Of the command line; by default that of this process.
    """
    if arguments is None:
        arguments = sys.argv[1:]
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])  # a job may have started it
    work = Path(*_values(arguments, _DIRECTORY)[-1:])
    try:
        if work.exists() and not work.is_dir():
            raise ValueError(f"{work}: is not a folder; --directory names that of the run")
        for name in _values(arguments, _CONFIGFILES):
            _check_config(Path(name))
        if not any(map(_FORCE.fullmatch, arguments)):
            unfinished = _unfinished(work)
            for target in _values(arguments, ()):
                if urlsafe_b64encode(target.encode()).decode() not in unfinished:
                    checked(work / target, target)
    except ValueError as error:
        sys.exit(f"Error: {error}")


def unknown_target(
    rules: Collection[str],
    sets: Collection[str],
    methods: Collection[str],
    arguments: Sequence[str] | None = None,
) -> str:
    """Say which target of a command line is none, with the nearest names; empty when all are.

    Parameters
    ----------
    rules, sets, methods : collection of str
        What targets may be called, and what folders of results are.
    arguments : sequence of str, optional
        Of the command line; by default that of this process.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    words = {*_values(arguments, ())} - {*rules}
    if all(word.isdigit() or "=" in word or Path(word).exists() for word in words):
        return ""  # the parser takes a third of a second
    from snakemake.cli import get_argument_parser

    options, _ = get_argument_parser().parse_known_args([*arguments])
    for target in options.targets:
        parts = Path(target).parts
        if len(parts) == 1 and not Path(target).exists() and target not in rules:
            return unknown("target", target, rules)
        if parts[0] != "results" or len(parts) < 4 or parts[1] in _OTHER_FOLDERS:
            continue
        _, dataset, method, *_ = parts
        if dataset not in sets:
            return f"{target}: {unknown('data set', dataset, sets)}"
        if method not in {*methods, "data", "network"}:
            return f"{target}: {unknown('method', method, methods)}"
    return ""


def _check_config(path: Path) -> None:
    if path.exists() and not path.is_file():
        return  # what is read from a pipe can be read once
    if not path.exists() and path.parent == Path() and not path.suffix:
        raise ValueError(f"{path}: no such file; if it is a target, put targets first")
    content = read_yaml(path)
    if not isinstance(content, dict):
        found = "nothing in it" if content is None else f"a {type(content).__name__}"
        raise ValueError(f"{path}: {found}, not a mapping of keys to values")
    if _TEMPLATE in content:
        raise ValueError(f"{path}: the key '{_TEMPLATE}' is not supported; write the values out")


def _unfinished(work: Path) -> set[str]:
    """Return the names of the notes on outputs whose jobs were killed: their paths in base 64, split
    into folders where they are long.
    """
    folder = work / _INCOMPLETE
    notes = (path.relative_to(folder).parts for path in folder.rglob("*") if path.is_file())
    return {"".join(part.removeprefix("@") for part in parts) for parts in notes}


def _is_option(argument: str, names: Sequence[str]) -> bool:
    return argument.partition("=")[0] in names


def _values(arguments: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return what stands after the options of these names, up to the next one; without names, all
    that is no option.
    """
    found, inside = [], not names
    for argument in arguments:
        if argument.startswith("-"):
            inside = not names or _is_option(argument, names)
            if inside and names and "=" in argument:
                found.append(argument.partition("=")[2])
        elif inside:
            found.append(argument)
    return found
