"""What all scripts of `workflow/scripts` have in common: logs and errors.

Every stage depends on this module, so it imports no other part of the package: else a change there would run
everything again.
"""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

_INTERRUPTED = 130  # as shells report a process that Ctrl-C ended

logger = logging.getLogger("toplabel")


def run(main: Callable[[Any], None], snakemake: Any) -> None:
    """Run a script's `main` with its log file; bad input ends in one line and exit status 1.

    The traceback of that line is in a file beside the log, `<name>.traceback`. Ctrl-C ends in one line too, with status
    130. Any other error keeps its traceback, in the log as well.
    """
    path = Path(snakemake.log[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    trace = path.with_suffix(".traceback")
    trace.unlink(missing_ok=True)
    handler = logging.FileHandler(path, mode="w", encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logging.getLogger().addHandler(handler)
    logging.getLogger().setLevel(logging.INFO)
    try:
        main(snakemake)
    except ValueError as error:
        logger.error("%s", error)
        trace.write_text(traceback.format_exc(), encoding="utf-8")
        sys.exit(1)
    except KeyboardInterrupt:
        logger.error("interrupted")
        sys.exit(_INTERRUPTED)
    except Exception:
        logger.exception("the job failed")
        raise
    finally:
        logging.getLogger().removeHandler(handler)
        handler.close()


def checkout(snakemake: Any) -> Path:
    """The folder that holds config/ and data/published/: where the script came from."""
    return Path(snakemake.scriptdir).resolve().parents[1]
