"""What all scripts of `workflow/scripts` have in common: logs and errors.

Every stage depends on this module, so it imports no other part of the package: a change there would
run everything again.
"""

from __future__ import annotations

import logging
import os
import platform
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

_INTERRUPTED = 130  # as shells report a process that Ctrl-C ended
_TERMINATED = 143  # and one that SIGTERM did
# A log with the first and without the second is of a job that was killed.
STARTED, ENDED = "started on", "ended"
TERMINATED = "stopped by a signal (SIGTERM): cancelled, or out of time"

logger = logging.getLogger("toplabel")


def run(main: Callable[[Any], None], snakemake: Any) -> None:
    """Run a script's `main` with its log file; bad input ends in one line and exit status 1.

    So does a file that cannot be read or written. The traceback of that line is in a file beside
    the log, `<name>.traceback`. Ctrl-C and SIGTERM end in one line too, with status 130 and 143.
    Any other error keeps its traceback, in the log as well. The first line says where the job runs,
    the last one that it ended well.
    """
    path = Path(snakemake.log[0])
    trace = path.with_suffix(".traceback")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        trace.unlink(missing_ok=True)
        handler = logging.FileHandler(path, mode="w", encoding="utf-8")
    except OSError as error:
        sys.exit(f"Error: {_words(error)}")
    handler.handleError = _tell
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logging.getLogger().addHandler(handler)
    logging.getLogger().setLevel(logging.INFO)
    before = signal.signal(signal.SIGTERM, _terminate)
    ctrl_c, mask = signal.getsignal(signal.SIGINT), signal.pthread_sigmask(signal.SIG_BLOCK, [])
    try:
        if ctrl_c is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, _interrupt)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])  # `Session` has blocked it
        logger.info("%s %s, process %d%s", STARTED, platform.node(), os.getpid(), _slurm_job())
        main(snakemake)
        logger.info(ENDED)
    except (ValueError, OSError) as error:
        logger.error("%s", _words(error))
        with suppress(OSError):
            trace.write_text(traceback.format_exc(), encoding="utf-8")
        sys.exit(1)
    except KeyboardInterrupt:
        logger.error("interrupted")
        sys.exit(_INTERRUPTED)
    except _Terminated:
        logger.error(TERMINATED)
        sys.exit(_TERMINATED)
    except Exception:
        logger.exception("the job failed")
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, ctrl_c)
        signal.signal(signal.SIGTERM, before)
        logging.getLogger().removeHandler(handler)
        with suppress(OSError):
            handler.close()


class _Terminated(BaseException):
    """SIGTERM has come; no `except Exception` of the job's takes it."""


def _terminate(number: int, frame: FrameType | None) -> None:
    raise _Terminated


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, once: another Ctrl-C must not disturb the end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def _slurm_job() -> str:
    job = os.environ.get("SLURM_JOB_ID", "")
    return f", Slurm job {job}" if job else ""


def _words(error: Exception) -> str:
    """Return what is wrong, in one line; of the system's errors the file and the reason."""
    if isinstance(error, OSError) and error.strerror:
        return ": ".join(str(part) for part in (error.filename, error.strerror) if part)
    return str(error)


def _tell(record: logging.LogRecord) -> None:
    """Say on the terminal what no log has room for; of a full disk, once and without a
    traceback.
    """
    if record.levelno >= logging.ERROR:
        print(f"Error: {record.getMessage()}", file=sys.stderr)


def checkout(snakemake: Any) -> Path:
    """Return the folder that holds config/ and data/published/: where the script came from."""
    return Path(snakemake.scriptdir).resolve().parents[1]
