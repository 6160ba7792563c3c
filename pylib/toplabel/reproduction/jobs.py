"""Base of all stages: the frame of a script (its params as one object, its log, errors in one line), and
seeds.

A task is a frozen dataclass with all that a script depends on besides its inputs. A rule hands it over
as plain values (`plain`), which Snakemake keeps and compares, and the script receives it again,
validated (`received`). Every stage depends on this module, so it imports no other part of the package.
"""

from __future__ import annotations

import hashlib
import logging
import os
import platform
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, TypeVar

from pydantic import TypeAdapter

logger = logging.getLogger("toplabel")

Task = TypeVar("Task")

MODULES = "TOPLABEL_MODULES"
"""The environment variable with the folders of modules beside config files. They stand last in the path:
a file of the user with the name of a module of Python, as random.py, is not imported in its place."""
sys.path += [folder for folder in os.environ.get(MODULES, "").split(os.pathsep) if folder]


@cache
def _adapter(kind: type) -> TypeAdapter:
    return TypeAdapter(kind)


def plain(task: Any) -> dict[str, Any]:
    """Return the fields of a task as builtin values, whose `repr` tells tasks apart."""
    # mypy takes no class for Hashable.
    return _adapter(type(task)).dump_python(task, by_alias=True)  # type: ignore[arg-type]


def received(kind: type[Task], values: Any) -> Task:
    """Return the task of some plain values; a ValueError of pydantic names a field that is wrong."""
    return _adapter(kind).validate_python(values)  # type: ignore[arg-type]


def run(main: Callable[[Any, Any], None], kind: type | None, snakemake: Any) -> None:
    """Run the `main` of a script on its task, and on the object with its inputs and outputs.

    A script that depends on its inputs alone has no kind of task, and gets None. The script has its log
    file. A ValueError or an OSError stands for bad input: it ends the job in one line, with its traceback
    in `<log>.traceback`. Ctrl-C and SIGTERM end it in one line, too. Other errors are defects, and
    keep their traceback. Where the disk is full, neither file is written.
    """
    path = Path(snakemake.log[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    trace = path.with_suffix(".traceback")
    trace.unlink(missing_ok=True)
    logging.basicConfig(
        filename=path,
        filemode="w",
        level=logging.INFO,
        format="%(asctime)s %(levelname)s %(message)s",
        force=True,
    )
    logging.raiseExceptions = (
        False  # a log that cannot be written would print tracebacks of its own
    )
    signal.signal(signal.SIGTERM, _end)
    logger.info("started on %s, process %d", platform.node(), os.getpid())
    try:
        task = None if kind is None else received(kind, snakemake.params.task)
        main(task, snakemake)
    except (ValueError, OSError) as error:
        logger.error("%s", _words(error))
        with suppress(OSError):
            trace.write_text(traceback.format_exc(), encoding="utf-8")
        job = " ".join([snakemake.rule, *map(str, snakemake.wildcards)])
        sys.exit(f"Error: {job}: {_words(error)}")
    except KeyboardInterrupt:
        logger.error("interrupted")
        sys.exit(130)
    except Exception:
        logger.exception("the job failed")
        raise
    logger.info("ended")


def _end(number: int, frame: FrameType | None) -> NoReturn:
    logger.error("stopped by a signal (SIGTERM): cancelled, or out of time")
    sys.exit(143)


def _words(error: Exception) -> str:
    """Return what is wrong in one line; of the system's errors the file and the reason."""
    if isinstance(error, OSError) and error.strerror:
        return ": ".join(str(part) for part in (error.filename, error.strerror) if part)
    return str(error)


def seed_of(*parts: object) -> int:
    """Return a seed in [0, 2**63) that is a function of the text of the parts alone, never of the order
    of execution; for example of data set, method, split and grid index.
    """
    text = "\x1f".join(str(part) for part in parts)
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return int.from_bytes(digest[:8], "little") >> 1
